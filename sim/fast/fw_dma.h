// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_DMA_H
#define OPENREMAP_FAST_FW_DMA_H

#include <cstdint>

#include "dram_model.h"
#include "host_reader.h"
#include "host_writer.h"
#include "nvme_status.h"

namespace orm::fast {

struct FwDmaRequest {
  bool to_host = false;
  uint32_t dram = 0;  // 16-byte aligned
  PrpTransfer prp;
};

/// Moves data between firmware's buffers in DRAM and the host (hw/src/FwDma.scala). What could not be had from the host
/// is zero in DRAM.
class FwDma {
 public:
  FwDma(Simulation &sim, DramModel &dram, HostReader &reader, HostWriter &writer)
      : sim_(sim), dram_(dram), reader_(reader), writer_(writer) {}

  /// DRAM errors are Internal Error.
  Task<NvmeStatus> move(FwDmaRequest request);

 private:
  Simulation &sim_;
  DramModel &dram_;
  HostReader &reader_;
  HostWriter &writer_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_DMA_H
