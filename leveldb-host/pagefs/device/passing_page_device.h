// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PASSING_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_PASSING_PAGE_DEVICE_H_

#include <cstdint>
#include <vector>

#include "pagefs/device/page_device.h"

namespace openremap {

// Passes all calls on to a device, which it does not own, but for what a derived class overrides.
class PassingPageDevice : public PageDevice {
 public:
  explicit PassingPageDevice(PageDevice *below) : below_(below) {}

  uint64_t Pages() const override { return below_->Pages(); }
  size_t MaxRemapRuns() const override { return below_->MaxRemapRuns(); }
  uint64_t MaxRemapPages() const override { return below_->MaxRemapPages(); }
  uint64_t WriteGranularity() const override { return below_->WriteGranularity(); }
  unsigned Placements() override { return below_->Placements(); }
  uint64_t UnitPages() override { return below_->UnitPages(); }
  leveldb::Status BeginUnit(unsigned placement) override { return below_->BeginUnit(placement); }
  char *NewMemory(size_t bytes) override { return below_->NewMemory(bytes); }
  void FreeMemory(char *memory) override { below_->FreeMemory(memory); }
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override { return below_->Read(lpn, pages, data); }
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override { return below_->ReadTogether(runs); }
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override {
    return below_->Write(runs, durable);
  }
  leveldb::Status Flush() override { return below_->Flush(); }
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override { return below_->Deallocate(runs); }
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
    return below_->Remap(runs, refused);
  }

 protected:
  PageDevice *const below_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PASSING_PAGE_DEVICE_H_
