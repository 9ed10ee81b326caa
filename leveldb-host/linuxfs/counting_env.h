// SPDX-License-Identifier: Apache-2.0
//
// An Env that counts the bytes written to files.
#ifndef OPENREMAP_LINUXFS_COUNTING_ENV_H_
#define OPENREMAP_LINUXFS_COUNTING_ENV_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/env.h"

namespace openremap {

// Thread-safe. Must outlive the files that it opened.
class CountingEnv : public leveldb::EnvWrapper {
 public:
  explicit CountingEnv(leveldb::Env *base) : EnvWrapper(base) {}

  uint64_t WrittenBytes() const { return written_; }

  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Counted(target()->NewWritableFile(fname, result), result);
  }
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Counted(target()->NewAppendableFile(fname, result), result);
  }

 private:
  class File : public leveldb::WritableFile {
   public:
    File(leveldb::WritableFile *base, std::atomic<uint64_t> *written) : base_(base), written_(written) {}
    leveldb::Status Append(const leveldb::Slice &data) override {
      *written_ += data.size();
      return base_->Append(data);
    }
    leveldb::Status Close() override { return base_->Close(); }
    leveldb::Status Flush() override { return base_->Flush(); }
    leveldb::Status Sync() override { return base_->Sync(); }

   private:
    const std::unique_ptr<leveldb::WritableFile> base_;
    std::atomic<uint64_t> *const written_;
  };

  leveldb::Status Counted(const leveldb::Status &s, leveldb::WritableFile **result) {
    if (s.ok()) *result = new File(*result, &written_);
    return s;
  }

  std::atomic<uint64_t> written_{0};
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_COUNTING_ENV_H_
