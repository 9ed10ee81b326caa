// SPDX-License-Identifier: Apache-2.0
#include "reflink_env.h"

#include <fcntl.h>

#include "posix_file.h"

namespace openremap {

using leveldb::Status;

Status ReflinkEnv::NewRemapFile(const std::string &fname, int level, RemapFile **result) {
  (void)level;  // the file system has no such hints
  *result = nullptr;
  OpenFile file(fname, O_RDWR | O_CREAT | O_TRUNC);
  if (!file.status().ok()) return file.status();
  shared_.numbers.Forget(fname);
  *result = new ReflinkFile(&shared_, fname, file.Release());
  return Status::OK();
}

Status ReflinkEnv::GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) {
  const OpenFile file(fname, O_RDONLY);
  if (!file.status().ok()) return file.status();
  uint64_t pages = 0;
  Status s = WholePages(file.fd(), fname, offset, max_pages, &pages);
  if (!s.ok()) return s;
  if (shared_.without.Has(shared_.cloner->FileSystemOf(file.fd()))) return Status::NotSupported(fname, "no reflinks");
  *run = {shared_.numbers.FirstPage(fname) + offset / kPageBytes, pages};
  return s;
}

RemapStats ReflinkEnv::GetRemapStats() const {
  RemapStats stats;
  stats.remapped_pages = shared_.cloned_pages;
  stats.remap_commands = shared_.clones;
  stats.fallback_pages = shared_.copied_pages;
  return stats;
}

Status ReflinkEnv::RemoveFile(const std::string &fname) {
  Status s = target()->RemoveFile(fname);
  if (s.ok()) {
    shared_.numbers.Forget(fname);
    shared_.causes.Forget(fname);
  }
  return s;
}

Status ReflinkEnv::RenameFile(const std::string &source, const std::string &target_name) {
  Status s = target()->RenameFile(source, target_name);
  if (s.ok()) {
    for (const std::string &name : {source, target_name}) {
      shared_.numbers.Forget(name);
      shared_.causes.Forget(name);
    }
  }
  return s;
}

}  // namespace openremap
