// SPDX-License-Identifier: Apache-2.0
#include "block_counters.h"

#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <sstream>

namespace openremap {
namespace {

constexpr uint64_t kSectorBytes = 512;  // the unit of these counters, whatever the device's is

std::string NumberOf(dev_t device) { return std::to_string(major(device)) + ":" + std::to_string(minor(device)); }

std::string Text(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Btrfs has device numbers of its own. The path of its device; empty: another file system, or one on several devices.
std::string BtrfsDevice(int fd) {
  btrfs_ioctl_fs_info_args whole{};
  if (ioctl(fd, BTRFS_IOC_FS_INFO, &whole) != 0 || whole.num_devices != 1) return "";
  for (uint64_t id = 1; id <= whole.max_id; id++) {  // those of devices that have been removed are gone
    btrfs_ioctl_dev_info_args device{};
    device.devid = id;
    if (ioctl(fd, BTRFS_IOC_DEV_INFO, &device) == 0) return reinterpret_cast<const char *>(device.path);
  }
  return "";
}

}  // namespace

BlockCounters::BlockCounters(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return;
  std::string number = NumberOf(status.st_dev);
  if (major(status.st_dev) == 0) {
    if (stat(BtrfsDevice(fd).c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return;
    number = NumberOf(status.st_rdev);
  }
  const std::string path = "/sys/dev/block/" + number + "/stat";
  BlockBytes bytes;
  if (!ParseBlockStat(Text(path), &bytes)) return;
  device_ = number;
  path_ = path;
}

bool BlockCounters::Read(BlockBytes *bytes) const { return ParseBlockStat(Text(path_), bytes); }

bool ParseBlockStat(const std::string &text, BlockBytes *bytes) {
  std::istringstream fields(text);
  uint64_t value[7] = {};  // read: requests, merged, sectors, milliseconds; written: requests, merged, sectors
  for (uint64_t &field : value) {
    if (!(fields >> field)) return false;
  }
  *bytes = {value[2] * kSectorBytes, value[6] * kSectorBytes};
  return true;
}

}  // namespace openremap
