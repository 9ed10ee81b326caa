// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "media/format_word.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class FormatWordTest : public FwTest {
 protected:
  void SetUp() override { boot_running(); }
  uint8_t *word() { return &dev.nvram[MockDevice::kNvCounters + ORM_NV_FORMAT_OFFSET]; }
};

TEST_F(FormatWordTest, StandsFromWriteToClear) {
  EXPECT_FALSE(format_word_stands(fw_));
  format_word_write(fw_);
  EXPECT_TRUE(format_word_stands(fw_));
  EXPECT_FALSE(format_word_is_damaged(fw_));
  format_word_clear(fw_);
  EXPECT_FALSE(format_word_stands(fw_));
  EXPECT_FALSE(format_word_is_damaged(fw_)) << "zero is no word";
}

TEST_F(FormatWordTest, AFlippedBitIsDamage) {
  for (uint32_t bit = 0; bit < 64; bit++) {
    format_word_write(fw_);
    word()[bit / 8] = static_cast<uint8_t>(word()[bit / 8] ^ 1u << bit % 8);
    EXPECT_FALSE(format_word_stands(fw_)) << bit;
    EXPECT_TRUE(format_word_is_damaged(fw_)) << bit;
  }
}

TEST_F(FormatWordTest, IsOneAtomicWrite) {
  int writes = 0;
  dev.on_nvram_write = [&] { writes++; };
  format_word_write(fw_);
  EXPECT_EQ(writes, 1);
}

}  // namespace
}  // namespace orm_test
