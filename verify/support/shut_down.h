// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SHUT_DOWN_H
#define OPENREMAP_SHUT_DOWN_H

#include <cstdint>
#include <stdexcept>

#include "openremap.h"
#include "orm_nvme.h"
#include "orm_regs.h"
#include "pcie_function.h"

namespace orm::tools {

/// Shuts the controller down as a host does before it lets the power go (NVMe 1.4, section 7.6.2), by CC.SHN. Throws
/// std::runtime_error if it does not complete within `most_ns` of device time. The snapshot of a large device takes a
/// slow CPU more than a second.
inline void shut_down(openremap_device *dev, uint64_t most_ns = 1'000'000'000) {
  constexpr uint64_t kLookNs = 10'000;
  pcie_function *fn = openremap_pcie_function(dev);
  uint64_t value = 0;
  if (fn->ops->bar0_read(fn, ORM_BAR0_CC, 4, &value) != 0 ||
      fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, value | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL)) != 0)
    throw std::runtime_error("CC cannot be written");
  const uint64_t end = openremap_now_ns(dev) + most_ns;
  do {
    if (openremap_now_ns(dev) > end) throw std::runtime_error("the shutdown does not complete");
    if (fn->ops->run(fn, kLookNs) < 0 || fn->ops->bar0_read(fn, ORM_BAR0_CSTS, 4, &value) != 0)
      throw std::runtime_error("the device is dead after a shutdown has begun");
  } while (ORM_GET(uint32_t(value), ORM_BAR0_CSTS_SHST) != NVME_SHUTDOWN_COMPLETE);
}

}  // namespace orm::tools
#endif  // OPENREMAP_SHUT_DOWN_H
