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
  level1_bytes = std::clamp(level1_bytes, uint64_t{1} << 14, uint64_t{1} << 40);
  level_ratio = std::clamp(level_ratio, 2, 100);
  if (last_level_ratio != 0) last_level_ratio = std::clamp(last_level_ratio, 2, 1000);
  fill_space_percent = std::clamp(fill_space_percent, 0, 1000);
  blend_runs = std::clamp(blend_runs, 1, 64);
  blend_space_percent = std::clamp(blend_space_percent, 0, 1000);
  blend_filter_bits = std::clamp(blend_filter_bits, 0, 20);
  min_table_bytes = std::clamp(min_table_bytes, 1 << 12, 1 << 30);
}

void SetDefaultRemapMode(RemapMode mode) { default_mode = mode; }
RemapMode DefaultRemapMode() { return default_mode; }

}  // namespace openremap
