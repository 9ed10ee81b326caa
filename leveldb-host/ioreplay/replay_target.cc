// SPDX-License-Identifier: Apache-2.0
#include "replay_target.h"

#include <cstdio>

namespace openremap {

std::string FigureOf(uint64_t value) { return std::to_string(value); }

std::string FigureOf(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

}  // namespace openremap
