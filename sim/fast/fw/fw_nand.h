// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_NAND_H
#define OPENREMAP_FAST_FW_NAND_H

#include <array>
#include <cstdint>
#include <vector>

#include "axi_rules.h"
#include "io/buffer_ram.h"
#include "lib/fifo.h"
#include "nand/nand_scheduler.h"
#include "orm_regs.h"

namespace orm::fast {

struct FwNandOutcome {
  uint32_t slot = 0;
  NandStatus status = NandStatus::kOk;
  RawOob oob{};  // read, probe
};

/// Firmware's single NAND operations: as many as there are dies may be under way or wait with their result. Reads and programs
/// have page buffers of firmware's, each with one use at a time (hw/src/fw/FwNand.scala).
class FwNand final : public NandListener {
 public:
  FwNand(Simulation &sim, const Params &p, NandScheduler &nand, BufferRam &buffers);

  bool ready() const { return open_ != p_.dies && !requests_.full(); }
  /// `buffer` counts firmware's.
  void start(uint32_t slot, orm_fw_nand_op op, uint32_t buffer = 0);
  const FwNandOutcome *outcome() const { return results_.empty() ? nullptr : &results_.front(); }
  void pop();
  /// 16 bytes of the first buffer; `at` counts in 16 bytes.
  void fetch(uint32_t at);
  bool fetched() const { return fetched_; }
  /// A dword of them.
  uint32_t word(uint32_t index) const;
  void nand_done(const NandDone &done) override;
  /// No read or program has it.
  bool idle(uint32_t buffer) const { return !busy_.at(buffer); }

 private:
  Process issue();
  const NandPage *page_of(uint32_t slot, uint32_t buffer);
  void take_buffers(uint32_t first, uint32_t count);

  NandScheduler &nand_;
  BufferRam &buffers_;
  const Params &p_;
  uint32_t open_ = 0;            // started and not taken by firmware
  std::vector<bool> busy_;       // buffers that a read or program has
  std::vector<NandPage> pages_;  // of programs, by their first buffer
  bool fetched_ = false;
  std::array<uint8_t, kBeatBytes> word_{};
  Fifo<NandRequest> requests_;
  Fifo<FwNandOutcome> results_;
  Process issue_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_NAND_H
