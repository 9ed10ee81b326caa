// SPDX-License-Identifier: Apache-2.0
#include "full/full_oracle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>

#include "openremap.h"
#include "seeded_random.h"

namespace orm::full {

void fill_page(uint64_t content, uint8_t *page) {
  if (content == 0) {
    std::memset(page, 0, OPENREMAP_PAGE_BYTES);
    return;
  }
  SeededRandom random(content);
  for (size_t i = 0; i < OPENREMAP_PAGE_BYTES; i += sizeof(uint64_t)) {
    const uint64_t word = random.next();
    std::memcpy(page + i, &word, sizeof word);
  }
}

bool Oracle::claim(uint64_t lpn, uint64_t pages) {
  for (uint64_t i = lpn; i < lpn + pages; ++i) {
    if (claimed_[i]) return false;
  }
  for (uint64_t i = lpn; i < lpn + pages; ++i) claimed_[i] = true;
  return true;
}

void Oracle::release(uint64_t lpn, uint64_t pages) {
  for (uint64_t i = lpn; i < lpn + pages; ++i) claimed_[i] = false;
}

void Oracle::leave(uint64_t slot) {
  if (slot != 0 && --sharers_[slot] == 0) sharers_.erase(slot);
}

void Oracle::begin(const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    if (change.to.slot != 0) ++sharers_[change.to.slot];
  }
}

void Oracle::cancel(const std::vector<Change> &changes) {
  for (const Change &change : changes) leave(change.to.slot);
}

void Oracle::apply(const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    leave(pages_[change.lpn].slot);
    pages_[change.lpn] = change.to;
  }
}

uint32_t Oracle::sharers(uint64_t slot) const {
  const auto found = sharers_.find(slot);
  return found == sharers_.end() ? 0 : found->second;
}

uint32_t Oracle::most_sharers() const {
  uint32_t most = 0;
  for (const auto &[slot, sharers] : sharers_) most = std::max(most, sharers);
  return most;
}

std::vector<uint64_t> Oracle::without_own_slot() const {
  std::vector<uint64_t> lpns;
  std::unordered_set<uint64_t> taken;
  for (uint64_t lpn = 0; lpn < pages(); ++lpn) {
    if (pages_[lpn].slot == 0 || !taken.insert(pages_[lpn].slot).second) lpns.push_back(lpn);
  }
  return lpns;
}

std::string Oracle::check(uint64_t lpn, const uint8_t *data) const {
  std::array<uint8_t, OPENREMAP_PAGE_BYTES> expected;
  fill_page(pages_[lpn].content, expected.data());
  const auto differs = std::mismatch(expected.begin(), expected.end(), data);
  if (differs.first == expected.end()) return {};
  return "LPN " + std::to_string(lpn) + " differs from byte " + std::to_string(differs.first - expected.begin()) +
         " on from what was written to it" + (pages_[lpn].slot == 0 ? " (nothing: it is unmapped)" : "");
}

}  // namespace orm::full
