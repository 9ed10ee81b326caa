// SPDX-License-Identifier: Apache-2.0
//
// The whole controller with all its queues, all of them full: no command is lost or completed twice, no queue is
// starved, and nothing remains of queues that are deleted while in use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "device/queue_host.h"
#include "device/traffic.h"
#include "device_kind.h"
#include "seeded_random.h"
#include "test_seed.h"

namespace orm {
namespace {

constexpr unsigned kPairs = 8;
constexpr uint32_t kEntries = 256;
constexpr uint64_t kSliceNs = 20'000;
/// Commands of one class that wait for their engine (Knobs.commandsWaiting).
constexpr uint64_t kWaiting = 64;
/// Entries that are fetched at a time (SqFetch); all of them may be from the first queue whose doorbell rings.
constexpr uint64_t kFetches = 4;

class Queues : public ::testing::TestWithParam<const char *> {
 protected:
  void SetUp() override { SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed())); }
  bool Rtl() const { return std::strstr(GetParam(), "rtl") != nullptr; }
  /// The RTL takes its time.
  uint64_t Scaled(uint64_t rtl, uint64_t model) const { return Rtl() ? rtl : model; }

  static pcie_device_options Options() {
    pcie_device_options options{};
    openremap::ChooseDevice(GetParam(), &options);
    options.superblocks = 10;
    options.seed = openremap::TestSeed();
    // The hardware's queues are tested. If deletions took the firmware's time, too few commands would be left then.
    options.firmware_cpu = "none";
    return options;
  }
  Mix Everything() {
    Mix mix;
    if (Rtl()) {  // pages with data are what costs it its time
      mix.weights = {50, 20, 8, 10, 4, 3, 2, 3};
    } else {
      mix.weights = {36, 44, 4, 6, 3, 3, 2, 2};
    }
    mix.count = host_.pages();
    mix.most_pages = uint32_t(Scaled(1, 2));
    return mix;
  }
  Mix Only(Op op) {
    Mix mix;
    mix.weights[size_t(op)] = 1;
    mix.count = host_.pages();
    mix.most_pages = 1;
    return mix;
  }
  /// Its sources and targets apart: chains of copies in flight would leave the oracle nothing to say.
  IoCommand Draw(const Mix &mix) {
    IoCommand c = mix.draw(random_);
    if (c.op != Op::kRemap && c.op != Op::kMove && c.op != Op::kCopy) return c;
    const uint64_t half = mix.count / 2;
    c.src = mix.first + random_.below(half - c.pages);
    c.lpn = mix.first + half + random_.below(half - c.pages);
    return c;
  }

  /// Fills the ring, with no more than `most` commands.
  uint64_t Fill(unsigned qid, const Mix &mix, uint64_t most = UINT64_MAX) {
    uint64_t n = 0;
    for (; n < most && host_.room(qid) != 0; ++n) traffic_.put(qid, Draw(mix));
    return n;
  }
  void FillAll(const Mix &mix) {
    for (unsigned q = 1; q <= kPairs; ++q) Fill(q, mix);
    for (unsigned q = 1; q <= kPairs; ++q) host_.ring(q);
  }
  void PollUntilAnswered(uint64_t commands) {
    const uint64_t until = traffic_.answered() + commands;
    while (traffic_.answered() < until) host_.poll(kSliceNs);
  }
  /// All rings filled and worked off.
  void Load() {
    FillAll(Everything());
    traffic_.finish();
  }

  QueueHost host_{Options()};
  Traffic traffic_{host_};
  SeededRandom random_{openremap::TestSeed()};
};

TEST_P(Queues, AllFilledToTheBrim) {
  ASSERT_GE(host_.pairs_offered(), kPairs);
  ASSERT_GE(host_.entries_offered(), kEntries);
  host_.start(std::vector<uint32_t>(kPairs, kEntries));
  const uint64_t total = Scaled(kEntries + 2, 800);
  std::vector<uint64_t> put(kPairs + 1);
  for (unsigned q = 1; q <= kPairs; ++q) put[q] = Fill(q, Everything());
  ASSERT_EQ(traffic_.in_flight(), kPairs * (kEntries - 1));
  uint64_t most_inside = 0, spread = 0;
  bool all_full = true;
  do {
    for (unsigned q = 1; q <= kPairs; ++q) host_.ring(q);
    host_.poll(kSliceNs);
    most_inside = std::max(most_inside, host_.inside());
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned q = 1; q <= kPairs; ++q) {
      least = std::min(least, host_.fetched(q));
      most = std::max(most, host_.fetched(q));
      put[q] += Fill(q, Everything(), total - put[q]);
    }
    all_full = all_full && most < kEntries / 2;
    if (all_full) spread = std::max(spread, most - least);
  } while (traffic_.in_flight() != 0);
  for (unsigned q = 1; q <= kPairs; ++q) {
    EXPECT_EQ(host_.fetched(q), total) << "queue " << q;
    EXPECT_EQ(host_.completed(q), total) << "queue " << q;
  }
  std::printf("inside at most %llu commands; between the queues at most %llu\n",
              static_cast<unsigned long long>(most_inside), static_cast<unsigned long long>(spread));
  EXPECT_GT(most_inside, kWaiting);
  EXPECT_LE(spread, kFetches) << "they are fetched from in turns";
  traffic_.read_all(1);
}

/// Seven full queues, and one queue with a single command. That command waits behind the commands inside: those that
/// wait for the same engine, those in the engine, and those being fetched. It also waits for one turn of the other
/// queues. Without turns it would wait for all of their commands.
TEST_P(Queues, OneCommandBesideSevenFullQueues) {
  constexpr uint64_t kMostBefore = kWaiting + 16 + kFetches + kPairs;
  for (const auto &[crowd, single] : {std::pair(Op::kRead, Op::kRead), std::pair(Op::kWrite, Op::kWrite),
                                      std::pair(Op::kWrite, Op::kRead), std::pair(Op::kRemap, Op::kRead)}) {
    host_.start(std::vector<uint32_t>(kPairs, kEntries));
    for (unsigned q = 1; q < kPairs; ++q) {
      Fill(q, Only(crowd));
      host_.ring(q);
    }
    PollUntilAnswered(20);
    const uint64_t before = traffic_.answered();
    Fill(kPairs, Only(single), 1);
    host_.ring(kPairs);
    while (traffic_.in_flight(kPairs) != 0) host_.poll(1000);
    const uint64_t others = traffic_.answered() - before - 1;
    std::printf("beside %s: a %s comes after %llu others\n", Traffic::name(crowd), Traffic::name(single),
                static_cast<unsigned long long>(others));
    EXPECT_LE(others, kMostBefore);
    EXPECT_GT(traffic_.in_flight(), kEntries) << "the others are not done";
    host_.disable();
    traffic_.reset();
  }
}

TEST_P(Queues, RingsOfEverySizeWrap) {
  const std::vector<uint32_t> entries = {2, 3, 4, 5, 7, 16, 33, 64};
  host_.start(entries);
  const uint64_t wraps = Scaled(3, 30);
  std::vector<uint64_t> left(kPairs + 1);
  for (unsigned q = 1; q <= kPairs; ++q) left[q] = wraps * entries[q - 1];
  for (uint64_t all = 1; all != 0;) {
    all = 0;
    for (unsigned q = 1; q <= kPairs; ++q) {
      left[q] -= Fill(q, Everything(), left[q]);
      host_.ring(q);
      all += left[q] + traffic_.in_flight(q);
    }
    host_.poll(kSliceNs);
  }
  for (unsigned q = 1; q <= kPairs; ++q) EXPECT_EQ(host_.completed(q), wraps * entries[q - 1]) << "queue " << q;
  traffic_.read_all(kPairs);
}

/// The host looks only at queues whose interrupt came.
TEST_P(Queues, CoalescedInterruptsTellOfEveryCompletion) {
  constexpr uint32_t kTogether = 8, kTime = 10;  // entries, 100 us
  const uint64_t rounds = Scaled(2, 6);
  const uint32_t entries = uint32_t(Scaled(60, kEntries));
  host_.start(std::vector<uint32_t>(kPairs, entries));
  nvme_submission_entry e;
  nvme_cmd_init(&e, NVME_ADMIN_OPCODE_SET_FEATURES, 0);
  e.cdw10 = NVME_FEATURE_INTERRUPT_COALESCING;
  e.cdw11 = kTime << 8 | (kTogether - 1);
  ASSERT_EQ(host_.admin(e).status, 0);
  host_.waits_for_interrupts = true;
  Mix mix = Only(Op::kRead);
  mix.weights[size_t(Op::kWrite)] = 1;
  mix.weights[size_t(Op::kRead)] = 20;  // most pages have nothing, so that many are read in the time
  std::vector<uint64_t> put(kPairs + 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (unsigned q = 1; q <= kPairs; ++q) {
      put[q] += Fill(q, mix, entries - 1 - random_.below(kTogether));
      host_.ring(q);
    }
    traffic_.finish();
    for (unsigned q = 1; q <= kPairs; ++q) EXPECT_EQ(host_.untold(q), 0u) << "queue " << q;
  }
  uint64_t completed = 0, interrupts = 0;
  for (unsigned q = 1; q <= kPairs; ++q) {
    EXPECT_EQ(host_.completed(q), put[q]) << "queue " << q;
    EXPECT_GE(host_.interrupts(q), host_.completed(q) / kTogether) << "queue " << q;
    completed += host_.completed(q);
    interrupts += host_.interrupts(q);
  }
  std::printf("%llu interrupts for %llu completions\n", static_cast<unsigned long long>(interrupts),
              static_cast<unsigned long long>(completed));
  EXPECT_LE(interrupts, completed / 4) << "hardly any came together";
}

TEST_P(Queues, DeletionOfAFullQueueLeavesNothingBehind) {
  const uint32_t entries = uint32_t(Scaled(32, kEntries));
  const uint64_t rounds = Scaled(2, 8);
  host_.start(std::vector<uint32_t>(kPairs, entries));
  uint64_t dropped = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    FillAll(Everything());
    PollUntilAnswered(random_.below(entries * kPairs / 4));
    const unsigned victim = unsigned(1 + random_.below(kPairs));
    host_.delete_sq(victim);
    dropped += traffic_.in_flight(victim);
    traffic_.deleted(victim);
    const uint64_t completed = host_.completed(victim);
    traffic_.finish();
    EXPECT_EQ(host_.completed(victim), completed) << "a completion after the deletion's";
    host_.delete_cq(victim);
    host_.create_pair(victim, entries);
    Load();
  }
  EXPECT_GT(dropped, entries / 4) << "they were nearly done when they went";
  traffic_.read_all(1);
}

TEST_P(Queues, ResetUnderFullQueuesLeavesNothingBehind) {
  const uint32_t entries = uint32_t(Scaled(32, kEntries));
  // More than there are places of any kind (64 at most), where time allows it.
  const uint64_t rounds = Scaled(4, 80);
  for (uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    host_.start(std::vector<uint32_t>(kPairs, entries));
    FillAll(Everything());
    PollUntilAnswered(random_.below(150));
    EXPECT_GT(traffic_.in_flight(), kWaiting);
    host_.disable();
    traffic_.reset();
  }
  host_.start(std::vector<uint32_t>(kPairs, entries));
  Load();
  traffic_.read_all(1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Queues, openremap::EveryKind(),
                         [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace orm
