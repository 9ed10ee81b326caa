// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pagefs/device/page_device.h"
#include "seeded_random.h"

namespace openremap {

// A worst-case volatile write cache in front of a device. Half of the pages that are written but not durable, chosen by
// a seed, stay here until a flush, and a power cut drops them. The controller's own cache loses much less: it programs
// pages as soon as they fill a flash page, mostly in order.
class VolatileCache : public PageDevice {
 public:
  VolatileCache(PageDevice *device, uint64_t seed) : device_(device), random_(seed) {}

  uint64_t Pages() const override { return device_->Pages(); }
  size_t MaxRemapRuns() const override { return device_->MaxRemapRuns(); }
  uint64_t MaxRemapPages() const override { return device_->MaxRemapPages(); }
  uint64_t WriteGranularity() const override { return device_->WriteGranularity(); }
  unsigned Placements() override { return device_->Placements(); }
  uint64_t UnitPages() override { return device_->UnitPages(); }
  leveldb::Status BeginUnit(unsigned placement) override { return device_->BeginUnit(placement); }
  char *NewMemory(size_t bytes) override { return device_->NewMemory(bytes); }
  void FreeMemory(char *memory) override { device_->FreeMemory(memory); }
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  // Remaps are durable, so what they share is first.
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  leveldb::Status WriteBack();
  void Forget(const PageRun &run);

  PageDevice *const device_;
  orm::SeededRandom random_;
  struct Held {
    std::string data;
    unsigned placement;
  };
  std::map<uint64_t, Held> held_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_
