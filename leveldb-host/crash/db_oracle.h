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

// The states that a database may have after a power cut: the one after its last synced write, or after any later write.
// A write survives completely or not at all, and only with all writes before it, because all are in the log.
class DbOracle {
 public:
  using State = std::map<std::string, std::string>;
  // The changes of one write; no value: deleted.
  using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

  // A write begins; from now on it may survive a cut.
  void Begin(const Changes &changes);
  // The write was acknowledged. With `sync`, it and all writes before it must survive.
  void Acknowledged(bool sync);
  // The database was closed and the file system unmounted, so all acknowledged writes must survive.
  void Closed();

  // The contents that reads must return now.
  const State &Now() const { return now_; }

  // The database was opened after a cut and durably has the contents `found`. Returns a violation, or an empty string;
  // in that case reads must return `found` from now on.
  std::string Recovered(const State &found);

 private:
  static void Apply(const Changes &changes, State *state);
  // A violation of a single key, which says more than that the whole is not a valid state.
  std::string Blame(const State &found) const;

  State durable_;
  std::vector<Changes> since_;  // writes after that
  State now_;
  std::map<std::string, std::set<size_t>> written_;  // hashes of all values that each key ever had
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DB_ORACLE_H_
