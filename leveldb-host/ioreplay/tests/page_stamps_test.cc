// SPDX-License-Identifier: Apache-2.0
#include "page_stamps.h"

#include <gtest/gtest.h>

#include <string>

namespace openremap {
namespace {

TEST(PageStampsTest, APageIsThatOfItsStampInEveryByte) {
  std::string page(kPageBytes, 'x');
  EXPECT_FALSE(IsPageOf(kNoStamp, page.data()));
  FillPage(kNoStamp, &page[0]);
  EXPECT_EQ(page, std::string(kPageBytes, '\0'));
  EXPECT_TRUE(IsPageOf(kNoStamp, page.data()));
  for (const uint64_t stamp : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 31, uint64_t{1} << 40}) {
    FillPage(stamp, &page[0]);
    EXPECT_TRUE(IsPageOf(stamp, page.data()));
    for (const uint64_t other : {kNoStamp, stamp - 1, stamp + 1, stamp << 1}) {
      EXPECT_FALSE(IsPageOf(other, page.data())) << stamp << " as " << other;
    }
    for (size_t at = 0; at < kPageBytes; at += 37) {
      page[at] = static_cast<char>(page[at] ^ 1);
      EXPECT_FALSE(IsPageOf(stamp, page.data())) << at;
      page[at] = static_cast<char>(page[at] ^ 1);
    }
  }
}

TEST(PageStampsTest, AnyPageIsOneThatIsNotKnown) {
  char page[kPageBytes];
  for (const uint64_t stamp : {kNoStamp, uint64_t{7}}) {
    FillPage(stamp, page);
    EXPECT_TRUE(IsPageOf(kAnyStamp, page));
  }
}

}  // namespace
}  // namespace openremap
