// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_PRP_WALKER_H
#define OPENREMAP_FAST_PRP_WALKER_H

#include <array>
#include <cstdint>

#include "nvme/nvme_status.h"
#include "pcie_function.h"

namespace orm::fast {

/// A transfer between the controller and host memory: PRP1 at any dword, PRP2 nothing, a page or a list.
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

/// Turns PRP1/PRP2 into contiguous pieces of host memory; follows chained lists (hw/src/host/PrpWalker.scala). A failed walk
/// gives its status for ever.
class PrpWalker {
 public:
  PrpWalker(const pcie_host &host, const PrpTransfer &transfer) : host_(host), t_(transfer), left_(transfer.bytes) {}

  PrpSegment next();
  /// Reads of the list so far, each a round trip to the host.
  uint32_t fetches() const { return fetches_; }

 private:
  static constexpr uint32_t kListEntries = 16;  // of one read

  PrpSegment fail(NvmeStatus why);
  PrpSegment first();
  PrpSegment from_list();
  bool fetch();

  const pcie_host &host_;
  PrpTransfer t_;
  uint32_t left_;  // bytes not yet given out
  bool started_ = false;
  bool listed_ = false;
  NvmeStatus status_ = kSuccess;
  uint64_t entry_ = 0;  // address of the next list entry
  std::array<uint8_t, 8 * kListEntries> list_{};
  uint64_t list_begin_ = 0;  // what of the list is here
  uint64_t list_end_ = 0;
  uint32_t fetches_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PRP_WALKER_H
