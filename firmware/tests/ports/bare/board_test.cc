// SPDX-License-Identifier: Apache-2.0
#include "ports/bare/board.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace {

using Raw = std::array<uint8_t, ORM_SOC_BOARD_BYTES>;

constexpr uint32_t kMailbox = 0x0FF00000;

orm_soc_board good() {
  orm_soc_board r{};
  r.mark = ORM_SOC_BOARD_MARK;
  r.version = ORM_SOC_BOARD_VERSION;
  r.log_level = PLATFORM_LOG_DEBUG;
  r.superblocks = 16;
  r.over_provision_pct = 20;
  r.placement_handles = 2;
  r.remap_segments = 100;
  r.eui64 = 0x0201020304050607ull;
  std::memcpy(r.serial, "ORM4D1F00A25C7B39E8A", sizeof r.serial);  // as long as it may be
  r.mailbox = kMailbox;
  r.timer_hz = 500000000;
  r.flags = ORM_BOARD_NVRAM_VOLATILE | ORM_BOARD_UNVERIFIED;
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
  ASSERT_EQ(board_read(&b, sealed(good()).data(), kMailbox, &p), nullptr);
  EXPECT_EQ(p.options.superblocks, 16u);
  EXPECT_EQ(p.options.over_provision_pct, 20u);
  EXPECT_EQ(p.options.placement_handles, 2u);
  EXPECT_EQ(p.options.remap_segments, 100u);
  EXPECT_STREQ(p.identity.serial, "ORM4D1F00A25C7B39E8A");
  const uint8_t eui64[] = {2, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(std::memcmp(p.identity.eui64, eui64, sizeof eui64), 0);
  EXPECT_EQ(p.log_level, PLATFORM_LOG_DEBUG);
  EXPECT_EQ(p.board, ORM_BOARD_NVRAM_VOLATILE | ORM_BOARD_UNVERIFIED);
  EXPECT_EQ(b.mailbox, kMailbox);
  EXPECT_EQ(b.timer_hz, 500000000u);
}

/// What is wrong with a record; it leaves no identity and no options.
std::string refused(const Raw &raw, uint32_t mailbox = kMailbox) {
  board b;
  platform p{};
  const char *why = board_read(&b, raw.data(), mailbox, &p);
  if (why == nullptr) return "";
  EXPECT_STREQ(p.identity.serial, "");
  EXPECT_EQ(p.identity.eui64[7], 0);
  EXPECT_EQ(p.options.superblocks, 0u);
  EXPECT_EQ(p.board, 0);
  EXPECT_EQ(p.log_level, PLATFORM_LOG_INFO);
  return why;
}

TEST(BoardTest, ARecordThatItCannotTakeIsRefusedWithTheReason) {
  EXPECT_EQ(refused(Raw{}), "there is none");
  orm_soc_board r = good();
  r.mark++;
  EXPECT_EQ(refused(sealed(r)), "there is none");
  r = good();
  r.version++;
  EXPECT_EQ(refused(sealed(r)), "it is of another version");
  Raw damaged = sealed(good());
  damaged[30] ^= 1;
  EXPECT_EQ(refused(damaged), "its CRC is wrong");
  r = good();
  r.log_level = PLATFORM_LOG_DEBUG + 1;
  EXPECT_EQ(refused(sealed(r)), "there is no such log level");
  r = good();
  r.reserved0 = 1;
  EXPECT_EQ(refused(sealed(r)), "its reserved bits are not zero");
  r = good();
  r.flags |= ORM_BOARD_FLAGS + 1;
  EXPECT_EQ(refused(sealed(r)), "its reserved bits are not zero");
  EXPECT_EQ(refused(sealed(good()), 0), "there is no mailbox at this address");
  EXPECT_EQ(refused(sealed(good()), kMailbox + 8), "there is no mailbox at this address");
  r = good();
  r.mailbox = 0;
  EXPECT_EQ(refused(sealed(r), 0), "") << "a controller on the bus";
}

TEST(BoardTest, TheLogHasTheReason) {
  std::string said;
  platform p{};
  p.ctx = &said;
  p.log = [](void *ctx, platform_log_level level, const char *line) {
    EXPECT_EQ(level, PLATFORM_LOG_ERROR);
    *static_cast<std::string *>(ctx) = line;
  };
  board_refused(&p, "its CRC is wrong");
  EXPECT_EQ(said, "SocBoard record: its CRC is wrong");
}

}  // namespace
