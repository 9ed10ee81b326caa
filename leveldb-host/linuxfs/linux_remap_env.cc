// SPDX-License-Identifier: Apache-2.0
#include "linux_remap_env.h"

#include <fcntl.h>

#include "posix_file.h"

namespace openremap {

using leveldb::Status;

Status LinuxRemapEnv::NewRemapFile(const std::string &fname, int level, RemapFile **result) {
  (void)level;  // the file system chooses the streams
  *result = nullptr;
  OpenFile file(fname, O_RDWR | O_CREAT | O_TRUNC);
  if (file.status().ok()) *result = new LinuxRemapFile(&shared_, fname, file.Release());
  return file.status();
}

Status LinuxRemapEnv::GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) {
  const OpenFile file(fname, O_RDONLY);
  if (!file.status().ok()) return file.status();
  uint64_t pages = 0;
  Status s = WholePages(file.fd(), fname, offset, max_pages, &pages);
  return s.ok() ? shared_.places->Locate(file.fd(), offset, pages, run) : s;
}

Status LinuxRemapEnv::RemoveFile(const std::string &fname) {
  Status s = target()->RemoveFile(fname);
  if (s.ok()) shared_.causes.Forget(fname);
  return s;
}

Status LinuxRemapEnv::RenameFile(const std::string &source, const std::string &target_name) {
  Status s = target()->RenameFile(source, target_name);
  if (s.ok()) {
    shared_.causes.Forget(source);
    shared_.causes.Forget(target_name);
  }
  return s;
}

RemapStats LinuxRemapEnv::GetRemapStats() const {
  std::lock_guard<std::mutex> lock(shared_.mutex);
  return shared_.stats;
}

}  // namespace openremap
