// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_COARSE_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_COARSE_PAGE_DEVICE_H_

#include <cstdint>
#include <vector>

#include "pagefs/device/passing_page_device.h"

namespace openremap {

// What a coarse mapping costs, in pages of 4 KiB.
struct CoarseStats {
  uint64_t host_pages = 0;      // that Write() was given
  uint64_t written_pages = 0;   // that were written for them: whole units
  uint64_t modified_units = 0;  // units that were written although Write() had only a part of them
  uint64_t read_pages = 0;      // the other pages of these, read before
  uint64_t kept_pages = 0;      // that Deallocate() was given and the device keeps: their units were not given whole
  uint64_t refused_remaps = 0;  // vectors with a run that does not consist of whole units
};

// A device whose mapping has one entry for `unit` pages, made of a device that maps each page. As controllers with less
// DRAM do, it
//  * reads, modifies and writes a unit when a part of it is written. A unit of which nothing was written before is
//    read, too, and costs as much;
//  * deallocates whole units only; a part of a unit keeps its contents, also when the rest follows later;
//  * remaps whole units only, and refuses other vectors.
// The pages of a unit that a write does not name keep their contents across power cuts, too: they are written again as
// they are. Pages behind the last whole unit of the device below are not offered. Does not own that device. Not
// thread-safe.
class CoarsePageDevice : public PassingPageDevice {
 public:
  // REQUIRES: unit is at least 1, and the device has at least one unit. With 1 this only counts.
  CoarsePageDevice(PageDevice *below, uint64_t unit);

  const CoarseStats &stats() const { return stats_; }

  uint64_t Pages() const override { return below_->Pages() / unit_ * unit_; }
  uint64_t MaxRemapPages() const override;
  // The unit, or the least multiple of it that is one of the granularity below.
  uint64_t WriteGranularity() const override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  const uint64_t unit_;
  CoarseStats stats_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_COARSE_PAGE_DEVICE_H_
