// SPDX-License-Identifier: Apache-2.0
#include "remap_options.h"

#include <algorithm>
#include <array>
#include <utility>

namespace openremap {
namespace {

constexpr std::array<std::pair<RemapMode, const char *>, 6> kModes = {{{RemapMode::kOff, "off"},
                                                                       {RemapMode::kBase, "base"},
                                                                       {RemapMode::kRetain, "retain"},
                                                                       {RemapMode::kFill, "fill"},
                                                                       {RemapMode::kSkip, "skip"},
                                                                       {RemapMode::kBlend, "blend"}}};

RemapMode default_mode = RemapMode::kOff;

}  // namespace

const char *RemapModeName(RemapMode mode) {
  for (const auto &[value, name] : kModes) {
    if (value == mode) return name;
  }
  return "?";
}

std::vector<RemapMode> RemapModes() {
  std::vector<RemapMode> modes;
  for (const auto &[value, name] : kModes) modes.push_back(value);
  return modes;
}

bool ParseRemapMode(const std::string &name, RemapMode *mode) {
  for (const auto &[value, known] : kModes) {
    if (name == known) {
      *mode = value;
      return true;
    }
  }
  return false;
}

void RemapOptions::ClipToRanges() {
  // Nothing is written that is in its range: in the library for stock programs these are the process's, and other threads read them.
  const auto clip = [](auto *number, const auto &range) {
    if (*number < range.low || *number > range.high) *number = std::clamp(*number, range.low, range.high);
  };
  clip(&level1_bytes, kLevel1Bytes);
  clip(&level_ratio, kLevelRatio);
  if (last_level_ratio != 0) clip(&last_level_ratio, kLastLevelRatio);
  clip(&fill_space_percent, kFillSpacePercent);
  clip(&blend_runs, kBlendRuns);
  clip(&blend_space_percent, kBlendSpacePercent);
  clip(&blend_filter_bits, kBlendFilterBits);
  clip(&min_table_bytes, kMinTableBytes);
}

void SetDefaultRemapMode(RemapMode mode) { default_mode = mode; }
RemapMode DefaultRemapMode() { return default_mode; }

}  // namespace openremap
