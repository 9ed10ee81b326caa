// SPDX-License-Identifier: Apache-2.0
#include "block_counters.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace openremap {
namespace {

TEST(BlockCountersTest, ReadsSectors) {
  BlockBytes bytes;
  ASSERT_TRUE(
      ParseBlockStat("     114        0     4505      118       36        0     3336       16        0\n", &bytes));
  EXPECT_EQ(bytes.read, 4505u * 512);
  EXPECT_EQ(bytes.written, 3336u * 512);
}

TEST(BlockCountersTest, RefusesWhatIsNotTheCounters) {
  BlockBytes bytes{7, 8};
  for (const char *text : {"", "1 2 3 4 5 6", "1 2 x 4 5 6 7", "none"})
    EXPECT_FALSE(ParseBlockStat(text, &bytes)) << text;
  EXPECT_EQ(bytes.read, 7u);
  EXPECT_EQ(bytes.written, 8u);
}

TEST(BlockCountersTest, AFileSystemWithoutADeviceHasNone) {
  const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const BlockCounters counters(fd);
  close(fd);
  EXPECT_FALSE(counters.found());
  BlockBytes bytes;
  EXPECT_FALSE(counters.Read(&bytes));
}

}  // namespace
}  // namespace openremap
