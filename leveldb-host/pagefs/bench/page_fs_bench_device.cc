// SPDX-License-Identifier: Apache-2.0
#include "pagefs/bench/page_fs_bench_device.h"

#include <utility>

namespace openremap {

using leveldb::Status;

bool PageFsBenchDevice::Mount(const BenchDeviceOptions &options, const std::string &where, const std::string &remedy,
                              OpenFailure *failure) {
  PageFsOptions mount;
  mount.placement = options.placement;
  std::unique_ptr<PageFs> fs;
  const Status s = PageFs::Open(pages(), &fs, mount);
  if (!s.ok()) {
    *failure = {where + ": " + s.ToString(), false};
    return false;
  }
  env_ = std::make_unique<PageFsEnv>(std::move(fs));
  const bool empty = env_->fs()->Names().empty();
  if (empty && options.existing) {
    *failure = {where + ": holds no database", true};
    return false;
  }
  if (!empty && !options.existing) {
    *failure = {where + ": holds a database already; " + remedy, true};
    return false;
  }
  return true;
}

Status PageFsBenchDevice::ReadStats(DeviceStats *stats) {
  const Status s = DriverBenchDevice::ReadStats(stats);
  if (!s.ok()) return s;
  const PageFsSpace space = env_->fs()->GetSpace();
  stats->bytes_by_cause = env_->GetWrittenBytes();
  stats->fs_metadata_pages = env_->fs()->GetStats().metadata_pages_written;
  stats->free_pages = space.free_pages;
  stats->largest_free_pages = space.largest_run_pages;
  return s;
}

}  // namespace openremap
