// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FUZZ_ENTRIES_H
#define OPENREMAP_FUZZ_ENTRIES_H

#include <array>
#include <cstdint>

#include "fuzz/fuzz_host.h"
#include "seeded_random.h"

namespace orm::fuzz {

/// A page of known data. Its words, taken as addresses or LBAs, are far out of range, so that data taken for a list
/// names nothing.
void fill_page(uint8_t *page, uint64_t value);

/// Submission entries from nearly good to noise. What cannot come out, by construction: a command that may change a
/// page below `first_free` when the device does what the entry says. Such pages keep their data whatever happens, and
/// that is what the fuzzer looks at. Copies, vectors and deallocations take their ranges from lists in Memory::kInput
/// that keep to the rule at whatever entry one begins to read them.
class Entries {
 public:
  Entries(uint64_t seed, uint64_t pages, uint64_t first_free, Memory *memory);

  nvme_submission_entry io();
  /// `queues`: the command may create and delete existing queues.
  nvme_submission_entry admin(bool queues);
  /// A bus address: in the output or input window, misaligned, or unmapped.
  uint64_t address(bool to_host);
  /// A boundary value: small, a power of two or next to one, all ones, or random.
  uint64_t number();
  SeededRandom &random() { return random_; }

 private:
  enum List { kDeallocate, kShare, kMove, kCopy, kLists };

  uint64_t list_page(List list);
  uint64_t wild();
  uint64_t target();
  void fill_lists();
  void fill_prps();
  void data_pointers(nvme_submission_entry *e, bool to_host);
  void list_pointers(nvme_submission_entry *e, List list, uint32_t entry_bytes);
  void mutate(nvme_submission_entry *e);
  void keep_to_rule(nvme_submission_entry *e);
  void keep_range(uint32_t *low, uint32_t *high, uint64_t n);

  SeededRandom random_;
  uint64_t pages_;
  uint64_t first_free_;
  Memory &memory_;
};

}  // namespace orm::fuzz
#endif  // OPENREMAP_FUZZ_ENTRIES_H
