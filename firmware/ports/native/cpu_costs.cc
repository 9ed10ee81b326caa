// SPDX-License-Identifier: Apache-2.0
#include "cpu_costs.h"

#include <cstddef>
#include <string_view>

#include "cpu_costs_table.h"  // CMake makes it of cpu_costs.json
#include "sim_error.h"

namespace orm {
namespace {

struct Cpu {
  const char *name;
  CpuCosts costs;
};

/// The table's costs in the order of the kinds; stops the compiler at a kind that it does not have.
template <size_t N>
constexpr CpuCosts in_order(const CpuCost (&table)[N]) {
  CpuCosts costs{};
  for (size_t kind = 0; kind < FW_WORK_KINDS; ++kind) {
    bool found = false;
    for (const CpuCost &c : table) {
      if (std::string_view(c.kind) != kWorkNames[kind]) continue;
      costs[kind] = c.ps;
      found = true;
    }
    if (!found) throw "cpu_costs.json: a kind of fw_work.h is missing";
  }
  return costs;
}

constexpr Cpu kCpus[] = {
#define X(name, table) {name, in_order(table)},
    CPU_COSTS_LIST(X)
#undef X
};

}  // namespace

const CpuCosts *cpu_costs(const std::string &cpu) {
  if (cpu.empty() || cpu == kNoCpu) return nullptr;
  std::string known = kNoCpu;
  for (const Cpu &one : kCpus) {
    if (cpu == one.name) return &one.costs;
    known += std::string(", ") + one.name;
  }
  throw OptionError("firmware CPU '" + cpu + "' is not one of: " + known);
}

}  // namespace orm
