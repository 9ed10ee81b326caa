// SPDX-License-Identifier: Apache-2.0
#include "host/host_writer.h"

#include <algorithm>

namespace orm::fast {
namespace {

constexpr uint64_t kStartNs = cycles(8);

}  // namespace

void HostWriter::begin(const PrpTransfer &transfer) {
  walker_.emplace(host_, transfer);
  segment_ = {};
  status_ = kSuccess;
  first_ = true;
}

uint64_t HostWriter::write(const uint8_t *data, uint32_t len) {
  const uint32_t fetches = walker_->fetches();
  for (uint32_t left = len; left != 0;) {
    if (segment_.bytes == 0) segment_ = walker_->next();
    if (segment_.status != kSuccess) {
      status_ = segment_.status;
      break;
    }
    const uint32_t n = std::min(left, segment_.bytes);
    if (host_.dma_write(host_.ctx, segment_.addr, data, n) != 0 && status_ == kSuccess) status_ = kDataTransferError;
    segment_.addr += n;
    segment_.bytes -= n;
    data += n;
    left -= n;
  }
  const uint64_t start = first_ ? kStartNs : 0;
  first_ = false;
  return start + (walker_->fetches() - fetches) * timing_.host_read_ns + cycles(len / kBeatBytes);
}

}  // namespace orm::fast
