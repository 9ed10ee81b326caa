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

// Forward-only iterator over the merge of some runs. The runs must outlive it.
//
// A block that nothing of another run falls into and nothing can be dropped from is not read where it need not be:
// run().Unread(). It appears as its first and its last key, with no value.
//
// `may_pass`, if not null, has a say in that.
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

  // A compaction never moves any other way.
  void SeekToLast() override;
  void Seek(const leveldb::Slice &target) override;
  void Prev() override;

  const leveldb::Comparator *user_comparator() const { return comparator_->user_comparator(); }

  // Index of the run that the current entry comes from. REQUIRES: Valid().
  size_t current() const { return current_; }
  const SortedRun &run() const { return (*runs_)[current_]; }

  // Whether an entry of another run comes before the last one of the block under the input, so that this block will not stay
  // as it is; false, too, where nothing tells which that is. REQUIRES: Valid().
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
  std::vector<leveldb::Slice> keys_;  // of the runs, where they are; data() is null at the end
  size_t current_ = kNone;
  std::string passed_user_key_;  // of the entry before
  bool passed_any_ = false;
  leveldb::Status misuse_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_COMPACTION_INPUT_H_
