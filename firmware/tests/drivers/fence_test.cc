// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "drivers/fence.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

TEST(FenceTest, PassesWhenTheHardwareIsDone) {
  MockDevice dev;
  fence f{};
  dev.hold_fence = true;
  uint32_t t = fence_ticket(&f, dev.port());
  EXPECT_FALSE(fence_passed(&f, dev.port(), t));
  dev.release_fence();
  EXPECT_TRUE(fence_passed(&f, dev.port(), t));
  EXPECT_TRUE(fence_passed(&f, dev.port(), t)) << "stays passed";
  EXPECT_EQ(dev.fences, 1u);
}

TEST(FenceTest, ATicketNeverRidesOnAFenceThatBeganBefore) {
  MockDevice dev;
  fence f{};
  dev.hold_fence = true;
  uint32_t first = fence_ticket(&f, dev.port());
  uint32_t second = fence_ticket(&f, dev.port());
  EXPECT_NE(first, second);
  dev.release_fence();
  EXPECT_TRUE(fence_passed(&f, dev.port(), first));
  EXPECT_FALSE(fence_passed(&f, dev.port(), second));
  EXPECT_EQ(dev.fences, 2u) << "its own";
  dev.release_fence();
  EXPECT_TRUE(fence_passed(&f, dev.port(), second));
}

}  // namespace
}  // namespace orm_test
