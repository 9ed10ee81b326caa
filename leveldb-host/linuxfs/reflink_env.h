// SPDX-License-Identifier: Apache-2.0
//
// The file layer over a file system with reflinks (XFS, Btrfs): LevelDB's own Env for all but tables, which may share ranges.
// Needs no device of any kind, nor root. Where the file system has no reflinks the same tables are written.
#ifndef OPENREMAP_LINUXFS_REFLINK_ENV_H_
#define OPENREMAP_LINUXFS_REFLINK_ENV_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "range_cloner.h"
#include "reflink_file.h"
#include "remap_env.h"

namespace openremap {

// Thread-safe. `cloner` is not owned.
class ReflinkEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit ReflinkEnv(RangeCloner *cloner, leveldb::Env *base = leveldb::Env::Default())
      : EnvWrapper(base), shared_(cloner) {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  // A run's LPN is a number of the layer's own (FileNumbers). NotSupported as well where there are no reflinks.
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  RemapStats GetRemapStats() const override;

  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status RenameFile(const std::string &source, const std::string &target) override;

  // That tables took in the file system: what was appended to them, and what could not be cloned.
  uint64_t WrittenBytes() const { return shared_.written_bytes; }

 private:
  ReflinkShared shared_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_REFLINK_ENV_H_
