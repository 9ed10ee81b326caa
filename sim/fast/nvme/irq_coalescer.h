// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_IRQ_COALESCER_H
#define OPENREMAP_FAST_IRQ_COALESCER_H

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/simulation.h"
#include "top/params.h"

namespace orm::fast {

/// Interrupt coalescing (hw/src/nvme/IrqCoalescer.scala): holds MSI-X vectors back until enough entries or enough time
/// have accumulated. Unlike in the RTL the time is exact; it does not end up to a tick early.
class IrqCoalescer {
 public:
  IrqCoalescer(Simulation &sim, const Params &p);
  IrqCoalescer(const IrqCoalescer &) = delete;
  IrqCoalescer &operator=(const IrqCoalescer &) = delete;
  void link(std::function<void(uint32_t vector)> msix) { msix_ = std::move(msix); }

  /// A completion entry is in host memory. Vectors of `admin` entries are never held back.
  void raise(uint32_t vector, bool admin);
  /// Sets INT_COALESCING; raises all vectors that are held back.
  void set(uint32_t settings);
  uint32_t settings() const { return settings_; }
  void set_direct(uint32_t vector, bool direct);
  /// Controller reset: drops all vectors that are held back.
  void clear();

 private:
  struct Vector {
    IrqCoalescer *owner;
    uint32_t number;
    bool direct = false;
    uint32_t waiting = 0;  // entries since the last interrupt
    uint64_t due_ns = 0;   // when the first of them is due
  };
  static void time_over(void *vector);
  void fire(Vector &v);

  Simulation &sim_;
  std::function<void(uint32_t)> msix_;
  std::vector<Vector> vectors_;
  uint32_t settings_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_IRQ_COALESCER_H
