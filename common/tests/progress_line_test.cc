// SPDX-License-Identifier: Apache-2.0
#include "progress_line.h"

#include <gtest/gtest.h>
#include <pty.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace orm {
namespace {

using Style = ProgressLine::Style;

/// A file in memory, and a clock that the test sets.
class ProgressLineTest : public testing::Test {
 protected:
  ~ProgressLineTest() override { std::fclose(out_); }

  std::string written() {
    std::string text(size_t(std::ftell(out_)), '\0');
    std::rewind(out_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), out_), text.size());
    return text;
  }

  std::FILE *out_ = std::tmpfile();
  double now_ = 1000;
  ProgressLine::Clock clock_ = [this] { return now_; };
};

TEST_F(ProgressLineTest, APlainLineComesNowAndThen) {
  ProgressLine line(out_, Style::kPlain, clock_);
  for (uint64_t n = 0; n <= 140; ++n, now_ += 0.25) line.show("cuts", n, 160);
  line.clear();
  EXPECT_EQ(written(), "cuts: 60 of 160, 15 s\ncuts: 120 of 160, 30 s\n");
}

TEST_F(ProgressLineTest, ARunThatEndsSoonPrintsNoPlainLine) {
  ProgressLine line(out_, Style::kPlain, clock_);
  for (uint64_t n = 0; n <= 4000; ++n) line.show("cuts", n, 4000);
  line.clear();
  EXPECT_EQ(written(), "");
}

TEST_F(ProgressLineTest, ARedrawnLineReplacesItselfAndIsRemoved) {
  ProgressLine line(out_, Style::kRedrawn, clock_);
  line.show("cuts", 1, 9);
  line.show("cuts", 2, 9);  // too soon
  now_ += 0.2;
  line.show("cuts", 3, 9);
  line.clear();
  line.clear();  // nothing is left to remove
  EXPECT_EQ(written(), "\r\033[Kcuts: 1 of 9\r\033[Kcuts: 3 of 9\r\033[K");
}

TEST_F(ProgressLineTest, AProgramGetsEveryUpdate) {
  ProgressLine line(out_, Style::kEvery, clock_);
  line.show("read back", 1, 9);
  line.show("read back", 2, 9);
  line.clear();
  EXPECT_EQ(written(), "progress 1 9 read back\nprogress 2 9 read back\n");
}

/// The style in an environment that says nothing about it, apart from `name`.
Style style_with(std::FILE *out, const char *name = nullptr, const char *value = "") {
  for (const char *variable : {"CI", "OPENREMAP_PROGRESS"}) unsetenv(variable);
  setenv("TERM", "xterm", 1);
  if (name != nullptr) setenv(name, value, 1);
  return ProgressLine::style_of(out);
}

TEST_F(ProgressLineTest, OnlyATerminalIsRedrawn) {
  int leader = -1, follower = -1;
  winsize size{.ws_row = 24, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(openpty(&leader, &follower, nullptr, nullptr, &size), 0);
  std::FILE *terminal = fdopen(follower, "w");
  EXPECT_EQ(style_with(terminal), Style::kRedrawn);
  EXPECT_EQ(style_with(terminal, "TERM", "dumb"), Style::kPlain);
  EXPECT_EQ(style_with(terminal, "CI", "true"), Style::kPlain);
  EXPECT_EQ(style_with(terminal, "OPENREMAP_PROGRESS", "every"), Style::kEvery);
  EXPECT_EQ(style_with(out_), Style::kPlain);
  EXPECT_EQ(style_with(out_, "OPENREMAP_PROGRESS", "every"), Style::kEvery);

  {
    // A line that is as wide as the terminal would wrap. It ends before its file: its destructor removes it.
    ProgressLine line(terminal, Style::kRedrawn, clock_);
    line.show("a name that is too long for it", 1, 9);
    char drawn[100] = "";
    ASSERT_GT(read(leader, drawn, sizeof drawn - 1), 0);
    EXPECT_EQ(std::string(drawn), "\r\033[K" + std::string("a name that is too long").substr(0, 19));
  }
  std::fclose(terminal);
  close(leader);
}

}  // namespace
}  // namespace orm
