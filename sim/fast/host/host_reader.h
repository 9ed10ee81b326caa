// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_HOST_READER_H
#define OPENREMAP_FAST_HOST_READER_H

#include <cstdint>
#include <optional>

#include "host/prp_walker.h"
#include "lib/process.h"
#include "map/lock.h"
#include "memories.h"

namespace orm::fast {

/// Host memory to device, one transfer at a time (hw/src/host/HostReader.scala).
///
///   co_await reader.turn().take(); reader.begin(transfer);
///   per piece: ns = reader.read(out, len, &bad); co_await Delay{sim, ns};
///   status = reader.end(); reader.turn().give();
class HostReader {
 public:
  HostReader(Simulation &sim, const pcie_host &host, const MemoryTiming &timing)
      : host_(host), timing_(timing), turn_(sim) {}

  Turn &turn() { return turn_; }
  /// `ahead`: it was asked for while the transfer before it came, so its first round trip is over.
  void begin(const PrpTransfer &transfer, bool ahead = false);
  /// The next `len` bytes (a multiple of 16). Returns the ns until they are here. After an error the rest is zero and
  /// `*bad`.
  uint64_t read(uint8_t *out, uint32_t len, bool *bad);
  NvmeStatus end() const { return status_; }

 private:
  const pcie_host &host_;
  MemoryTiming timing_;
  Turn turn_;
  std::optional<PrpWalker> walker_;
  PrpSegment segment_;
  NvmeStatus status_ = kSuccess;
  bool first_ = true;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_HOST_READER_H
