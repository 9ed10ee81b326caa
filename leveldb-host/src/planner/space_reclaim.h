// SPDX-License-Identifier: Apache-2.0
//
// Frees space when it is short (FileSpace::IsShort) by compactions of single tables, from the deepest level up, where
// most of the data is: tables of several sorted runs are merged, and tables whose pages are too empty written anew.
// LevelDB itself compacts a table only when its level is full, and one of the deepest level never.
//
// Not thread-safe: the database's mutex is held in all calls.
#ifndef OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_
#define OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_

#include <string>

#include "leveldb/options.h"
#include "port/port.h"
#include "remap_env.h"

namespace leveldb {
class Compaction;
class VersionSet;
}  // namespace leveldb

namespace openremap {

// Whether compactions write tables as stock LevelDB does, unaligned, so that they take no more than its.
bool WritesPlainTables(const leveldb::Options &options, const FileSpace &space);

class SpaceReclaim {
 public:
  // `options` must outlive this.
  explicit SpaceReclaim(const leveldb::Options *options);

  // Whether space is short, and there may be tables that take more than they need.
  bool Wanted();

  // The compaction of the next such table; null: there is none left. REQUIRES: as of VersionSet::MergeRuns().
  leveldb::Compaction *Pick(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex);

 private:
  // A walk over the tables, which finds those of several runs, or of which more than a share is empty.
  class Walk {
   public:
    explicit Walk(double most_waste) : most_waste_(most_waste) { Begin(); }
    void Begin();
    bool Ended() const { return level_ < 0; }
    leveldb::Compaction *Next(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex);

   private:
    const double most_waste_;
    int level_ = 0;     // above the one that is walked through; -1: all have been
    std::string from_;  // internal key of that level from which on; empty: all
  };

  // The walk that is due; null: there is enough space.
  Walk *Due();

  const leveldb::Options *const options_;
  Walk wasteful_;  // as soon as space is short
  Walk paged_;     // as the last resort
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SPACE_RECLAIM_H_
