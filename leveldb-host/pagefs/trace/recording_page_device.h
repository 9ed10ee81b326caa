// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_

#include <vector>

#include "pagefs/device/page_device.h"
#include "pagefs/trace/page_trace.h"

namespace openremap {

// Passes all calls on to a device, and writes those that succeeded to a trace. Owns neither; a trace that is closed
// takes no more. Not thread-safe.
class RecordingPageDevice : public PageDevice {
 public:
  RecordingPageDevice(PageDevice *below, PageTraceWriter *trace) : below_(below), trace_(trace) {}

  uint64_t Pages() const override { return below_->Pages(); }
  size_t MaxRemapRuns() const override { return below_->MaxRemapRuns(); }
  uint64_t MaxRemapPages() const override { return below_->MaxRemapPages(); }
  uint64_t WriteGranularity() const override { return below_->WriteGranularity(); }
  unsigned Placements() override { return below_->Placements(); }
  uint64_t UnitPages() override { return below_->UnitPages(); }
  leveldb::Status BeginUnit(unsigned placement) override;
  char *NewMemory(size_t bytes) override { return below_->NewMemory(bytes); }
  void FreeMemory(char *memory) override { below_->FreeMemory(memory); }
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  // The runs of one call.
  leveldb::Status Record(const leveldb::Status &s, std::vector<PageRecord> records);

  PageDevice *const below_;
  PageTraceWriter *const trace_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_
