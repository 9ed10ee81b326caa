// SPDX-License-Identifier: Apache-2.0
#include "bench_folder.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "remap_env.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr int kSameBeforeSettled = 3, kMostTries = 100;
constexpr std::chrono::milliseconds kBetweenTries(20);

// Whether an errno tells that the user named a wrong path. Others tell of what is around it: permissions, the file
// system.
bool IsWrongPath(int error) { return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP; }

}  // namespace

std::unique_ptr<BenchFolder> BenchFolder::Open(const std::string &path, const BenchDeviceOptions &options,
                                               OpenFailure *failure) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    *failure = {"--device=" + options.device + ": " + std::strerror(errno), IsWrongPath(errno)};
    return nullptr;
  }
  std::unique_ptr<BenchFolder> folder(new BenchFolder(path, fd));
  const bool there = access(folder->DbName().c_str(), F_OK) == 0;
  if (!there && !IsWrongPath(errno)) {
    *failure = {folder->DbName() + ": " + std::strerror(errno), false};
    return nullptr;
  }
  // LevelDB would ignore that it cannot make the database's folder, and miss what it looks for in there.
  if (!there && !options.existing && access(path.c_str(), W_OK | X_OK) != 0) {
    *failure = {folder->DbName() + ": cannot be made: " + std::strerror(errno), false};
    return nullptr;
  }
  if (there == options.existing) return folder;
  *failure = {"--device=" + options.device +
                  (there ? ": holds a database already; remove " + folder->DbName() : ": holds no database"),
              true};
  return nullptr;
}

BenchFolder::BenchFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

BenchFolder::~BenchFolder() { close(fd_); }

uint64_t BenchFolder::FreeBytes() const {
  struct statvfs now {};
  return fstatvfs(fd_, &now) == 0 ? uint64_t{now.f_bavail} * now.f_frsize : 0;
}

uint64_t BenchFolder::UsedPages() const {
  struct statvfs now {};
  return fstatvfs(fd_, &now) == 0 ? (uint64_t{now.f_blocks} - now.f_bfree) * now.f_frsize / kPageBytes : 0;
}

Status BenchFolder::Settle() const {
  // XFS gives the blocks of removed files back some time later, and writes once more then. All that tells of it is that
  // the blocks in use stay the same.
  uint64_t used = UsedPages();
  bool synced = syncfs(fd_) == 0;
  for (int same = 0, tries = 0; synced && same < kSameBeforeSettled && tries < kMostTries; tries++) {
    std::this_thread::sleep_for(kBetweenTries);
    const uint64_t now = UsedPages();
    same = now == used ? same + 1 : 0;
    used = now;
    if (same == 0) synced = syncfs(fd_) == 0;
  }
  return synced ? Status::OK() : Status::IOError(path_, std::strerror(errno));
}

Status BenchFolder::ForgetCached() const {
  Status s = Settle();
  std::vector<std::string> names;
  if (s.ok()) s = leveldb::Env::Default()->GetChildren(DbName(), &names);
  for (size_t i = 0; s.ok() && i < names.size(); i++) {
    const int fd = open((DbName() + "/" + names[i]).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;  // "." or ".."
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
  return s;
}

bool NoSimulation(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (options.image_dir.empty() && options.trace_file.empty() && options.superblocks == 0 && options.geometry.empty() &&
      options.record_file.empty() && options.over_provisioning == 0 && options.placement_handles == 0 &&
      options.cache.empty() && options.firmware.empty() && options.firmware_cpu.empty()) {
    return true;
  }
  *failure = {options.device +
                  " is no simulation: --superblocks, --geometry, --over-provisioning, --placement-handles, "
                  "--cache, --firmware, --firmware-cpu, --image-dir, --trace-file and --record-file do not apply",
              true};
  return false;
}

}  // namespace openremap
