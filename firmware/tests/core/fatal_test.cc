// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/fatal.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class FatalTest : public FwTest {};

TEST_F(FatalTest, StartUpSaysWhichStepRuns) {
  memory.assign(fw_size() / sizeof(std::max_align_t) + 1, {});
  fw_ = reinterpret_cast<fw *>(memory.data());
  fw_init(fw_, dev.port());
  EXPECT_STREQ(fw_describe(fw_), "check hardware");
  fatal_step(fw_, "a step");
  EXPECT_STREQ(fw_describe(fw_), "a step");
  settle();
  EXPECT_STREQ(fw_describe(fw_), "running");
}

TEST_F(FatalTest, StopIsForGood) {
  boot_enabled();
  fatal_stop(fw_, FW_NAND);
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_STREQ(fw_describe(fw_), fw_result_text(FW_NAND));
  EXPECT_EQ(dev.reg[ORM_FW_IRQ_ENABLE], 0u);
  EXPECT_EQ(csts(), ORM_PUT(ORM_FW_NVME_CSTS_CFS, 1) | ORM_PUT(ORM_FW_NVME_CSTS_DEAD, 1));
  dev.mailbox.emplace_back(0, command(NVME_ADMIN_OPCODE_IDENTIFY));
  EXPECT_EQ(fw_poll(fw_), FW_POLL_IDLE);
  EXPECT_EQ(dev.mailbox.size(), 1u) << "nothing is taken any more";
}

}  // namespace
}  // namespace orm_test
