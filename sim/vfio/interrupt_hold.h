// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_INTERRUPT_HOLD_H
#define OPENREMAP_INTERRUPT_HOLD_H

#include <cstdint>

namespace orm::vfio {

/// When to tell the host of a vector's interrupt, so that one tells it of many completions. An emulated processor takes
/// longer for an interrupt than for a command, and a device that completes each command before the next one comes would
/// interrupt it for each.
///
/// Holding an interrupt gains where the host gives more commands meanwhile, and costs where it waits for this one. So
/// it is held only if the last ones were held with a gain, and now and then to try. Times are real, in ns.
class InterruptHold {
 public:
  /// The longest that an interrupt is held.
  static constexpr uint64_t kMostNs = 300'000;
  /// Without another command for so long the host is waiting: twice the usual time between two, in these bounds.
  static constexpr uint64_t kLeastQuietNs = 10'000, kMostQuietNs = 100'000;
  /// Interrupts from one try to the next.
  static constexpr unsigned kTryEvery = 64;
  /// Holds without a gain after which it gives up.
  static constexpr unsigned kMostVain = 2;

  /// The function has raised the interrupt.
  void raised(uint64_t now);
  /// The host has given commands to the queue that interrupts by this vector.
  void submitted(uint64_t now);
  /// Whether there is an interrupt, and it is to be told now.
  bool due(uint64_t now) const;
  /// It was told, or is dropped.
  void told();

 private:
  uint64_t quiet_ns() const;

  bool raised_ = false;
  bool held_ = false;                    // for a while, or due at once
  bool gained_ = false;                  // a command came meanwhile
  unsigned vain_ = kMostVain;            // holds without a gain, one after the other
  unsigned untried_ = 0;                 // interrupts since the last hold
  uint64_t since_ = 0;                   // raised
  uint64_t last_ = 0;                    // submitted
  uint64_t between_ = kMostQuietNs / 2;  // two submissions, a moving mean
};

}  // namespace orm::vfio
#endif  // OPENREMAP_INTERRUPT_HOLD_H
