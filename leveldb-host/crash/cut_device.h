// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_CUT_DEVICE_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_CUT_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "openremap.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/device/page_device.h"
#include "seeded_random.h"
#include "volatile_cache.h"

struct pcie_function;

namespace openremap {

// A simulated device whose power goes at events of flash and NVRAM. Small enough that garbage is collected. The seed
// decides what it has: an unkind cache before it, pages of four slots, so few segments of the remap table that chains
// go to flash, a placement handle for the deeper levels.
class CutDevice {
 public:
  // A device in place of the real one, for defects.
  using Wrap = std::function<std::unique_ptr<PageDevice>(PageDevice *)>;

  // `random` outlives this. `units`: of flash whose superblocks are as small as tables, with a handle for the log, one
  // for level 0 and one for what is deeper. Throws std::runtime_error if the device cannot be created.
  CutDevice(const std::string &kind, uint64_t seed, Wrap wrap, orm::SeededRandom *random, bool units = false);
  ~CutDevice();
  CutDevice(const CutDevice &) = delete;
  CutDevice &operator=(const CutDevice &) = delete;

  // Another one after each start: what a cache held is gone.
  PageDevice *pages() const { return pages_; }
  bool Powered() const;
  // Power goes before the event of that number from now on; 0: it stays.
  void CutBefore(uint64_t events);
  // After a random number of events, up to 2^bits. Short waits are as likely as long ones, so that what is short is cut
  // as well as what is long.
  void CutWithin(uint64_t bits);
  // The power comes back, and the device starts. As long as `may_cut` agrees, power goes meanwhile now and then, within
  // 2^bits events, and `cut` is told. 0, or a negative errno: the device does not start.
  int Start(uint64_t bits, const std::function<bool()> &may_cut, const std::function<void()> &cut);

  // Adds what GC has moved since the last call. The counter begins anew with each start.
  void Sample();
  uint64_t gc_moved_pages() const { return gc_moved_pages_; }

 private:
  pcie_function *function() const { return openremap_pcie_function(handle_); }
  void Stack();

  const uint64_t seed_;
  const Wrap wrap_;
  orm::SeededRandom *const random_;
  openremap_device *handle_ = nullptr;
  std::unique_ptr<NvmePageDevice> nvme_;
  std::unique_ptr<VolatileCache> cache_;
  std::unique_ptr<PageDevice> wrapped_;
  PageDevice *pages_ = nullptr;
  uint64_t gc_sampled_ = 0;
  uint64_t gc_moved_pages_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_CUT_DEVICE_H_
