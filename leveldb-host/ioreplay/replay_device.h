// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_REPLAY_DEVICE_H_
#define OPENREMAP_IOREPLAY_REPLAY_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device_target.h"
#include "leveldb/status.h"
#include "openremap.h"

namespace openremap {

struct ReplayDeviceOptions {
  openremap_options open{};   // of libopenremap; an image that is there keeps its contents until it is written
  bool precondition = false;  // bring the device to a steady state first (openremap_precondition.h)
  uint64_t seed = 1;          // of the preconditioning
  // Told of its progress: the round, from 1, and how many of its pages are written. Empty: nobody.
  std::function<void(uint32_t round, uint64_t done, uint64_t pages)> progress;
};

// The fewest superblocks of a geometry whose namespace has this many pages; the devices that are tried are gone.
// REQUIRES: a geometry. InvalidArgument: not even all of them do, or the options are wrong.
leveldb::Status SuperblocksFor(const ReplayDeviceOptions &options, uint64_t pages, uint32_t *superblocks);

// A simulated device that traces are replayed onto, and what it was before.
class ReplayDevice {
 public:
  // InvalidArgument: the options are wrong, or the image holds a file system. IOError: the device fails, or does not
  // become steady; the message has its rounds.
  static leveldb::Status Open(const ReplayDeviceOptions &options, std::unique_ptr<ReplayDevice> *result);

  // Counts from now on; its pages are unknown where the device was used before.
  DeviceTarget *target() { return target_.get(); }
  // Write amplification of each random round of the preconditioning; empty: there was none.
  const std::vector<double> &rounds() const { return rounds_; }

 private:
  struct Closer {
    void operator()(openremap_device *device) const { openremap_close(device); }
  };

  leveldb::Status Precondition(const ReplayDeviceOptions &options);

  std::unique_ptr<openremap_device, Closer> device_;
  std::unique_ptr<DeviceTarget> target_;
  std::vector<double> rounds_;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_REPLAY_DEVICE_H_
