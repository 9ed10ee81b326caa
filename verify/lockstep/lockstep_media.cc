// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_media.h"

#include <vector>

#include "crash/invariants.h"

namespace orm::lockstep {
namespace {

/// A device by itself. Returns what is wrong, or nothing.
std::string wrong_media(const crash::Tables &tables, const Identities &now, bool all_in_flash, IdentityWatch *watch) {
  const std::string found = watch->look(now);
  if (!found.empty() || !all_in_flash) return found;
  const std::vector<std::string> broken = crash::broken_invariants(tables);
  return broken.empty() ? "" : broken.front();
}

}  // namespace

void MediaComparison::note(const Command &command, const Outcome &outcome) {
  watch_a_.note(command);
  watch_b_.note(command);
  seqs_.note(command, outcome);
}

void MediaComparison::forget() {
  watch_a_.forget();
  watch_b_.forget();
}

std::string MediaComparison::compare(const Ssd &a, const Ssd &b, bool all_in_flash, bool same_seqs) {
  const crash::Tables of_a = a.tables(), of_b = b.tables();
  const Identities now_a = identities(of_a), now_b = identities(of_b);
  const std::string wrong_a = wrong_media(of_a, now_a, all_in_flash, &watch_a_);
  const std::string wrong_b = wrong_media(of_b, now_b, all_in_flash, &watch_b_);
  if (!wrong_a.empty()) return std::string(a.kind()) + ": " + wrong_a;
  if (!wrong_b.empty()) return std::string(b.kind()) + ": " + wrong_b;
  const std::string found = same_seqs ? seqs_.compare(now_a, now_b) : "";
  return found.empty() ? "" : found + " on " + a.kind() + " and " + b.kind();
}

}  // namespace orm::lockstep
