// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "nvme/errorlog.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class ErrorlogTest : public FwTest {
 protected:
  void SetUp() override { boot_running(); }
  nvme_error_log_entry entry(uint32_t i) {
    uint8_t raw[NVME_ERROR_LOG_ENTRY_BYTES];
    errorlog_pack(fw_, i, raw);
    nvme_error_log_entry e{};
    nvme_error_log_entry_unpack(&e, raw);
    return e;
  }
};

TEST_F(ErrorlogTest, TheNewestComesFirst) {
  errorlog_add(fw_, 1, 10, NVME_STATUS_INVALID_FIELD, 1, 77);
  errorlog_add(fw_, 2, 20, NVME_STATUS_LBA_OUT_OF_RANGE, 1, 88);
  EXPECT_EQ(entry(0).error_count, 2u);
  EXPECT_EQ(entry(0).sqid, 2);
  EXPECT_EQ(entry(0).cid, 20);
  EXPECT_EQ(entry(0).status, NVME_STATUS_LBA_OUT_OF_RANGE << 1) << "bit 0 is the phase tag";
  EXPECT_EQ(entry(0).lba, 88u);
  EXPECT_EQ(entry(1).error_count, 1u);
  EXPECT_EQ(entry(2).error_count, 0u) << "there is none";
}

TEST_F(ErrorlogTest, TheOldestIsForgotten) {
  for (uint32_t i = 0; i < FW_ERROR_ENTRIES + 3; i++) errorlog_add(fw_, 1, static_cast<uint16_t>(i), 1, 1, i);
  EXPECT_EQ(entry(0).cid, FW_ERROR_ENTRIES + 2);
  EXPECT_EQ(entry(FW_ERROR_ENTRIES - 1).cid, 3);
  EXPECT_EQ(entry(0).error_count, FW_ERROR_ENTRIES + 3);
}

}  // namespace
}  // namespace orm_test
