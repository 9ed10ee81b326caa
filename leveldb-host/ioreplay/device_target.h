// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_DEVICE_TARGET_H_
#define OPENREMAP_IOREPLAY_DEVICE_TARGET_H_

#include <vector>

#include "openremap.h"
#include "pagefs/device/nvme_page_device.h"
#include "replay_target.h"

namespace openremap {

// Namespace 1 of a device of libopenremap, which is not owned: the fast model, the Verilated controller.
class DeviceTarget : public ReplayTarget {
 public:
  explicit DeviceTarget(openremap_device *device) : device_(device), pages_(device) {}

  uint64_t Pages() const override { return pages_.Pages(); }
  unsigned Placements() override { return pages_.Placements(); }
  bool Remaps() const override { return true; }
  leveldb::Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) override;
  leveldb::Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps,
                       uint64_t *wrong) override;
  leveldb::Status Flush() override { return pages_.Flush(); }
  leveldb::Status Deallocate(const std::vector<PageRecord> &runs) override;
  leveldb::Status Remap(const std::vector<PageRecord> &runs, bool *refused) override;
  leveldb::Status BeginUnit(unsigned placement, bool *begun) override;
  // The device's own counters, behind a flush that programs what its write buffers hold.
  leveldb::Status Figures(ReplayFigures *figures) override;

 private:
  openremap_device *const device_;
  NvmePageDevice pages_;
  std::vector<char> buffer_;  // of a call
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_DEVICE_TARGET_H_
