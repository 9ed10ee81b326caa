// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_HOST_WRITER_H
#define OPENREMAP_FAST_HOST_WRITER_H

#include <cstdint>
#include <optional>

#include "host/prp_walker.h"
#include "lib/process.h"
#include "map/lock.h"
#include "memories.h"

namespace orm::fast {

/// Writes host memory through PRPs, one transfer at a time (hw/src/host/HostWriter.scala). It is used as HostReader.
/// After the last piece `end_ns` is the time until the host has all data.
class HostWriter {
 public:
  HostWriter(Simulation &sim, const pcie_host &host, const MemoryTiming &timing)
      : host_(host), timing_(timing), turn_(sim) {}

  Turn &turn() { return turn_; }
  void begin(const PrpTransfer &transfer);
  /// Writes the next piece and returns the ns that it takes. After a PRP error further data is discarded.
  uint64_t write(const uint8_t *data, uint32_t len);
  uint64_t end_ns() const { return timing_.host_write_ns; }
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
#endif  // OPENREMAP_FAST_HOST_WRITER_H
