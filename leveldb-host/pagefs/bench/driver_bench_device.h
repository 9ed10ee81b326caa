// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_DRIVER_BENCH_DEVICE_H_
#define OPENREMAP_PAGEFS_DRIVER_BENCH_DEVICE_H_

#include <memory>
#include <string>

#include "bench_device.h"
#include "openremap.h"
#include "pagefs/bench/command_recorder.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/trace/recording_page_device.h"

namespace openremap {

// Closes a device of libopenremap, in order.
struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
};
using DevicePointer = std::unique_ptr<openremap_device, DeviceCloser>;

// Opens the device, or returns nullptr and *failure. `bad_option`: the error (a negative errno) that the options are to
// blame for.
DevicePointer OpenDriver(const openremap_options &options, int bad_option, OpenFailure *failure);

// A bench device that libopenremap drives, simulated or a namespace of Linux: the device, its pages and its own
// counters.
class DriverBenchDevice : public BenchDevice {
 public:
  // `recorder` listens to `device`, or is nullptr.
  explicit DriverBenchDevice(DevicePointer device, std::unique_ptr<CommandRecorder> recorder = nullptr);

  // Writes what goes through pages() to options.page_trace_file from now on, if that is not empty and this is no trial.
  // Called before pages() is used. False and *failure where the file cannot be written.
  bool TracePages(const BenchDeviceOptions &options, OpenFailure *failure);

  // Waits until what was written is counted, then reads the device's counters. Leaves the figures of the file layer 0,
  // but for used_pages.
  leveldb::Status ReadStats(DeviceStats *stats) override;
  leveldb::Status EndRecording() override;

 protected:
  // What was written and lies in memory of the file layer reaches the device.
  virtual leveldb::Status Settle() { return leveldb::Status::OK(); }
  virtual uint64_t UsedPages() const = 0;
  openremap_device *device() const { return device_.get(); }
  PageDevice *pages() {
    if (recording_ != nullptr) return recording_.get();
    return &pages_;
  }

 private:
  // In order of construction: the device goes before the recorder, which it still tells of its last commands.
  const std::unique_ptr<CommandRecorder> recorder_;
  const DevicePointer device_;
  NvmePageDevice pages_;
  std::unique_ptr<PageTraceWriter> page_trace_;     // null, with the next: nothing is traced
  std::unique_ptr<RecordingPageDevice> recording_;  // on pages_
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_DRIVER_BENCH_DEVICE_H_
