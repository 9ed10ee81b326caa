// SPDX-License-Identifier: Apache-2.0
#include "merged_trace.h"

#include <algorithm>

namespace openremap {

using leveldb::Status;

namespace {

constexpr uint64_t kNotedEvery = 1 << 16;  // records

bool IsOfTable(const PageRecord &record) {
  return record.operation == PageOperation::kWrite && record.kind == PageKind::kTable;
}

// SplitMix64's mixing (Steele, Lea, Flood, OOPSLA 2014).
uint64_t Mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Status MergedTrace::Scan(Source *source, uint64_t before, const std::function<void(uint64_t)> &noted) {
  std::unique_ptr<PageTraceReader> reader;
  Status s = PageTraceReader::Open(source->path, &reader);
  if (s.ok()) source->kinds = reader->info().kinds;
  if (s.ok() && !source->kinds && options_.whole != 0) {
    s = Status::InvalidArgument(source->path, "an earlier version, which does not tell tables from other files");
  }
  for (bool end = false; s.ok() && !end;) {
    PageRecord record;
    s = reader->Next(&record, &end);
    if (!s.ok() || end) continue;
    source->records++;
    if (noted && source->records % kNotedEvery == 0) noted(before + source->records);
    if (!record.HasPages() || record.operation == PageOperation::kDeallocate) continue;
    source->used_pages = std::max({source->used_pages, record.lpn + record.pages, record.source + record.pages});
  }
  return s;
}

Status MergedTrace::Open(const std::vector<std::string> &paths, const MergeOptions &options,
                         const std::function<void(uint64_t)> &noted) {
  options_ = options;
  sources_.clear();
  for (const std::string &path : paths) {
    const uint64_t before = Records();
    sources_.emplace_back();
    sources_.back().path = path;
    const uint64_t pages_before = UsedPages();
    const Status s = Scan(&sources_.back(), before, noted);
    if (!s.ok()) return s;
    if (UsedPages() < pages_before) return Status::InvalidArgument(path, "with the traces before it: too many pages");
  }
  return Status::OK();
}

uint64_t MergedTrace::UsedPages() const {
  uint64_t pages = 0;
  for (const Source &source : sources_) pages += source.used_pages;
  return pages;
}

bool MergedTrace::HasKinds() const {
  return std::all_of(sources_.begin(), sources_.end(), [](const Source &source) { return source.kinds; });
}

uint64_t MergedTrace::Records() const {
  uint64_t records = 0;
  for (const Source &source : sources_) records += source.records;
  return records;
}

Status MergedTrace::Begin(uint64_t device_pages, unsigned device_placements) {
  if (UsedPages() > device_pages) {
    return Status::InvalidArgument("the traces use " + std::to_string(UsedPages()) + " pages",
                                   "the device has " + std::to_string(device_pages));
  }
  placements_ = std::max(1u, device_placements);
  uint64_t first = 0;
  for (Source &source : sources_) {
    const Status s = PageTraceReader::Open(source.path, &source.reader);
    if (!s.ok()) return s;
    const uint64_t recorded = source.reader->info().pages;
    source.first = first;
    source.pages = sources_.size() == 1 && recorded <= device_pages ? recorded : source.used_pages;
    first += source.used_pages;
  }
  turn_ = 0;
  left_ = options_.chunk;
  return Status::OK();
}

// Adapts a record to the device and the options. False: it is left out.
bool MergedTrace::Fit(const Source &source, PageRecord *record) const {
  const auto number = static_cast<unsigned>(&source - sources_.data());
  if (record->operation == PageOperation::kDeallocate) {
    if (!options_.deallocate || record->lpn >= source.pages) return false;
    record->pages = std::min(record->pages, source.pages - record->lpn);
  }
  if (record->HasPages()) record->lpn += source.first;
  if (record->operation == PageOperation::kRemap) record->source += source.first;
  switch (options_.placement) {
    case ReplayPlacement::kRecorded:
      record->placement = std::min(record->placement, placements_ - 1);
      break;
    case ReplayPlacement::kTrace:
      record->placement = std::min(number, placements_ - 1);
      break;
    case ReplayPlacement::kNone:
      record->placement = 0;
      break;
  }
  return true;
}

bool MergedTrace::IsWhole(size_t source, uint64_t table) const {
  return Mixed(Mixed(source + 1) + table) % 100 < options_.whole;
}

// The next record of one trace, cut if it is too long; its end sets `ended`.
Status MergedTrace::NextRecord(Source *source, PageRecord *record) {
  if (source->has_rest) {
    *record = source->rest;
    source->has_rest = false;
  } else {
    do {
      const Status s = source->reader->Next(record, &source->ended);
      if (!s.ok() || source->ended) return s;
    } while (!Fit(*source, record));
    if (IsOfTable(*record) && record->begins) {
      source->table_is_whole = IsWhole(static_cast<size_t>(source - sources_.data()), source->tables++);
    }
    source->joined = source->table_is_whole && IsOfTable(*record) && !record->begins;
  }
  const bool stays = source->table_is_whole && IsOfTable(*record);
  if (options_.split != 0 && record->HasPages() && record->pages > options_.split && !stays) {
    source->rest = *record;
    source->rest.lpn += options_.split;
    source->rest.source += options_.split;
    source->rest.pages -= options_.split;
    source->rest.begins = false;
    source->has_rest = true;
    record->pages = options_.split;
    record->more = true;
  }
  return Status::OK();
}

// The record is the next one again.
void MergedTrace::PutBack(Source *source, PageRecord record) {
  if (source->has_rest) {  // whole again
    record.pages += source->rest.pages;
    record.more = source->rest.more;
  }
  source->rest = record;
  source->has_rest = true;
}

void MergedTrace::PassOn() {
  turn_ = (turn_ + 1) % sources_.size();
  left_ = options_.chunk;
}

Status MergedTrace::Next(std::vector<PageRecord> *call, bool *end) {
  call->clear();
  *end = false;
  const auto ended = [](const Source &source) { return source.ended; };
  while (!std::all_of(sources_.begin(), sources_.end(), ended)) {
    Source &source = sources_[turn_];
    while (!source.ended) {
      PageRecord record;
      const Status s = NextRecord(&source, &record);
      if (!s.ok()) return s;
      if (source.ended) break;
      // What follows of a call that was left out in part may be another call.
      const bool other_call = !call->empty() && call->back().operation != record.operation;
      if (other_call || (left_ == 0 && !source.joined)) {
        PutBack(&source, record);
        if (other_call) return s;
        break;
      }
      if (!source.joined) left_--;
      call->push_back(record);
      if (!record.more) return s;
    }
    PassOn();
    if (!call->empty()) return Status::OK();
  }
  *end = true;
  return Status::OK();
}

}  // namespace openremap
