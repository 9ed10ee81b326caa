// SPDX-License-Identifier: Apache-2.0
// Format NVM's fields, and its fields in Identify and the logs. format_nvm_test.cc tests its effect.
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kAll = UINT32_MAX;

class CmdFormatTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }
  uint16_t format(uint32_t nsid, uint32_t cdw10) {
    const Completion c = admin(command(NVME_ADMIN_OPCODE_FORMAT_NVM, nsid, cdw10));
    EXPECT_EQ((c.status & NVME_STATUS_FLAG_DO_NOT_RETRY) != 0, sct_sc(c) != 0);
    return sct_sc(c);
  }
};

TEST_F(CmdFormatTest, TheNamespaceOrAll) {
  EXPECT_EQ(format(1, 0), NVME_STATUS_SUCCESS);
  EXPECT_EQ(format(kAll, 0), NVME_STATUS_SUCCESS);
  EXPECT_EQ(format(0, 0), NVME_STATUS_INVALID_NAMESPACE);
  EXPECT_EQ(format(2, 0), NVME_STATUS_INVALID_NAMESPACE);
}

TEST_F(CmdFormatTest, SecureErase) {
  EXPECT_EQ(format(1, NVME_FORMAT_SES_USER_DATA << 9), NVME_STATUS_SUCCESS);
  for (uint32_t ses = NVME_FORMAT_SES_CRYPTOGRAPHIC; ses < 8; ses++)
    EXPECT_EQ(format(1, ses << 9), NVME_STATUS_INVALID_FIELD) << ses;
}

TEST_F(CmdFormatTest, OneFormat) {
  for (uint32_t lbaf = 1; lbaf < 16; lbaf++) EXPECT_EQ(format(1, lbaf), NVME_STATUS_FORMAT_INVALID) << lbaf;
  for (uint32_t upper = 1; upper < 4; upper++) EXPECT_EQ(format(1, upper << 12), NVME_STATUS_FORMAT_INVALID) << upper;
  EXPECT_EQ(format(1, 1u << 4), NVME_STATUS_FORMAT_INVALID) << "metadata";
  for (uint32_t pi = 1; pi < 8; pi++) EXPECT_EQ(format(1, pi << 5), NVME_STATUS_FORMAT_INVALID) << pi;
  EXPECT_EQ(format(1, 1u << 8), NVME_STATUS_SUCCESS) << "where protection information would be means nothing";
}

TEST_F(CmdFormatTest, ReservedBits) {
  for (uint32_t bit = 14; bit < 32; bit++) EXPECT_EQ(format(1, 1u << bit), NVME_STATUS_INVALID_FIELD) << bit;
}

TEST_F(CmdFormatTest, RefusedOnesChangeNothing) {
  const auto before = dev.nvram;
  format(1, 1);
  format(2, 0);
  format(1, NVME_FORMAT_SES_CRYPTOGRAPHIC << 9);
  EXPECT_EQ(dev.nvram, before);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK);
}

TEST_F(CmdFormatTest, IdentifyAndEffectsSayIt) {
  admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  nvme_identify_controller c;
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(c.oacs, NVME_OACS_FORMAT);
  EXPECT_EQ(c.fna, NVME_FNA_FORMAT_ALL | NVME_FNA_ERASE_ALL);
  admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 1, NVME_CNS_NAMESPACE));
  nvme_identify_namespace n;
  nvme_identify_namespace_unpack(&n, dev.host.data());
  EXPECT_EQ(n.fpi, NVME_FPI_SUPPORTED);
  EXPECT_EQ(n.nlbaf, 0u);
  admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, kAll, NVME_LOG_PAGE_COMMANDS_SUPPORTED | 1023u << 16));
  EXPECT_EQ(orm_get_le(dev.host.data() + 4 * NVME_ADMIN_OPCODE_FORMAT_NVM, 4),
            uint64_t{NVME_EFFECT_SUPPORTED | NVME_EFFECT_WRITES | NVME_EFFECT_ALONE});
}

}  // namespace
}  // namespace orm_test
