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

// A write cache before a device that loses as much as a volatile one may: of the pages written and not durable, half,
// drawn by a seed, stay here until a flush. Thrown away with the power. The controller's own cache is much kinder: pages
// are programmed as soon as they fill flash pages, mostly in the order in which they came.
class VolatileCache : public PageDevice {
 public:
  VolatileCache(PageDevice *device, uint64_t seed) : device_(device), random_(seed) {}

  uint64_t Pages() const override { return device_->Pages(); }
  size_t MaxRemapRuns() const override { return device_->MaxRemapRuns(); }
  uint64_t MaxRemapPages() const override { return device_->MaxRemapPages(); }
  unsigned Placements() override { return device_->Placements(); }
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
