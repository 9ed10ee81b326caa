// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/options. Do not edit: run python interfaces/generate.py
// clang-format off
//
// Ranges and defaults of RemapOptions, and the names of its modes.
#ifndef OPENREMAP_LEVELDB_HOST_GEN_REMAP_OPTION_RANGES_H_
#define OPENREMAP_LEVELDB_HOST_GEN_REMAP_OPTION_RANGES_H_

#include <array>
#include <cstdint>

namespace openremap {

// An inclusive range and a default. or_zero: 0 is valid too, although it is below the range.
template <typename T>
struct OptionRange {
  T low, high, initial;
  bool or_zero = false;
};

inline constexpr OptionRange<uint64_t> kLevel1Bytes = {16384u, 1099511627776u, 10485760u};
inline constexpr OptionRange<int> kLevelRatio = {2, 100, 10};
inline constexpr OptionRange<int> kLastLevelRatio = {2, 1000, 15, true};
inline constexpr OptionRange<int> kFillSpacePercent = {0, 1000, 3};
inline constexpr OptionRange<int> kBlendRuns = {1, 64, 12};
inline constexpr OptionRange<int> kBlendSpacePercent = {0, 1000, 30};
inline constexpr OptionRange<int> kBlendFilterBits = {0, 20, 10};
inline constexpr OptionRange<int> kMinTableBytes = {4096, 1073741824, 1048576};
inline constexpr OptionRange<uint64_t> kMinManifestBytes = {512u, 1073741824u, 65536u};
inline constexpr OptionRange<uint64_t> kMaxInfoLogBytes = {1024u, 1073741824u, 262144u};
inline constexpr OptionRange<uint64_t> kValueLogSegmentBytes = {65536u, 1073741824u, 33554432u};
inline constexpr OptionRange<int> kValueLogDeadPercent = {0, 95, 30};

// A mode's name and what it does. The order is that of RemapMode.
struct RemapModeText {
  const char *name;
  const char *text;
};
inline constexpr std::array<RemapModeText, 6> kRemapModes = { {
    {"off", "stock LevelDB: every entry is rewritten"},
    {"base", "keeps an unchanged block that falls on a page boundary of the output"},
    {"retain", "cuts the output block before an unchanged block early, so that the block is always kept"},
    {"fill", "as retain, but only where the pages saved are worth the space that the cut leaves empty"},
    {"skip", "as fill, and finds unchanged blocks in the tables' metadata instead of reading them"},
    {"blend", "as skip, and a table may hold several sorted runs that are merged later"},
}};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_GEN_REMAP_OPTION_RANGES_H_
