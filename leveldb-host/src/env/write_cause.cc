// SPDX-License-Identifier: Apache-2.0
#include "write_cause.h"

#include <numeric>
#include <string_view>

namespace openremap {

const char *WriteCauseName(WriteCause cause) {
  constexpr std::array<const char *, kWriteCauses> kNames = {
      "log", "flush", "size_compaction", "seek_compaction", "manual_compaction", "value_log", "other"};
  return kNames.at(static_cast<size_t>(cause));
}

WriteCause CauseOfName(const std::string &fname) {
  const auto ends_with = [&fname](std::string_view suffix) {
    return fname.size() > suffix.size() && fname.compare(fname.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  if (ends_with(".log")) return WriteCause::kLog;
  return ends_with(".vlog") ? WriteCause::kValueLog : WriteCause::kOther;
}

uint64_t SumOf(const CauseBytes &bytes) { return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}); }

CauseBytes CauseCounters::Get() const {
  CauseBytes bytes{};
  for (size_t i = 0; i < kWriteCauses; i++) bytes.at(i) = bytes_.at(i);
  return bytes;
}

void FileCauses::Set(const std::string &fname, WriteCause cause) {
  std::lock_guard<std::mutex> lock(mutex_);
  causes_[fname] = cause;
}

WriteCause FileCauses::Of(const std::string &fname) const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = causes_.find(fname);
    if (known != causes_.end()) return known->second;
  }
  return CauseOfName(fname);
}

void FileCauses::Forget(const std::string &fname) {
  std::lock_guard<std::mutex> lock(mutex_);
  causes_.erase(fname);
}

}  // namespace openremap
