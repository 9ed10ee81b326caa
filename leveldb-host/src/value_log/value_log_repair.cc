// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_log_repair.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "db/dbformat.h"
#include "db/log_reader.h"
#include "util/coding.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// The comparator's name in the first record of a manifest, where it is the first field.
std::optional<std::string> ComparatorOf(leveldb::Env *env, const std::string &fname) {
  constexpr uint32_t kComparatorTag = 1;
  leveldb::SequentialFile *opened = nullptr;
  if (!env->NewSequentialFile(fname, &opened).ok()) return std::nullopt;
  const std::unique_ptr<leveldb::SequentialFile> file(opened);
  leveldb::log::Reader reader(file.get(), nullptr, /*checksum=*/true, /*initial_offset=*/0);
  Slice record, name;
  std::string scratch;
  uint32_t tag = 0;
  if (!reader.ReadRecord(&record, &scratch) || !leveldb::GetVarint32(&record, &tag) || tag != kComparatorTag ||
      !leveldb::GetLengthPrefixedSlice(&record, &name)) {
    return std::nullopt;
  }
  return name.ToString();
}

class Checker : public leveldb::WriteBatch::Handler {
 public:
  explicit Checker(ValueLog *log) : log_(log) {}
  void Put(const Slice &, const Slice &tagged) override {
    TaggedValue value;
    if (!status_.ok()) return;
    if (!ParseTagged(tagged, &value)) status_ = Status::Corruption("log", "a value without a valid tag");
    if (!status_.ok() || !value.separated) return;
    const Status s = log_->ReadStored(value.pointer, &stored_);
    if (s.IsCorruption()) status_ = s;
  }
  void Delete(const Slice &) override {}
  const Status &status() const { return status_; }

 private:
  ValueLog *const log_;
  std::string stored_;
  Status status_;
};

}  // namespace

ValueLogRepair::ValueLogRepair(const leveldb::Options &options, const std::string &dbname)
    : options_(options), dbname_(dbname), log_(options, dbname) {}

void ValueLogRepair::FoundManifests(const std::vector<std::string> &names, const std::vector<uint64_t> &tables,
                                    const NewTableIterator &new_table_iterator) {
  FindTargets();
  // The newest that can be read counts; numbers have the same width, mostly.
  std::vector<std::string> newest_first = names;
  std::sort(newest_first.begin(), newest_first.end(), [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });
  for (const std::string &name : newest_first) {
    const std::optional<std::string> comparator = ComparatorOf(options_.env, dbname_ + "/" + name);
    if (!comparator) continue;
    separated_ = SegmentLedger::SaysSeparated(*comparator) || TablesPointToSegments(tables, new_table_iterator);
    return;
  }
  separated_ = !segments_.empty() || options_.remap.value_log_threshold != kNoValueLog;
}

// Whether all values of tables are tagged, and one at least points to a segment that is there.
bool ValueLogRepair::TablesPointToSegments(const std::vector<uint64_t> &tables,
                                           const NewTableIterator &new_table_iterator) const {
  bool points = false;
  if (segments_.empty()) return false;
  for (const uint64_t table : tables) {
    const std::unique_ptr<leveldb::Iterator> entries = new_table_iterator(table);
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      leveldb::ParsedInternalKey key;
      if (!leveldb::ParseInternalKey(entries->key(), &key) || key.type != leveldb::kTypeValue) continue;
      TaggedValue value;
      if (!ParseTagged(entries->value(), &value)) return false;
      if (!value.separated) continue;
      points |= segments_.count(value.pointer.segment) != 0 || targets_.count(value.pointer.segment) != 0;
    }
    // What cannot be read now may point to one. A database that is taken for one with a value log by mistake says so
    // when it is read; the other mistake would show tags as values.
    const leveldb::Status s = entries->status();
    points |= !s.ok() && !s.IsCorruption() && !s.IsNotFound();
  }
  return points;
}

// A segment that moved is in the first file that has it: what visible entries refer to is in all of them, and in that
// one maybe more.
void ValueLogRepair::FindTargets() {
  for (const uint64_t number : segments_) {
    SegmentMap map;
    const Status s = SegmentMap::Read(options_.env, SegmentFileName(dbname_, number), &map);
    if (s.ok() && segments_.count(map.segment()) == 0) targets_[map.segment()].insert(number);
    if (!s.ok() && !s.IsCorruption() && !s.IsNotFound() && unread_.ok()) unread_ = s;
  }
  for (const auto &[segment, files] : targets_) log_.Move(segment, *files.begin());
}

Status ValueLogRepair::Check(const leveldb::WriteBatch &record) {
  if (!separated_) return Status::OK();
  Checker checker(&log_);
  const Status s = record.Iterate(&checker);
  return s.ok() ? checker.status() : s;
}

void ValueLogRepair::Count(const Slice &value) {
  if (separated_) found_.Add(value);
}

std::string ValueLogRepair::StoredName(const std::string &comparator) const {
  return SegmentLedger::StoredName(comparator, separated_);
}

Status ValueLogRepair::Finish(SegmentChanges *changes) {
  *changes = SegmentChanges();
  for (const auto &[segment, bytes] : found_.added) {
    const auto targets = targets_.find(segment);
    const bool moved = targets != targets_.end();
    if (segments_.count(segment) == 0 && !moved) {
      if (!unread_.ok()) return unread_;  // the segment may be in that file
      continue;                           // of a collected one hidden pointers may be left
    }
    const uint64_t file = moved ? *targets->second.begin() : segment;
    Status s = log_.SyncOld(file);
    if (!s.ok()) return s;
    changes->added[segment] = bytes;
    if (moved) changes->moved[segment] = {file, bytes};
  }
  return Status::OK();
}

}  // namespace openremap
