// SPDX-License-Identifier: Apache-2.0
//
// A host that writes anything into its own shadow doorbells and event indices: it gets an error, at once, and the next
// one finds a device that works.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "client/device_process.h"
#include "client/driver.h"
#include "client/nvme_client.h"
#include "seeded_random.h"
#include "test_seed.h"

namespace orm::client {
namespace {

/// What a host may do to its own buffers after a command, with doorbells of queue pair 1.
struct Spoil {
  const char *name;
  void (*spoil)(NvmeClient *nvme);
  bool refused = true;  // as a value that the queue cannot have
};

constexpr unsigned kTail = 2, kHead = 3;  // doorbells

void store(uint32_t *place, uint32_t value) { __atomic_store_n(place, value, __ATOMIC_SEQ_CST); }
void move(uint32_t *place, uint32_t by) { store(place, (*place + by) % NvmeClient::kEntries); }

class SpoiledBuffers : public ::testing::Test {
 protected:
  static constexpr int kPatience = 10;
  static constexpr double kMostSeconds = 60;  // of a case, on a machine that does other things, too

  /// One more client finds what the first one wrote, and a device that works.
  void next_one_works() {
    Driver next(device_, Way::kShadows);
    EXPECT_EQ(next.read(4), 44);
    EXPECT_EQ(next.write(5, 55), 0);
    EXPECT_EQ(next.read(5), 55);
    EXPECT_TRUE(device_.runs()) << device_.said();
  }

  DeviceProcess device_{ORM_VFIO_DEVICE, {"--device", "model", "--superblocks", "10", "--keep", "--shadow-doorbells"}};
};

class SpoiledBuffersOf : public SpoiledBuffers, public ::testing::WithParamInterface<Spoil> {};

TEST_P(SpoiledBuffersOf, AreReportedAndHarmNobody) {
  EXPECT_EQ(Driver(device_, Way::kShadows).write(4, 44), 0);
  const auto begun = std::chrono::steady_clock::now();
  bool reported = false;
  try {
    Driver d(device_, Way::kShadows, kPatience);
    for (unsigned i = 0; i < 10; ++i) ASSERT_EQ(d.write(10 + i, uint8_t(i)), 0);
    GetParam().spoil(&d.nvme);
    // It looks within 10 ms also while it sleeps.
    for (unsigned i = 0; i < 50; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      NvmeClient::Completion c;
      EXPECT_FALSE(d.nvme.poll(1, &c));
    }
    for (unsigned i = 0; i < 10; ++i) ASSERT_EQ(d.read(10 + i), int(i));
  } catch (const Reported &error) {
    EXPECT_EQ(error.event, uint32_t(NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE));
    reported = true;
  }
  EXPECT_EQ(reported, GetParam().refused);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), kMostSeconds);
  next_one_works();
}

INSTANTIATE_TEST_SUITE_P(
    Values, SpoiledBuffersOf,
    ::testing::Values(Spoil{"TailBeyondTheQueue", [](NvmeClient *n) { store(n->shadow(kTail), NvmeClient::kEntries); }},
                      Spoil{"TailOfNoRegister", [](NvmeClient *n) { store(n->shadow(kTail), 0x10003); }},
                      Spoil{"TailOfOnes", [](NvmeClient *n) { store(n->shadow(kTail), 0xFFFFFFFF); }},
                      Spoil{"HeadBeyondTheQueue", [](NvmeClient *n) { store(n->shadow(kHead), NvmeClient::kEntries); }},
                      Spoil{"HeadBackwards", [](NvmeClient *n) { move(n->shadow(kHead), NvmeClient::kEntries - 2); }},
                      Spoil{"HeadAhead", [](NvmeClient *n) { move(n->shadow(kHead), 3); }},
                      Spoil{"OtherQueues",
                            [](NvmeClient *n) {
                              for (const unsigned other : {0u, 1u, 4u, 17u, 1023u}) store(n->shadow(other), 9);
                            },
                            false},
                      Spoil{"EventsBackwards",
                            [](NvmeClient *n) {
                              for (unsigned i = 0; i < 1024; ++i) store(n->event_index(i), *n->event_index(i) - 5);
                            },
                            false},
                      Spoil{"EventsOfOnes",
                            [](NvmeClient *n) {
                              for (unsigned i = 0; i < 1024; ++i) store(n->event_index(i), 0xFFFFFFFF);
                            },
                            false}),
    [](const auto &given) { return std::string(given.param.name); });

// A tail ahead of the commands, or behind, which is further ahead in a ring, is a value that the queue can have. The
// device fetches entries that are none: old ones again, or zeroes.
TEST_F(SpoiledBuffers, MakeCommandsThatNobodyGave) {
  EXPECT_EQ(Driver(device_, Way::kShadows).write(4, 44), 0);
  for (const uint32_t by : {1u, 3u, NvmeClient::kEntries - 2}) {
    Driver d(device_, Way::kShadows, kPatience);
    for (unsigned i = 0; i < 5; ++i) ASSERT_EQ(d.write(10 + i, 1), 0);
    move(d.nvme.shadow(kTail), by);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_THROW(
        for (unsigned i = 0; i < 100; ++i) {
          (void)d.read(10);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        std::runtime_error)
        << by;
  }
  next_one_works();
}

// Whatever is stored, each command ends: well, with a status, or with an error, after which the host begins anew.
TEST_F(SpoiledBuffers, MayHoldAnything) {
  EXPECT_EQ(Driver(device_, Way::kShadows).write(4, 44), 0);
  SeededRandom random(openremap::TestSeed());
  unsigned errors = 0, good = 0;
  {
    Driver d(device_, Way::kShadows, kPatience);
    for (unsigned round = 0; round < 300; ++round) {
      const auto index = unsigned(random.below(random.coin() ? 8 : 1024));
      uint32_t *place = random.coin() ? d.nvme.shadow(index) : d.nvme.event_index(index);
      store(place, uint32_t(random.below(4) == 0 ? random.next() : random.below(2 * NvmeClient::kEntries)));
      if (random.coin()) std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
      try {
        good += d.write(10 + random.below(20), uint8_t(round)) == 0 ? 1 : 0;
      } catch (const std::runtime_error &) {
        ++errors;
        ASSERT_TRUE(device_.runs()) << device_.said();
        d.start();
      }
    }
  }
  EXPECT_GT(errors, 0u);
  EXPECT_GT(good, 0u);
  next_one_works();
}

}  // namespace
}  // namespace orm::client
