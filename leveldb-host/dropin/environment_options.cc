// SPDX-License-Identifier: Apache-2.0
#include "options/environment_options.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

#include "leveldb/env.h"
#include "range_cloner.h"
#include "reflink_env.h"

namespace openremap {

using leveldb::Status;

namespace {

// Empty where it is not set, and for a program that runs with more rights than its user has.
std::string Variable(const char *name) {
  const char *value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

// False: it is no number, or none that a value's size can be.
bool ParseBytes(const std::string &text, uint64_t *bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 32;
  uint64_t parsed = 0;
  const char *const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stopped != end || parsed > kMost) return false;
  *bytes = parsed;
  return true;
}

// What the variables say; they are looked at once.
class Settings {
 public:
  Settings() {
    const std::string mode = Variable("OPENREMAP_MODE");
    if (!mode.empty() && !ParseRemapMode(mode, &leveldb::Options::remap.mode)) {
      status_ = Status::InvalidArgument("OPENREMAP_MODE=" + mode, "expected one of " + RemapModeNames(", "));
      return;
    }
    const std::string bytes = Variable("OPENREMAP_VALUE_LOG");
    if (!bytes.empty() && !ParseBytes(bytes, &leveldb::Options::remap.value_log_threshold)) {
      status_ = Status::InvalidArgument("OPENREMAP_VALUE_LOG=" + bytes, "expected a number of bytes");
      return;
    }
    const std::string files = Variable("OPENREMAP_FILES");
    if (!files.empty() && files != "plain" && files != "reflink") {
      status_ = Status::InvalidArgument("OPENREMAP_FILES=" + files, "expected plain or reflink");
    }
    reflink_ = files == "reflink";
  }

  const Status &status() const { return status_; }
  bool reflink() const { return reflink_; }

 private:
  Status status_;
  bool reflink_ = false;
};

// As Env::Default(), never destroyed: databases may be closed while the process ends.
leveldb::Env *DefaultReflinkEnv() {
  static auto *const env = new ReflinkEnv(new LinuxRangeCloner);
  return env;
}

}  // namespace

Status ApplyEnvironment(leveldb::Options *options) {
  static const Settings settings;
  // A program's own Env is where its files are.
  if (settings.status().ok() && settings.reflink() && options->env == leveldb::Env::Default()) {
    options->env = DefaultReflinkEnv();
  }
  return settings.status();
}

}  // namespace openremap
