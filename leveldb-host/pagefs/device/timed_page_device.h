// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_TIMED_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_TIMED_PAGE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bench_device.h"
#include "pagefs/device/passing_page_device.h"

namespace openremap {

// Passes all calls on to a device, and tells a listener how long those that read or change pages took by a clock, also
// when they failed. The runs of one call go side by side, so they are one time. Owns no device. Not thread-safe.
class TimedPageDevice : public PassingPageDevice {
 public:
  // `now`: nanoseconds, never going back.
  TimedPageDevice(PageDevice *below, std::function<uint64_t()> now);

  // Of the calls from now on. Empty: nobody is told, as at first. It must not call this device.
  void Listen(DeviceCallListener listener) { listener_ = std::move(listener); }

  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  template <class Function>
  leveldb::Status Timed(DeviceCall call, Function function);

  const std::function<uint64_t()> now_;
  DeviceCallListener listener_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_TIMED_PAGE_DEVICE_H_
