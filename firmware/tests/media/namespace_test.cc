// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class NamespaceTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }
  uint32_t shown() {
    namespace_show(fw_);
    return dev.reg[ORM_FW_NVME_STATE];
  }
};

TEST_F(NamespaceTest, IsReady) { EXPECT_EQ(shown(), ORM_PUT(ORM_FW_NVME_STATE_NS_READY, 1)); }

TEST_F(NamespaceTest, IsNotReadyForAShutdown) {
  quiesce_set_shutdown(fw_, QUIESCE_DRAIN);
  EXPECT_EQ(shown(), 0u);
}

TEST_F(NamespaceTest, SaysThatItIsFormatted) {
  quiesce_set_format(fw_, FW_FORMATTING, false);
  EXPECT_EQ(shown(), ORM_PUT(ORM_FW_NVME_STATE_FORMATTING, 1));
  quiesce_set_format(fw_, FW_NOT_READY, false);
  EXPECT_EQ(shown(), 0u) << "a format that failed";
}

TEST_F(NamespaceTest, SaysThatItIsWriteProtected) {
  read_only_enter(fw_, ORM_READ_ONLY_LOST);
  EXPECT_EQ(shown(), ORM_PUT(ORM_FW_NVME_STATE_NS_READY, 1) | ORM_PUT(ORM_FW_NVME_STATE_WRITE_PROTECTED, 1));
}

}  // namespace
}  // namespace orm_test
