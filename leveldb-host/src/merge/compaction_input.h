// SPDX-License-Identifier: Apache-2.0
//
// The merged input of a compaction, like VersionSet::MakeInputIterator(), that also tells which data block of which
// sorted run each entry comes from.
#ifndef OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_
#define OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "merge/sorted_run.h"

namespace openremap {

// A forward-only iterator over the merge of some runs, which must outlive it. Not thread-safe.
//
// Blocks that a merge cannot change are not read: no entry of another run falls into such a block, and none of its
// entries can be dropped. run().Unread() tells. An unread block appears as two keys, its first and its last, without
// values.
//
// If `may_pass` is not null, it can veto that for a block.
class CompactionInput : public leveldb::Iterator {
 public:
  using MayPass = std::function<bool(const BlockMetadata &)>;

  CompactionInput(const leveldb::InternalKeyComparator *comparator, std::vector<SortedRun> *runs,
                  MayPass may_pass = nullptr);

  bool Valid() const override { return current_ != kNone; }
  void SeekToFirst() override;
  void Next() override;
  leveldb::Slice key() const override { return run().key(); }
  leveldb::Slice value() const override { return run().value(); }
  leveldb::Status status() const override;

  // Unsupported: a compaction only moves forward.
  void SeekToLast() override;
  void Seek(const leveldb::Slice &target) override;
  void Prev() override;

  const leveldb::Comparator *user_comparator() const { return comparator_->user_comparator(); }

  // Index of the run that has the current entry. REQUIRES: Valid().
  size_t current() const { return current_; }
  const SortedRun &run() const { return (*runs_)[current_]; }

  // Whether an entry of another run comes before the last entry of the current block, so that the block will change.
  // Also false if the last entry is not known. REQUIRES: Valid().
  bool OthersFallIn() const;

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void Moved(size_t run);
  void FindSmallest();
  bool MayStayUnread() const;
  void Find();

  const leveldb::InternalKeyComparator *comparator_;
  std::vector<SortedRun> *runs_;
  MayPass may_pass_;
  std::vector<leveldb::Slice> keys_;  // current key of each run; data() is null at its end
  size_t current_ = kNone;
  std::string passed_user_key_;  // user key of the previous entry
  bool passed_any_ = false;
  leveldb::Status misuse_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_
