// SPDX-License-Identifier: Apache-2.0
#include "crash/orders.h"

#include <algorithm>
#include <stdexcept>

#include "lockstep/lockstep_ssd.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "seeded_random.h"

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Kind;

// The minimum of segments, so that fully live chains soon use up those available to remaps; and superblocks for these
// chains.
constexpr uint32_t kSuperblocks = 17;
constexpr uint32_t kSegments = 68;
constexpr uint64_t kLeastFree = 4;  // superblocks; with one less collections begin
constexpr int kMostTries = 6;       // tries to force a collection or a destaging
constexpr uint64_t kHandles = 4;

// LPNs. All operations work on the window and on what was remapped from it. Each unit has a separate superblock and
// chain. A collection takes the sparse ones first. The others have chains without a free place in their last segment.
// The chain of the first one is so long that segments are no longer short once it has been destaged.
constexpr uint64_t kWindow = 0, kWindowPages = 12, kWindowTarget = 100;
constexpr uint64_t kSparse = 16, kSparsePages = 2, kSparseUnits = 3, kSparseTarget = 112;
constexpr uint64_t kFiller = 22, kLong = 24, kFull = 40, kFullUnits = 8, kFullPages = 4, kFullTarget = 120;
constexpr uint64_t kSegmentEntries = 31, kChainSegments = 2;
constexpr uint64_t kLongPages = 9, kLongSegments = 8;
constexpr uint64_t kShort = 4;  // segments; fewer are short (firmware/src/gc/segment_reclaim.c)

Command write(uint64_t lpn, uint64_t pages, uint64_t value, int handle = -1) {
  Command c;
  c.kind = Kind::kWrite;
  c.lpn = lpn;
  c.pages = pages;
  c.value = value;
  c.handle = handle;
  return c;
}
Command range(Kind kind, uint64_t src, uint64_t dst, uint64_t pages) {
  Command c;
  c.kind = kind;
  c.lpn = src;
  c.dst = dst;
  c.pages = pages;
  return c;
}
Command ranges(Kind kind, std::vector<openremap_remap_range> list, bool move = false) {
  Command c;
  c.kind = kind;
  c.ranges = std::move(list);
  c.flag = move;
  return c;
}
Command plain(Kind kind, bool flag = false) {
  Command c;
  c.kind = kind;
  c.flag = flag;
  return c;
}
Command next_unit(int handle) {
  Command c;
  c.kind = Kind::kPlacement;
  c.handle = handle;
  return c;
}

lockstep::DeviceOptions device_of(uint64_t seed) {
  lockstep::DeviceOptions o;
  o.seed = seed;
  o.superblocks = kSuperblocks;
  o.segments = kSegments;
  return o;
}

bool needs_chains(Operation o) { return o == Operation::kCollection || o == Operation::kDestaging; }

class Maker {
 public:
  Maker(const std::vector<Operation> &operations, uint64_t seed)
      : operations_(operations), random_(seed), ssd_("model", device_of(seed)) {
    order_.stream.device = device_of(seed);
    for (const Operation o : operations) order_.name += (order_.name.empty() ? "" : "-") + std::string(name(o));
  }

  Order all() {
    prepare(0);
    for (size_t i = 0; i < operations_.size(); ++i) {
      const size_t begin = order_.stream.commands.size();
      carry_out(operations_[i]);
      if (rests_behind(i)) put(plain(Kind::kRest));
      order_.parts.push_back({operations_[i], begin, order_.stream.commands.size()});
      if (operations_[i] == Operation::kFormat && i + 1 < operations_.size()) prepare(i + 1);
    }
    return std::move(order_);
  }

 private:
  /// Appends to the stream, and runs the command on the device.
  void put(const Command &c) {
    order_.stream.commands.push_back(c);
    const lockstep::Outcome outcome = lockstep::execute(ssd_.get(), c);
    for (const int status : outcome.statuses) {
      if (status == 0) continue;
      throw std::runtime_error(order_.name + ": " + lockstep::to_line(c) + " is refused with status " +
                               std::to_string(status));
    }
  }
  uint64_t value() { return ++value_; }
  uint32_t reg(uint32_t offset) const {
    uint32_t value = 0;
    if (pcie_device_firmware_register(openremap_pcie_function(ssd_.get()), offset, &value) != 0)
      throw std::runtime_error("no register");
    return value;
  }
  uint32_t free_superblocks() const { return reg(ORM_FW_ALLOC_COUNT); }
  /// Segments available to remaps.
  uint64_t free_segments() const {
    return reg(ORM_FW_SEG_COUNT) - ORM_GET(reg(ORM_FW_CAP_SEG_RESERVE), ORM_FW_CAP_SEG_RESERVE_COUNT);
  }

  /// The next operation may find the device still at work, except where that would leave a collection or a destaging
  /// nothing to do.
  bool rests_behind(size_t i) {
    if (i + 1 == operations_.size() || operations_[i] == Operation::kFormat) return true;
    const Operation next = operations_[i + 1];
    return needs_chains(next) || next == Operation::kFormat || random_.below(2) == 0;
  }

  /// Prepares the device for the operations from index `first` on, up to the next format.
  void prepare(size_t first) {
    const auto begin = operations_.begin() + ptrdiff_t(first);
    const auto end = std::find(begin, operations_.end(), Operation::kFormat);
    full_units_ = 0;
    target_ = kFullTarget;
    if (std::any_of(begin, end, needs_chains)) chains();
    put(write(kWindow, kWindowPages, value(), 0));
    put(range(Kind::kRemap, kWindow, kWindowTarget, kWindowPages - 4));
    put(plain(Kind::kRest));
  }

  /// Uses superblocks until one less would begin a collection.
  void chains() {
    for (uint64_t u = 0; u < kSparseUnits; ++u) unit(kSparse + kSparsePages * u, kSparsePages);
    unit(kLong, kLongPages);
    for (full_units_ = 0; full_units_ < kFullUnits; ++full_units_) unit(kFull + kFullPages * full_units_, kFullPages);
    for (uint64_t u = 0; u < kSparseUnits; ++u) {
      put(range(Kind::kRemap, kSparse + kSparsePages * u, kSparseTarget + kSparsePages * u, kSparsePages));
    }
    chain(kLong, kLongPages, kLongSegments);
    for (uint64_t u = 0; u < full_units_; ++u) chain(kFull + kFullPages * u, kFullPages, kChainSegments);
    // A new device uses exactly this number. A format leaves some empty ones, which are collected first.
    put(plain(Kind::kRest));
    for (int n = 0; n < kMostTries && free_superblocks() != kLeastFree + 1; ++n) {
      unit(kFiller, 1);
      put(plain(Kind::kRest));
    }
  }
  /// Pages in a separate superblock.
  void unit(uint64_t lpn, uint64_t pages) {
    put(write(lpn, pages, value(), 0));
    put(next_unit(0));
  }
  void chain(uint64_t lpn, uint64_t pages, uint64_t segments) {
    std::vector<openremap_remap_range> list;
    for (uint64_t left = kSegmentEntries * segments; left > 0; left -= list.back().pages) {
      list.push_back({lpn, target_, std::min(left, pages)});
      target_ += list.back().pages;
    }
    put(ranges(Kind::kRemapVector, std::move(list)));
  }

  void carry_out(Operation operation) {
    const uint64_t w = kWindow, t = kWindowTarget;
    switch (operation) {
      case Operation::kWrite:  // over shared pages, one of their sharers, and half of a coming victim
        put(write(w, 4, value()));
        put(write(t + 2, 2, value()));
        if (full_units_ > 0) put(write(kSparse + 1, 1, value()));
        return;
      case Operation::kVector:  // as the hardware carries it out: targets that ascend
        put(ranges(Kind::kRemapVector, {{t, w + 8, 2}, {w, t + 4, 2}}, random_.below(2) == 0));
        return;
      case Operation::kTrim: {
        std::vector<openremap_remap_range> list = {{w + 3, 0, 2}, {t + 4, 0, 3}, {w + 8, 0, 1}};
        if (full_units_ > 0) list.push_back({kSparseTarget, 0, 1});
        put(ranges(Kind::kDeallocate, std::move(list)));
        return;
      }
      case Operation::kCopy:  // some of its pages may be trimmed or moved away
        put(range(Kind::kCopy, w + 1, t + 3, 6));
        return;
      case Operation::kFlush:
        put(write(w + 5, 3, value()));
        put(plain(Kind::kFlush));
        return;
      case Operation::kCollection:
        return collect();
      case Operation::kDestaging:
        return destage();
      case Operation::kFormat:
        put(plain(Kind::kFormat, random_.below(2) == 0));
        return;
    }
  }

  /// Opens superblocks for the host until GC must collect one.
  void collect() {
    const uint64_t before = ssd_.counter(ORM_COUNTER_GC_MOVED_PAGES);
    for (int n = 0; n < kMostTries; ++n) {
      const int handle = int(random_.below(kHandles));
      put(next_unit(handle));
      put(write(kWindow + 10, 2, value(), handle));
      ssd_.rest();
      if (ssd_.counter(ORM_COUNTER_GC_MOVED_PAGES) != before) return;
      put(plain(Kind::kRest));
    }
    throw std::runtime_error(order_.name + ": nothing is collected");
  }

  /// Two parallel remaps. The first takes a page of enough full chains to make segments short. The second takes pages
  /// of further chains for which too few segments are left, so it waits until chains have been destaged.
  void destage() {
    const uint64_t before = ssd_.counter(ORM_COUNTER_CHAINS_DESTAGED), free = free_segments();
    Command burst = plain(Kind::kBurst);
    uint64_t units = 0;
    if (free >= kShort) burst.parts.push_back(a_segment_each(free + 1 - kShort, &units));
    burst.parts.push_back(a_segment_each(kShort, &units));
    put(burst);
    ssd_.rest();
    if (ssd_.counter(ORM_COUNTER_CHAINS_DESTAGED) == before)
      throw std::runtime_error(order_.name + ": nothing is destaged");
  }
  Command a_segment_each(uint64_t count, uint64_t *units) {
    std::vector<openremap_remap_range> list;
    for (; count > 0 && *units < full_units_; --count) list.push_back({kFull + kFullPages * (*units)++, target_++, 1});
    for (; count > 0; --count) list.push_back({kLong, target_++, 1});  // only the first one takes a segment
    return ranges(Kind::kRemapVector, std::move(list));
  }

  const std::vector<Operation> operations_;
  SeededRandom random_;
  lockstep::Ssd ssd_;
  Order order_;
  uint64_t value_ = 0;
  uint64_t full_units_ = 0;
  uint64_t target_ = 0;  // next LPN that was no remap target yet
};

uint64_t mapped_pages(openremap_device *dev) {
  size_t bytes = 0;
  const uint8_t *l2p = pcie_device_dram(openremap_pcie_function(dev), &bytes);
  uint64_t mapped = 0;
  for (uint64_t lpn = 0; lpn < openremap_get_info(dev)->pages; ++lpn) {
    mapped += orm_get_le(l2p + 4 * lpn, 4) != ORM_UNMAPPED;
  }
  return mapped;
}

}  // namespace

const char *name(Operation operation) {
  constexpr std::array<const char *, kOperations> kNames = {"write", "vector",     "trim",      "copy",
                                                            "flush", "collection", "destaging", "format"};
  return kNames.at(size_t(operation));
}

std::vector<std::vector<Operation>> all_orders(size_t n) {
  std::vector<std::vector<Operation>> all = {{}};
  for (size_t length = 0; length < n; ++length) {
    std::vector<std::vector<Operation>> longer;
    for (const std::vector<Operation> &begun : all) {
      for (size_t i = 0; i < kOperations; ++i) {
        if (std::count(begun.begin(), begun.end(), Operation(i)) != 0) continue;
        longer.push_back(begun);
        longer.back().push_back(Operation(i));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Order make_order(const std::vector<Operation> &operations, uint64_t seed) { return Maker(operations, seed).all(); }

void Witness::after(size_t command, uint64_t events, openremap_device *dev) {
  const auto counter = [dev](orm_counter which) {
    uint64_t value = 0;
    if (pcie_device_counter(openremap_pcie_function(dev), which, &value) != 0) throw std::runtime_error("no counters");
    return value;
  };
  samples_.resize(command);
  samples_.push_back({events, mapped_pages(dev), counter(ORM_COUNTER_HOST_WRITE_PAGES),
                      counter(ORM_COUNTER_REMAP_PAGES), counter(ORM_COUNTER_HOST_TRIM_PAGES),
                      counter(ORM_COUNTER_GC_MOVED_PAGES), counter(ORM_COUNTER_CHAINS_DESTAGED)});
}

std::vector<uint64_t> Witness::did() const {
  std::vector<uint64_t> all;
  for (const Order::Part &part : order_.parts) {
    const Sample &before = samples_.at(part.begin - 1), &after = samples_.at(part.end - 1);
    switch (part.operation) {
      case Operation::kWrite:
        all.push_back(after.written - before.written);
        break;
      case Operation::kVector:
      case Operation::kCopy:
        all.push_back(after.remapped - before.remapped);
        break;
      case Operation::kTrim:
        all.push_back(after.trimmed - before.trimmed);
        break;
      case Operation::kFlush:  // the write comes first
        all.push_back(samples_.at(part.begin + 1).events - samples_.at(part.begin).events);
        break;
      case Operation::kCollection:
        all.push_back(samples_.back().moved - before.moved);
        break;
      case Operation::kDestaging:
        all.push_back(samples_.back().destaged - before.destaged);
        break;
      case Operation::kFormat:
        all.push_back(after.mapped == 0 ? before.mapped : 0);
        break;
    }
  }
  return all;
}

std::vector<std::pair<uint64_t, uint64_t>> Witness::events() const {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Order::Part &part : order_.parts) {
    all.emplace_back(samples_.at(part.begin - 1).events + 1, samples_.at(part.end - 1).events);
  }
  return all;
}

}  // namespace orm::crash
