// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_PRP_WALKER_H
#define OPENREMAP_FAST_PRP_WALKER_H

#include <array>
#include <cstdint>

#include "nvme/nvme_status.h"
#include "pcie_function.h"

namespace orm::fast {

/// A transfer between the controller and host memory. PRP1 may begin at any dword; PRP2 is unused, a page, or a list.
struct PrpTransfer {
  uint64_t prp1 = 0;
  uint64_t prp2 = 0;
  uint32_t bytes = 0;  // multiple of 4
};

struct PrpSegment {
  uint64_t addr = 0;
  uint32_t bytes = 0;  // 4..4096, inside a page; 0 when the walk failed
  NvmeStatus status = kSuccess;
};

/// Turns PRP1 and PRP2 into contiguous pieces of host memory, and follows chained lists (hw/src/host/PrpWalker.scala).
/// After a failure every further call returns the same status.
class PrpWalker {
 public:
  PrpWalker(const pcie_host &host, const PrpTransfer &transfer) : host_(host), t_(transfer), left_(transfer.bytes) {}

  PrpSegment next();
  /// Reads of the PRP list so far; each costs a round trip to the host.
  uint32_t fetches() const { return fetches_; }

 private:
  static constexpr uint32_t kListEntries = 16;  // list entries fetched by one read

  PrpSegment fail(NvmeStatus why);
  PrpSegment first();
  PrpSegment from_list();
  bool fetch();

  const pcie_host &host_;
  PrpTransfer t_;
  uint32_t left_;  // bytes of the transfer not returned yet
  bool started_ = false;
  bool listed_ = false;
  NvmeStatus status_ = kSuccess;
  uint64_t entry_ = 0;  // address of the next list entry
  std::array<uint8_t, 8 * kListEntries> list_{};
  uint64_t list_begin_ = 0;  // first address of the part of the list that was fetched
  uint64_t list_end_ = 0;
  uint32_t fetches_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PRP_WALKER_H
