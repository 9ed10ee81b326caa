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

// Btrfs has a device number of its own, and may lie on several devices.
bool OnSeveral(int fd) {
  btrfs_ioctl_fs_info_args info{};
  return ioctl(fd, BTRFS_IOC_FS_INFO, &info) == 0 && info.num_devices != 1;
}

}  // namespace

BlockCounters::BlockCounters(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return;
  std::string number = NumberOf(status.st_dev);
  if (major(status.st_dev) == 0) {
    const std::string source = MountSource(Text("/proc/self/mountinfo"), number);
    if (OnSeveral(fd) || stat(source.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return;
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

// Lines "ID PARENT MAJOR:MINOR ROOT FOLDER OPTIONS [TAG ...] - TYPE SOURCE OPTIONS".
std::string MountSource(const std::string &mountinfo, const std::string &device) {
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 3; i++) words >> word;
    if (word != device) continue;
    while (words >> word && word != "-") {
    }
    std::string source;
    if (words >> word >> source) return source;
  }
  return "";
}

}  // namespace openremap
