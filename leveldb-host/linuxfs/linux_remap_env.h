// SPDX-License-Identifier: Apache-2.0
//
// The file layer over a file system of the kernel: LevelDB's own Env for all but tables, which may share pages.
#ifndef OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_
#define OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_

#include <string>

#include "file_places.h"
#include "leveldb/env.h"
#include "linux_remap_file.h"
#include "pagefs/device/page_device.h"
#include "remap_env.h"

namespace openremap {

// Thread-safe. `device` is the namespace that the files lie on; neither it nor `places` is owned.
class LinuxRemapEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  LinuxRemapEnv(PageDevice *device, FilePlaces *places, leveldb::Env *base = leveldb::Env::Default())
      : EnvWrapper(base), shared_{device, places, {}, {}} {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  RemapStats GetRemapStats() const override;

 private:
  mutable LinuxRemapShared shared_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_LINUX_REMAP_ENV_H_
