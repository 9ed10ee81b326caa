// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_REMAP_STARTER_H
#define OPENREMAP_FAST_REMAP_STARTER_H

#include <cstdint>

#include "map/lock.h"
#include "map/seq_counter.h"
#include "remap/remap_engine.h"

namespace orm::fast {

/// Arbitrates the remap engine between firmware and RangeEngine, which take turns (hw/src/remap/RemapStarter.scala).
class RemapStarter {
 public:
  RemapStarter(Simulation &sim, RemapEngine &engine, const SeqCounter &seq) : engine_(engine), seq_(seq), turn_(sim) {}

  Task<RemapOutcome> execute(RemapDescriptor command) {
    co_await turn_.take();
    busy_ = true;
    from_ = seq_.value();
    const RemapOutcome outcome = co_await engine_.execute(command);
    busy_ = false;
    turn_.give();
    co_return outcome;
  }
  /// All records of remap commands with a smaller seq have taken effect.
  uint64_t settled() const { return busy_ ? from_ : seq_.value(); }

 private:
  RemapEngine &engine_;
  const SeqCounter &seq_;
  Turn turn_;
  bool busy_ = false;
  uint64_t from_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_REMAP_STARTER_H
