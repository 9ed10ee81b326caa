// SPDX-License-Identifier: Apache-2.0
//
// The file layer over a file system with reflinks (XFS, Btrfs): tables may share ranges; LevelDB's own Env has all
// other files. Needs neither a special device nor root. Without reflinks it writes the same tables without sharing.
#ifndef OPENREMAP_LINUXFS_REFLINK_ENV_H_
#define OPENREMAP_LINUXFS_REFLINK_ENV_H_

#include <string>

#include "counting_env.h"
#include "file_holes.h"
#include "leveldb/env.h"
#include "range_cloner.h"
#include "reflink_file.h"
#include "remap_env.h"

namespace openremap {

// Thread-safe. Does not own `cloner`.
class ReflinkEnv : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit ReflinkEnv(RangeCloner *cloner, leveldb::Env *base = leveldb::Env::Default())
      : EnvWrapper(&files_), shared_(cloner), files_(base, &shared_.causes, &shared_.written) {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  // LPNs are numbers of this layer (FileNumbers). Also NotSupported if the file system has no reflinks.
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override {
    return PunchFileHole(fname, first, pages);
  }
  RemapStats GetRemapStats() const override;

  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status RenameFile(const std::string &source, const std::string &target) override;

  void SetCause(const std::string &fname, WriteCause cause) override { shared_.causes.Set(fname, cause); }
  // Appended data, and copies of ranges that could not be cloned.
  CauseBytes GetWrittenBytes() const override { return shared_.written.Get(); }

 private:
  ReflinkShared shared_;
  CountingEnv files_;  // all but tables with shared ranges
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_REFLINK_ENV_H_
