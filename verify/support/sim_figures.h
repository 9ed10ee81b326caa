// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SIM_FIGURES_H
#define OPENREMAP_SIM_FIGURES_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "pcie_function.h"

namespace orm::tools {

/// The integers of a device's sim_stats by name; each name must occur once.
class SimFigures {
 public:
  explicit SimFigures(pcie_function *fn) : json_(4096, '\0') {
    const int length = fn->ops->sim_stats(fn, json_.data(), json_.size());
    json_.resize(size_t(std::clamp<int>(length, 0, int(json_.size()) - 1)));
  }

  uint64_t operator[](const std::string &name) const {
    const std::string member = "\"" + name + "\": ";
    const size_t at = json_.find(member);
    if (at == std::string::npos) throw std::runtime_error("sim_stats has no '" + name + "'");
    return std::strtoull(json_.c_str() + at + member.size(), nullptr, 10);
  }

 private:
  std::string json_;
};

}  // namespace orm::tools
#endif  // OPENREMAP_SIM_FIGURES_H
