// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_identity.h"

#include <algorithm>

#include "crash/election.h"

namespace orm::lockstep {
namespace {

std::string name(uint64_t lpn) { return "LPN " + std::to_string(lpn); }

template <class F>
void each_page(uint64_t lpn, uint64_t pages, F &&f) {
  for (uint64_t at = lpn; at < lpn + pages; ++at) f(at);
}

/// Calls `f` with each LPN that the command may change, be it inside the namespace or not.
template <class F>
void each_changed(const Command &c, F &&f) {
  switch (c.kind) {
    case Kind::kWrite:
    case Kind::kWriteZeroes:
      return each_page(c.lpn, c.pages, f);
    case Kind::kRemap:
      if (c.flag) each_page(c.lpn, c.pages, f);
      return each_page(c.dst, c.pages, f);
    case Kind::kCopy:
      return each_page(c.dst, c.pages, f);
    case Kind::kDeallocate:
      for (const openremap_remap_range &r : c.ranges) each_page(r.src, r.pages, f);
      return;
    case Kind::kRemapVector:
      for (const openremap_remap_range &r : c.ranges) {
        if (c.flag) each_page(r.src, r.pages, f);
        each_page(r.dst, r.pages, f);
      }
      return;
    case Kind::kBurst:
      for (const Command &part : c.parts) each_changed(part, f);
      return;
    case Kind::kFormat:  // all of them
    case Kind::kBlank:
    case Kind::kRead:
    case Kind::kFlush:
    case Kind::kPlacement:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kShutdown:
    case Kind::kRest:
      return;
  }
}

void mark(std::vector<bool> *pages, uint64_t lpn, bool value) {
  if (lpn < pages->size()) (*pages)[lpn] = value;
}

}  // namespace

Identities identities(const crash::Tables &t) {
  const crash::Election elected = crash::elect(t);
  Identities now;
  now.next_seq = t.next_seq;
  now.seqs.resize(t.nsze, Identities::kUnmapped);
  for (uint32_t lpn = 0; lpn < t.nsze; ++lpn) {
    const uint32_t slot = t.l2p[lpn];
    const crash::Winner &winner = elected.winners[lpn];
    if (slot == ORM_UNMAPPED) {
      if (!winner.slots.empty()) now.wrong.push_back(name(lpn) + " is unmapped, and a recovery would map it");
      continue;
    }
    if (slot < t.slots.size() && t.slots[slot].state != PCIE_SLOT_PROGRAMMED) {
      now.seqs[lpn] = Identities::kNotInFlash;
      continue;
    }
    now.seqs[lpn] = winner.seq;
    if (std::find(winner.slots.begin(), winner.slots.end(), slot) != winner.slots.end()) continue;
    now.wrong.push_back(name(lpn) + " names slot " + std::to_string(slot) + ", and a recovery would map it to " +
                        (winner.slots.empty() ? "nothing" : "slot " + std::to_string(winner.slots.front())));
  }
  return now;
}

void IdentityWatch::note(const Command &c) {
  if (c.kind == Kind::kFormat || c.kind == Kind::kBlank) return forget();
  each_changed(c, [this](uint64_t lpn) { mark(&changed_, lpn, true); });
}

std::string IdentityWatch::look(const Identities &now) {
  std::string found = now.wrong.empty() ? "" : now.wrong.front();
  const bool known = last_.seqs.size() == now.seqs.size();
  for (size_t lpn = 0; known && found.empty() && lpn < now.seqs.size(); ++lpn) {
    const uint64_t was = last_.seqs[lpn], is = now.seqs[lpn];
    if (was == is || was == Identities::kNotInFlash || is == Identities::kNotInFlash) continue;
    const std::string text = name(lpn) + ": its seq was " + std::to_string(was) + " and is " + std::to_string(is);
    if (!changed_[lpn]) {
      found = text + ", though no command has changed it";
    } else if (is != Identities::kUnmapped && is < last_.next_seq) {
      found = text + "; commands since have at least " + std::to_string(last_.next_seq);
    }
  }
  last_ = now;
  changed_.assign(now.seqs.size(), false);
  return found;
}

void EqualSeqs::note(const Command &c, const Outcome &outcome) {
  if (c.kind == Kind::kFormat || c.kind == Kind::kBlank) std::fill(any_order_.begin(), any_order_.end(), false);
  const bool burst = c.kind == Kind::kBurst;
  const bool done = std::all_of(outcome.statuses.begin(), outcome.statuses.end(), [](int s) { return s == 0; });
  if (!burst && !done) return;
  each_changed(c, [&](uint64_t lpn) { mark(&any_order_, lpn, burst); });
}

std::string EqualSeqs::compare(const Identities &a, const Identities &b) {
  if (a.next_seq != b.next_seq) {
    return "the next seq is " + std::to_string(a.next_seq) + " and " + std::to_string(b.next_seq);
  }
  for (size_t lpn = 0; lpn < std::min(a.seqs.size(), b.seqs.size()); ++lpn) {
    const uint64_t x = a.seqs[lpn], y = b.seqs[lpn];
    if (x == y || any_order_[lpn] || x == Identities::kNotInFlash || y == Identities::kNotInFlash) continue;
    return name(lpn) + " has seq " + std::to_string(x) + " and " + std::to_string(y);
  }
  return "";
}

}  // namespace orm::lockstep
