// SPDX-License-Identifier: Apache-2.0
#include "remap_options.h"

#include <algorithm>
#include <cstddef>

namespace openremap {
namespace {

static_assert(kRemapModes.size() == static_cast<size_t>(RemapMode::kBlend) + 1, "one name for each mode");

RemapMode default_mode = RemapMode::kOff;
uint64_t default_value_log_threshold = kNoValueLog;

}  // namespace

const char *RemapModeName(RemapMode mode) { return kRemapModes.at(static_cast<size_t>(mode)).name; }

std::string RemapModeNames(const std::string &separator) {
  std::string names;
  for (const RemapModeText &mode : kRemapModes) names += (names.empty() ? "" : separator) + mode.name;
  return names;
}

std::vector<RemapMode> RemapModes() {
  std::vector<RemapMode> modes;
  for (size_t i = 0; i < kRemapModes.size(); i++) modes.push_back(static_cast<RemapMode>(i));
  return modes;
}

bool ParseRemapMode(const std::string &name, RemapMode *mode) {
  for (const RemapMode known : RemapModes()) {
    if (name == RemapModeName(known)) {
      *mode = known;
      return true;
    }
  }
  return false;
}

void RemapOptions::ClipToRanges() {
  // A number in its range is not written: in libleveldb.so the options belong to the process, and other threads read
  // them at the same time.
  const auto clip = [](auto *number, const auto &range) {
    if (range.or_zero && *number == 0) return;
    if (*number < range.low || *number > range.high) *number = std::clamp(*number, range.low, range.high);
  };
  clip(&level1_bytes, kLevel1Bytes);
  clip(&level_ratio, kLevelRatio);
  clip(&last_level_ratio, kLastLevelRatio);
  clip(&fill_space_percent, kFillSpacePercent);
  clip(&blend_runs, kBlendRuns);
  clip(&blend_space_percent, kBlendSpacePercent);
  clip(&blend_filter_bits, kBlendFilterBits);
  clip(&min_table_bytes, kMinTableBytes);
  clip(&min_manifest_bytes, kMinManifestBytes);
  clip(&max_info_log_bytes, kMaxInfoLogBytes);
  clip(&value_log_segment_bytes, kValueLogSegmentBytes);
  clip(&value_log_dead_percent, kValueLogDeadPercent);
}

void SetDefaultRemapMode(RemapMode mode) { default_mode = mode; }
RemapMode DefaultRemapMode() { return default_mode; }

void SetDefaultValueLogThreshold(uint64_t bytes) { default_value_log_threshold = bytes; }
uint64_t DefaultValueLogThreshold() { return default_value_log_threshold; }

}  // namespace openremap
