// SPDX-License-Identifier: Apache-2.0
#include "nand_scheduler.h"

#include <bit>

namespace orm::fast {

NandScheduler::NandScheduler(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing,
                             BufferRam &buffers, Counters &counters)
    : p_(p), counters_(counters) {
  for (uint32_t i = 0; i < p.g.channels; ++i) {
    channels_.push_back(
        std::make_unique<NandChannel>(sim, p, nand, timing, buffers, i, [this](const NandDone &d) { done(d); }));
  }
}

void NandScheduler::done(const NandDone &d) {
  const bool gc = d.client == NandClient::kGc;
  switch (d.op) {
    case NandRequestOp::kProgram: {
      const uint32_t filled = d.page == nullptr ? 1 : d.page->filled;
      const uint32_t metas = d.page == nullptr ? uint32_t(d.meta) : uint32_t(std::popcount(d.page->metas));
      counters_.add(gc ? ORM_COUNTER_NAND_PROGRAM_GC : ORM_COUNTER_NAND_PROGRAM_HOST, filled - metas);
      counters_.add(ORM_COUNTER_NAND_PROGRAM_META, metas);
      counters_.add(ORM_COUNTER_NAND_PROGRAM_PAD, p_.g.slots_per_page - filled);
      break;
    }
    case NandRequestOp::kRead:
      counters_.add(d.client == NandClient::kFirmware ? ORM_COUNTER_NAND_READ_FW
                    : gc                              ? ORM_COUNTER_NAND_READ_GC
                                                      : ORM_COUNTER_NAND_READ_HOST);
      break;
    case NandRequestOp::kProbe:
      counters_.add(ORM_COUNTER_NAND_READ_FW);
      break;
    case NandRequestOp::kErase:
      counters_.add(ORM_COUNTER_NAND_ERASE);
      break;
  }
  listeners_[size_t(d.client)]->nand_done(d);
}

}  // namespace orm::fast
