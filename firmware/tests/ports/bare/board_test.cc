// SPDX-License-Identifier: Apache-2.0
#include "ports/bare/board.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace {

using Raw = std::array<uint8_t, ORM_SOC_BOARD_BYTES>;

orm_soc_board good() {
  orm_soc_board r{};
  r.mark = ORM_SOC_BOARD_MARK;
  r.superblocks = 16;
  r.over_provision_pct = 20;
  r.placement_handles = 2;
  r.remap_segments = 100;
  r.eui64 = 0x0201020304050607ull;
  std::memcpy(r.serial, "ORM4D1F00A25C7B39E8A", sizeof r.serial);  // as long as it may be
  r.mailbox = 0x0FF00000;
  r.timer_hz = 500000000;
  return r;
}

Raw sealed(const orm_soc_board &r) {
  Raw raw;
  orm_soc_board_seal(&r, raw.data());
  return raw;
}

TEST(BoardTest, TheRecordBecomesOptionsAndIdentity) {
  board b;
  platform p{};
  ASSERT_TRUE(board_read(&b, sealed(good()).data(), &p));
  EXPECT_EQ(p.options.superblocks, 16u);
  EXPECT_EQ(p.options.over_provision_pct, 20u);
  EXPECT_EQ(p.options.placement_handles, 2u);
  EXPECT_EQ(p.options.remap_segments, 100u);
  EXPECT_STREQ(p.identity.serial, "ORM4D1F00A25C7B39E8A");
  const uint8_t eui64[] = {2, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(std::memcmp(p.identity.eui64, eui64, sizeof eui64), 0);
  EXPECT_EQ(b.mailbox, 0x0FF00000u);
  EXPECT_EQ(b.timer_hz, 500000000u);
}

TEST(BoardTest, WithoutAGoodRecordThereIsNoIdentity) {
  Raw damaged = sealed(good());
  damaged[30] ^= 1;
  orm_soc_board another = good();
  another.mark++;
  for (const Raw &raw : {Raw{}, damaged, sealed(another)}) {
    board b;
    platform p{};
    EXPECT_FALSE(board_read(&b, raw.data(), &p));
    EXPECT_STREQ(p.identity.serial, "");
    EXPECT_EQ(p.identity.eui64[7], 0);
    EXPECT_EQ(p.options.superblocks, 0u);
    EXPECT_EQ(b.mailbox, 0u);
  }
}

}  // namespace
