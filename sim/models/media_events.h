// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_MEDIA_EVENTS_H
#define OPENREMAP_MEDIA_EVENTS_H

#include <cstdint>

namespace orm {

/// Thrown in place of the event at which power goes. It is no SimError, because no rule was broken. The code that
/// switches the device off catches it.
struct PowerGone {};

/// Counts the events that change flash and NVRAM, over all media of a device, in the order in which they take effect:
///   - the start and the end of a program and of an erase of a die,
///   - the start of an NVRAM write and its answer; each unit of 8 bytes of a write that firmware makes.
/// Between two events nothing changes that survives a power cut. So cuts in place of each event are all possible cuts,
/// except for chance: which units of an unanswered write survive, and what a cut erase leaves.
class MediaEvents {
 public:
  uint64_t count() const { return count_; }
  /// Cuts the power in place of the `event`th event from now on (1: the next one). 0: no cut.
  void cut_before(uint64_t event) { cut_at_ = event == 0 ? 0 : count_ + event; }
  /// Events left until the cut; 0: no cut is set.
  uint64_t left() const { return cut_at_ > count_ ? cut_at_ - count_ : 0; }
  /// An event is about to take effect. Throws PowerGone if power goes instead. Later events pass, so that the media can
  /// be switched off.
  void next() {
    if (++count_ == cut_at_) throw PowerGone();
  }

 private:
  uint64_t count_ = 0;
  uint64_t cut_at_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_MEDIA_EVENTS_H
