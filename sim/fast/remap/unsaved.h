// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_UNSAVED_H
#define OPENREMAP_FAST_UNSAVED_H

#include <cstdint>

#include "lib/process.h"

namespace orm::fast {

/// Slots that the mapping names although their program failed (`unsaved` of hw/src/io/WriteEngine.scala). WriteEngine
/// is about to program their data elsewhere, for which it needs the mapLock.
class Unsaved {
 public:
  explicit Unsaved(Simulation &sim) : changed(sim) {}
  bool any() const { return count_ != 0; }
  void add() {
    ++count_;
    changed.notify();
  }
  void remove() {
    --count_;
    changed.notify();
  }
  Signal changed;

 private:
  uint32_t count_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_UNSAVED_H
