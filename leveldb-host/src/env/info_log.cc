// SPDX-License-Identifier: Apache-2.0
#include "env/info_log.h"

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "db/filename.h"

namespace openremap {

using leveldb::Status;

namespace {

// What a logger may add to a line: time, thread, end of line. LevelDB's own adds at most 61 bytes.
constexpr uint64_t kLineOverhead = 64;

// Without what a logger adds.
uint64_t LengthOf(const char *format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  return length > 0 ? static_cast<uint64_t>(length) : 0;
}

Status StartLog(leveldb::Env *env, const std::string &dbname, leveldb::Logger **result) {
  // The first log of a database has no predecessor.
  (void)env->RenameFile(leveldb::InfoLogFileName(dbname), leveldb::OldInfoLogFileName(dbname));
  return env->NewLogger(leveldb::InfoLogFileName(dbname), result);
}

class RotatingLogger : public leveldb::Logger {
 public:
  RotatingLogger(leveldb::Env *env, std::string dbname, uint64_t max_bytes, leveldb::Logger *log)
      : env_(env), dbname_(std::move(dbname)), max_bytes_(max_bytes), log_(log) {}

  void Logv(const char *format, std::va_list arguments) override {
    const uint64_t least = LengthOf(format, arguments), most = least + kLineOverhead;
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes_ + most > max_bytes_) Measure();
    if (bytes_ != 0 && bytes_ + most > max_bytes_) Rotate();
    bytes_ += most;
    least_ += least;
    log_->Logv(format, arguments);
  }

 private:
  // Loggers add less to their lines than they might. A file with less than the lines is another one: an opening of the
  // database that was refused has moved ours away.
  void Measure() {
    uint64_t size = 0;
    const bool there = env_->GetFileSize(leveldb::InfoLogFileName(dbname_), &size).ok();
    if (there && size >= least_ && size < bytes_) bytes_ = size;
  }

  void Rotate() {
    bytes_ = least_ = 0;
    leveldb::Logger *next = nullptr;
    if (StartLog(env_, dbname_, &next).ok()) log_.reset(next);
  }

  leveldb::Env *const env_;
  const std::string dbname_;
  const uint64_t max_bytes_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<leveldb::Logger> log_;
  // Of the current file: it has at most `bytes_`, and at least `least_` if all lines were written.
  uint64_t bytes_ = 0, least_ = 0;
};

}  // namespace

Status NewInfoLog(leveldb::Env *env, const std::string &dbname, uint64_t max_bytes, leveldb::Logger **result) {
  *result = nullptr;
  leveldb::Logger *log = nullptr;
  Status s = StartLog(env, dbname, &log);
  if (s.ok()) *result = new RotatingLogger(env, dbname, max_bytes, log);
  return s;
}

}  // namespace openremap
