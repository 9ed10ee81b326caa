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
  RawOob oob{};  // of a read or probe
};

/// Single NAND operations that the firmware starts (hw/src/fw/FwNand.scala). At most one operation per die is under way
/// or has a result that was not taken. Reads and programs use the firmware's page buffers; each buffer has one use at a
/// time.
class FwNand final : public NandListener {
 public:
  FwNand(Simulation &sim, const Params &p, NandScheduler &nand, BufferRam &buffers);

  bool ready() const { return open_ != p_.dies && !requests_.full(); }
  /// Starts an operation; requires ready(). `buffer` is the index among the firmware's buffers.
  void start(uint32_t slot, orm_fw_nand_op op, uint32_t buffer = 0);
  const FwNandOutcome *outcome() const { return results_.empty() ? nullptr : &results_.front(); }
  void pop();
  /// Reads 16 bytes of the first buffer; `at` is in units of 16 bytes.
  void fetch(uint32_t at);
  bool fetched() const { return fetched_; }
  /// A dword of the 16 bytes that fetch() has read.
  uint32_t word(uint32_t index) const;
  void nand_done(const NandDone &done) override;
  /// Whether no read or program uses the buffer.
  bool idle(uint32_t buffer) const { return !busy_.at(buffer); }

 private:
  Process issue();
  const NandPage *page_of(uint32_t slot, uint32_t buffer);
  void take_buffers(uint32_t first, uint32_t count);

  NandScheduler &nand_;
  BufferRam &buffers_;
  const Params &p_;
  uint32_t open_ = 0;            // operations whose result the firmware has not taken
  std::vector<bool> busy_;       // buffers that a read or program uses
  std::vector<NandPage> pages_;  // pages being programmed, by their first buffer
  bool fetched_ = false;
  std::array<uint8_t, kBeatBytes> word_{};
  Fifo<NandRequest> requests_;
  Fifo<FwNandOutcome> results_;
  Process issue_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_NAND_H
