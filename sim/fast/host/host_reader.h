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

/// Reads host memory through PRPs, one transfer at a time (hw/src/host/HostReader.scala). Usage:
///
///   co_await reader.turn().take(); reader.begin(transfer);
///   per piece: ns = reader.read(out, len, &bad); co_await Delay{sim, ns};
///   status = reader.end(); reader.turn().give();
class HostReader {
 public:
  HostReader(Simulation &sim, const pcie_host &host, const MemoryTiming &timing)
      : host_(host), timing_(timing), turn_(sim) {}

  Turn &turn() { return turn_; }
  /// `ahead`: the transfer was requested during the previous one, so its first round trip has passed.
  void begin(const PrpTransfer &transfer, bool ahead = false);
  /// Reads the next `len` bytes, a multiple of 16. Returns the ns until they arrive. After an error the rest is zeroes,
  /// and `*bad` is set.
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
