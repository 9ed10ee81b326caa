// SPDX-License-Identifier: Apache-2.0
#include "lockstep_commands.h"

#include <algorithm>
#include <cstring>

#include "lockstep_burst.h"
#include "pcie_debug.h"
#include "pcie_function.h"

namespace orm::lockstep {
namespace {

constexpr uint64_t kRestNs = 1'000'000;
constexpr int kMostRests = 100;
constexpr uint64_t kPartPages = 8;  // pages that each part of a burst has for itself

struct Chance {
  Kind kind;
  unsigned weight;
};
// Pages that move are what costs the RTL its time, so most commands have few, and those that move none come often.
constexpr Chance kUsual[] = {
    {Kind::kWrite, 26},      {Kind::kRead, 12}, {Kind::kBurst, 8},       {Kind::kDeallocate, 12},
    {Kind::kRemap, 16},      {Kind::kCopy, 8},  {Kind::kRemapVector, 6}, {Kind::kFlush, 4},
    {Kind::kWriteZeroes, 6}, {Kind::kReset, 1}, {Kind::kPowerCycle, 1},  {Kind::kPlacement, 3},
};
constexpr Chance kQuick[] = {
    {Kind::kWrite, 4}, {Kind::kRead, 4},        {Kind::kBurst, 56},    {Kind::kDeallocate, 8},
    {Kind::kRemap, 8}, {Kind::kCopy, 8},        {Kind::kFlush, 2},     {Kind::kRemapVector, 3},
    {Kind::kReset, 1}, {Kind::kWriteZeroes, 5}, {Kind::kPlacement, 1},
};
constexpr Chance kUsualParts[] = {{Kind::kWrite, 6}, {Kind::kRead, 2}, {Kind::kRemap, 1}, {Kind::kFlush, 1}};
constexpr Chance kQuickParts[] = {
    {Kind::kWrite, 1},       {Kind::kRead, 3},       {Kind::kRemap, 6},       {Kind::kCopy, 3},
    {Kind::kRemapVector, 1}, {Kind::kDeallocate, 4}, {Kind::kWriteZeroes, 1}, {Kind::kFlush, 1},
};
constexpr uint64_t kUsualBurst = 15, kQuickBurst = 40;  // commands at most
constexpr uint64_t kSharingBursts = 3;                  // one in so many has parts that take from the same pages
constexpr uint64_t kPartRanges = kPartPages / 2;        // of a vector or deallocation in a burst, at most
// A power cycle of the RTL costs as much as some twenty other commands; one in so many stays.
constexpr uint64_t kPowerCyclesKept = 4;
// Of the seeds one in so many remaps the same pages again and again to ever other places: chains of the remap table grow,
// go stale and are compacted.
constexpr uint64_t kStormSeeds = 3;
constexpr uint64_t kStormPages = 48;
constexpr uint64_t kStormSource = 64;  // pages at the start of the namespace that storms take theirs from
constexpr size_t kMostHandles = 16;    // that a device could tell of

/// A part that leaves its source as it is.
bool takes(const Command &part) {
  const bool remaps = part.kind == Kind::kRemap || part.kind == Kind::kRemapVector;
  return part.kind == Kind::kRead || part.kind == Kind::kCopy || (remaps && !part.flag);
}

template <size_t n>
Kind draw(const Chance (&chances)[n], SeededRandom *random) {
  unsigned sum = 0;
  for (const Chance &c : chances) sum += c.weight;
  uint64_t drawn = random->below(sum);
  for (const Chance &c : chances) {
    if (drawn < c.weight) return c.kind;
    drawn -= c.weight;
  }
  return Kind::kFlush;
}

/// A device that was never used. Nothing happens at the media before power comes back, so a cut at any of their events finds
/// NVRAM blank.
int blank(openremap_device *dev, bool ones) {
  pcie_function *fn = openremap_pcie_function(dev);
  int rc = fn->ops->power_cut(fn);
  if (rc == 0) rc = pcie_device_blank_nvram(fn, ones ? 0xFF : 0);
  if (rc == 0) rc = pcie_device_blank_flash(fn);
  return rc == 0 ? openremap_power_cycle(dev) : rc;
}

/// How much of each reclaim unit is left depends on the host's writes alone.
Outcome placement(openremap_device *dev, const Command &c) {
  Outcome outcome;
  if (c.handle >= 0) {
    const uint16_t handle = uint16_t(c.handle);
    outcome.statuses.push_back(openremap_placement_update(dev, &handle, 1));
  }
  openremap_placement handles[kMostHandles];
  size_t count = 0;
  outcome.statuses.push_back(openremap_get_placement(dev, handles, kMostHandles, &count));
  for (size_t i = 0; i < std::min(count, kMostHandles); ++i) {
    for (unsigned shift = 0; shift < 64; shift += 8) outcome.data.push_back(uint8_t(handles[i].pages_left >> shift));
  }
  return outcome;
}

}  // namespace

std::vector<uint8_t> contents(uint64_t value, uint64_t pages) {
  std::vector<uint8_t> data(pages * OPENREMAP_PAGE_BYTES);
  SeededRandom random(value);
  for (size_t i = 0; i < data.size(); i += 8) {
    const uint64_t word = random.next();
    std::memcpy(data.data() + i, &word, 8);
  }
  return data;
}

uint64_t Command::commands() const { return parts.empty() ? 1 : parts.size(); }

uint64_t Command::changes() const {
  uint64_t sum = 0;
  for (const openremap_remap_range &r : ranges) sum += r.pages;
  for (const Command &part : parts) sum += part.changes();
  switch (kind) {
    case Kind::kWrite:
    case Kind::kWriteZeroes:
    case Kind::kCopy:
      return sum + pages;
    case Kind::kRemap:
      return sum + (flag ? 2 : 1) * pages;
    case Kind::kRemapVector:
      return (flag ? 2 : 1) * sum;
    default:
      return sum;
  }
}

uint64_t Command::trims() const {
  uint64_t sum = 0;
  for (const Command &part : parts) sum += part.trims();
  switch (kind) {
    case Kind::kDeallocate:
      return sum + ranges.size();
    case Kind::kWriteZeroes:
      return sum + 1;
    case Kind::kCopy:
      return sum + (pages + 1) / 2;  // runs of pages without data
    case Kind::kRemap:
      return sum + (flag ? 1 : 0);
    case Kind::kRemapVector:
      return sum + (flag ? ranges.size() : 0);
    default:
      return sum;
  }
}

Generator::Generator(uint64_t seed, uint64_t pages, bool wide, Mix mix)
    : random_(seed),
      pages_(pages),
      storms_(mix == Mix::kUsual && seed % kStormSeeds == 0 && pages > 4 * kStormSource),
      wide_(wide),
      mix_(mix) {}

Kind Generator::kind() { return mix_ == Mix::kQuick ? draw(kQuick, &random_) : draw(kUsual, &random_); }
Kind Generator::part_kind() { return mix_ == Mix::kQuick ? draw(kQuickParts, &random_) : draw(kUsualParts, &random_); }

uint64_t Generator::count() {
  const uint64_t draw = random_.below(64);
  return draw == 0 ? 1 + random_.below(48) : draw < 9 ? 1 + random_.below(6) : 1;
}

/// One in fifty is anywhere, so that ranges past the end come up.
uint64_t Generator::lpn(uint64_t count) {
  if (random_.below(50) == 0) return random_.below(pages_ + 20);
  const uint64_t at = random_.below(pages_ - std::min(count, pages_ - 1));
  return storms_ && at < kStormSource && random_.below(16) != 0 ? at + kStormSource : at;
}

/// The first one writes what the others copy, which is a remap that does not mind a page without data.
Command Generator::storm() {
  Command c;
  const bool writes = value_ == 0 || random_.below(24) == 0;
  c.kind = writes ? Kind::kWrite : Kind::kCopy;
  c.lpn = writes ? 0 : random_.below(kStormSource - kStormPages);
  c.pages = writes ? kStormSource : kStormPages;
  c.dst = kStormSource + random_.below(pages_ - kStormSource - kStormPages);
  c.value = ++value_;
  return c;
}

/// Ranges of a remap mostly stand apart; those that clash must be refused by both devices alike.
std::vector<openremap_remap_range> Generator::ranges(size_t n, bool remap) {
  std::vector<openremap_remap_range> all;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t pages = 1 + random_.below(4);
    uint64_t src = lpn(pages), dst = remap ? lpn(pages) : 0;
    if (remap && random_.below(12) != 0) {  // sources in one half, targets in the other
      src %= pages_ / 2 - 4;
      dst = pages_ / 2 + (pages_ / 2 - 4) / n * i + random_.below(std::max<uint64_t>(1, (pages_ / 2 - 4) / n - 4));
    }
    all.push_back({src, dst, pages});
  }
  return all;
}

/// None for half of the writes; for the rest one of few, of which a small device has not all, or now and then any.
int Generator::handle() {
  const uint64_t draw = random_.below(40);
  return draw < 20 ? -1 : draw < 39 ? int(draw % 4) : int(random_.below(1u << 16));
}

/// Single pages of the part's own, each target its own, too.
std::vector<openremap_remap_range> Generator::part_ranges(const Command &part) {
  std::vector<openremap_remap_range> all;
  const bool remap = part.kind == Kind::kRemapVector;
  const uint64_t n = 1 + random_.below(kPartRanges);
  for (uint64_t i = 0; i < n; ++i)
    all.push_back({part.lpn + 2 * i, remap ? part.dst + 2 * i : 0, 1 + random_.below(2)});
  return all;
}

Command Generator::burst() {
  Command burst;
  burst.kind = Kind::kBurst;
  const uint64_t places = pages_ / kPartPages;
  const uint64_t first = random_.below(places);
  const uint64_t most = mix_ == Mix::kQuick ? kQuickBurst : kUsualBurst;
  const uint64_t n = 2 + random_.below(std::min(most - 1, places / 2 - 2));
  const bool writes = wide_ && random_.coin();
  // Sources that parts have in common, which no part changes.
  const bool shares = mix_ == Mix::kQuick && random_.below(kSharingBursts) == 0;
  const uint64_t common = (first + 2 * n) % places * kPartPages;
  for (uint64_t i = 0; i < n; ++i) {
    Command part;
    part.lpn = (first + 2 * i) % places * kPartPages;
    part.dst = (first + 2 * i + 1) % places * kPartPages;
    part.pages = random_.below(mix_ == Mix::kQuick ? 24 : 6) == 0 ? 1 + random_.below(kPartPages) : 1;
    part.kind = part_kind();
    part.flag = random_.below(8) == 0;
    if (wide_ && writes != (part.kind == Kind::kWrite)) part.kind = writes ? Kind::kWrite : Kind::kRead;
    if (writes) part.flag = false;  // no FUA, which completes pages
    part.value = ++value_;
    if (part.kind == Kind::kWrite) part.handle = handle();
    if (shares && takes(part) && random_.coin()) part.lpn = common;
    if (part.kind == Kind::kRemapVector || part.kind == Kind::kDeallocate) part.ranges = part_ranges(part);
    burst.parts.push_back(part);
  }
  return burst;
}

Command Generator::next() {
  if (storms_ && (value_ == 0 || random_.below(3) == 0)) return storm();
  Command c;
  c.kind = kind();
  if (c.kind == Kind::kPowerCycle && random_.below(kPowerCyclesKept) != 0) c.kind = Kind::kFlush;
  if (c.kind == Kind::kBurst) return burst();
  c.pages = count();
  c.lpn = lpn(c.pages);
  c.dst = lpn(c.pages);
  c.flag = random_.below(4) == 0;
  c.value = ++value_;
  if (c.kind == Kind::kWrite) c.handle = handle();
  if (c.kind == Kind::kPlacement) c.handle = int(random_.below(6)) - 3;
  if (c.kind == Kind::kRemapVector) c.ranges = ranges(1 + random_.below(12), true);
  if (c.kind == Kind::kDeallocate) c.ranges = ranges(1 + random_.below(3), false);
  return c;
}

Outcome execute(openremap_device *dev, const Command &c) {
  Outcome outcome;
  const unsigned move = c.flag ? OPENREMAP_MOVE : OPENREMAP_SHARE;
  int status = 0;
  switch (c.kind) {
    case Kind::kRead:
      outcome.data.assign(c.pages * OPENREMAP_PAGE_BYTES, 0);
      status = openremap_read(dev, c.lpn, c.pages, outcome.data.data());
      break;
    case Kind::kWrite:
      status = c.handle < 0 ? openremap_write(dev, c.lpn, c.pages, contents(c.value, c.pages).data(), c.flag)
                            : openremap_write_placed(dev, c.lpn, c.pages, contents(c.value, c.pages).data(), c.flag,
                                                     uint16_t(c.handle));
      break;
    case Kind::kPlacement:
      return placement(dev, c);
    case Kind::kFlush:
      status = openremap_flush(dev);
      break;
    case Kind::kDeallocate: {
      std::vector<openremap_range> list;
      for (const openremap_remap_range &r : c.ranges) list.push_back({r.src, r.pages});
      status = openremap_deallocate(dev, list.data(), list.size());
      break;
    }
    case Kind::kWriteZeroes:
      status = openremap_write_zeroes(dev, c.lpn, c.pages, c.flag);
      break;
    case Kind::kRemap:
      status = openremap_remap(dev, c.lpn, c.dst, c.pages, move);
      break;
    case Kind::kRemapVector:
      status = openremap_remap_vector(dev, c.ranges.data(), c.ranges.size(), move);
      break;
    case Kind::kCopy:
      status = openremap_copy(dev, c.lpn, c.dst, c.pages);
      break;
    case Kind::kBurst:
      return execute_burst(dev, c);
    case Kind::kFormat:
      status = openremap_format(dev, c.flag);
      break;
    case Kind::kReset:
      status = openremap_reset(dev);
      break;
    case Kind::kPowerCycle:
      status = openremap_flush(dev);
      if (status == 0) status = openremap_power_cycle(dev);
      break;
    case Kind::kBlank:
      status = blank(dev, c.flag);
      break;
  }
  outcome.statuses.push_back(status);
  return outcome;
}

bool rest(openremap_device *dev) {
  pcie_function *fn = openremap_pcie_function(dev);
  // An interrupt that came with the last doorbell ends a run before any time has passed: only the second such run in a
  // row says that the device is idle.
  int idle = 0;
  for (int i = 0; i < kMostRests && idle < 2; ++i) idle = fn->ops->run(fn, kRestNs) > 0 ? 0 : idle + 1;
  return idle == 2;
}

}  // namespace orm::lockstep
