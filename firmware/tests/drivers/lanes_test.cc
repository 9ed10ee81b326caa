// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "drivers/lanes.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

// Slots in the first superblock, which is free. Pages have four slots, so firmware has four buffers.
class LanesTest : public FwTest {
 protected:
  void SetUp() override {
    dev.make_wide();
    dev.forget_all();
    boot_running();
  }

  static constexpr uint32_t kFrom = MockDevice::kFwDram;

  void fill(uint32_t slots) {
    for (uint32_t i = 0; i < slots; i++) std::fill_n(&dev.dram[kFrom + i * ORM_SLOT_BYTES], 8, uint8_t(0x10 + i));
  }

  // Writes this number of slots one after the other, whenever a lane is free.
  void write(uint32_t slots) {
    lanes_begin(fw_, false);
    for (uint32_t i = 0, polls = 0; i < slots && polls < 100; polls++) {
      lanes_poll(fw_);
      if (!lanes_room(fw_)) continue;
      lanes_write(fw_, i, kFrom + i * ORM_SLOT_BYTES);
      i++;
    }
  }

  bool rests() {
    for (uint32_t polls = 0; polls < 100; polls++) {
      lanes_poll(fw_);
      if (lanes_rest(fw_)) return true;
    }
    return false;
  }
};

TEST_F(LanesTest, PagesAreProgrammedWhenTheyAreFull) {
  fill(8);
  write(8);
  ASSERT_TRUE(rests());
  EXPECT_FALSE(fw_->lanes.failed);
  EXPECT_EQ(dev.programmed, (std::vector<uint32_t>{0, 4}));
  for (uint32_t i = 0; i < 8; i++) EXPECT_EQ(dev.data.at(i)[0], 0x10 + i) << i;
}

TEST_F(LanesTest, TheLastPageNeedNotBeFull) {
  fill(5);
  write(5);
  EXPECT_LE(dev.programmed.size(), 1u);
  ASSERT_TRUE(rests());
  EXPECT_EQ(dev.programmed, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(dev.data.at(4)[0], 0x14);
}

TEST_F(LanesTest, ReadsGoToTheirPlaceInDram) {
  fill(4);
  write(4);
  ASSERT_TRUE(rests());
  lanes_begin(fw_, true);
  ASSERT_TRUE(lanes_read(fw_, 2, kFrom + 8 * ORM_SLOT_BYTES));
  ASSERT_TRUE(rests());
  EXPECT_FALSE(fw_->lanes.failed);
  EXPECT_EQ(dev.dram[kFrom + 8 * ORM_SLOT_BYTES], 0x12);
}

// A dirty line could be written back over what comes from flash. What goes there was cleaned by whoever wrote it.
TEST_F(LanesTest, ReadsAreCleanedBeforeAndInvalidatedAfter) {
  dev.cache_calls.clear();
  fill(4);
  write(4);
  ASSERT_TRUE(rests());
  EXPECT_TRUE(dev.cache_calls.empty());
  lanes_begin(fw_, true);
  const uint32_t to = kFrom + 8 * ORM_SLOT_BYTES;
  ASSERT_TRUE(lanes_read(fw_, 2, to));
  ASSERT_TRUE(rests());
  const std::vector<CacheCall> calls = {{true, to, ORM_SLOT_BYTES}, {false, to, ORM_SLOT_BYTES}};
  EXPECT_EQ(dev.cache_calls, calls);
}

TEST_F(LanesTest, AFailedProgramEndsIt) {
  dev.program_fails = {0};
  fill(5);
  write(5);
  ASSERT_TRUE(rests());
  EXPECT_TRUE(fw_->lanes.failed);
  EXPECT_TRUE(fw_->lanes.worn);
  EXPECT_FALSE(lanes_room(fw_));
  EXPECT_EQ(dev.programmed, std::vector<uint32_t>{0}) << "nothing more is begun";
}

TEST_F(LanesTest, AFailedMoveIsNoWear) {
  dev.dma_status = 4;
  write(1);
  ASSERT_TRUE(rests());
  EXPECT_TRUE(fw_->lanes.failed);
  EXPECT_FALSE(fw_->lanes.worn);
  EXPECT_TRUE(dev.programmed.empty());
}

TEST_F(LanesTest, WhoGivesUpWaitsForWhatIsUnderWay) {
  dev.hold_dma = true;
  lanes_begin(fw_, false);
  ASSERT_TRUE(lanes_room(fw_));
  lanes_write(fw_, 0, kFrom);
  lanes_give_up(fw_);
  EXPECT_FALSE(lanes_rest(fw_));
  dev.release_dma();
  EXPECT_TRUE(rests());
  EXPECT_TRUE(dev.programmed.empty());
}

}  // namespace
}  // namespace orm_test
