// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pagefs/device/passing_page_device.h"
#include "seeded_random.h"

namespace openremap {

// A worst-case volatile write cache in front of a device. Half of the pages that are written but not durable, chosen by
// a seed, stay here until a flush, and a power cut drops them. The controller's own cache loses much less: it programs
// pages as soon as they fill a flash page, mostly in order.
class VolatileCache : public PassingPageDevice {
 public:
  VolatileCache(PageDevice *device, uint64_t seed) : PassingPageDevice(device), random_(seed) {}

  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  // Each by Read(), which knows what is held here.
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override { return PageDevice::ReadTogether(runs); }
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  // Remaps are durable, so what they share is first.
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  leveldb::Status WriteBack();
  void Forget(const PageRun &run);

  orm::SeededRandom random_;
  struct Held {
    std::string data;
    unsigned placement;
  };
  std::map<uint64_t, Held> held_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_VOLATILE_CACHE_H_
