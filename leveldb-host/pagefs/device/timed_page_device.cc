// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/timed_page_device.h"

#include <utility>

namespace openremap {

using leveldb::Status;

TimedPageDevice::TimedPageDevice(PageDevice *below, std::function<uint64_t()> now)
    : PassingPageDevice(below), now_(std::move(now)) {}

template <class Function>
Status TimedPageDevice::Timed(DeviceCall call, Function function) {
  if (!listener_) return function();
  const uint64_t begin = now_();
  Status s = function();
  listener_(call, now_() - begin);
  return s;
}

Status TimedPageDevice::Read(uint64_t lpn, uint64_t pages, char *data) {
  return Timed(DeviceCall::kRead, [&] { return below_->Read(lpn, pages, data); });
}

Status TimedPageDevice::ReadTogether(const std::vector<ReadRun> &runs) {
  return Timed(DeviceCall::kRead, [&] { return below_->ReadTogether(runs); });
}

Status TimedPageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  return Timed(DeviceCall::kWrite, [&] { return below_->Write(runs, durable); });
}

Status TimedPageDevice::Flush() {
  return Timed(DeviceCall::kFlush, [&] { return below_->Flush(); });
}

Status TimedPageDevice::Deallocate(const std::vector<PageRun> &runs) {
  return Timed(DeviceCall::kDeallocate, [&] { return below_->Deallocate(runs); });
}

Status TimedPageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  return Timed(DeviceCall::kRemap, [&] { return below_->Remap(runs, refused); });
}

}  // namespace openremap
