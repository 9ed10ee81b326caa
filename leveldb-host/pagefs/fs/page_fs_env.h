// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_ENV_H_
#define OPENREMAP_PAGEFS_PAGE_FS_ENV_H_

#include <memory>
#include <string>
#include <vector>

#include "flat_env.h"
#include "pagefs/fs/page_fs.h"

namespace openremap {

// The leveldb::Env of PageFS. Its log file (NewLogger) has neither times nor thread numbers, so that two runs write the
// same bytes. Thread-safe. Must outlive the files that it opened.
class PageFsEnv : public FlatEnv {
 public:
  // Takes ownership of the file system, whose device must outlive this.
  explicit PageFsEnv(std::unique_ptr<PageFs> fs, leveldb::Env *base = leveldb::Env::Default());
  ~PageFsEnv() override;

  PageFs *fs() { return fs_.get(); }

  leveldb::Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override;
  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override;
  leveldb::Status RemoveFile(const std::string &fname) override;
  leveldb::Status GetFileSize(const std::string &fname, uint64_t *size) override;
  leveldb::Status RenameFile(const std::string &from, const std::string &to) override;
  leveldb::Status NewLogger(const std::string &fname, leveldb::Logger **result) override;

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override;
  void PlaceFile(const std::string &fname, int level) override;
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override;
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override;
  void SetCause(const std::string &fname, WriteCause cause) override { fs_->SetCause(fname, cause); }
  CauseBytes GetWrittenBytes() const override { return fs_->GetStats().data_bytes_by_cause; }
  RemapStats GetRemapStats() const override;
  FileSpace GetFileSpace() override { return fs_->GetFileSpace(); }
  bool SyncsInOrder() const override { return true; }

 protected:
  std::vector<std::string> Names() override { return fs_->Names(); }

 private:
  std::unique_ptr<PageFs> fs_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_ENV_H_
