// SPDX-License-Identifier: Apache-2.0
// Preconditioning over the mock controller, which has no garbage collection, and the rule of the steady state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "device_fixture.h"
#include "openremap_precondition.h"

namespace openremap {
namespace {

bool Steady(const std::vector<double> &figures) { return openremap_is_steady(figures.data(), figures.size()); }

TEST(SteadyStateTest, FiveRoundsAreCompared) {
  EXPECT_FALSE(Steady({}));
  EXPECT_FALSE(Steady({2, 2, 2, 2}));
  EXPECT_TRUE(Steady({2, 2, 2, 2, 2}));
  EXPECT_TRUE(Steady({1, 9, 2, 2, 2, 2, 2})) << "the last ones";
  EXPECT_FALSE(Steady({2, 2, 2, 2, 2, 9}));
}

TEST(SteadyStateTest, TheyAreTwentyPercentApartAtMost) {
  EXPECT_TRUE(Steady({1.9, 2.1, 1.9, 2.1, 1.9}));
  EXPECT_TRUE(Steady({1.82, 2.2, 2, 2.2, 1.82}));
  EXPECT_FALSE(Steady({1.79, 2.2, 2, 2.2, 1.79}));
}

TEST(SteadyStateTest, TheyRiseAndFallByTenPercentAtMost) {
  EXPECT_TRUE(Steady({1.91, 1.955, 2, 2.045, 2.09}));
  EXPECT_TRUE(Steady({2.09, 2.045, 2, 1.955, 1.91}));
  EXPECT_FALSE(Steady({1.89, 1.945, 2, 2.055, 2.11}));
  EXPECT_FALSE(Steady({2.11, 2.055, 2, 1.945, 1.89}));
}

struct Told {
  uint32_t rounds = 0;
  uint64_t pages = 0;
};

class PreconditionTest : public DeviceTest {};

TEST_F(PreconditionTest, WritesAllOfTheNamespaceAndTellsEachRound) {
  MockController::config.pages = 300;
  Open();
  Told told;
  const auto tell = [](void *arg, uint32_t round, uint64_t done, uint64_t pages) {
    auto *t = static_cast<Told *>(arg);
    EXPECT_GE(round, t->rounds);
    EXPECT_LE(done, pages);
    t->rounds = round;
    if (done == pages) t->pages += pages;
  };
  openremap_precondition_result result;
  ASSERT_EQ(openremap_precondition(dev_, 1, tell, &told, &result), 0);
  EXPECT_TRUE(result.steady);
  EXPECT_EQ(result.rounds, OPENREMAP_STEADY_ROUNDS);
  for (uint32_t i = 0; i < result.rounds; i++) EXPECT_EQ(result.write_amplification[i], 1) << "no garbage collection";
  EXPECT_EQ(told.rounds, OPENREMAP_FILL_ROUNDS + OPENREMAP_STEADY_ROUNDS);
  EXPECT_EQ(told.pages, 300u * told.rounds);
  std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES);
  for (uint64_t lpn = 0; lpn < 300; lpn++) {
    ASSERT_EQ(openremap_read(dev_, lpn, 1, page.data()), 0);
    const bool zeroes = std::all_of(page.begin(), page.end(), [](uint8_t byte) { return byte == 0; });
    EXPECT_EQ(zeroes, lpn == 0) << lpn;
  }
}

TEST(PreconditionText, HasEveryRound) {
  openremap_precondition_result result{};
  char text[OPENREMAP_PRECONDITION_TEXT_BYTES];
  result.rounds = 2;
  result.steady = true;
  result.write_amplification[0] = 1.5;
  result.write_amplification[1] = 2.125;
  EXPECT_STREQ(openremap_precondition_text(&result, text, sizeof(text)),
               "steady after 2 rounds, write amplification 1.50 2.12");
  result.steady = false;
  result.rounds = OPENREMAP_MOST_ROUNDS;
  for (double &figure : result.write_amplification) figure = 1234.567;
  const std::string all = openremap_precondition_text(&result, text, sizeof(text));
  EXPECT_EQ(all.find("no steady state in 25 rounds, write amplification 1234.57 "), 0u) << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '.'), 25);
  EXPECT_STREQ(openremap_precondition_text(&result, text, 20), "no steady state in ") << "no more than there is room";
}

TEST_F(PreconditionTest, AFailedWriteEndsIt) {
  MockController::config.pages = 300;
  Open();
  mock()->faults.fail_after_commands = 400;
  openremap_precondition_result result;
  EXPECT_GT(openremap_precondition(dev_, 1, nullptr, nullptr, &result), 0);
  EXPECT_FALSE(result.steady);
}

TEST_F(PreconditionTest, AStrangersDriveIsNotOverwritten) {
  MockController::config.pages = 300;
  MockController::config.model = "another drive";
  Open();
  openremap_precondition_result result;
  EXPECT_EQ(openremap_precondition(dev_, 1, nullptr, nullptr, &result), -ENOTSUP);
  std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES);
  ASSERT_EQ(openremap_read(dev_, 7, 1, page.data()), 0);
  EXPECT_EQ(page[0], 0);
}

}  // namespace
}  // namespace openremap
