// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/options. Do not edit: run python interfaces/generate.py
// clang-format off
//
// The numbers among the options of ioreplay.
#ifndef OPENREMAP_IOREPLAY_GEN_REPLAY_OPTIONS_H_
#define OPENREMAP_IOREPLAY_GEN_REPLAY_OPTIONS_H_

#include <cstdint>

namespace openremap::replaying {

// An inclusive range, a default, and what the option is for.
template <typename T>
struct ReplayNumber {
  const char *option;
  T low, high, initial;
  const char *text;
};

inline constexpr ReplayNumber<uint64_t> kChunk = {"--chunk", 1u, 1099511627776u, 64u,
    "Records of a trace before it is the next one's turn."};
inline constexpr ReplayNumber<uint64_t> kSplit = {"--split", 0u, 1099511627776u, 0u,
    "Pages: longer records are cut before they are merged. 0: none are."};
inline constexpr ReplayNumber<uint64_t> kWhole = {"--whole", 0u, 100u, 0u,
    "Percent of the tables that stay whole: --split does not cut them, and no turn ends within them."};
inline constexpr ReplayNumber<uint64_t> kWindow = {"--window", 0u, 1099511627776u, 0u,
    "Report write amplification also by windows of this many written pages. 0: only of the whole replay."};
inline constexpr ReplayNumber<uint32_t> kSuperblocks = {"--superblocks", 0u, 4294967295u, 0u,
    "Superblocks of the simulated flash in use. 0: all."};
inline constexpr ReplayNumber<uint32_t> kFill = {"--fill", 0u, 100u, 0u,
    "Percent of the namespace that the traces shall use: as few superblocks of --geometry as this takes. 0: as --superblocks says."};
inline constexpr ReplayNumber<uint32_t> kOverProvisioning = {"--over-provisioning", 0u, 99u, 0u,
    "Percent of the usable flash that the namespace does not offer. 0: the device's default."};
inline constexpr ReplayNumber<uint32_t> kPlacementHandles = {"--placement-handles", 0u, 128u, 0u,
    "Placement handles of the namespace. 0: as many as cost it nothing."};
inline constexpr ReplayNumber<uint64_t> kSeed = {"--seed", 0u, 18446744073709551615u, 1u,
    "Seed of --precondition."};
inline constexpr ReplayNumber<uint32_t> kHybridBlock = {"--hybrid-block", 1u, 1048576u, 256u,
    "hybrid: pages of a flash block."};
inline constexpr ReplayNumber<uint32_t> kHybridLog = {"--hybrid-log", 0u, 1000u, 14u,
    "hybrid: log blocks, in percent of the logical blocks."};

}  // namespace openremap::replaying

#endif  // OPENREMAP_IOREPLAY_GEN_REPLAY_OPTIONS_H_
