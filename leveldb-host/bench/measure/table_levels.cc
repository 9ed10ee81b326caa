// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/table_levels.h"

#include <algorithm>
#include <cstdlib>

namespace openremap {

std::vector<TableLevel> ParseTableLevels(const std::string &property, size_t levels) {
  std::vector<TableLevel> found(levels);
  TableLevel *level = nullptr;
  for (size_t at = 0; at < property.size();) {
    const size_t end = std::min(property.find('\n', at), property.size());
    const std::string line = property.substr(at, end - at);
    at = end + 1;
    constexpr char kHead[] = "--- level ";
    if (line.compare(0, sizeof(kHead) - 1, kHead) == 0) {
      const size_t number = std::strtoul(line.c_str() + sizeof(kHead) - 1, nullptr, 10);
      level = number < levels ? &found[number] : nullptr;
    } else if (const size_t colon = line.find(':'); level != nullptr && colon != std::string::npos) {
      level->files++;
      level->bytes += std::strtoull(line.c_str() + colon + 1, nullptr, 10);
    }
  }
  return found;
}

}  // namespace openremap
