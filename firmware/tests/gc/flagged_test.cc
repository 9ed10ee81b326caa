// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/flagged.h"

#include "fw.h"
}

#include <memory>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class FlaggedTest : public FwTest {
 protected:
  std::unique_ptr<flagged> m = std::make_unique<flagged>();

  void SetUp() override { boot_running(); }

  // A whole look, if one is due: 64 superblocks in each poll, and the mock has fewer.
  bool poll(bool told) { return flagged_poll(fw_, m.get(), told, ORM_FW_SB_STATE_FAILED_MASK, "flagged"); }
};

TEST_F(FlaggedTest, ALookFindsWhatTheHardwareHasFlagged) {
  dev.program_failed = {3, 7};
  EXPECT_FALSE(poll(false)) << "nobody has told";
  EXPECT_TRUE(poll(true));
  EXPECT_EQ(m->count, 2u);
  EXPECT_TRUE(sb_set_has(&m->set, 3));
  EXPECT_TRUE(sb_set_has(&m->set, 7));
  EXPECT_FALSE(sb_set_has(&m->set, 4));
}

TEST_F(FlaggedTest, LooksAreSpaced) {
  dev.program_failed = {3};
  EXPECT_TRUE(poll(true));
  dev.program_failed = {3, 4};
  EXPECT_FALSE(poll(true)) << "too early";
  EXPECT_TRUE(m->told) << "but not forgotten";
  dev.now_ns += FW_FLAGGED_NS;
  EXPECT_TRUE(poll(false));
  EXPECT_EQ(m->count, 2u);
}

TEST_F(FlaggedTest, BadOnesAreLeftOut) {
  bad_add(fw_, 5);
  EXPECT_FALSE(flagged_add(fw_, m.get(), 5, "flagged"));
  EXPECT_TRUE(flagged_add(fw_, m.get(), 6, "flagged"));
  EXPECT_FALSE(flagged_add(fw_, m.get(), 6, "flagged")) << "twice";
  EXPECT_EQ(m->count, 1u);
}

TEST_F(FlaggedTest, SearchesInVainAreSpacedMoreAndMore) {
  EXPECT_FALSE(flagged_may_search(fw_, m.get())) << "there are none";
  (void)flagged_add(fw_, m.get(), 6, "flagged");
  for (uint64_t pause = FW_FLAGGED_NS, n = 0; n < FW_FLAGGED_DOUBLINGS + 2; n++) {
    ASSERT_TRUE(flagged_may_search(fw_, m.get())) << n;
    flagged_in_vain(fw_, m.get());
    dev.now_ns += pause - 1;
    ASSERT_FALSE(flagged_may_search(fw_, m.get())) << n;
    dev.now_ns += 1;
    if (n < FW_FLAGGED_DOUBLINGS) pause *= 2;
  }
}

TEST_F(FlaggedTest, OneThatIsGoneEndsThePause) {
  (void)flagged_add(fw_, m.get(), 6, "flagged");
  (void)flagged_add(fw_, m.get(), 7, "flagged");
  flagged_in_vain(fw_, m.get());
  EXPECT_FALSE(flagged_may_search(fw_, m.get()));
  flagged_gone(m.get(), 6);
  EXPECT_TRUE(flagged_may_search(fw_, m.get()));
  flagged_gone(m.get(), 6);
  EXPECT_EQ(m->count, 1u) << "it was gone already";
}

}  // namespace
}  // namespace orm_test
