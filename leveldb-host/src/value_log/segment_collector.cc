// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_collector.h"

#include <algorithm>

#include "remap_env.h"
#include "util/logging.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;
using leveldb::WriteBatch;

namespace {

// A collection takes segments of no more than a quarter of the log, and live values, which are there twice until it is
// through, of no more than an eighth. It is through when the log has grown by an eighth.
constexpr uint64_t kVictimShare = 4;
constexpr uint64_t kCopiedShare = 8;
constexpr double kGrowthShare = 8;
// Nothing is measured anew before the log has grown by this share; with little space left, before anything was flushed.
constexpr uint64_t kAuditGrowthShare = 8;
constexpr uint64_t kLeastAuditSegments = 4;
// A step below this is postponed: each one seeks.
constexpr double kLeastStep = 4096;
// A step ends when it has copied this much: it is part of somebody's write.
constexpr uint64_t kMostCopied = 256 << 10;
// A segment of which so little lives is copied.
constexpr uint64_t kLittleShare = 16;
// A segment that moving does not help is not looked at again before this share of what lives is dead.
constexpr uint64_t kFutileShare = 4;
// Among the files of segments in flight: none, because it was collected.
constexpr uint64_t kCollected = UINT64_MAX;
// No edit is waited for: it is to be punched.
constexpr uint64_t kToBePunched = UINT64_MAX - 1;
// No segment gets that long, although a batch of any size goes behind its limit; a set of its pages fits memory.
constexpr uint64_t kMostOffset = uint64_t{1} << 40;
// With little space left, less has to be dead.
constexpr uint64_t kDeadPercentWhenShort = 5;
constexpr double kPaceWhenShort = 4;

}  // namespace

SegmentCollector::SegmentCollector(const leveldb::Options &options, const std::string &dbname, ValueLog *log)
    : options_(options), log_(log), most_copied_(kMostCopied) {
  if (RemapEnv::From(options.env) != nullptr) mover_.emplace(options.env, dbname);
  puncher_.emplace(options.env, dbname);
}

// Of what has moved, hidden values are counted by the ledger that are not in its file any more.
uint64_t SegmentCollector::Live(uint64_t number, const SegmentLedger::Segment &segment) const {
  const uint64_t live = std::min(segment.live(), segment.size());
  const auto measured = measured_.find(number);
  return measured == measured_.end() ? live : std::min(measured->second, live);
}

// Whether it moved in vain, or was not moved because of that, and not much more is dead since.
bool SegmentCollector::IsFutile(const Candidate &candidate) const {
  const auto futile = futile_.find(candidate.number);
  return futile != futile_.end() && candidate.live * kFutileShare > futile->second * (kFutileShare - 1);
}

// By cost a segment with little left is copied, because its pages would be a file of their own for ever, and so are
// values below a page, because few pages are dead as a whole. Else holes cost less than another file.
SegmentCollector::Way SegmentCollector::WayFor(const Candidate &candidate, bool is_short) const {
  const bool futile = IsFutile(candidate);
  const uint64_t mean = log_->mean_bytes();
  switch (options_.remap.value_log_collector) {
    case ValueLogCollector::kCopy:
      return Way::kCopy;
    case ValueLogCollector::kRemap:
      return mover_ && !(is_short && futile) ? Way::kMove : Way::kCopy;
    case ValueLogCollector::kPunch:
      return puncher_ && !(is_short && futile) ? Way::kPunch : Way::kCopy;
    case ValueLogCollector::kCost:
      break;
  }
  const bool small = mean != 0 && mean < kPageBytes;
  const bool little = candidate.live * kLittleShare <= options_.remap.value_log_segment_bytes;
  if (small || futile || little) return Way::kCopy;
  return puncher_ ? Way::kPunch : mover_ ? Way::kMove : Way::kCopy;
}

void SegmentCollector::Plan(const SegmentLedger &ledger, uint64_t first_unflushed, const TableBytes &table_bytes) {
  if (under_way() || options_.remap.value_log_dead_percent == 0 || ledger.changes() == seen_changes_) return;
  seen_changes_ = ledger.changes();
  const bool is_short = planned_short_ = RemapEnv::FileSpaceOf(options_.env).IsShort();
  auto percent = static_cast<uint64_t>(options_.remap.value_log_dead_percent);
  if (is_short) percent = std::min(percent, kDeadPercentWhenShort);

  std::vector<Candidate> candidates;
  uint64_t added = 0, live = 0;
  const std::map<uint64_t, uint64_t> in_flight = std::exchange(in_flight_, {});
  for (const auto &[number, segment] : ledger.segments()) {
    const auto flying = in_flight.find(number);
    if (flying != in_flight.end() && flying->second != segment.moved.file) {
      in_flight_.insert(*flying);
      continue;
    }
    const Candidate candidate = {number, segment.size(), Live(number, segment), segment.file_bytes()};
    added += candidate.size;
    live += candidate.live;
    const bool worth_it = (candidate.size - candidate.live) * 200 >= candidate.size * percent;
    if (number < first_unflushed && worth_it && unreadable_.count(number) == 0) candidates.push_back(candidate);
  }
  const bool is_new =
      is_short ? ledger.changes() != measured_changes_ : added > measured_added_ + added / kAuditGrowthShare;
  if ((added - live) * 100 >= added * percent) {
    Pick(std::move(candidates), added, is_short);
  } else if (added >= kLeastAuditSegments * options_.remap.value_log_segment_bytes &&
             added * (100 - percent) > 100 * measured_live_ && is_new) {
    // What is hidden and not dropped yet may be as much. The scan tells.
    auditing_ = true;
    measured_.clear();
    for (const auto &[number, segment] : ledger.segments()) {
      if (number < first_unflushed) measured_[number] = 0;
    }
    measured_live_ = 0;
    measured_added_ = added;
    measured_changes_ = ledger.changes();
  }
  begun_ = false;
  credit_ = 0;
  pace_ = std::max(1.0, kGrowthShare * static_cast<double>(table_bytes()) / static_cast<double>(added));
  if (is_short) pace_ *= kPaceWhenShort;
}

void SegmentCollector::Pick(std::vector<Candidate> candidates, uint64_t added, bool is_short) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return static_cast<double>(a.live) * static_cast<double>(b.size) <
           static_cast<double>(b.live) * static_cast<double>(a.size);
  });
  uint64_t bytes = 0, live = 0;
  bool taken = false;
  for (const Candidate &candidate : candidates) {
    const Way way = WayFor(candidate, is_short);
    // With little space left one at a time: what is live takes space before it goes. Holes take none.
    if (is_short && way != Way::kPunch && std::exchange(taken, true)) continue;
    if (way != Way::kCopy) {
      if (IsFutile(candidate)) continue;
      Mover &mover = movers_[candidate.number];
      mover.way = way;
      mover.size = candidate.size;
      mover.file_bytes = candidate.file_bytes;
      continue;
    }
    bytes += candidate.size;
    live += candidate.live;
    const bool enough = bytes > added / kVictimShare || live > added / kCopiedShare;
    if (victims_.empty() || !enough) victims_.insert(candidate.number);
  }
}

void SegmentCollector::Step(uint64_t bytes, const NewScan &new_scan, leveldb::WriteBatch *batch) {
  stepped_ = ended_ = false;
  seen_.clear();
  if (punching_ != 0) {
    PunchOne();  // beside a scan, if there is one; but the next file has no number now
    if (moves()) return;
  }
  if (!under_way()) return;
  if (moves()) return MoveOne();
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
  copied_ = 0;
  bool damaged = false;
  for (; scan->Valid() && credit_ > 0 && copied_ < most_copied_; scan->Next()) {
    const Slice key = scan->key();
    const Slice tagged = scan->value();
    TaggedValue value;
    damaged = !ParseTagged(tagged, &value) ||
              (value.separated && (value.pointer.bytes == 0 || value.pointer.offset > kMostOffset));
    if (damaged) break;
    if (value.separated) {
      if (victims_.count(value.pointer.segment) != 0) {
        if (!InsertAgain(key, value.pointer, batch)) return Postpone(batch);
      }
      const auto mover = movers_.find(value.pointer.segment);
      if (mover != movers_.end()) mover->second.pages.Add(value.pointer.offset, value.pointer.bytes);
      seen_[value.pointer.segment] += value.pointer.bytes;
    }
    credit_ -= static_cast<double>(key.size() + tagged.size());
    counters_.key_bytes += key.size() + tagged.size();
    next_cursor_ = key.ToString();
    stepped_ = true;
  }
  if (copied_ != 0 && !log_->Flush().ok()) return Postpone(batch);
  if (damaged) return EndBadScan(Status::Corruption(leveldb::EscapeString(scan->key()), "a value without a valid tag"));
  if (!scan->status().ok()) return EndBadScan(scan->status());
  ended_ = !scan->Valid();
  if (ended_) CountPages();
  stepped_ = stepped_ || ended_;
}

// A table is damaged: what it hides may be live. The step's copies are written all the same.
void SegmentCollector::EndBadScan(const Status &why) {
  leveldb::Log(options_.info_log, "value log: a collection ended: %s", why.ToString().c_str());
  unreadable_.insert(victims_.begin(), victims_.end());
  for (const auto &[number, mover] : movers_) unreadable_.insert(number);
  victims_.clear();
  movers_.clear();
  EndAudit(/*ok=*/false);
}

void SegmentCollector::CountPages() {
  for (auto &[number, mover] : movers_) mover.file_pages = log_->Pages(number);
}

// All keys were looked at.
void SegmentCollector::EndScan(std::vector<uint64_t> *done) {
  done->assign(victims_.begin(), victims_.end());
  victims_.clear();
  for (auto &[number, mover] : std::exchange(movers_, {})) {
    if (mover.pages.count() == 0) {
      done->push_back(number);
      continue;
    }
    measured_[number] = mover.live;
    // Bytes lie in the pages evenly, also where some are holes already. Of what is dead at least half is to go.
    mover.kept = mover.size;
    if (mover.file_pages > mover.pages.count()) {
      mover.kept = std::min(mover.size, mover.file_bytes * mover.pages.count() / mover.file_pages);
    }
    const uint64_t going = mover.size - mover.kept;
    const uint64_t dead = mover.size - std::min(mover.live, mover.size);
    if (going == 0 || 2 * going < dead) {
      futile_[number] = mover.live;
      seen_changes_ = 0;  // by cost it may be copied now
    } else if (mover.way == Way::kPunch) {
      in_flight_[number] = kToBePunched;
      punchable_.insert(number);
      waiting_[number] = std::move(mover);
    } else {
      leaving_[number] = std::move(mover);
    }
  }
  counters_.segments += done->size();
  for (const uint64_t number : *done) {
    futile_.erase(number);
    in_flight_[number] = kCollected;
  }
  if (auditing_) EndAudit(/*ok=*/true);
}

// A full device postpones all of them: the next scan sees what is live then.
void SegmentCollector::MoveOne() {
  const auto leaving = leaving_.begin();
  const auto &[number, mover] = *leaving;
  uint64_t source = 0;
  std::shared_ptr<const SegmentMap> map;
  MovedPages pages;
  Status s = log_->Whereabouts(number, &source, &map);
  if (s.ok()) s = mover_->Move(number, mover.pages, source, map.get(), target_, &pages);
  if (!s.ok()) {
    if (s.IsCorruption() || s.IsNotFound()) {
      unreadable_.insert(number);  // or it died meanwhile
    } else if (RemapEnv::FileSpaceOf(options_.env).IsShort()) {
      leaving_.clear();
      return;
    } else {
      futile_[number] = mover.live;  // by cost it is copied, which finds the values that cannot be read
    }
    leaving_.erase(leaving);
    return;
  }
  // Dead values that share a page with live ones count as before.
  moved_[number] = {target_, std::max(mover.live, mover.kept)};
  in_flight_[number] = target_;
  counters_.segments++;
  counters_.moved++;
  counters_.remapped += pages.remapped * kPageBytes;
  counters_.moved_copied += pages.copied * kPageBytes;
  leaving_.erase(leaving);
}

// What was not punched counts as before, and by cost it is copied next.
void SegmentCollector::PunchOne() {
  const uint64_t number = std::exchange(punching_, 0);
  const auto waiting = waiting_.find(number);
  if (waiting == waiting_.end()) return;
  const Mover mover = std::move(waiting->second);
  ForgetPunchable(number);
  if (!puncher_) return;
  uint64_t source = 0, pages = 0;
  std::shared_ptr<const SegmentMap> map;
  Status s = log_->Whereabouts(number, &source, &map);
  if (s.ok()) s = puncher_->Punch(mover.pages, source, map.get(), &pages);
  if (s.ok()) {
    counters_.segments++;
    counters_.punched++;
    counters_.punched_bytes += mover.size - mover.kept;
    punched_[number] = std::max(mover.live, mover.kept);
    return;
  }
  if (s.IsNotSupportedError() && counters_.punched + pages == 0) puncher_.reset();  // nor elsewhere
  if (s.IsCorruption() || s.IsNotFound()) {
    unreadable_.insert(number);
  } else if (puncher_) {
    futile_[number] = mover.live;
  }
  seen_changes_ = 0;
}

void SegmentCollector::ForgetPunchable(uint64_t segment) {
  waiting_.erase(segment);
  in_flight_.erase(segment);
}

// A step that is not written is repeated, and counted then.
void SegmentCollector::CountSeen() {
  for (const auto &[number, bytes] : seen_) {
    const auto mover = movers_.find(number);
    if (mover != movers_.end()) mover->second.live += bytes;
    if (!auditing_) continue;
    measured_live_ += bytes;
    const auto segment = measured_.find(number);
    if (segment != measured_.end()) segment->second += bytes;
  }
}

void SegmentCollector::EndAudit(bool ok) {
  auditing_ = false;
  if (!ok) measured_.clear();
  seen_changes_ = 0;  // what was measured may make a collection due
}

// The log did not take a copy, because there is no space for it or the device failed: none of the step's may be pointed
// to. The same entries are looked at again, and copied one at a time until one is taken.
void SegmentCollector::Postpone(WriteBatch *batch) {
  (void)log_->Flush();
  batch->Clear();
  most_copied_ = 1;
  stepped_ = false;
}

// False: the log did not take the copy.
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
  copied_ += pointer.bytes;
  return true;
}

std::vector<uint64_t> SegmentCollector::Written(bool ok) {
  std::vector<uint64_t> done;
  if (ok && stepped_) {
    begun_ = true;
    cursor_ = next_cursor_;
    CountSeen();
    counters_.inserted_again += copied_;
    if (copied_ != 0) most_copied_ = kMostCopied;
    if (ended_) EndScan(&done);
  }
  stepped_ = ended_ = false;
  return done;
}

}  // namespace openremap
