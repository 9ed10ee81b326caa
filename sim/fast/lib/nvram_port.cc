// SPDX-License-Identifier: Apache-2.0
#include "lib/nvram_port.h"

#include <algorithm>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kBusNs = cycles(4);  // from the unit over the arbiter to the memory, and back

uint64_t lines(size_t len) { return (len + kNvramLine - 1) / kNvramLine; }

}  // namespace

void NvramPort::write(uint32_t addr, const uint8_t *data, size_t len, uint32_t *count) {
  believe(model_.begin_write(addr, data, nullptr, len), "NVRAM refused a write");
  last_ns_ = std::max(last_ns_ + kCycleNs, sim_.now() + kBusNs + timing_.nvram_write_ns * lines(len));
  if (count != nullptr) ++*count;
  counts_.push_back(count);
  sim_.at(last_ns_, answer, this);
}

void NvramPort::answer(void *self) {
  NvramPort &port = *static_cast<NvramPort *>(self);
  port.model_.answer();
  uint32_t *const count = port.counts_.front();
  port.counts_.pop_front();
  if (count != nullptr) --*count;
  port.answered.notify();
}

void NvramPort::read(uint32_t addr, uint8_t *out, size_t len) {
  believe(model_.read(addr, out, len), "NVRAM refused a read");
}

uint64_t NvramPort::read_ns(size_t len) const {
  return kBusNs + timing_.nvram_read_ns * lines(len) + cycles(len / kBeatBytes);
}

}  // namespace orm::fast
