// SPDX-License-Identifier: Apache-2.0
#include "ports/bare/console.h"

#include <gtest/gtest.h>

#include <string>

namespace {

// A UART with room for `room` characters.
struct Uart {
  size_t room = 0;
  std::string sent;
  console c;
  Uart() {
    console_init(
        &c,
        [](void *ctx, char ch) {
          Uart &u = *static_cast<Uart *>(ctx);
          if (u.room == 0) return false;
          u.room--;
          u.sent += ch;
          return true;
        },
        this);
  }
};

TEST(ConsoleTest, ALineHasItsLevelAndWaitsForRoom) {
  Uart u;
  console_line(&u.c, PLATFORM_LOG_INFO, "ready");
  EXPECT_EQ(u.sent, "") << "a full UART holds nothing up";
  u.room = 4;
  EXPECT_FALSE(console_drain(&u.c));
  EXPECT_EQ(u.sent, "<1>r");
  u.room = 100;
  EXPECT_TRUE(console_drain(&u.c));
  EXPECT_EQ(u.sent, "<1>ready\n");
  console_line(&u.c, PLATFORM_LOG_ERROR, "no");
  EXPECT_EQ(u.sent, "<1>ready\n<0>no\n") << "where there is room a line goes out at once";
}

TEST(ConsoleTest, LinesWithoutRoomAreCountedAndTold) {
  Uart u;
  const std::string line(100, 'x');
  for (int i = 0; i < 50; i++) console_line(&u.c, PLATFORM_LOG_INFO, line.c_str());
  u.room = 10 * CONSOLE_BYTES;
  EXPECT_TRUE(console_drain(&u.c));
  const size_t kept = CONSOLE_BYTES / (line.size() + 4);
  EXPECT_EQ(u.sent.size(), kept * (line.size() + 4)) << "whole lines only";
  u.sent.clear();
  console_line(&u.c, PLATFORM_LOG_INFO, "next");
  EXPECT_EQ(u.sent, "<0>" + std::to_string(50 - kept) + " lines of the log lost\n<1>next\n");
}

TEST(ConsoleTest, TheRingGoesRound) {
  Uart u;
  std::string all;
  for (int i = 0; i < 1000; i++) {
    const std::string line = "line " + std::to_string(i);
    console_line(&u.c, PLATFORM_LOG_DEBUG, line.c_str());
    all += "<2>" + line + "\n";
    u.room += 12;  // a little less or more than a line
    console_drain(&u.c);
  }
  u.room = CONSOLE_BYTES;
  console_flush(&u.c);
  EXPECT_EQ(u.sent, all);
}

}  // namespace
