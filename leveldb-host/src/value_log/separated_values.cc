// SPDX-License-Identifier: Apache-2.0
#include "value_log/separated_values.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "db/filename.h"
#include "db/write_batch_internal.h"
#include "remap_env.h"
#include "value_log/defects.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;
using leveldb::WriteBatchInternal;

namespace {

// A memtable refers to no more than this share of the live values, or this number of segments.
constexpr uint64_t kMostFlushShare = 16;
constexpr uint64_t kLeastFlushSegments = 2;

using PutCall = std::function<Status(const Slice &key, const Slice &value)>;
using DeleteCall = std::function<void(const Slice &key)>;

class Handler : public leveldb::WriteBatch::Handler {
 public:
  Handler(PutCall put, DeleteCall remove) : put_(std::move(put)), remove_(std::move(remove)) {}
  void Put(const Slice &key, const Slice &value) override {
    if (status_.ok()) status_ = put_(key, value);
  }
  void Delete(const Slice &key) override { remove_(key); }
  const Status &status() const { return status_; }

 private:
  const PutCall put_;
  const DeleteCall remove_;
  Status status_;
};

// Calls `put` for each put of a batch, up to the first error, and `remove` for each deletion.
Status ForEach(const leveldb::WriteBatch &batch, PutCall put, DeleteCall remove) {
  Handler handler(std::move(put), std::move(remove));
  const Status s = batch.Iterate(&handler);
  return s.ok() ? handler.status() : s;
}

}  // namespace

SeparatedValues::SeparatedValues(const leveldb::Options &options, const std::string &dbname, SegmentLedger *ledger)
    : options_(options), dbname_(dbname), ledger_(ledger), log_(options, dbname), collector_(options, dbname, &log_) {
  for (const auto &[number, segment] : ledger->segments()) {
    if (segment.moved.file != 0) log_.Move(number, segment.moved.file);
  }
}

// ---- Opening --------------------------------------------------------------------------------------------------------

Status SeparatedValues::Replay(const leveldb::WriteBatch &record, bool *torn) {
  std::string stored;
  std::set<uint64_t> segments;
  const auto put = [&](const Slice &, const Slice &tagged) {
    TaggedValue value;
    if (!ParseTagged(tagged, &value)) return Status::Corruption("log", "a value without a valid tag");
    if (!value.separated || torn_) return Status::OK();
    bool has = false;
    Status s = log_.Has(value.pointer, &has);
    if (!s.ok()) return s;
    if (has) s = log_.ReadStored(value.pointer, &stored);
    // The log outlived the value, which was not synced with it. A checksum need not be right then: where the file
    // system writes a file's size before its bytes, it may not be.
    torn_ = !has || (s.IsCorruption() && !options_.paranoid_checks);
    if (torn_) return Status::OK();
    segments.insert(value.pointer.segment);
    return s;
  };
  const Status s = ForEach(record, put, [](const Slice &) {});
  *torn = torn_;
  // Those of a torn record are not needed: what is replayed is flushed while the database is opened, and Sync() by
  // several threads finds nothing to do here.
  if (!torn_ && s.ok()) replayed_.insert(segments.begin(), segments.end());
  return s;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

void SeparatedValues::MemtableBegins(uint64_t log_number) {
  imm_segment_ = mem_segment_;
  const uint64_t open = log_.open_segment();
  mem_segment_ = open != 0 ? open : log_number;
  mem_began_ = log_.appended();
  imm_collected_ = std::move(mem_collected_);
  mem_collected_.clear();
  imm_moved_ = std::move(mem_moved_);
  mem_moved_.clear();
  imm_punchable_ = std::exchange(mem_punchable_, {});
  imm_punched_ = std::exchange(mem_punched_, {});
}

bool SeparatedValues::MemtableIsFull() const {
  const uint64_t most =
      std::max(kLeastFlushSegments * options_.remap.value_log_segment_bytes, ledger_->Total().live() / kMostFlushShare);
  if (log_.appended() - mem_began_ >= most) return true;
  // Pages that moved are twice in the address space until the flush lets the segments go.
  uint64_t moved = 0;
  for (const auto &[number, move] : mem_moved_) moved += move.bytes;
  if (moved >= 2 * most) return true;
  return !(mem_collected_.empty() && mem_moved_.empty() && mem_punchable_.empty()) && Refuses();
}

bool SeparatedValues::Refuses() const { return RemapEnv::FileSpaceOf(options_.env).IsShort(); }

void SeparatedValues::Prepare(const SegmentCollector::TableBytes &table_bytes, const NewNumber &new_number,
                              uint64_t oldest_version, uint64_t oldest_snapshot) {
  collector_.Plan(*ledger_, std::min(mem_segment_, imm_segment_), table_bytes);
  while (punching_ == 0 && collector_.moves() && moving_ == 0) {
    const auto segment = ledger_->segments().find(collector_.leaving());
    if (segment == ledger_->segments().end()) {
      collector_.LeaveOut();
      continue;
    }
    // Pages that are being remapped must not go, nor be used again.
    moving_ = segment->second.moved.file != 0 ? segment->second.moved.file : segment->first;
    collector_.SetTarget(new_number());
  }
  if (moving_ == 0) PreparePunching(oldest_version, oldest_snapshot);
  const bool separates = options_.remap.value_log_threshold != kNoValueLog;
  if ((separates || collector_.under_way()) && log_.NeedsSegment()) log_.Begin(new_number());
}

// The next segment of which nobody sees the dead pages. It may have died.
void SeparatedValues::PreparePunching(uint64_t oldest_version, uint64_t oldest_snapshot) {
  uint64_t oldest = OldestSequence(oldest_snapshot);
  if (SeededDefects().punched_under_readers) oldest = oldest_version = kNone;
  for (;;) {
    if (punching_ == 0) {
      punching_ = ledger_->Punchable(oldest_version, oldest);
      if (punching_ == 0) return;
      ledger_->TakePunchable();
    }
    const auto segment = ledger_->segments().find(punching_);
    if (segment != ledger_->segments().end()) {
      moving_ = segment->second.moved.file != 0 ? segment->second.moved.file : segment->first;
      return collector_.SetPunching(punching_);
    }
    collector_.ForgetPunchable(std::exchange(punching_, 0));
  }
}

Status SeparatedValues::Separate(const leveldb::WriteBatch &batch, const SegmentCollector::NewScan &new_scan,
                                 leveldb::WriteBatch **separated) {
  separated_.Clear();
  *separated = &separated_;
  // First, so that the entries of the batch are newer than what is inserted again.
  if (WriteBatchInternal::Count(&batch) != 0) collector_.Step(batch.ApproximateSize(), new_scan, &separated_);
  WriteBatchInternal::SetSequence(&separated_, WriteBatchInternal::Sequence(&batch));
  const int inserted_again = WriteBatchInternal::Count(&separated_);
  const size_t inserted_bytes = WriteBatchInternal::ByteSize(&separated_);
  // Its copies met an error, and the segment takes no more: that is no error of the write.
  const bool no_segment = log_.NeedsSegment();
  std::string tagged;
  bool has_space = false;
  const auto put = [&](const Slice &key, const Slice &value) {
    tagged.clear();
    Status s;
    if (value.empty() || value.size() < options_.remap.value_log_threshold || no_segment) {
      AppendInline(value, &tagged);
    } else if (!has_space && Refuses()) {
      // Deletions and copies of live values, which give space back, get further.
      collector_.SpaceIsShort();
      s = Status::IOError("value log", std::string(kNoSpaceLeft) + ": the rest is for deletions and collections");
    } else {
      has_space = true;
      ValuePointer pointer;
      s = log_.Append(value, &pointer);
      if (s.ok()) AppendPointer(pointer, &tagged);
    }
    if (s.ok()) separated_.Put(key, tagged);
    return s;
  };
  const Status s = ForEach(batch, put, [this](const Slice &key) { separated_.Delete(key); });
  // Nothing gets a pointer unless the values of all of them are in the file.
  const Status flushed = log_.Flush();
  const Status done = s.ok() ? flushed : s;
  if (!done.ok()) {
    // The collector's step has flushed its own. It would be in vain for ever where all that comes is refused.
    const std::string kept(WriteBatchInternal::Contents(&separated_).data(), inserted_bytes);
    WriteBatchInternal::SetContents(&separated_, kept);
    WriteBatchInternal::SetCount(&separated_, inserted_again);
  }
  return done;
}

void SeparatedValues::Written(bool ok) {
  moving_ = 0;
  if (!collector_.punches()) punching_ = 0;
  for (const auto &[segment, bytes] : collector_.TakePunched()) {
    ledger_->Punched(segment, bytes);
    mem_punched_[segment] = bytes;
  }
  for (const auto &[segment, move] : collector_.TakeMoved()) {
    mem_moved_[segment] = move;
    mem_punched_.erase(segment);
    if (SeededDefects().moved_at_once) {
      log_.Move(segment, move.file);
      RemoveDurably({segment});
    }
  }
  const std::vector<uint64_t> done = collector_.Written(ok);
  mem_collected_.insert(mem_collected_.end(), done.begin(), done.end());
  if (SeededDefects().collected_at_once) RemoveDurably(done);
  mem_punchable_.merge(collector_.TakePunchable());
  if (SeededDefects().punched_at_once) {
    for (const uint64_t segment : std::exchange(mem_punchable_, {})) collector_.PunchAtOnce(segment);
    SyncSomething();
  }
}

// The defects collected_at_once and moved_at_once.
void SeparatedValues::RemoveDurably(const std::vector<uint64_t> &segments) {
  if (segments.empty()) return;
  for (const uint64_t segment : segments) (void)options_.env->RemoveFile(SegmentFileName(dbname_, segment));
  SyncSomething();
}

// For defects: the Sync of a file that is no table makes PageFS's removals and holes durable.
void SeparatedValues::SyncSomething() {
  leveldb::WritableFile *opened = nullptr;
  if (!options_.env->NewWritableFile(leveldb::TempFileName(dbname_, 1), &opened).ok()) return;
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  (void)file->Append("x");
  (void)file->Sync();
}

Status SeparatedValues::Sync() {
  // What an earlier process wrote may be in the operating system's cache only.
  for (const uint64_t segment : replayed_) {
    Status s = log_.SyncOld(segment);
    if (!s.ok()) return s;
  }
  if (!replayed_.empty()) replayed_.clear();
  return log_.Sync();
}

void SeparatedValues::AddCollected(SegmentChanges *changes) const {
  changes->collected.insert(imm_collected_.begin(), imm_collected_.end());
  changes->moved.insert(imm_moved_.begin(), imm_moved_.end());
  changes->punched.insert(imm_punched_.begin(), imm_punched_.end());
  changes->punchable.insert(imm_punchable_.begin(), imm_punchable_.end());
}

void SeparatedValues::MemtableFlushed() {
  imm_segment_ = kNone;
  imm_collected_.clear();
  for (const auto &[segment, move] : imm_moved_) {
    // Not if it died meanwhile: nothing keeps the new file then, and readers of old versions need the old one.
    const auto found = ledger_->segments().find(segment);
    if (found != ledger_->segments().end() && found->second.moved.file == move.file) log_.Move(segment, move.file);
  }
  imm_moved_.clear();
  imm_punched_.clear();
  imm_punchable_.clear();
}

// ---- Reading --------------------------------------------------------------------------------------------------------

Status SeparatedValues::Resolve(std::string *value) {
  TaggedValue tagged;
  if (!ParseTagged(*value, &tagged)) return Status::Corruption("value log", "a value without a valid tag");
  if (tagged.separated) return log_.Read(tagged.pointer, value);
  value->erase(0, value->size() - tagged.value.size());
  return Status::OK();
}

std::unique_ptr<leveldb::Iterator> SeparatedValues::NewIterator(std::unique_ptr<leveldb::Iterator> tagged) {
  return std::make_unique<ValueIterator>(std::move(tagged), &log_);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

bool SeparatedValues::Keeps(uint64_t file, uint64_t oldest_version, uint64_t oldest_snapshot) const {
  if (file >= std::min(mem_segment_, imm_segment_) || file == moving_) return true;
  return ledger_->Keeps(file, oldest_version, OldestSequence(oldest_snapshot));
}

uint64_t SeparatedValues::OldestSequence(uint64_t oldest_snapshot) const {
  if (readers_.empty() || SeededDefects().iterators_not_counted) return oldest_snapshot;
  return std::min(oldest_snapshot, *readers_.begin());
}

void SeparatedValues::Forget(uint64_t file) {
  ledger_->Forget(file);
  log_.Evict(file);
}

std::string SeparatedValues::Describe() const {
  const SegmentLedger::Segment total = ledger_->Total();
  const SegmentCollector::Counters &counters = collector_.counters();
  std::string text;
  const auto line = [&text](const char *name, uint64_t value) {
    text += std::string(name) + " " + std::to_string(value) + "\n";
  };
  line("segments", ledger_->segments().size());
  line("bytes", total.added);
  line("live-bytes", total.live());
  line("collected-segments", counters.segments);
  line("collector-key-bytes", counters.key_bytes);
  line("inserted-again-bytes", counters.inserted_again);
  line("moved-segments", counters.moved);
  line("remapped-bytes", counters.remapped);
  line("moved-copied-bytes", counters.moved_copied);
  line("punched-segments", counters.punched);
  line("punched-bytes", counters.punched_bytes);
  return text;
}

}  // namespace openremap
