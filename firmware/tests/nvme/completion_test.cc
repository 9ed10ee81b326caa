// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "nvme/completion.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class CompletionTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }
  uint64_t errors() { return fw_->state.errors; }
  // A command that firmware has taken and holds.
  uint16_t held() {
    const nvme_submission_entry e = command(NVME_ADMIN_OPCODE_FORMAT_NVM);
    dev.firmware[0]++;
    return e.cid;
  }
};

TEST_F(CompletionTest, OnlyErrorsThatStaySayDoNotRetry) {
  EXPECT_EQ(completion_status(FW_OK), 0);
  EXPECT_EQ(completion_status(FW_INVALID_FIELD), NVME_STATUS_INVALID_FIELD | NVME_STATUS_FLAG_DO_NOT_RETRY);
  for (fw_result_t r : {FW_TRANSFER, FW_ABORTED, FW_NOT_READY, FW_REMAP_FULL, FW_INTERNAL, FW_FORMATTING, FW_NAND})
    EXPECT_EQ(completion_status(r), fw_result_status(r)) << fw_result_text(r);
}

TEST_F(CompletionTest, AHeldCommandIsCompletedOnce) {
  const uint16_t cid = held();
  ASSERT_TRUE(command_complete_held(fw_, cid, 1, FW_OK));
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(dev.completions[0].cid, cid);
  EXPECT_EQ(dev.completions[0].status, 0);
  EXPECT_EQ(errors(), 0u);
}

TEST_F(CompletionTest, AnErrorIsLogged) {
  const uint16_t cid = held();
  ASSERT_TRUE(command_complete_held(fw_, cid, 1, FW_NAND));
  EXPECT_EQ(errors(), 1u);
  EXPECT_EQ(dev.completions[0].status, fw_result_status(FW_NAND) | NVME_STATUS_FLAG_MORE) << "the entry says more";
}

TEST_F(CompletionTest, WaitsForTheRegister) {
  const uint16_t cid = held();
  dev.completion_room = false;
  EXPECT_FALSE(command_complete_held(fw_, cid, 1, FW_NAND));
  EXPECT_TRUE(dev.completions.empty());
  EXPECT_EQ(errors(), 0u) << "it will be logged when it is posted";
  EXPECT_LE(fw_->wait_ns, FW_COMPLETION_POLL_NS) << "and asks to be polled again";
}

}  // namespace
}  // namespace orm_test
