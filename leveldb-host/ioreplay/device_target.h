// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_DEVICE_TARGET_H_
#define OPENREMAP_IOREPLAY_DEVICE_TARGET_H_

#include <vector>

#include "openremap.h"
#include "openremap_stats.h"
#include "pagefs/device/nvme_page_device.h"
#include "replay_target.h"

namespace openremap {

// Namespace 1 of a device of libopenremap, which is not owned: the fast model, the Verilated controller.
class DeviceTarget : public ReplayTarget {
 public:
  // `used`: its pages hold something already.
  explicit DeviceTarget(openremap_device *device, bool used = false) : device_(device), used_(used), pages_(device) {}

  // What the device has counted so far is left out of the figures.
  leveldb::Status CountFromNow();

  uint64_t Pages() const override { return pages_.Pages(); }
  unsigned Placements() override { return pages_.Placements(); }
  bool Remaps() const override { return true; }
  uint64_t FirstStamp() const override { return used_ ? kAnyStamp : kNoStamp; }
  leveldb::Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) override;
  leveldb::Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps,
                       uint64_t *wrong) override;
  leveldb::Status Flush() override { return pages_.Flush(); }
  leveldb::Status Deallocate(const std::vector<PageRecord> &runs) override;
  leveldb::Status Remap(const std::vector<PageRecord> &runs, bool *refused) override;
  leveldb::Status BeginUnit(unsigned placement, bool *begun) override;
  leveldb::Status Programmed(uint64_t *pages) override;
  // The device's own counters since CountFromNow(), behind a flush that programs what its write buffers hold.
  leveldb::Status Figures(ReplayFigures *figures) override;

 private:
  leveldb::Status ReadCounters(orm_remap_log *counters);
  // Waits until what was written is programmed, then reads the counters.
  leveldb::Status Count(orm_remap_log *counters);

  openremap_device *const device_;
  const bool used_;
  NvmePageDevice pages_;
  std::vector<char> buffer_;  // of a call
  orm_remap_log begin_{};     // counters that are left out
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_DEVICE_TARGET_H_
