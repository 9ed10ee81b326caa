// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_IDENTITY_H
#define OPENREMAP_LOCKSTEP_IDENTITY_H

#include <cstdint>
#include <string>
#include <vector>

#include "crash/tables.h"
#include "lockstep/lockstep_command.h"

namespace orm::lockstep {

/// Why an LPN names the slot that it names, according to flash and NVRAM: the seq of the event that a recovery would
/// elect for it.
struct Identities {
  static constexpr uint64_t kUnmapped = 0;
  static constexpr uint64_t kNotInFlash = UINT64_MAX;  // its page still waits for more slots

  std::vector<uint64_t> seqs;      // by LPN of the namespace
  uint64_t next_seq = 0;           // of the next event
  std::vector<std::string> wrong;  // a recovery would map these LPNs in another way
};

/// The device must be at rest.
Identities identities(const crash::Tables &tables);

/// Follows the identities of one device from look to look. Garbage collection, compaction, destaging and a recovery
/// must keep the identity of an LPN. A command that changes the LPN gives it a seq that is larger than all before it.
class IdentityWatch {
 public:
  /// A command that runs between this look and the next.
  void note(const Command &command);
  /// Returns the first LPN whose identity is not as expected, as text; empty: there is none.
  std::string look(const Identities &now);
  /// The next look has nothing to compare with but itself, because seqs may be drawn again.
  void forget() { last_ = {}; }

 private:
  Identities last_;
  std::vector<bool> changed_;  // by LPN, since the last look
};

/// Two devices draw the same seqs for the same commands. The commands of a burst may draw theirs in any order, so a
/// page that a burst changed last is left out.
class EqualSeqs {
 public:
  explicit EqualSeqs(uint64_t pages) : any_order_(pages) {}
  void note(const Command &command, const Outcome &outcome);
  /// Returns the first difference as text; empty: there is none.
  std::string compare(const Identities &a, const Identities &b);

 private:
  std::vector<bool> any_order_;  // by LPN
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_IDENTITY_H
