// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_DMA_H
#define OPENREMAP_FAST_FW_DMA_H

#include <cstdint>

#include "dram_model.h"
#include "host/host_reader.h"
#include "host/host_writer.h"
#include "io/buffer_ram.h"
#include "nvme/nvme_status.h"

namespace orm::fast {

struct FwDmaRequest {
  bool to_host = false;  // false: to DRAM, or to the buffer
  bool buffer = false;   // the other side is page buffer `buf` instead of the host
  uint32_t buf = 0;
  uint32_t dram = 0;  // 16-byte aligned
  PrpTransfer prp;
};

/// The firmware's DMA: moves data between DRAM and the host, or between DRAM and a page buffer of the firmware
/// (hw/src/fw/FwDma.scala). Host data that cannot be read is stored as zeroes in DRAM.
class FwDma {
 public:
  FwDma(Simulation &sim, DramModel &dram, HostReader &reader, HostWriter &writer, BufferRam &buffers)
      : sim_(sim), dram_(dram), reader_(reader), writer_(writer), buffers_(buffers) {}

  /// Moves the whole transfer; ends when the data has arrived. A DRAM error ends with Internal Error.
  Task<NvmeStatus> move(FwDmaRequest request);

 private:
  Simulation &sim_;
  DramModel &dram_;
  HostReader &reader_;
  HostWriter &writer_;
  BufferRam &buffers_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_DMA_H
