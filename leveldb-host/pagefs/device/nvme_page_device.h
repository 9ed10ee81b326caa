// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_NVME_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_NVME_PAGE_DEVICE_H_

#include <cstdint>
#include <set>
#include <vector>

#include "openremap.h"
#include "pagefs/device/page_device.h"

namespace openremap {

// Namespace 1 of an NVMe device, through libopenremap. Also works on a device without remap commands, where every remap
// is refused. Does not own the device. Not thread-safe.
class NvmePageDevice : public PageDevice {
 public:
  explicit NvmePageDevice(openremap_device *device);

  uint64_t Pages() const override;
  size_t MaxRemapRuns() const override;
  uint64_t MaxRemapPages() const override;
  // NPWG of the namespace.
  uint64_t WriteGranularity() const override;
  // Number of placement handles of the namespace; 1 without Flexible Data Placement. Queries the device once.
  unsigned Placements() override;
  // RUNS of the FDP configuration. 0 also with a device of several configurations, and where the log page cannot be
  // read. Queries the device once.
  uint64_t UnitPages() override;
  leveldb::Status BeginUnit(unsigned placement) override;
  // DMA memory of the device as long as it has some, then ordinary memory.
  char *NewMemory(size_t bytes) override;
  void FreeMemory(char *memory) override;
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  openremap_device *const device_;
  bool can_remap_ = true;
  std::vector<uint16_t> handles_;     // empty: not queried yet
  uint64_t unit_pages_ = UINT64_MAX;  // UINT64_MAX: not queried yet
  std::set<char *> dma_memory_;       // allocated
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_NVME_PAGE_DEVICE_H_
