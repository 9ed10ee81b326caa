// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_mapping.h"

#include <algorithm>
#include <unordered_map>

#include "top/params.h"

namespace orm::lockstep {

const uint32_t Mapping::kMostSharers = fast::Knobs().ref_limit;

bool Mapping::mapped(uint64_t lpn, uint64_t pages) const {
  if (!inside(lpn, pages)) return false;
  return std::all_of(slots_.begin() + long(lpn), slots_.begin() + long(lpn + pages), [](uint32_t s) { return s != 0; });
}

std::optional<uint64_t> Mapping::mapped_run(uint64_t from, uint64_t pages) const {
  uint64_t run = 0;
  for (uint64_t i = 0; i < slots_.size() + pages; ++i) {
    const uint64_t lpn = (from + i) % slots_.size();
    if (lpn == 0) run = 0;
    run = slots_[lpn] == 0 ? 0 : run + 1;
    if (run == pages) return lpn + 1 - pages;
  }
  return std::nullopt;
}

void Mapping::name(uint64_t lpn, uint32_t slot) {
  const uint32_t was = slots_[lpn];
  if (was != 0) --sharers_[was];
  if (slot != 0) ++sharers_[slot];
  mapped_ = mapped_ + (slot != 0) - (was != 0);
  slots_[lpn] = slot;
}

void Mapping::unmap(uint64_t lpn, uint64_t pages) {
  for (uint64_t i = 0; i < pages; ++i) name(lpn + i, 0);
}

bool Mapping::write(const Command &c) {
  if (!inside(c.lpn, c.pages)) return false;
  for (uint64_t i = 0; i < c.pages; ++i) {
    sharers_.push_back(0);
    name(c.lpn + i, uint32_t(sharers_.size() - 1));
  }
  return true;
}

bool Mapping::deallocate(const std::vector<openremap_remap_range> &ranges) {
  for (const openremap_remap_range &r : ranges) {
    if (!inside(r.src, r.pages)) return false;
  }
  for (const openremap_remap_range &r : ranges) unmap(r.src, r.pages);
  return true;
}

/// A target is also a source or another's target.
bool Mapping::clash(const std::vector<openremap_remap_range> &ranges) const {
  std::vector<bool> source(slots_.size()), target(slots_.size());
  for (const openremap_remap_range &r : ranges) {
    for (uint64_t i = 0; i < r.pages; ++i) source[r.src + i] = true;
  }
  for (const openremap_remap_range &r : ranges) {
    for (uint64_t i = 0; i < r.pages; ++i) {
      if (source[r.dst + i] || target[r.dst + i]) return true;
      target[r.dst + i] = true;
    }
  }
  return false;
}

/// All references are reserved before any is released.
bool Mapping::may_share(const std::vector<openremap_remap_range> &ranges, bool copy) const {
  std::unordered_map<uint32_t, uint32_t> reserved;
  for (const openremap_remap_range &r : ranges) {
    for (uint64_t i = 0; i < r.pages; ++i) {
      const uint32_t slot = slots_[r.src + i];
      if (slot == 0 && !copy) return false;
      if (slot != 0 && sharers_[slot] + ++reserved[slot] > kMostSharers) return false;
    }
  }
  return true;
}

bool Mapping::remap(const std::vector<openremap_remap_range> &ranges, bool move, bool copy) {
  for (const openremap_remap_range &r : ranges) {
    if (!inside(r.src, r.pages) || !inside(r.dst, r.pages)) return false;
  }
  if (clash(ranges) || !may_share(ranges, copy)) return false;
  for (const openremap_remap_range &r : ranges) {
    for (uint64_t i = 0; i < r.pages; ++i) name(r.dst + i, slots_[r.src + i]);
  }
  for (const openremap_remap_range &r : ranges) {
    if (move) unmap(r.src, r.pages);
  }
  return true;
}

bool Mapping::apply(const Command &c) {
  bool all = true;
  switch (c.kind) {
    case Kind::kRead:
      return inside(c.lpn, c.pages);
    case Kind::kWrite:
      return write(c);
    case Kind::kDeallocate:
      return deallocate(c.ranges);
    case Kind::kWriteZeroes:
      return deallocate({{c.lpn, 0, c.pages}});
    case Kind::kRemap:
      return remap({{c.lpn, c.dst, c.pages}}, c.flag, false);
    case Kind::kRemapVector:
      return remap(c.ranges, c.flag, false);
    case Kind::kCopy:
      return remap({{c.lpn, c.dst, c.pages}}, false, true);
    case Kind::kBurst:
      for (const Command &part : c.parts) all = apply(part) && all;
      return all;
    case Kind::kFormat:
    case Kind::kBlank:
      unmap(0, pages());
      return true;
    case Kind::kPlacement:
    case Kind::kFlush:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kShutdown:
    case Kind::kRest:
      return true;
  }
  return true;
}

}  // namespace orm::lockstep
