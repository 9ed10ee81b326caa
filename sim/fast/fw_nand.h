// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_NAND_H
#define OPENREMAP_FAST_FW_NAND_H

#include <array>
#include <cstdint>

#include "axi_rules.h"
#include "buffer_ram.h"
#include "fifo.h"
#include "nand_scheduler.h"
#include "orm_regs.h"

namespace orm::fast {

struct FwNandOutcome {
  uint32_t slot = 0;
  NandStatus status = NandStatus::kOk;
  RawOob oob{};  // read, probe
};

/// Firmware's single NAND operations: as many as there are dies may be under way or wait with their result; reads one at a
/// time, as there is one buffer for their data (hw/src/FwNand.scala).
class FwNand final : public NandListener {
 public:
  FwNand(Simulation &sim, const Params &p, NandScheduler &nand, BufferRam &buffers);

  bool ready() const { return open_ != dies_ && !requests_.full(); }
  void start(uint32_t slot, orm_fw_nand_op op);
  const FwNandOutcome *outcome() const { return results_.empty() ? nullptr : &results_.front(); }
  void pop();
  /// 16 bytes of what was read last; `at` counts in 16 bytes.
  void fetch(uint32_t at);
  bool fetched() const { return fetched_; }
  /// A dword of them.
  uint32_t word(uint32_t index) const;
  void nand_done(const NandDone &done) override;

 private:
  Process issue();

  NandScheduler &nand_;
  BufferRam &buffers_;
  uint32_t fw_buf_;
  uint32_t dies_;
  uint32_t open_ = 0;  // started and not taken by firmware
  bool reading_ = false;
  bool fetched_ = false;
  std::array<uint8_t, kBeatBytes> word_{};
  Fifo<NandRequest> requests_;
  Fifo<FwNandOutcome> results_;
  Process issue_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_NAND_H
