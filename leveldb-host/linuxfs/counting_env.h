// SPDX-License-Identifier: Apache-2.0
//
// An Env that counts the bytes written to files, by cause.
#ifndef OPENREMAP_LINUXFS_COUNTING_ENV_H_
#define OPENREMAP_LINUXFS_COUNTING_ENV_H_

#include <memory>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "write_cause.h"

namespace openremap {

// Thread-safe. Must outlive the files that it opened.
class CountingEnv : public leveldb::EnvWrapper {
 public:
  // Adds to `written` what is written to files, by their entries in `causes`; does not own them.
  CountingEnv(leveldb::Env *base, const FileCauses *causes, CauseCounters *written)
      : EnvWrapper(base), causes_(causes), written_(written) {}

  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Counted(fname, target()->NewWritableFile(fname, result), result);
  }
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    return Counted(fname, target()->NewAppendableFile(fname, result), result);
  }

 private:
  class File : public leveldb::WritableFile {
   public:
    File(std::string name, leveldb::WritableFile *base, const CountingEnv *env)
        : name_(std::move(name)), base_(base), env_(env) {}
    leveldb::Status Append(const leveldb::Slice &data) override {
      env_->written_->Add(env_->causes_->Of(name_), data.size());
      return base_->Append(data);
    }
    leveldb::Status Close() override { return base_->Close(); }
    leveldb::Status Flush() override { return base_->Flush(); }
    leveldb::Status Sync() override { return base_->Sync(); }

   private:
    const std::string name_;
    const std::unique_ptr<leveldb::WritableFile> base_;
    const CountingEnv *const env_;
  };

  leveldb::Status Counted(const std::string &fname, const leveldb::Status &s, leveldb::WritableFile **result) {
    if (s.ok()) *result = new File(fname, *result, this);
    return s;
  }

  const FileCauses *const causes_;
  CauseCounters *const written_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_COUNTING_ENV_H_
