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
  void add(uint16_t sqid, uint16_t cid, uint16_t status, uint64_t lba) {
    nvme_error_log_entry e{};
    e.sqid = sqid;
    e.cid = cid;
    e.status = static_cast<uint16_t>(status << 1);
    e.lba = lba;
    errorlog_add(fw_, &e);
  }
  nvme_error_log_entry entry(uint32_t i) {
    uint8_t raw[NVME_ERROR_LOG_ENTRY_BYTES];
    errorlog_pack(fw_, i, raw);
    nvme_error_log_entry e{};
    nvme_error_log_entry_unpack(&e, raw);
    return e;
  }
};

TEST_F(ErrorlogTest, TheNewestComesFirst) {
  add(1, 10, NVME_STATUS_INVALID_FIELD, 77);
  add(2, 20, NVME_STATUS_LBA_OUT_OF_RANGE, 88);
  EXPECT_EQ(entry(0).error_count, 2u);
  EXPECT_EQ(entry(0).sqid, 2);
  EXPECT_EQ(entry(0).cid, 20);
  EXPECT_EQ(entry(0).status, NVME_STATUS_LBA_OUT_OF_RANGE << 1) << "bit 0 is the phase tag";
  EXPECT_EQ(entry(0).lba, 88u);
  EXPECT_EQ(entry(1).error_count, 1u);
  EXPECT_EQ(entry(2).error_count, 0u) << "there is none";
}

// The hardware ends an I/O command with an error by itself. All that the firmware can see of it is a counter.
TEST_F(ErrorlogTest, ErrorsThatTheHardwareFindsAreCountedAndHaveNoEntry) {
  enable();
  const struct {
    const char *what;
    orm_counter counter;
    uint64_t media;  // media errors of SMART
  } cases[] = {
      {"unrecovered read error", ORM_COUNTER_READ_ERRORS, 1},
      {"write fault", ORM_COUNTER_WRITE_ERRORS, 1},
      {"error of a Copy", ORM_COUNTER_COPY_REFUSED, 0},
  };
  uint64_t media = 0;
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    dev.counters[c.counter]++;
    media += c.media;
    ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    EXPECT_EQ(s.media_errors, media);
    EXPECT_EQ(s.error_entries, 0u);
    EXPECT_EQ(entry(0).error_count, 0u) << "no entry";
  }
}

TEST_F(ErrorlogTest, TheOldestIsForgotten) {
  for (uint32_t i = 0; i < FW_ERROR_ENTRIES + 3; i++) add(1, static_cast<uint16_t>(i), 1, i);
  EXPECT_EQ(entry(0).cid, FW_ERROR_ENTRIES + 2);
  EXPECT_EQ(entry(FW_ERROR_ENTRIES - 1).cid, 3);
  EXPECT_EQ(entry(0).error_count, FW_ERROR_ENTRIES + 3);
}

}  // namespace
}  // namespace orm_test
