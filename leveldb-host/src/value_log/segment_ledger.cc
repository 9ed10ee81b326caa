// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_ledger.h"

#include <algorithm>

#include "util/coding.h"
#include "value_log/value_pointer.h"

namespace openremap {

using leveldb::Slice;

namespace {

// On disk: do not change. Beyond LevelDB's own tags.
enum Tag : uint32_t { kAdded = 65, kDropped = 66, kCollected = 67, kMoved = 68, kPunched = 69 };

// Stock LevelDB's message: "<comparator><this> does not match existing comparator <comparator>".
constexpr char kSuffix[] = " with values in OpenRemap's value log";

void Count(const Slice &tagged, std::map<uint64_t, uint64_t> *bytes) {
  TaggedValue value;
  if (ParseTagged(tagged, &value) && value.separated) (*bytes)[value.pointer.segment] += value.pointer.bytes;
}

void Encode(Tag tag, const std::map<uint64_t, uint64_t> &bytes, std::string *out) {
  for (const auto &[segment, count] : bytes) {
    leveldb::PutVarint32(out, tag);
    leveldb::PutVarint64(out, segment);
    leveldb::PutVarint64(out, count);
  }
}

}  // namespace

void SegmentChanges::Add(const Slice &tagged) { Count(tagged, &added); }
void SegmentChanges::Drop(const Slice &tagged) { Count(tagged, &dropped); }

void SegmentChanges::EncodeTo(std::string *out) const {
  Encode(kAdded, added, out);
  Encode(kDropped, dropped, out);
  for (const uint64_t segment : collected) {
    leveldb::PutVarint32(out, kCollected);
    leveldb::PutVarint64(out, segment);
  }
  for (const auto &[segment, move] : moved) {
    leveldb::PutVarint32(out, kMoved);
    leveldb::PutVarint64(out, segment);
    leveldb::PutVarint64(out, move.file);
    leveldb::PutVarint64(out, move.bytes);
  }
  Encode(kPunched, punched, out);
}

bool SegmentChanges::Decode(uint32_t tag, Slice *input) {
  uint64_t segment = 0, bytes = 0;
  if (tag < kAdded || tag > kPunched || !leveldb::GetVarint64(input, &segment)) return false;
  if (tag == kCollected) {
    collected.insert(segment);
    return true;
  }
  if (tag == kMoved) {
    Move &move = moved[segment];
    return leveldb::GetVarint64(input, &move.file) && leveldb::GetVarint64(input, &move.bytes);
  }
  if (!leveldb::GetVarint64(input, &bytes)) return false;
  if (tag == kPunched) {
    punched[segment] = bytes;
    return true;
  }
  (tag == kAdded ? added : dropped)[segment] += bytes;
  return true;
}

std::string SegmentLedger::StoredName(const std::string &name, bool separated) {
  return separated ? name + kSuffix : name;
}

bool SegmentLedger::SaysSeparated(const std::string &stored) {
  const std::string suffix = kSuffix;
  return stored.size() >= suffix.size() && stored.compare(stored.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool SegmentLedger::Adopt(const std::string &stored, const std::string &name) {
  separated_ = stored == StoredName(name, true);
  return separated_ || stored == name;
}

void SegmentLedger::Apply(const SegmentChanges &changes, uint64_t version, uint64_t sequence) {
  changes_++;
  for (const auto &[number, bytes] : changes.added) {
    segments_[number].added += bytes;
    total_.added += bytes;
    dead_.erase(number);
  }
  for (const auto &[number, bytes] : changes.dropped) {
    // Of a collected segment hidden pointers are left, which go one by one.
    const auto found = segments_.find(number);
    if (found == segments_.end()) continue;
    Segment &segment = found->second;
    const uint64_t dropped = std::min(bytes, segment.live());
    segment.dropped += dropped;
    total_.dropped += dropped;
    if (segment.live() == 0) Die(number, {version, 0});
  }
  for (const auto &[number, move] : changes.moved) {
    const auto found = segments_.find(number);
    if (found == segments_.end()) continue;  // it died meanwhile
    SegmentChanges::Move &at = found->second.moved;
    targets_.erase(at.file);
    dead_[at.file != 0 ? at.file : number] = {version, sequence};
    at = move;
    targets_.insert(at.file);
    found->second.kept = UINT64_MAX;
  }
  for (const auto &[number, bytes] : changes.punched) Punched(number, bytes);
  for (const uint64_t number : changes.punchable) punchable_.push_back({number, {version, sequence}});
  for (const uint64_t number : changes.collected) {
    if (segments_.count(number) != 0) Die(number, {version, sequence});
  }
}

void SegmentLedger::Die(uint64_t number, const Death &death) {
  const auto found = segments_.find(number);
  total_.added -= found->second.added;
  total_.dropped -= found->second.dropped;
  const uint64_t target = found->second.moved.file;
  targets_.erase(target);
  segments_.erase(found);
  dead_[target != 0 ? target : number] = death;
}

SegmentChanges SegmentLedger::Content() const {
  SegmentChanges content;
  for (const auto &[number, segment] : segments_) {
    content.added[number] = segment.added;
    if (segment.dropped != 0) content.dropped[number] = segment.dropped;
    if (segment.moved.file != 0) content.moved[number] = segment.moved;
    if (segment.kept != UINT64_MAX) content.punched[number] = segment.kept;
  }
  return content;
}

void SegmentLedger::Punched(uint64_t segment, uint64_t bytes) {
  const auto found = segments_.find(segment);
  if (found != segments_.end()) found->second.kept = std::min(found->second.kept, bytes);
}

uint64_t SegmentLedger::Punchable(uint64_t oldest_version, uint64_t oldest_sequence) const {
  if (punchable_.empty()) return 0;
  const auto &[segment, death] = punchable_.front();
  return oldest_version < death.version || oldest_sequence < death.sequence ? 0 : segment;
}

bool SegmentLedger::Keeps(uint64_t file, uint64_t oldest_version, uint64_t oldest_sequence) const {
  const auto segment = segments_.find(file);
  if (segment != segments_.end() && segment->second.moved.file == 0) return true;
  if (targets_.count(file) != 0) return true;
  const auto dead = dead_.find(file);
  if (dead == dead_.end()) return false;
  return oldest_version < dead->second.version || oldest_sequence < dead->second.sequence;
}

}  // namespace openremap
