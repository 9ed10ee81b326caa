// SPDX-License-Identifier: Apache-2.0
#include "nand/nand_scheduler.h"

#include <bit>

namespace orm::fast {

NandScheduler::NandScheduler(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing,
                             BufferRam &buffers, Counters &counters)
    : sim_(sim), p_(p), counters_(counters), gc_passed_(p.g.channels) {
  for (uint32_t i = 0; i < p.g.channels; ++i) {
    channels_.push_back(std::make_unique<NandChannel>(
        sim, p, nand, timing, buffers, i, [this](const NandDone &d) { done(d); },
        NandChannel::Reads{[this](uint32_t slot) {
                             if (weak_) weak_(slot);
                           },
                           [this] { counters_.add(ORM_COUNTER_NAND_READ_RETRIES); }}));
  }
  for (uint32_t i = 0; i < p.dies; ++i) dies_.push_back(std::make_unique<Die>(sim));
}

bool NandScheduler::accept(const NandRequest &request) {
  const uint32_t channel = p_.channel_of(request.slot);
  Die &d = die(request.slot);
  const bool gc = request.client == NandClient::kGc;
  const bool has_its_places = gc && d.gc_held == p_.k.gc_die_places;
  const bool taken = !has_its_places && channels_[channel]->accept(request);
  if (gc) {
    d.gc_asks = !taken && !has_its_places;
    d.gc_held += taken;
    if (taken) gc_passed_[channel] = 0;
  } else if (taken && d.gc_asks) {
    ++gc_passed_[channel];
  }
  return taken;
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
  Die &from = die(d.slot);
  if (gc) --from.gc_held;
  // Wakes the clients that wait for the place in the order of arbitration. GC comes first when the others have had
  // their share since its last place. Otherwise it comes after them; they are woken when this returns.
  if (gc_passed_[p_.channel_of(d.slot)] + 1 >= p_.k.gc_one_in) {
    from.gc_room.notify();
  } else {
    sim_.soon(let_gc_ask, &from.gc_room);
  }
  listeners_[size_t(d.client)]->nand_done(d);
}

}  // namespace orm::fast
