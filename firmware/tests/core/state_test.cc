// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/state.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class StateTest : public ::testing::Test {
 protected:
  MockDevice mock;
  device d{};
  state s{};

  void SetUp() override {
    ASSERT_EQ(device_probe(&d, mock.port()), FW_OK);
    ASSERT_EQ(state_load(&s, &d, mock.port()), FW_OK);
  }

  state reload() {
    state out;
    EXPECT_EQ(state_load(&out, &d, mock.port()), FW_OK);
    return out;
  }
};

TEST_F(StateTest, BlankNvramIsZero) {
  EXPECT_EQ(s.save, 0u);
  EXPECT_FALSE(s.clean);
  EXPECT_EQ(s.open_sb[0], FW_NO_SB);
}

TEST_F(StateTest, RoundTrip) {
  mock.counters[ORM_COUNTER_NAND_ERASE] = 0x1234'5678'9ABC;
  mock.now_ns = 77;
  s.power_cycles = 3;
  s.remap_refused_nvram = 9;
  state_was_warm(&s, uint64_t{1} << 40);
  state_was_warm(&s, 3);
  state_was_critical(&s, 5);
  s.open_sb[0] = 5;
  state_save(&s, &d, mock.port(), true);
  state r = reload();
  EXPECT_TRUE(r.clean);
  EXPECT_EQ(r.save, 1u);
  EXPECT_EQ(r.power_cycles, 3u);
  EXPECT_EQ(r.remap_refused_nvram, 9u);
  EXPECT_EQ(r.warning_ns, (uint64_t{1} << 40) + 3);
  EXPECT_EQ(r.critical_ns, 5u);
  EXPECT_EQ(r.open_sb[0], 5);
  EXPECT_EQ(r.open_sb[1], FW_NO_SB);
  EXPECT_EQ(r.base[ORM_COUNTER_NAND_ERASE], 0x1234'5678'9ABCu);
  EXPECT_EQ(r.base_ns, 77u);
}

TEST_F(StateTest, MostSegmentsInUseIsTheLargestOfAllPowerCycles) {
  d.segments = 512;
  EXPECT_EQ(state_segments_most(&s, &d, mock.port()), 0u) << "start-up has not filled the free list yet";
  state_watch_segments(mock.port());
  mock.segments_least = 500;
  EXPECT_EQ(state_segments_most(&s, &d, mock.port()), 12u);
  state_save(&s, &d, mock.port(), true);
  s = reload();
  mock.segments_least = 505;
  EXPECT_EQ(state_segments_most(&s, &d, mock.port()), 12u);
  mock.segments_least = 499;
  EXPECT_EQ(state_segments_most(&s, &d, mock.port()), 13u);
}

TEST_F(StateTest, CutDuringASaveLeavesTheOneBefore) {
  s.power_cycles = 1;
  state_save(&s, &d, mock.port(), false);
  s.power_cycles = 2;
  state_save(&s, &d, mock.port(), false);
  auto before = mock.nvram;
  s.power_cycles = 3;
  state_save(&s, &d, mock.port(), false);
  auto after = mock.nvram;
  ASSERT_EQ(reload().power_cycles, 3u);
  // Any part of the third save may have become durable, in any order.
  for (size_t unit = 0; unit < after.size(); unit += 8) {
    mock.nvram = before;
    memcpy(&mock.nvram[unit], &after[unit], 8);
    EXPECT_EQ(reload().power_cycles, 2u) << unit;
    mock.nvram = after;
    if (memcmp(&before[unit], &after[unit], 8) == 0) continue;
    memcpy(&mock.nvram[unit], &before[unit], 8);
    EXPECT_EQ(reload().power_cycles, 2u) << unit;
  }
}

TEST_F(StateTest, BackgroundWorkIsSavedNowAndThen) {
  for (int i = 0; i < 7; i++) state_worked(&s, &d, mock.port());
  EXPECT_EQ(reload().save, 0u);
  state_worked(&s, &d, mock.port());
  EXPECT_EQ(reload().save, 1u);
}

TEST_F(StateTest, Intent) {
  orm_gc_intent i;
  for (uint32_t place = 0; place < ORM_NV_INTENTS; place++) {
    EXPECT_FALSE(state_read_intent(&d, mock.port(), place, &i));
    i = {99, static_cast<uint16_t>(7 + place), 15, 3 + place, 0};
    state_write_intent(&d, mock.port(), place, &i);
  }
  for (uint32_t place = 0; place < ORM_NV_INTENTS; place++) {
    ASSERT_TRUE(state_read_intent(&d, mock.port(), place, &i));
    EXPECT_EQ(i.sb, 7 + place);
    EXPECT_EQ(i.gen, 99u);
    EXPECT_EQ(i.good_slots, 15);
    EXPECT_EQ(i.order, 3 + place);
  }
  state_clear_intent(&d, mock.port(), 1);
  EXPECT_TRUE(state_has_intent(&d, mock.port(), 0));
  EXPECT_FALSE(state_has_intent(&d, mock.port(), 1));
  EXPECT_TRUE(state_has_intent(&d, mock.port(), 2));
}

TEST_F(StateTest, EraseForgetsEverything) {
  state_save(&s, &d, mock.port(), true);
  orm_gc_intent i{99, 7, 15, 0, 0};
  for (uint32_t place = 0; place < ORM_NV_INTENTS; place++) state_write_intent(&d, mock.port(), place, &i);
  mock.counters[3] = 5;
  state_erase(&s, &d, mock.port());
  for (uint32_t place = 0; place < ORM_NV_INTENTS; place++) EXPECT_FALSE(state_read_intent(&d, mock.port(), place, &i));
  EXPECT_EQ(reload().save, 0u);
  EXPECT_EQ(mock.counters[3], 0u);
}

}  // namespace
}  // namespace orm_test
