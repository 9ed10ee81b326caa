// SPDX-License-Identifier: Apache-2.0
#include "measure/hwbench_gc.h"

namespace orm::hwbench {
namespace {

constexpr uint32_t kSuperblocks = 24;
// Victims that GC collects before writes beside GC are measured.
constexpr uint64_t kVictimsBefore = 8;
// Writes in flight beside measured reads: they fill the queue of their class and hold no read back on its way to its
// engine.
constexpr uint32_t kWritesBeside = kDepth;

// Trims every second page.
void trim_half(const Device &d) {
  constexpr size_t kRanges = 256;
  std::vector<openremap_range> ranges;
  for (uint64_t lpn = 0; lpn < d.pages(); lpn += 2) {
    ranges.push_back({lpn, 1});
    if (ranges.size() < kRanges && lpn + 2 < d.pages()) continue;
    check(openremap_deallocate(d.get(), ranges.data(), ranges.size()), "trimming");
    ranges.clear();
  }
}

// Writes trimmed pages until GC has begun.
void write_until_gc(const Device &d) {
  constexpr uint64_t kBetweenLooks = 8;
  const uint64_t before = d.stats().nand_read_gc;
  for (uint64_t lpn = 0; lpn < d.pages(); lpn += 2) {
    check(openremap_write(d.get(), lpn, 1, d.page(lpn), false), "writing");
    if (lpn / 2 % kBetweenLooks == 0 && d.stats().nand_read_gc != before) return;
  }
  die("gc_alone: all trimmed pages were written, but GC has not begun");
}

}  // namespace

void collections(const Plan &plan, std::vector<Result> *out) {
  Device d({/*instant_nand=*/false, kSuperblocks, /*over_provision_pct=*/0, plan.seed, plan.wide, /*io_queues=*/2});
  d.fill();
  auto read = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_read(d.get(), d.random_page(), 1, d.page(kDepth + i % kDepth), done, arg);
  };
  auto write = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_write(d.get(), d.random_page(), 1, d.page(i % kDepth), false, done, arg);
  };
  out->push_back(d.measure("read_nand", plan.commands, kDepth, 1, read));
  out->push_back(d.measure("write_nand", plan.commands / 4, kDepth, 1, write));
  d.measure("write_gc: until GC has become steady", plan.commands, kDepth, 1, write);
  while (d.stats().gc_victims < kVictimsBefore) d.measure("write_gc: more of them", kDepth, kDepth, 1, write);
  out->push_back(d.measure("write_gc", 2 * plan.commands, kDepth, 1, write));
  out->push_back(d.measure("read_gc", plan.commands, kDepth, 1, read, {kWritesBeside, write}));
}

void collections_alone(const Plan &plan, std::vector<Result> *out) {
  constexpr uint64_t kStepNs = 100'000;  // 10,000 cycles; a victim takes some 670,000
  constexpr int kQuietSteps = 200;
  Device d({/*instant_nand=*/false, kSuperblocks, /*over_provision_pct=*/0, plan.seed, plan.wide});
  d.fill();
  trim_half(d);
  std::fprintf(stderr, "hwbench: gc_alone\n");
  write_until_gc(d);
  orm_remap_log last = d.stats();
  const orm_remap_log before = last;
  const uint64_t begin = d.cycle();
  Result result{"gc_alone", 0, 0, 0, 0, 0, 0, {}};
  uint64_t end = begin;
  // GC has ended when it has not collected or read anything for a while.
  for (int quiet = 0; quiet < kQuietSteps; ++quiet) {
    const uint64_t until = openremap_now_ns(d.get()) + kStepNs;
    while (openremap_now_ns(d.get()) < until) {
      if (openremap_poll(d.get(), until - openremap_now_ns(d.get())) < 0) die("gc_alone: the controller is lost");
    }
    const orm_remap_log now = d.stats();
    if (now.nand_read_gc != last.nand_read_gc || now.gc_victims != last.gc_victims) quiet = 0;
    for (uint64_t i = last.gc_victims; i < now.gc_victims; ++i) {
      result.latencies.push_back(d.cycle() - end);
      end = d.cycle();
    }
    last = now;
  }
  result.commands = last.gc_victims - before.gc_victims;
  result.pages = result.gc_pages = last.gc_moved_pages - before.gc_moved_pages;
  result.cycles = end - begin;
  if (result.commands == 0 || result.pages == 0) die("gc_alone: GC has not moved any page");
  std::sort(result.latencies.begin(), result.latencies.end());
  out->push_back(result);
}

}  // namespace orm::hwbench
