// SPDX-License-Identifier: Apache-2.0
//
// The file layer over a kernel file system on an OpenRemap device: tables may share pages; LevelDB's own Env has all
// other files.
#ifndef OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_
#define OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_

#include <string>

#include "counting_env.h"
#include "file_holes.h"
#include "file_places.h"
#include "leveldb/env.h"
#include "linux_remap_file.h"
#include "pagefs/device/page_device.h"
#include "remap_env.h"

namespace openremap {

// Thread-safe. `device` is the namespace below the files. Does not own `device` and `places`.
class LinuxRemapEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  LinuxRemapEnv(PageDevice *device, FilePlaces *places, leveldb::Env *base = leveldb::Env::Default())
      : EnvWrapper(&files_), shared_(device, places), files_(base, &shared_.causes, &shared_.written) {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override {
    return PunchFileHole(fname, first, pages);
  }
  RemapStats GetRemapStats() const override;
  void SetCause(const std::string &fname, WriteCause cause) override { shared_.causes.Set(fname, cause); }
  CauseBytes GetWrittenBytes() const override { return shared_.written.Get(); }
  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status RenameFile(const std::string &source, const std::string &target) override;

 private:
  mutable LinuxRemapShared shared_;
  CountingEnv files_;  // all but tables with remapped ranges
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_
