// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_BENCH_DEVICE_H_
#define OPENREMAP_PAGEFS_PAGE_FS_BENCH_DEVICE_H_

#include <memory>
#include <string>
#include <vector>

#include "pagefs/bench/driver_bench_device.h"
#include "pagefs/device/coarse_page_device.h"
#include "pagefs/device/journal_page_device.h"
#include "pagefs/device/side_page_device.h"
#include "pagefs/device/timed_page_device.h"
#include "pagefs/fs/page_fs_env.h"

namespace openremap {

// A bench device with PageFS on the raw namespace, for simulated devices and for those of Linux.
class PageFsBenchDevice : public DriverBenchDevice {
 public:
  using DriverBenchDevice::DriverBenchDevice;

  // Mounts the file system, which an empty device gets here. False and *failure where it cannot be mounted, or where a
  // database is there although options.existing wants none, or the other way round. `where` names the device in the
  // message, and `remedy` says what to do about a database that is in the way. With options.precondition the device is
  // brought to a steady state first, and then gets its file system. Called once, before all else.
  // `format`: which devices get a file system at first.
  bool Mount(const BenchDeviceOptions &options, Format format, const std::string &where, const std::string &remedy,
             OpenFailure *failure);

  leveldb::Env *env() override { return env_.get(); }
  uint64_t UnitBytes() override { return pages()->UnitPages() * kPageBytes; }
  uint64_t FreeBytes() const override { return env_->fs()->GetStats().free_pages * kPageBytes; }
  leveldb::Status ReadStats(DeviceStats *stats) override;
  FileReads ReadsOfFiles() const override;
  // With what a mapping unit of several pages adds.
  void Listen(DeviceCallListener listener) override;
  std::vector<double> Precondition() const override { return rounds_; }

 protected:
  uint64_t UsedPages() const override { return env_->fs()->GetStats().used_pages; }

 private:
  leveldb::Status MountOnce(const PageFsOptions &mount);
  leveldb::Status BringToSteadyState(const BenchDeviceOptions &options);

  // In this order on the device, the first one lowest.
  std::unique_ptr<CoarsePageDevice> coarse_;    // null: the device maps each page
  std::unique_ptr<JournalPageDevice> journal_;  // null: none
  std::unique_ptr<SidePageDevice> side_;        // null: all lies on the device
  std::unique_ptr<TimedPageDevice> timed_;      // on all others
  PageDevice *top_ = nullptr;                   // what PageFS gets
  std::vector<double> rounds_;
  std::unique_ptr<PageFsEnv> env_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_BENCH_DEVICE_H_
