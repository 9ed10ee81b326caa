// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CPU_COSTS_H
#define OPENREMAP_CPU_COSTS_H

#include <array>
#include <cstdint>
#include <string>

#include "fw_work.h"

namespace orm {

/// The kinds' names, in their order.
inline constexpr const char *kWorkNames[] = {
#define X(constant, name, what) name,
    FW_WORK_LIST(X)
#undef X
};

/// What one of each kind of work takes, ps.
using CpuCosts = std::array<uint64_t, FW_WORK_KINDS>;

/// Firmware that takes no time but that of its accesses to registers.
inline constexpr char kNoCpu[] = "none";

/// The SoC's, whose costs are measured.
inline constexpr char kDefaultCpu[] = "vexriscv";

/// The processor's costs, from cpu_costs.json; nullptr: `cpu` is empty or kNoCpu. Throws OptionError with the names
/// that there are.
const CpuCosts *cpu_costs(const std::string &cpu);

}  // namespace orm
#endif  // OPENREMAP_CPU_COSTS_H
