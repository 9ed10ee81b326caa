// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_MEDIA_H
#define OPENREMAP_LOCKSTEP_MEDIA_H

#include <cstdint>
#include <string>

#include "lockstep/lockstep_identity.h"
#include "lockstep/lockstep_ssd.h"

namespace orm::lockstep {

/// Compares what the media of two devices say of their mapping: with the tables, with what they said before, and with
/// each other.
class MediaComparison {
 public:
  explicit MediaComparison(uint64_t pages) : seqs_(pages) {}

  void note(const Command &command, const Outcome &outcome);
  /// As IdentityWatch::forget(), for both devices.
  void forget();
  /// Returns the first difference as text; empty: there is none. Both devices are at rest. `all_in_flash`: no page
  /// waits for more slots, so the invariants of verify/crash hold. `same_seqs`: nothing but commands draws seqs.
  std::string compare(const Ssd &a, const Ssd &b, bool all_in_flash, bool same_seqs);

 private:
  IdentityWatch watch_a_, watch_b_;
  EqualSeqs seqs_;
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_MEDIA_H
