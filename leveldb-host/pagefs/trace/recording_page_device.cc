// SPDX-License-Identifier: Apache-2.0
#include "pagefs/trace/recording_page_device.h"

#include <utility>

namespace openremap {

using leveldb::Status;

Status RecordingPageDevice::Record(const Status &s, std::vector<PageRecord> records) {
  if (!s.ok()) return s;
  for (size_t i = 0; i < records.size(); i++) {
    records[i].more = i + 1 != records.size();
    trace_->Add(records[i]);
  }
  return s;
}

namespace {

PageRecord Make(PageOperation operation, uint64_t lpn = 0, uint64_t pages = 0) {
  PageRecord record;
  record.operation = operation;
  record.lpn = lpn;
  record.pages = pages;
  return record;
}

}  // namespace

Status RecordingPageDevice::BeginUnit(unsigned placement) {
  PageRecord record = Make(PageOperation::kBeginUnit);
  record.placement = placement;
  return Record(below_->BeginUnit(placement), {record});
}

Status RecordingPageDevice::Read(uint64_t lpn, uint64_t pages, char *data) {
  return Record(below_->Read(lpn, pages, data), {Make(PageOperation::kRead, lpn, pages)});
}

Status RecordingPageDevice::ReadTogether(const std::vector<ReadRun> &runs) {
  std::vector<PageRecord> records;
  for (const ReadRun &run : runs) records.push_back(Make(PageOperation::kRead, run.lpn, run.pages));
  return Record(below_->ReadTogether(runs), std::move(records));
}

Status RecordingPageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  std::vector<PageRecord> records;
  for (const WriteRun &run : runs) {
    records.push_back(Make(PageOperation::kWrite, run.lpn, run.pages));
    records.back().placement = run.placement;
    records.back().durable = durable;
    records.back().kind = run.kind;
    records.back().begins = run.begins;
  }
  return Record(below_->Write(runs, durable), std::move(records));
}

Status RecordingPageDevice::Flush() { return Record(below_->Flush(), {Make(PageOperation::kFlush)}); }

Status RecordingPageDevice::Deallocate(const std::vector<PageRun> &runs) {
  std::vector<PageRecord> records;
  for (const PageRun &run : runs) records.push_back(Make(PageOperation::kDeallocate, run.lpn, run.pages));
  return Record(below_->Deallocate(runs), std::move(records));
}

Status RecordingPageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  const Status s = below_->Remap(runs, refused);
  std::vector<PageRecord> records;
  for (const RemapRun &run : runs) {
    records.push_back(Make(PageOperation::kRemap, run.target, run.pages));
    records.back().source = run.source;
    records.back().refused = *refused;
  }
  return Record(s, std::move(records));
}

}  // namespace openremap
