// SPDX-License-Identifier: Apache-2.0
#include "dram_model.h"

#include <algorithm>
#include <cstring>

namespace orm {

bool DramModel::read(uint64_t addr, uint8_t *out, size_t len) const {
  if (!inside(addr, len)) return false;
  std::memcpy(out, bytes_.data() + addr, len);
  return true;
}

bool DramModel::write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
  if (!inside(addr, len)) return false;
  if (strobe == nullptr) {
    std::memcpy(bytes_.data() + addr, data, len);
    return true;
  }
  for (size_t i = 0; i < len; ++i) {
    if (strobe[i] != 0) bytes_[addr + i] = data[i];
  }
  return true;
}

void DramModel::power_cut() { std::fill(bytes_.begin(), bytes_.end(), kPattern); }

}  // namespace orm
