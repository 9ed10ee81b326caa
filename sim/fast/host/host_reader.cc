// SPDX-License-Identifier: Apache-2.0
#include "host/host_reader.h"

#include <algorithm>
#include <cstring>

namespace orm::fast {
namespace {

constexpr uint64_t kStartNs = cycles(10);  // from the request over walker and arbiters to the bus, and back

}  // namespace

void HostReader::begin(const PrpTransfer &transfer, bool ahead) {
  walker_.emplace(host_, transfer);
  segment_ = {};
  status_ = kSuccess;
  first_ = !ahead;
}

uint64_t HostReader::read(uint8_t *out, uint32_t len, bool *bad) {
  const uint32_t fetches = walker_->fetches();
  uint32_t left = len;
  while (left != 0 && status_ == kSuccess) {
    if (segment_.bytes == 0) segment_ = walker_->next();
    const uint32_t n = std::min(left, segment_.bytes);
    if (segment_.status != kSuccess) {
      status_ = segment_.status;
    } else if (host_.dma_read(host_.ctx, segment_.addr, out, n) != 0) {
      status_ = kDataTransferError;
    } else {
      segment_.addr += n;
      segment_.bytes -= n;
      out += n;
      left -= n;
    }
  }
  if (left != 0) std::memset(out, 0, left);
  *bad = status_ != kSuccess;
  // List reads precede the data that they name. Data is requested ahead of its use.
  const uint64_t round_trips = walker_->fetches() - fetches + (first_ ? 1 : 0);
  const uint64_t start = first_ ? kStartNs : 0;
  first_ = false;
  return start + round_trips * timing_.host_read_ns + cycles(len / kBeatBytes);
}

}  // namespace orm::fast
