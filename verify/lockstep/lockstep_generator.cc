// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_generator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orm::lockstep {
namespace {

constexpr uint64_t kPartPages = 8;  // the most of a part of a burst, and the number of pages that parts share

struct Chance {
  Kind kind;
  unsigned weight;
};
// Pages that move are what costs the RTL its time, so most commands have few, and those that move none come often
// enough. What takes data away must not outnumber what gives a page data: remaps of nothing compare nothing.
constexpr Chance kUsual[] = {
    {Kind::kWrite, 26},      {Kind::kRead, 12}, {Kind::kBurst, 8},       {Kind::kDeallocate, 10},
    {Kind::kRemap, 16},      {Kind::kCopy, 8},  {Kind::kRemapVector, 6}, {Kind::kFlush, 4},
    {Kind::kWriteZeroes, 5}, {Kind::kReset, 1}, {Kind::kPowerCycle, 1},  {Kind::kPlacement, 3},
};
constexpr Chance kQuick[] = {
    {Kind::kWrite, 2}, {Kind::kRead, 3},        {Kind::kBurst, 56},    {Kind::kDeallocate, 3},
    {Kind::kRemap, 6}, {Kind::kCopy, 6},        {Kind::kFlush, 1},     {Kind::kRemapVector, 3},
    {Kind::kReset, 1}, {Kind::kWriteZeroes, 2}, {Kind::kPlacement, 1},
};
constexpr Chance kUsualParts[] = {{Kind::kWrite, 6}, {Kind::kRead, 2}, {Kind::kRemap, 1}, {Kind::kFlush, 1}};
constexpr Chance kQuickParts[] = {
    {Kind::kWrite, 2},       {Kind::kRead, 5},       {Kind::kRemap, 9},       {Kind::kCopy, 9},
    {Kind::kRemapVector, 2}, {Kind::kDeallocate, 5}, {Kind::kWriteZeroes, 4}, {Kind::kFlush, 2},
};
constexpr uint64_t kUsualBurst = 15, kQuickBurst = 40;  // commands at most
constexpr uint64_t kSharingBursts = 3;                  // one in this many has parts that take from the same pages
constexpr uint64_t kPartRanges = kPartPages / 2;        // of a vector or deallocation in a burst, at most
constexpr uint64_t kTries = 24;                         // until a place is found that others have left
// One in this many minds no overlap and takes its pages where it finds none with data, if it does soon, or else from
// anywhere.
constexpr uint64_t kBlind = 8;
constexpr uint64_t kUnsorted = 6;  // one vector in this many keeps the order in which its ranges were drawn
constexpr uint64_t kEmptyTries = 3;
// A power cycle of the RTL costs as much as some twenty other commands; one in this many stays.
constexpr uint64_t kPowerCyclesKept = 4;
constexpr uint64_t kStormPages = 48;
constexpr uint64_t kStormSource = 64;  // pages at the start of the namespace that storms remap from
constexpr uint64_t kStormStep = 8;     // with corners, the places of storms are multiples: they often come again
constexpr uint64_t kHolePages = 4;     // at most
constexpr uint64_t kCorners = 12;      // one step in this many is a corner case
constexpr uint64_t kFillPages = 32;    // pages of each command that fills the device
/// Number of pages that are filled.
constexpr uint64_t filled(uint64_t pages) { return pages / 4 * 3; }

bool remaps(Kind kind) { return kind == Kind::kRemap || kind == Kind::kRemapVector || kind == Kind::kCopy; }
bool moves(const Command &c) { return c.flag && (c.kind == Kind::kRemap || c.kind == Kind::kRemapVector); }

template <size_t n>
Kind draw_kind(const Chance (&chances)[n], SeededRandom *random) {
  unsigned sum = 0;
  for (const Chance &c : chances) sum += c.weight;
  uint64_t drawn = random->below(sum);
  for (const Chance &c : chances) {
    if (drawn < c.weight) return c.kind;
    drawn -= c.weight;
  }
  return Kind::kFlush;
}

}  // namespace

Generator::Generator(uint64_t seed, uint64_t pages, const GeneratorOptions &options)
    : random_(seed), o_(options), mapping_(pages), storms_(o_.storms && pages > 4 * kStormSource) {}

Kind Generator::kind() { return o_.mix == Mix::kQuick ? draw_kind(kQuick, &random_) : draw_kind(kUsual, &random_); }
Kind Generator::part_kind() {
  return o_.mix == Mix::kQuick ? draw_kind(kQuickParts, &random_) : draw_kind(kUsualParts, &random_);
}

uint64_t Generator::count() {
  const uint64_t draw = random_.below(64);
  return draw == 0 ? 1 + random_.below(48) : draw < 9 ? 1 + random_.below(6) : 1;
}

/// One in fifty is anywhere, so that some ranges exceed the namespace.
uint64_t Generator::lpn(uint64_t count) {
  const uint64_t pages = mapping_.pages();
  if (random_.below(50) == 0) return random_.below(pages + 20);
  const uint64_t at = random_.below(pages - std::min(count, pages - 1));
  return storms_ && at < kStormSource && random_.below(16) != 0 ? at + kStormSource : at;
}

/// A range that mostly has data.
uint64_t Generator::source(uint64_t count) {
  uint64_t at = lpn(count);
  if (random_.below(kBlind) == 0) {
    for (uint64_t i = 0; i < kEmptyTries && mapping_.mapped(at, count); ++i) at = lpn(count);
    return at;
  }
  return mapping_.mapped_run(at % mapping_.pages(), count).value_or(at);
}

/// A target range that mostly does not overlap with the source.
uint64_t Generator::target(uint64_t src, uint64_t count) {
  uint64_t dst = lpn(count);
  if (random_.below(2 * kBlind) == 0) return dst;
  for (uint64_t i = 0; i < kTries && dst < src + count && src < dst + count; ++i) dst = lpn(count);
  return dst;
}

Command Generator::fill() {
  Command c;
  c.kind = Kind::kWrite;
  c.lpn = filled_;
  c.pages = std::min(kFillPages, filled(mapping_.pages()) - filled_);
  c.value = ++value_;
  c.handle = handle();
  filled_ += c.pages;
  return c;
}

/// The first command writes the pages that the others copy. A copy is a remap that accepts unmapped pages.
Command Generator::storm() {
  Command c;
  const bool writes = !stormed_ || random_.below(24) == 0;
  stormed_ = true;
  c.kind = writes ? Kind::kWrite : Kind::kCopy;
  const uint64_t step = o_.corners ? kStormStep : 1;
  c.lpn = writes ? 0 : random_.below((kStormSource - kStormPages) / step) * step;
  c.pages = writes ? kStormSource : kStormPages;
  c.dst = kStormSource + random_.below((mapping_.pages() - kStormSource - kStormPages) / step) * step;
  c.value = ++value_;
  return c;
}

/// The last remap once more, or back to where its data came from.
std::optional<Command> Generator::again() {
  if (!remapped_) return std::nullopt;
  Command c = *remapped_;
  if (random_.coin()) std::swap(c.lpn, c.dst);
  return c;
}

/// Brings the sharers of a slot next to the limit: a vector of single pages with the same source.
std::optional<Command> Generator::crowd() {
  const auto sharers_of = [this](uint64_t lpn) { return mapping_.sharers(mapping_.slot(lpn)); };
  if (crowded_ && sharers_of(*crowded_) + 1 >= Mapping::kMostSharers && random_.coin()) {  // one more
    Command c;
    c.kind = random_.coin() ? Kind::kRemap : Kind::kCopy;
    c.pages = 1;
    c.lpn = *crowded_;
    c.dst = target(c.lpn, 1);
    return c;
  }
  const std::optional<uint64_t> src = mapping_.mapped_run(random_.below(mapping_.pages()), 1);
  if (!src) return std::nullopt;
  Command c;
  c.kind = Kind::kRemapVector;
  const uint64_t wanted = Mapping::kMostSharers - 1 + random_.below(3);
  const uint64_t sharers = sharers_of(*src);
  Claims claims(mapping_);
  for (uint64_t lpn = 0; lpn < mapping_.pages(); ++lpn) {  // what shares it already makes no difference as a target
    if (mapping_.slot(lpn) == mapping_.slot(*src)) claims.take(lpn, 1);
  }
  for (uint64_t n = std::max(wanted, sharers + 1) - sharers; n != 0; --n) {
    const std::optional<uint64_t> dst = changed(1, &claims);
    if (!dst) return std::nullopt;
    c.ranges.push_back({*src, *dst, 1});
  }
  crowded_ = src;
  return c;
}

/// A Copy of a run without data over pages that have some.
std::optional<Command> Generator::hole() {
  const uint64_t pages = 2 + random_.below(kHolePages - 1);
  const uint64_t from = random_.below(mapping_.pages() - pages);
  const auto dst = mapping_.mapped_run(random_.below(mapping_.pages()), pages);
  if (!dst) return std::nullopt;
  Command c;
  c.kind = Kind::kCopy;
  c.pages = pages;
  c.dst = *dst;
  for (uint64_t i = 0; i < mapping_.pages(); ++i) {
    c.lpn = (from + i) % (mapping_.pages() - pages);
    bool empty = true;
    for (uint64_t at = c.lpn; at < c.lpn + pages; ++at) empty = empty && !mapping_.mapped(at, 1);
    if (empty) return c;
  }
  c.kind = Kind::kDeallocate;  // the next one finds a run
  c.ranges = {{from, 0, pages}};
  return c;
}

Command Generator::edge() {
  constexpr Kind kKinds[] = {Kind::kRead,       Kind::kWrite, Kind::kWriteZeroes,
                             Kind::kDeallocate, Kind::kRemap, Kind::kCopy};
  Command c;
  c.kind = kKinds[random_.below(std::size(kKinds))];
  c.pages = 1 + random_.below(2);
  const uint64_t end = mapping_.pages() - c.pages + random_.below(2);
  const uint64_t other = random_.below(mapping_.pages() - 2 * c.pages);
  const bool source = random_.coin();
  c.lpn = !remaps(c.kind) || source ? end : other;
  c.dst = source ? other : end;
  c.value = ++value_;
  c.ranges = {{c.lpn, 0, c.pages}};
  return c;
}

std::optional<Command> Generator::corner() {
  switch (random_.below(4)) {
    case 0:
      return again();
    case 1:
      return crowd();
    case 2:
      return hole();
    default:
      return edge();
  }
}

std::vector<openremap_remap_range> Generator::trim_ranges(size_t n) {
  std::vector<openremap_remap_range> all;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t pages = 1 + random_.below(4);
    all.push_back({lpn(pages), 0, pages});
  }
  return all;
}

/// Ranges of a remap that mostly do not overlap. Both devices must reject overlapping ones with the same status.
std::vector<openremap_remap_range> Generator::remap_ranges(size_t n) {
  const bool blind = random_.below(kBlind) == 0;
  Claims claims(mapping_);
  std::vector<openremap_remap_range> all;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t pages = 1 + random_.below(4);
    bool good = false;
    for (uint64_t tries = 0; tries < kTries && !good; ++tries) {
      const uint64_t at = lpn(pages), dst = lpn(pages);
      const uint64_t src = blind ? at : mapping_.mapped_run(at % mapping_.pages(), pages).value_or(at);
      good = blind || (claims.may_take(src, pages) && claims.may_change(dst, pages) &&
                       (src + pages <= dst || dst + pages <= src));
      if (!good) continue;
      if (!blind) {
        claims.take(src, pages);
        claims.change(dst, pages);
      }
      all.push_back({src, dst, pages});
    }
  }
  if (all.empty()) all.push_back({lpn(1), lpn(1), 1});
  return all;
}

/// Placement handle: none for half of the writes, else mostly one of a few, some of which a small device does not have.
int Generator::handle() {
  const uint64_t draw = random_.below(40);
  return draw < 20 ? -1 : draw < 39 ? int(draw % 4) : int(random_.below(1u << 16));
}

/// Claims pages that a part of a burst changes.
std::optional<uint64_t> Generator::changed(uint64_t pages, Claims *claims) {
  for (uint64_t i = 0; i < kTries; ++i) {
    const uint64_t at = random_.below(mapping_.pages() - pages + 1);
    if (!claims->may_change(at, pages)) continue;
    claims->change(at, pages);
    return at;
  }
  return std::nullopt;
}

/// Claims pages that a part reads, remaps from or moves.
std::optional<uint64_t> Generator::taken(const Command &part, uint64_t pages, const Sources &from, Claims *claims) {
  const bool shares = remaps(part.kind), moves = lockstep::moves(part);
  const bool common = from.common && !moves && random_.coin();
  for (uint64_t i = 0; i < kTries; ++i) {
    uint64_t at = random_.below(mapping_.pages() - pages + 1);
    for (uint64_t n = 0; !from.mapped && n < kEmptyTries && mapping_.mapped(at, pages); ++n) {
      at = random_.below(mapping_.pages() - pages + 1);
    }
    if (common) {
      at = *from.common + random_.below(kPartPages - pages + 1);
    } else if (from.mapped) {
      at = mapping_.mapped_run(at, pages).value_or(at);
    }
    if (moves ? !claims->may_change(at, pages) : !claims->may_take(at, pages)) continue;
    if (shares && !claims->may_share(at, pages)) continue;
    if (shares) claims->share(at, pages);
    moves ? claims->change(at, pages) : claims->take(at, pages);
    return at;
  }
  return std::nullopt;
}

/// Claims small ranges for a part. Returns false if no free place was found.
bool Generator::part_ranges(Command *part, const Sources &from, Claims *claims) {
  const uint64_t n = 1 + random_.below(kPartRanges);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t pages = 1 + random_.below(2);
    const bool remap = part->kind == Kind::kRemapVector;
    const auto src = remap ? taken(*part, pages, from, claims) : changed(pages, claims);
    const auto dst = remap ? changed(pages, claims) : std::optional<uint64_t>(0);
    if (!src || !dst) return false;
    part->ranges.push_back({*src, *dst, pages});
  }
  return true;
}

/// Returns false if no free place was found.
bool Generator::place(Command *part, const Sources &from, Claims *claims) {
  std::optional<uint64_t> lpn = 0, dst = 0;
  switch (part->kind) {
    case Kind::kRemapVector:
    case Kind::kDeallocate:
      return part_ranges(part, from, claims);
    case Kind::kWrite:
    case Kind::kWriteZeroes:
      lpn = changed(part->pages, claims);
      break;
    case Kind::kRead:
      lpn = taken(*part, part->pages, from, claims);
      break;
    case Kind::kRemap:
    case Kind::kCopy:
      lpn = taken(*part, part->pages, from, claims);
      dst = changed(part->pages, claims);
      break;
    default:
      return true;
  }
  if (!lpn || !dst) return false;
  part->lpn = *lpn;
  part->dst = *dst;
  return true;
}

Command Generator::burst() {
  Command burst;
  burst.kind = Kind::kBurst;
  const bool quick = o_.mix == Mix::kQuick;
  const uint64_t n = 2 + random_.below((quick ? kQuickBurst : kUsualBurst) - 1);
  const bool writes = o_.wide && random_.coin();
  Claims claims(mapping_);
  Sources from;
  if (quick && random_.below(kSharingBursts) == 0) {
    const uint64_t at = random_.below(mapping_.pages() - kPartPages + 1);
    from.common = mapping_.mapped_run(at, kPartPages).value_or(at);
    claims.take(*from.common, kPartPages);
  }
  for (uint64_t i = 0; i < n; ++i) {
    Command part;
    part.pages = random_.below(quick ? 24 : 6) == 0 ? 1 + random_.below(kPartPages) : 1;
    part.kind = part_kind();
    part.flag = random_.below(8) == 0;
    if (o_.wide && writes != (part.kind == Kind::kWrite)) part.kind = writes ? Kind::kWrite : Kind::kRead;
    if (writes) part.flag = false;  // no FUA, as it completes partial pages
    part.value = ++value_;
    if (part.kind == Kind::kWrite) part.handle = handle();
    from.mapped = random_.below(kBlind) != 0;
    if (place(&part, from, &claims)) burst.parts.push_back(part);
  }
  return burst;
}

Command Generator::draw() {
  if (o_.fill && filled_ < filled(mapping_.pages())) return fill();
  if (storms_ && (!stormed_ || random_.below(3) == 0)) return storm();
  if (o_.corners && random_.below(kCorners) == 0) {
    if (const std::optional<Command> found = corner()) return *found;
  }
  Command c;
  c.kind = kind();
  if (c.kind == Kind::kPowerCycle && random_.below(kPowerCyclesKept) != 0) c.kind = Kind::kFlush;
  if (c.kind == Kind::kBurst) {
    c = burst();
    if (!c.parts.empty()) return c;
    c.kind = Kind::kFlush;
  }
  c.pages = count();
  c.lpn = c.kind == Kind::kRead || remaps(c.kind) ? source(c.pages) : lpn(c.pages);
  c.dst = target(c.lpn, c.pages);
  c.flag = random_.below(4) == 0;
  c.value = ++value_;
  if (c.kind == Kind::kWrite) c.handle = handle();
  if (c.kind == Kind::kPlacement) c.handle = int(random_.below(6)) - 3;
  if (c.kind == Kind::kRemapVector) c.ranges = remap_ranges(1 + random_.below(12));
  if (c.kind == Kind::kDeallocate) c.ranges = trim_ranges(1 + random_.below(3));
  return c;
}

/// The hardware carries out vectors whose targets ascend, and hands the others to firmware. Most are for the hardware.
void Generator::arrange(Command *c) {
  for (Command &part : c->parts) arrange(&part);
  if (c->kind != Kind::kRemapVector || random_.below(kUnsorted) == 0) return;
  std::stable_sort(c->ranges.begin(), c->ranges.end(),
                   [](const openremap_remap_range &a, const openremap_remap_range &b) { return a.dst < b.dst; });
}

Command Generator::next() {
  Command c = draw();
  arrange(&c);
  if (mapping_.apply(c) && (c.kind == Kind::kCopy || (c.kind == Kind::kRemap && !c.flag))) remapped_ = c;
  return c;
}

}  // namespace orm::lockstep
