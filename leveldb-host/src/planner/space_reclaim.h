// SPDX-License-Identifier: Apache-2.0
//
// Frees space when it is short (RemapEnv::SpaceIsShort): tables of several sorted runs are merged, each by itself, from
// the deepest level up, where most of what newer runs hide lies. LevelDB itself compacts a table only when its level is
// full, and one of the deepest level never.
//
// Not thread-safe: the database's mutex is held in all calls.
#ifndef OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_
#define OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_

#include <string>

#include "leveldb/options.h"
#include "port/port.h"

namespace leveldb {
class Compaction;
class VersionSet;
}  // namespace leveldb

namespace openremap {

class SpaceReclaim {
 public:
  // `options` must outlive this.
  explicit SpaceReclaim(const leveldb::Options *options) : options_(options) { Begin(); }

  // Whether space is short, and there may be tables to merge.
  bool Wanted();

  // The merge of the next such table; null: there is none left. REQUIRES: as of VersionSet::MergeRuns().
  leveldb::Compaction *Pick(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex);

 private:
  void Begin();

  const leveldb::Options *const options_;
  int level_ = 0;     // above the one that is looked through; -1: all have been
  std::string from_;  // internal key of that level from which on; empty: all
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_
