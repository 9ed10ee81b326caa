// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_NAND_H
#define OPENREMAP_FAST_FW_NAND_H

#include <cstdint>

#include "fifo.h"
#include "nand_scheduler.h"

namespace orm::fast {

struct FwNandOutcome {
  uint32_t slot = 0;
  NandStatus status = NandStatus::kOk;
  RawOob oob{};
};

/// Firmware's single NAND operations: as many as there are dies may be under way or wait with their result
/// (hw/src/FwNand.scala).
class FwNand final : public NandListener {
 public:
  FwNand(Simulation &sim, const Params &p, NandScheduler &nand);

  bool ready() const { return open_ != dies_ && !requests_.full(); }
  void start(uint32_t slot, bool erase);
  const FwNandOutcome *outcome() const { return results_.empty() ? nullptr : &results_.front(); }
  void pop();
  void nand_done(const NandDone &done) override;

 private:
  Process issue();

  NandScheduler &nand_;
  uint32_t dies_;
  uint32_t open_ = 0;  // started and not taken by firmware
  Fifo<NandRequest> requests_;
  Fifo<FwNandOutcome> results_;
  Process issue_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_NAND_H
