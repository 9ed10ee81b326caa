// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_MEDIA_EVENTS_H
#define OPENREMAP_MEDIA_EVENTS_H

#include <cstdint>

namespace orm {

/// Thrown in the place of the event at which power goes. No SimError: nobody broke a rule. Whoever switches the device
/// off catches it.
struct PowerGone {};

/// Counts what changes the contents of flash and NVRAM, over all media of a device, in the order in which it takes
/// effect:
///   - the start and the end of a program and of an erase of a die,
///   - the start of an NVRAM write and its answer; each unit of 8 bytes of a write that firmware makes.
/// Between two of them nothing that survives a power cut changes, so cuts in the place of each of them are all the cuts
/// that there are, but for what chance adds (which units of an unanswered write stay, what a cut erase leaves).
class MediaEvents {
 public:
  uint64_t count() const { return count_; }
  /// Power goes instead of the `event`th from now on (1: the next one); 0: it does not.
  void cut_before(uint64_t event) { cut_at_ = event == 0 ? 0 : count_ + event; }
  /// Events that are left until then; 0: power does not go.
  uint64_t left() const { return cut_at_ > count_ ? cut_at_ - count_ : 0; }
  /// An event is about to take effect. Throws PowerGone if it must not; the next ones are let through, so that the
  /// media can be switched off.
  void next() {
    if (++count_ == cut_at_) throw PowerGone();
  }

 private:
  uint64_t count_ = 0;
  uint64_t cut_at_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_MEDIA_EVENTS_H
