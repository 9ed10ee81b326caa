// SPDX-License-Identifier: Apache-2.0
//
// Hazards on one LPN in the whole controller: writes, trims, reads, remaps and copies to and from it, and garbage
// collection of the pages that it shares, all at once.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/queue_host.h"
#include "device/traffic.h"
#include "device_kind.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "seeded_random.h"
#include "test_seed.h"

namespace orm {
namespace {

constexpr unsigned kPairs = 4;
constexpr uint32_t kEntries = 16;
constexpr uint64_t kSliceNs = 20'000;
constexpr uint64_t kFewShared = 5,
                   kFewRaces = 2;  // moves of shared slots, and lost races, that a patient run waits for

/// Maximum number of rounds on the RTL until hazards have occurred (the suite `long`); 0: one round, with whatever
/// occurs.
uint64_t Patience() {
  const char *text = std::getenv("OPENREMAP_PATIENCE");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

class OnePage : public ::testing::TestWithParam<const char *> {
 protected:
  bool Rtl() const { return std::strstr(GetParam(), "rtl") != nullptr; }
  /// Small, and most of it in the namespace, so that there is much to collect.
  static pcie_device_options Options() {
    pcie_device_options options{};
    openremap::ChooseDevice(GetParam(), &options);
    options.superblocks = 10;
    options.over_provision_pct = 1;
    options.seed = openremap::TestSeed();
    return options;
  }
  void SetUp() override { host_.start(std::vector<uint32_t>(kPairs, kEntries)); }

  uint64_t Counter(unsigned index) {
    uint64_t value = 0;
    EXPECT_EQ(pcie_device_counter(host_.function(), index, &value), 0);
    return value;
  }
  void Flush() {
    traffic_.put(1, IoCommand());
    host_.ring(1);
    traffic_.finish();
  }
  /// With nothing under way: what was flushed is there after the power came back, on each page (of the RTL, the first
  /// ones).
  void PowerCycle() {
    const uint64_t end = Rtl() ? 40 : UINT64_MAX;
    const std::vector<Version> before = traffic_.read_all(1, end);
    Flush();
    host_.power_cycle();
    host_.start(std::vector<uint32_t>(kPairs, kEntries));
    EXPECT_EQ(traffic_.read_all(1, end), before);
  }

  /// Runs this number of commands, which `draw` chooses, in bursts over all queues. After each burst the few LPNs are
  /// read, which tells which write came last.
  template <typename Draw>
  void Run(uint64_t commands, const Mix &few, Draw draw) {
    const uint64_t until = traffic_.answered() + commands;
    while (traffic_.answered() < until) {
      for (uint64_t left = 1 + random_.below(24); left != 0; --left) {
        const unsigned qid = unsigned(1 + random_.below(kPairs));
        traffic_.put(qid, draw());
        if (random_.below(4) != 0) host_.ring(qid);
        if (random_.below(4) == 0 || host_.room(qid) == 0) host_.poll(1 + random_.below(kSliceNs));
      }
      RingAll();
      traffic_.finish();
      IoCommand read;
      read.op = Op::kRead;
      for (read.lpn = few.first; read.lpn < few.first + few.count; ++read.lpn) traffic_.put(1, read);
      RingAll();
      traffic_.finish();
    }
  }
  void RingAll() {
    for (unsigned qid = 1; qid <= kPairs; ++qid) host_.ring(qid);
  }
  /// LPNs that everything is about, few.
  static Mix Few(uint64_t lpns) {
    Mix mix;
    mix.weights = {30, 20, 2, 6, 4, 8, 6, 6};
    mix.first = 7;
    mix.count = lpns;
    return mix;
  }
  void Say(const char *what, uint64_t n) { std::printf("%llu %s\n", static_cast<unsigned long long>(n), what); }

  QueueHost host_{Options()};
  Traffic traffic_{host_};
  SeededRandom random_{openremap::TestSeed()};
};

TEST_P(OnePage, EveryKindOfCommandAtOnce) {
  for (const uint64_t lpns : {2u, 3u}) {
    SCOPED_TRACE(std::to_string(lpns) + " LPNs");
    const Mix few = Few(lpns);
    for (int round = 0; round < (Rtl() ? 1 : 20); ++round) {
      Run(Rtl() ? 180 : 400, few, [&] { return few.draw(random_); });
      PowerCycle();
    }
  }
  for (const Op op : {Op::kRead, Op::kWrite, Op::kDeallocate, Op::kRemap, Op::kMove, Op::kCopy})
    EXPECT_GT(traffic_.succeeded(op), 5u) << int(op);
  Say("pages read", traffic_.pages_read());
  Say("of them with one answer only", traffic_.pages_certain());
  EXPECT_GT(traffic_.pages_certain(), traffic_.pages_read() / 20);
}

/// Every write of other pages drives garbage collection. Remaps give the few LPNs data of old superblocks, so that GC
/// moves it.
TEST_P(OnePage, WhileGarbageCollectionMovesIt) {
  Mix few = Few(3);
  few.weights = {10, 4, 1, 3, 1, 12, 6, 8};
  Mix others;
  others.weights[size_t(Op::kWrite)] = 1;
  others.first = few.first + few.count;
  others.count = host_.pages() - others.first;
  IoCommand fill;
  fill.op = Op::kWrite;
  fill.pages = 2;
  for (fill.lpn = others.first; fill.lpn + fill.pages <= host_.pages(); fill.lpn += fill.pages) {
    for (; host_.room(1) == 0; host_.poll(kSliceNs)) host_.ring(1);
    traffic_.put(1, fill);
  }
  host_.ring(1);
  traffic_.finish();
  const auto draw = [&] {
    if (random_.below(2) == 0) return others.draw(random_);
    IoCommand c = few.draw(random_);
    if (c.op != Op::kRemap && c.op != Op::kMove && c.op != Op::kCopy) return c;
    const uint64_t other = others.first + random_.below(others.count - c.pages + 1), where = random_.below(4);
    if (where == 0) c.lpn = other;
    if (where > 1) c.src = other;
    return c;
  };
  uint64_t moved = 0, shared = 0, races = 0;
  const auto enough = [&] { return shared >= kFewShared && races >= kFewRaces; };
  const uint64_t patience = Patience();
  const uint64_t rounds = Rtl() ? 1 : 12;
  for (uint64_t round = 0; round < rounds || (round < patience && !enough()); ++round) {
    Run(Rtl() ? 450 : 1200, few, draw);
    moved += Counter(ORM_COUNTER_GC_MOVED_PAGES);  // a power cut takes them away
    shared += Counter(ORM_COUNTER_GC_MOVED_SHARED);
    races += Counter(ORM_COUNTER_GC_LOST_RACES);
    PowerCycle();
  }
  // A single race is a matter of luck: it takes many commands to be sure of some, and of the RTL these take minutes.
  EXPECT_GT(moved, Rtl() ? 50u : 1000u);
  if (!Rtl()) {
    EXPECT_GT(shared, 50u);
    EXPECT_GT(races, 5u);
  } else if (patience != 0) {
    EXPECT_TRUE(enough()) << "in " << patience << " rounds";
  }
  Say("pages moved by GC", moved);
  Say("of them shared", shared);
  Say("sharers changed meanwhile", races);
  Say("pages read", traffic_.pages_read());
  Say("of them with one answer only", traffic_.pages_certain());
}

#ifdef __SANITIZE_ADDRESS__  // pages of four slots are no other code here
INSTANTIATE_TEST_SUITE_P(Kinds, OnePage, ::testing::Values("model"),
#else
INSTANTIATE_TEST_SUITE_P(Kinds, OnePage, openremap::EveryKindAndWideRtl(),
#endif
                         [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace orm
