// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_DB_ORACLE_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_DB_ORACLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace openremap {

// What a database may hold after a power cut: the state after its last synced write, or after any later write, whole. The
// log is what makes it so: a write that survives was preceded by all before it.
class DbOracle {
 public:
  using State = std::map<std::string, std::string>;
  // Of one write, which counts as a whole; no value: deleted.
  using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

  // A write is under way: from now on it may survive a cut.
  void Begin(const Changes &changes);
  // It was acknowledged; with `sync`, and all before it, it must survive.
  void Acknowledged(bool sync);
  // All acknowledged writes must survive: the database was closed and the file system unmounted.
  void Closed();

  // What reads must give now.
  const State &Now() const { return now_; }

  // The database was opened after a cut and holds `found`, durably. Returns what is wrong with that, or nothing; then it
  // is what reads must give from now on.
  std::string Recovered(const State &found);

 private:
  static void Apply(const Changes &changes, State *state);
  // What is wrong with one key by itself: more telling than that the whole is no state.
  std::string Blame(const State &found) const;

  State durable_;
  std::vector<Changes> since_;  // writes after that
  State now_;
  std::map<std::string, std::set<size_t>> written_;  // by key: hashes of all values it ever had
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_ORACLE_H_
