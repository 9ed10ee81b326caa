// SPDX-License-Identifier: Apache-2.0
#include "tiger4_c.h"

#include <gtest/gtest.h>

#include <string>

#include "orm_tiger4.h"

namespace {

constexpr orm_tiger4_options kOptions{2, 4, 8, 0, 1000, 2000, 3000, 5000, 100, 10, 1};

TEST(Tiger4CTest, OpensWhatTheOptionsSay) {
  EXPECT_EQ(orm_tiger4_open(&kOptions, "nonsense=1"), nullptr);
  orm_tiger4_options wide = kOptions;
  wide.dies = 16;
  EXPECT_EQ(orm_tiger4_open(&wide, ""), nullptr);
  orm_tiger4 *t = orm_tiger4_open(&kOptions, "factory-bad=8");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(orm_tiger4_is_bad(t, 1, 3), 1) << "all of them are";
  EXPECT_EQ(orm_tiger4_frontier(t, 0, 0), 0u);
  EXPECT_EQ(orm_tiger4_page_state(t, 0, 0, 0), 0);
  orm_tiger4_close(t);
}

TEST(Tiger4CTest, CallsReachTheModel) {
  orm_tiger4 *t = orm_tiger4_open(&kOptions, "");
  ASSERT_NE(t, nullptr);
  uint32_t value = 0;
  EXPECT_EQ(orm_tiger4_read(t, ORM_TIGER4_REGISTER_READY, &value, 0), 1);
  EXPECT_EQ(value, 0xFFu);
  EXPECT_EQ(orm_tiger4_write(t, ORM_TIGER4_REGISTER_WAY, 1, 0), 1);
  EXPECT_EQ(orm_tiger4_write(t, ORM_TIGER4_REGISTER_COMPLETION, 64, 0), 1);
  EXPECT_EQ(orm_tiger4_write(t, ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_RESET, 0), 1);
  EXPECT_EQ(orm_tiger4_write(t, ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_STATUS, 5000), 1);
  orm_tiger4_burst burst{};
  EXPECT_EQ(orm_tiger4_next_burst(t, &burst, 5000), 0);
  EXPECT_EQ(orm_tiger4_next_burst(t, &burst, 6000), 0) << "the report's word is on the bus";
  EXPECT_EQ(orm_tiger4_next_burst(t, &burst, 6010), 1);
  EXPECT_EQ(burst.write, 1u);
  EXPECT_EQ(burst.address, 64u);
  EXPECT_EQ(burst.beats, 1u);
  EXPECT_EQ(burst.words[0] & 0x1FF, 0xE0u << 1 | 1);
  EXPECT_EQ(orm_tiger4_burst_done(t, burst.words, 6100), 1);
  EXPECT_EQ(orm_tiger4_count(t, ORM_TIGER4_COMMAND_STATUS), 1u);
  EXPECT_EQ(orm_tiger4_most_busy(t), 0u);
  EXPECT_EQ(orm_tiger4_sense(t, 0, 0, 0, 0), 0);
  orm_tiger4_spoil(t, 0, 0, 0, 0, ORM_TIGER4_LOST, ORM_TIGER4_GOOD);
  orm_tiger4_spoil(t, 0, 0, 0, 1, ORM_TIGER4_GOOD, ORM_TIGER4_MISCORRECTED);
  EXPECT_EQ(orm_tiger4_sense(t, 0, 0, 0, 0), -1);
  EXPECT_EQ(orm_tiger4_sense(t, 0, 0, 0, 1), -4);
  EXPECT_EQ(orm_tiger4_reset(t, 7000), 1);
  EXPECT_EQ(orm_tiger4_power_cut(t, 7000), 1);
  orm_tiger4_fail_program(t, 1);
  orm_tiger4_fail_erase(t, 0, 0);
  orm_tiger4_close(t);
}

TEST(Tiger4CTest, ABrokenRuleHasAText) {
  orm_tiger4 *t = orm_tiger4_open(&kOptions, "");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(orm_tiger4_write(t, 0x40, 0, 0), -1);
  EXPECT_NE(std::string(orm_tiger4_error(t)).find("register"), std::string::npos);
  EXPECT_EQ(orm_tiger4_burst_done(t, nullptr, 0), -1);
  orm_tiger4_close(t);
}

}  // namespace
