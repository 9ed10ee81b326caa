// SPDX-License-Identifier: Apache-2.0
#include "memories.h"

namespace orm {

bool HostMemory::write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
  if (strobe == nullptr) return host_.dma_write(host_.ctx, addr, data, len) == 0;
  size_t at = 0;
  while (at < len) {
    if (strobe[at] == 0) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < len && strobe[end] != 0) ++end;
    if (host_.dma_write(host_.ctx, addr + at, data + at, end - at) != 0) return false;
    at = end;
  }
  return true;
}

}  // namespace orm
