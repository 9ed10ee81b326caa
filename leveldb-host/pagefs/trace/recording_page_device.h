// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_

#include <vector>

#include "pagefs/device/passing_page_device.h"
#include "pagefs/trace/page_trace.h"

namespace openremap {

// Passes all calls on to a device, and writes those that succeeded to a trace. Owns neither; a trace that is closed
// takes no more. Not thread-safe.
class RecordingPageDevice : public PassingPageDevice {
 public:
  RecordingPageDevice(PageDevice *below, PageTraceWriter *trace) : PassingPageDevice(below), trace_(trace) {}

  leveldb::Status BeginUnit(unsigned placement) override;
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  // The runs of one call.
  leveldb::Status Record(const leveldb::Status &s, std::vector<PageRecord> records);

  PageTraceWriter *const trace_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_RECORDING_PAGE_DEVICE_H_
