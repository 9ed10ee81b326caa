// SPDX-License-Identifier: Apache-2.0
#include "invariants.h"

#include <algorithm>
#include <cstring>

#include "election.h"
#include "summaries.h"

namespace orm::crash {
namespace {

std::string number(uint64_t n) { return std::to_string(n); }

class Checker {
 public:
  explicit Checker(const Tables &t) : t_(t), e_(elect(t)) {}

  std::vector<std::string> all() {
    for (const std::string &what : e_.wrong) wrong("media", what);
    for (const std::string &what : wrong_summaries(t_, e_.bad)) wrong("summaries", what);
    sharers();
    mapping();
    copies();
    free_superblocks();
    segments();
    if (t_.next_seq <= e_.newest) {
      wrong("media", "seq " + number(e_.newest) + " is there, and the next one drawn is " + number(t_.next_seq));
    }
    return std::move(wrong_);
  }

 private:
  void wrong(const char *invariant, const std::string &what) { wrong_.push_back(std::string(invariant) + ": " + what); }

  /// I1. LPNs of destaged chains count as sharers.
  void sharers() {
    std::vector<uint32_t> ref(t_.ref.size()), valid(t_.sb.size());
    for (uint32_t lpn = 0; lpn < t_.lpns; ++lpn) {
      const uint32_t slot = t_.l2p[lpn];
      if (slot == ORM_UNMAPPED) continue;
      if (slot >= ref.size()) {
        wrong("I1", "LPN " + number(lpn) + " is mapped to " + number(slot) + ", which is no slot");
        continue;
      }
      if (ref[slot]++ == 0) ++valid[t_.superblock_of(slot)];
    }
    for (uint32_t slot = 0; slot < ref.size(); ++slot) {
      // Twice the limit of remaps: a start may merge the sharers of two copies of a slot (hw/src/top/Params.scala).
      if (t_.ref[slot] == ref[slot] && ref[slot] <= 2 * t_.sharers) continue;
      wrong("I1", "slot " + number(slot) + " has " + number(ref[slot]) + " sharers; REF is " + number(t_.ref[slot]));
    }
    for (uint32_t sb = 0; sb < valid.size(); ++sb) {
      if (t_.sb[sb].valid == valid[sb]) continue;
      wrong("I1", "superblock " + number(sb) + " has " + number(valid[sb]) + " valid slots; VALID is " +
                      number(t_.sb[sb].valid));
    }
  }

  bool holds_data(uint32_t slot) const {
    if (slot >= t_.slots.size()) return false;
    const orm_sb_state state = t_.sb[t_.superblock_of(slot)].state;
    return t_.slots[slot].state == PCIE_SLOT_PROGRAMMED && (state == ORM_SB_STATE_OPEN || state == ORM_SB_STATE_CLOSED);
  }

  /// I2: a recovery would find exactly the present mapping.
  void mapping() {
    for (uint32_t lpn = 0; lpn < t_.lpns; ++lpn) {
      const uint32_t slot = t_.l2p[lpn];
      const std::string name = "LPN " + number(lpn);
      static const Winner none;
      const Winner &w = counts(lpn) ? e_.winners[lpn] : none;
      if (slot == ORM_UNMAPPED) {
        if (!w.slots.empty()) wrong("I2", name + " is unmapped; slot " + number(w.slots.front()) + " would come back");
      } else if (!holds_data(slot)) {
        wrong("I2", name + " is mapped to slot " + number(slot) + ", which holds no data");
      } else if (std::find(w.slots.begin(), w.slots.end(), slot) == w.slots.end()) {
        wrong("I2", name + " is mapped to slot " + number(slot) + "; a recovery would find " +
                        (w.slots.empty() ? "none" : "slot " + number(w.slots.front())) + ", with seq " + number(w.seq));
      }
    }
  }

  /// LPNs of destaged chains, for the slots in use. LPNs between the namespace and these are unused.
  bool counts(uint32_t lpn) const {
    if (lpn < t_.destage_lpn) return lpn < t_.nsze;
    const uint32_t at = (lpn - t_.destage_lpn) / t_.destage_slots, k = (lpn - t_.destage_lpn) % t_.destage_slots;
    const Superblock &s = t_.sb[at / 2];
    return !e_.bad[at / 2] && s.set == at % 2 + 1 && k < s.set_slots;
  }

  /// I5
  void copies() {
    for (uint32_t lpn = 0; lpn < t_.lpns; ++lpn) {
      const std::vector<uint32_t> &slots = e_.winners[lpn].slots;
      for (size_t i = 1; i < slots.size(); ++i) {
        if (std::memcmp(t_.slots[slots[0]].data, t_.slots[slots[i]].data, ORM_SLOT_BYTES) == 0) continue;
        wrong("I5", "LPN " + number(lpn) + " has different data in slots " + number(slots[0]) + " and " +
                        number(slots[i]) + ", with the same seq " + number(e_.winners[lpn].seq));
      }
    }
  }

  bool is_erased(uint32_t sb) const {
    const auto first = t_.slots.begin() + sb * t_.slots_per_sb;
    return std::all_of(first, first + t_.slots_per_sb, [](const Slot &s) { return s.state == PCIE_SLOT_ERASED; });
  }

  /// I3. VALID was compared with L2P before.
  void free_superblocks() {
    uint32_t free = 0;
    for (uint32_t sb = 0; sb < t_.sb.size(); ++sb) {
      const Superblock &s = t_.sb[sb];
      const std::string name = "superblock " + number(sb);
      if (sb >= t_.superblocks) {
        if (s.state != ORM_SB_STATE_BAD) wrong("I3", name + " is in use; the header does not have it");
        continue;
      }
      if (s.state != ORM_SB_STATE_FREE) continue;
      ++free;
      if (e_.bad[sb]) wrong("I3", name + " is free and bad");
      if (s.valid != 0) wrong("I3", name + " is free and holds " + number(s.valid) + " valid slots");
      if (e_.segments[sb] != 0 || s.segments != 0 || s.set != 0) wrong("I3", name + " is free and has a chain");
      if (!is_erased(sb)) wrong("I3", name + " is free and not erased");
    }
    if (free != t_.free_superblocks) {
      wrong("I3", number(free) + " superblocks are free; " + number(t_.free_superblocks) + " are on the free list");
    }
  }

  /// I4
  void segments() {
    uint32_t free = t_.segments;
    for (uint32_t sb = 0; sb < t_.superblocks; ++sb) {
      const Superblock &s = t_.sb[sb];
      free -= e_.segments[sb];
      if (e_.segments[sb] != s.segments) {
        wrong("I4", "superblock " + number(sb) + " has " + number(e_.segments[sb]) +
                        " segments in NVRAM; the controller counts " + number(s.segments));
      }
      if (s.segments + s.set_segments > t_.segments_per_chain) {
        wrong("I4", "the chain of superblock " + number(sb) + " is longer than any may be");
      }
    }
    if (free != t_.free_segments) {
      wrong("I4", number(free) + " segments are in no chain; " + number(t_.free_segments) + " are on the free list");
    }
  }

  const Tables &t_;
  const Election e_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> broken_invariants(const Tables &tables) { return Checker(tables).all(); }

}  // namespace orm::crash
