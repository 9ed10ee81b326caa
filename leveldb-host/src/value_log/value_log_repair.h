// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_VALUE_LOG_REPAIR_H_
#define OPENREMAP_LEVELDB_HOST_VALUE_LOG_REPAIR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "value_log/segment_ledger.h"
#include "value_log/value_log.h"

namespace openremap {

// The value log of a database that RepairDB works on (docs/design/value-log.md, Repair). Not thread-safe.
class ValueLogRepair {
 public:
  // `options` outlives this.
  ValueLogRepair(const leveldb::Options &options, const std::string &dbname);

  // Makes an iterator over a table, by its number, which verifies its blocks.
  using NewTableIterator = std::function<std::unique_ptr<leveldb::Iterator>(uint64_t number)>;

  // What the database's folder has; the names of manifests are without the folder. The newest manifest that can be read
  // tells whether there is a value log. If it knows of none, but there are segments, the tables tell, which are read
  // for it: the segments may be left over from another database, or stock LevelDB's repair has written the manifest.
  void FoundSegment(uint64_t number) { segments_.insert(number); }
  void FoundManifests(const std::vector<std::string> &names, const std::vector<uint64_t> &tables,
                      const NewTableIterator &new_table_iterator);
  bool separated() const { return separated_; }

  // Whether the values of a log's record are there. Corruption: not all are. One that the file layer cannot read now
  // counts as there: it is for a reader to find out whether it stays so.
  leveldb::Status Check(const leveldb::WriteBatch &record);
  // A value of a table, tagged if the database has a value log.
  void Count(const leveldb::Slice &value);
  // The name to store for the comparator.
  std::string StoredName(const std::string &comparator) const;
  // After everything was counted: makes the segments durable, and returns what the new manifest is to say of them.
  leveldb::Status Finish(SegmentChanges *changes);

 private:
  void FindTargets();
  bool TablesPointToSegments(const std::vector<uint64_t> &tables, const NewTableIterator &new_table_iterator) const;

  const leveldb::Options &options_;
  const std::string dbname_;
  ValueLog log_;
  std::set<uint64_t> segments_;                     // files, by number
  std::map<uint64_t, std::set<uint64_t>> targets_;  // files that have a segment without its dead pages, by segment
  leveldb::Status unread_;                          // why the map of a file could not be looked for
  bool separated_ = false;
  SegmentChanges found_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_VALUE_LOG_REPAIR_H_
