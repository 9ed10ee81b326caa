// SPDX-License-Identifier: Apache-2.0
// Progress of openremap-cli: a terminal's line, a log's lines, and what a program reads.
extern "C" {
#include "cli/progress.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace openremap {
namespace {

class ProgressTest : public ::testing::Test {
 protected:
  void SetUp() override { file_ = std::tmpfile(); }
  void TearDown() override {
    std::fclose(file_);
    unsetenv("OPENREMAP_PROGRESS");
  }
  std::string Said() {
    std::string text(static_cast<size_t>(std::ftell(file_)), '\0');
    std::rewind(file_);
    EXPECT_EQ(std::fread(&text[0], 1, text.size(), file_), text.size());
    return text;
  }
  void Begin(cli_progress_style style) { cli_progress_begin(&progress_, file_, style, 1000); }

  std::FILE *file_ = nullptr;
  cli_progress progress_;
};

TEST_F(ProgressTest, ATerminalHasOneLineThatIsRemoved) {
  Begin(CLI_PROGRESS_REDRAWN);
  cli_progress_show(&progress_, 1000, "fill 1", 1, 200);
  cli_progress_show(&progress_, 1099, "fill 1", 2, 200);  // too soon
  cli_progress_show(&progress_, 1100, "fill 1", 199, 200);
  cli_progress_end(&progress_);
  cli_progress_end(&progress_);
  EXPECT_EQ(Said(), "\r\033[Kfill 1: 0 % (1/200)\r\033[Kfill 1: 99 % (199/200)\r\033[K");
}

TEST_F(ProgressTest, ALogHasALineNowAndThen) {
  Begin(CLI_PROGRESS_PLAIN);
  cli_progress_show(&progress_, 1000, "fill 1", 1, 4);
  cli_progress_show(&progress_, 15999, "fill 1", 2, 4);
  cli_progress_show(&progress_, 16000, "fill 1", 3, 4);
  cli_progress_show(&progress_, 16001, "random 1", 0, 0);
  cli_progress_show(&progress_, 31000, "random 1", 0, 0);
  cli_progress_end(&progress_);
  EXPECT_EQ(Said(), "fill 1: 75 % (3/4), 15 s\nrandom 1: 100 % (0/0), 30 s\n");
}

TEST_F(ProgressTest, AProgramReadsEveryStep) {
  Begin(CLI_PROGRESS_EVERY);
  for (const uint64_t done : {0, 1, 2}) cli_progress_show(&progress_, 1000, "fill 2", done, 2);
  cli_progress_end(&progress_);
  EXPECT_EQ(Said(), "progress 0 2 fill 2\nprogress 1 2 fill 2\nprogress 2 2 fill 2\n");
}

TEST_F(ProgressTest, AFileIsNoTerminal) {
  EXPECT_EQ(cli_progress_style_of(file_, false), CLI_PROGRESS_PLAIN);
  EXPECT_EQ(cli_progress_style_of(file_, true), CLI_PROGRESS_EVERY);
  setenv("OPENREMAP_PROGRESS", "every", 1);
  EXPECT_EQ(cli_progress_style_of(file_, false), CLI_PROGRESS_EVERY);
  EXPECT_GE(cli_progress_now(), 1u);
}

}  // namespace
}  // namespace openremap
