// SPDX-License-Identifier: Apache-2.0
//
// An Env whose changes to a database's own records fail, or after which power goes, at a chosen step.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_FAULT_ENV_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_FAULT_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/filename.h"
#include "leveldb/env.h"

namespace openremap {

// What becomes of the call that fails.
enum class Effect : uint8_t { kNone, kDone };

// Counts and names the calls that change manifests, CURRENT and temporary files, and the removals of all files.
class FaultEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  // "create manifest", "append manifest", "sync manifest", "create temporary", ..., "rename temporary", "remove log".
  const std::vector<std::string> &steps() const { return steps_; }

  // The step with this number fails. Without power, so does every later change.
  void FailAt(size_t step, Effect effect, bool power_goes) {
    fail_at_ = step;
    effect_ = effect;
    power_goes_ = power_goes;
  }
  // Every step of this name fails from now on; empty: none.
  void FailAll(const std::string &name) { fail_all_ = name; }
  // Reads of CURRENT fail.
  void HideCurrent(bool hidden) { hidden_ = hidden; }
  void PowerOn() {
    power_ = true;
    fail_at_ = kNever;
  }
  bool HasPower() const { return power_; }

  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    *result = nullptr;
    const std::string kind = Kind(fname);
    return Step("create", kind, [&] {
      leveldb::WritableFile *file = nullptr;
      leveldb::Status s = target()->NewWritableFile(fname, &file);
      if (s.ok()) *result = new FaultFile(this, kind, std::unique_ptr<leveldb::WritableFile>(file));
      return s;
    });
  }
  leveldb::Status NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) override {
    *result = nullptr;
    leveldb::WritableFile *file = nullptr;
    leveldb::Status s = target()->NewAppendableFile(fname, &file);
    if (s.ok()) *result = new FaultFile(this, Kind(fname), std::unique_ptr<leveldb::WritableFile>(file));
    return s;
  }
  leveldb::Status NewSequentialFile(const std::string &fname, leveldb::SequentialFile **result) override {
    if (hidden_ && Kind(fname) == "current") return leveldb::Status::IOError("test", "CURRENT cannot be read");
    return target()->NewSequentialFile(fname, result);
  }
  leveldb::Status RenameFile(const std::string &from, const std::string &to) override {
    return Step("rename", Kind(from), [&] { return target()->RenameFile(from, to); });
  }
  leveldb::Status RemoveFile(const std::string &fname) override {
    return Step("remove", Kind(fname), [&] { return target()->RemoveFile(fname); });
  }

 private:
  static constexpr size_t kNever = SIZE_MAX;

  class FaultFile : public leveldb::WritableFile {
   public:
    FaultFile(FaultEnv *env, std::string kind, std::unique_ptr<leveldb::WritableFile> file)
        : env_(env), kind_(std::move(kind)), file_(std::move(file)) {}
    leveldb::Status Append(const leveldb::Slice &data) override {
      return env_->Step("append", kind_, [&] { return file_->Append(data); });
    }
    leveldb::Status Sync() override {
      return env_->Step("sync", kind_, [&] { return file_->Sync(); });
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }

   private:
    FaultEnv *const env_;
    const std::string kind_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };

  static std::string Kind(const std::string &path) {
    uint64_t number = 0;
    leveldb::FileType type{};
    if (!leveldb::ParseFileName(path.substr(path.rfind('/') + 1), &number, &type)) return "other";
    switch (type) {
      case leveldb::kDescriptorFile:
        return "manifest";
      case leveldb::kTempFile:
        return "temporary";
      case leveldb::kCurrentFile:
        return "current";
      case leveldb::kLogFile:
        return "log";
      case leveldb::kTableFile:
        return "table";
      default:
        return "other";
    }
  }

  template <typename Call>
  leveldb::Status Step(const char *what, const std::string &kind, const Call &call) {
    if (!power_) return leveldb::Status::IOError("test", "no power");
    const std::string name = what + (" " + kind);
    if (name == fail_all_) return leveldb::Status::IOError("test", name);
    const bool counts = kind == "manifest" || kind == "temporary" || kind == "current" || what == std::string("remove");
    if (!counts) return call();
    steps_.push_back(name);
    if (steps_.size() - 1 != fail_at_) return call();
    if (power_goes_) power_ = false;
    if (effect_ == Effect::kDone) (void)call();
    return leveldb::Status::IOError("test", name + " fails");
  }

  std::vector<std::string> steps_;
  size_t fail_at_ = kNever;
  Effect effect_ = Effect::kNone;
  bool power_goes_ = false;
  std::string fail_all_;
  bool hidden_ = false;
  bool power_ = true;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_FAULT_ENV_H_
