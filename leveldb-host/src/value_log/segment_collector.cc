// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_collector.h"

#include <algorithm>

#include "remap_env.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// A collection takes segments of no more than this share of the log, and is through when the log has grown by this
// share of its bytes.
constexpr uint64_t kVictimShare = 4;
constexpr double kGrowthShare = 8;
// A step below this is postponed: each one seeks.
constexpr double kLeastStep = 4096;
// A step ends when it has copied this much: it is part of somebody's write.
constexpr uint64_t kMostCopied = 256 << 10;
// With little space left, less has to be dead.
constexpr uint64_t kDeadPercentWhenShort = 5;
constexpr double kPaceWhenShort = 4;

}  // namespace

bool SpaceIsShort(leveldb::Env *env) {
  RemapEnv *const remap = RemapEnv::From(env);
  return remap != nullptr && remap->SpaceIsShort();
}

void SegmentCollector::Plan(const SegmentLedger &ledger, uint64_t first_unflushed, const TableBytes &table_bytes) {
  if (under_way() || options_.remap.value_log_dead_percent == 0 || ledger.changes() == seen_changes_) return;
  seen_changes_ = ledger.changes();
  const bool is_short = SpaceIsShort(options_.env);
  auto percent = static_cast<uint64_t>(options_.remap.value_log_dead_percent);
  if (is_short) percent = std::min(percent, kDeadPercentWhenShort);
  const SegmentLedger::Segment total = ledger.Total();
  if (total.dropped * 100 < total.added * percent) return;

  struct Candidate {
    uint64_t number;
    SegmentLedger::Segment segment;
  };
  std::vector<Candidate> candidates;
  for (const auto &[number, segment] : ledger.segments()) {
    const bool worth_it = segment.dropped * 200 >= segment.added * percent;
    if (number < first_unflushed && worth_it && unreadable_.count(number) == 0) candidates.push_back({number, segment});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return static_cast<double>(a.segment.live()) * static_cast<double>(b.segment.added) <
           static_cast<double>(b.segment.live()) * static_cast<double>(a.segment.added);
  });
  uint64_t bytes = 0;
  for (const Candidate &candidate : candidates) {
    // With little space left one at a time: its live values take space before it goes.
    const bool enough = is_short || bytes + candidate.segment.added > total.added / kVictimShare;
    if (!victims_.empty() && enough) break;
    bytes += candidate.segment.added;
    victims_.insert(candidate.number);
  }
  begun_ = false;
  credit_ = 0;
  pace_ = std::max(1.0, kGrowthShare * static_cast<double>(table_bytes()) / static_cast<double>(total.added));
  if (is_short) pace_ *= kPaceWhenShort;
}

void SegmentCollector::Step(uint64_t bytes, const NewScan &new_scan, leveldb::WriteBatch *batch) {
  stepped_ = ended_ = false;
  if (!under_way()) return;
  credit_ += pace_ * static_cast<double>(bytes);
  if (credit_ < kLeastStep) return;
  const std::unique_ptr<leveldb::Iterator> scan = new_scan();
  if (!begun_) {
    scan->SeekToFirst();
  } else {
    scan->Seek(cursor_);
    if (scan->Valid() && scan->key() == Slice(cursor_)) scan->Next();
  }
  next_cursor_ = cursor_;
  uint64_t copied = 0;
  for (; scan->Valid() && credit_ > 0 && copied < kMostCopied; scan->Next()) {
    const Slice key = scan->key();
    const Slice tagged = scan->value();
    TaggedValue value;
    if (ParseTagged(tagged, &value) && value.separated && victims_.count(value.pointer.segment) != 0) {
      // No space is left: the write that goes with it will find that, too.
      if (!InsertAgain(key, value.pointer, batch)) return;
      copied += value.pointer.bytes;
    }
    credit_ -= static_cast<double>(key.size() + tagged.size());
    counters_.key_bytes += key.size() + tagged.size();
    next_cursor_ = key.ToString();
    stepped_ = true;
  }
  if (!scan->status().ok()) {
    // A damaged table: what it hides may be live.
    unreadable_.insert(victims_.begin(), victims_.end());
    victims_.clear();
    return;
  }
  ended_ = !scan->Valid();
  stepped_ = stepped_ || ended_;
}

// False: there is no space for it now.
bool SegmentCollector::InsertAgain(const Slice &key, const ValuePointer &pointer, leveldb::WriteBatch *batch) {
  std::string stored;
  if (!log_->ReadStored(pointer, &stored).ok()) {
    victims_.erase(pointer.segment);
    unreadable_.insert(pointer.segment);
    return true;
  }
  ValuePointer copy;
  if (!log_->AppendStored(stored, pointer, &copy).ok()) return false;
  std::string tagged;
  AppendPointer(copy, &tagged);
  batch->Put(key, tagged);
  counters_.inserted_again += pointer.bytes;
  return true;
}

std::vector<uint64_t> SegmentCollector::Written(bool ok) {
  std::vector<uint64_t> done;
  if (ok && stepped_) {
    begun_ = true;
    cursor_ = next_cursor_;
    if (ended_) {
      done.assign(victims_.begin(), victims_.end());
      counters_.segments += done.size();
      victims_.clear();
    }
  }
  stepped_ = ended_ = false;
  return done;
}

}  // namespace openremap
