// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class LogTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  static nvme_submission_entry get_log(uint8_t id, uint32_t bytes, uint64_t offset = 0) {
    uint32_t dwords = bytes / 4 - 1;
    nvme_submission_entry e =
        command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, id | (dwords & 0xFFFF) << 16, dwords >> 16);
    e.cdw12 = static_cast<uint32_t>(offset);
    e.cdw13 = static_cast<uint32_t>(offset >> 32);
    // The pages of an endurance group: the one that there is.
    if (id == NVME_LOG_PAGE_ENDURANCE_GROUP) e.cdw11 |= 1u << 16;
    return e;
  }
};

TEST_F(LogTest, RemapLogShowsCounters) {
  for (uint32_t i = 0; i < ORM_COUNTERS; i++) dev.counters[i] = 0x1'0000'0000u + i;
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_REMAP_LOG, 512)).status, 0);
  orm_remap_log l;
  orm_remap_log_unpack(&l, dev.host.data());
  EXPECT_EQ(l.version, 1u);
  EXPECT_EQ(l.superblocks_free, MockDevice::kSuperblocks);
  EXPECT_EQ(l.segments_free, MockDevice::kSegments);
  EXPECT_EQ(l.segments_total, MockDevice::kSegments);
  EXPECT_EQ(l.sharer_limit, MockDevice::kSharers);
  EXPECT_EQ(l.host_read_pages, 0x1'0000'0000u + ORM_COUNTER_HOST_READ_PAGES);
  EXPECT_EQ(l.stall_journal, 0x1'0000'0000u + ORM_COUNTER_STALL_JOURNAL);
  EXPECT_EQ(l.nand_program_meta, 0x1'0000'0000u + ORM_COUNTER_NAND_PROGRAM_META);
  EXPECT_EQ(l.chains_destaged, 0x1'0000'0000u + ORM_COUNTER_CHAINS_DESTAGED);
  EXPECT_EQ(l.entries_destaged, 0x1'0000'0000u + ORM_COUNTER_ENTRIES_DESTAGED);
  EXPECT_EQ(l.nand_read_meta, 0x1'0000'0000u + ORM_COUNTER_NAND_READ_FW);
}

TEST_F(LogTest, RemapLogShowsSharersCacheAndSegments) {
  for (uint32_t i = 0; i < ORM_COUNTERS; i++) dev.counters[i] = 0x1'0000'0000u + i;
  dev.segments_least = MockDevice::kSegments - 3;
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_REMAP_LOG, 512)).status, 0);
  orm_remap_log l;
  orm_remap_log_unpack(&l, dev.host.data());
  EXPECT_EQ(l.l2p_hits, 0x1'0000'0000u + ORM_COUNTER_L2P_HITS);
  EXPECT_EQ(l.l2p_misses, 0x1'0000'0000u + ORM_COUNTER_L2P_MISSES);
  EXPECT_EQ(l.remap_sharers_2, 0x1'0000'0000u + ORM_COUNTER_REMAP_SHARERS_2);
  EXPECT_EQ(l.remap_sharers_4, 0x1'0000'0000u + ORM_COUNTER_REMAP_SHARERS_4);
  EXPECT_EQ(l.remap_sharers_8, 0x1'0000'0000u + ORM_COUNTER_REMAP_SHARERS_8);
  EXPECT_EQ(l.remap_sharers_more, 0x1'0000'0000u + ORM_COUNTER_REMAP_SHARERS_MORE);
  EXPECT_EQ(l.nand_program_fails, 0x1'0000'0000u + ORM_COUNTER_NAND_PROGRAM_FAILS);
  EXPECT_EQ(l.host_saved_pages, 0x1'0000'0000u + ORM_COUNTER_HOST_SAVED_PAGES);
  EXPECT_EQ(l.nand_read_retries, 0x1'0000'0000u + ORM_COUNTER_NAND_READ_RETRIES);
  EXPECT_EQ(l.segments_most, 3u);
  EXPECT_EQ(l.superblock_slots, MockDevice::kSlotsPerSb);
}

TEST_F(LogTest, CountersOutliveAShutdownAndAreSummed) {
  dev.counters[ORM_COUNTER_HOST_WRITE_PAGES] = 100;
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  power_cycle();
  enable();
  dev.counters[ORM_COUNTER_HOST_WRITE_PAGES] = 11;
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_REMAP_LOG, 512)).status, 0);
  orm_remap_log l;
  orm_remap_log_unpack(&l, dev.host.data());
  EXPECT_EQ(l.host_write_pages, 111u);
}

TEST_F(LogTest, Smart) {
  dev.counters[ORM_COUNTER_HOST_WRITE_PAGES] = 250;  // 1 024 000 bytes
  dev.counters[ORM_COUNTER_HOST_READ_PAGES] = 1;
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_SMART, 512)).status, 0);
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.data_units_written, 2u);
  EXPECT_EQ(s.data_units_read, 1u) << "rounded up";
  EXPECT_EQ(s.power_cycles, 1u);
  EXPECT_EQ(s.unsafe_shutdowns, 0u);
  EXPECT_EQ(s.available_spare, 100);
  EXPECT_EQ(s.spare_threshold, 10);
  EXPECT_EQ(s.critical_warning, 0);
  EXPECT_EQ(s.temperature, dev.kelvin);
  EXPECT_EQ(s.media_errors, 0u);
  power_cycle();
  enable();
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_SMART, 512)).status, 0);
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.power_cycles, 2u);
  EXPECT_EQ(s.unsafe_shutdowns, 1u);
}

TEST_F(LogTest, SmartFollowsTheDevice) {
  dev.counters[ORM_COUNTER_HOST_READ_COMMANDS] = 70;
  dev.counters[ORM_COUNTER_HOST_WRITE_COMMANDS] = 80;
  dev.counters[ORM_COUNTER_READ_ERRORS] = 2;
  dev.counters[ORM_COUNTER_WRITE_ERRORS] = 3;
  dev.now_ns += uint64_t{3} * 3600 * 1'000'000'000;
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_SMART, 512)).status, 0);
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, dev.host.data());
  EXPECT_EQ(s.host_reads, 70u);
  EXPECT_EQ(s.host_writes, 80u);
  EXPECT_EQ(s.media_errors, 5u);
  EXPECT_EQ(s.power_on_hours, 3u);
  EXPECT_EQ(s.critical_warning, NVME_CRITICAL_WARNING_RELIABILITY);
  nvme_endurance_group_log e;
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_ENDURANCE_GROUP, 512)).status, 0);
  nvme_endurance_group_log_unpack(&e, dev.host.data());
  EXPECT_EQ(e.host_reads, 70u);
  EXPECT_EQ(e.critical_warning, NVME_CRITICAL_WARNING_RELIABILITY);
}

TEST_F(LogTest, OcpSmartHasItsGuid) {
  dev.counters[ORM_COUNTER_NAND_PROGRAM_HOST] = 3;
  dev.counters[ORM_COUNTER_NAND_PROGRAM_GC] = 2;
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, 512)).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[0], 8), 5u * 4096);
  const uint8_t guid[] = {0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4,
                          0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF};
  EXPECT_EQ(memcmp(&dev.host[496], guid, sizeof guid), 0);
}

TEST_F(LogTest, EffectsNameTheVendorCommands) {
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, 4096)).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[4 * NVME_ADMIN_OPCODE_IDENTIFY], 4), 1u);
  EXPECT_EQ(orm_get_le(&dev.host[4 * NVME_ADMIN_OPCODE_KEEP_ALIVE], 4), 0u);
  EXPECT_EQ(orm_get_le(&dev.host[1024 + 4 * ORM_VENDOR_OPCODES_REMAP_VECTOR], 4), 3u);
  EXPECT_EQ(orm_get_le(&dev.host[1024 + 4 * NVME_IO_OPCODE_READ], 4), 1u);
}

TEST_F(LogTest, OthersAnswer) {
  for (uint8_t id : {NVME_LOG_PAGE_FIRMWARE_SLOT, NVME_LOG_PAGE_CHANGED_NAMESPACES, NVME_LOG_PAGE_ENDURANCE_GROUP})
    EXPECT_EQ(admin(get_log(id, 512)).status, 0) << int{id};
}

TEST_F(LogTest, ErrorsAreRemembered) {
  nvme_submission_entry bad = command(0x77, 5, 0xABCD);
  admin(bad);
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_ERROR_INFORMATION, 64 * 16)).status, 0);
  nvme_error_log_entry e;
  nvme_error_log_entry_unpack(&e, dev.host.data());
  EXPECT_EQ(e.error_count, 1u);
  EXPECT_EQ(e.cid, bad.cid);
  EXPECT_EQ(e.sqid, 0);
  EXPECT_EQ(e.status, (NVME_STATUS_INVALID_OPCODE | NVME_STATUS_FLAG_DO_NOT_RETRY | NVME_STATUS_FLAG_MORE) << 1);
  EXPECT_EQ(e.nsid, 5u);
  nvme_error_log_entry_unpack(&e, dev.host.data() + 64);
  EXPECT_EQ(e.error_count, 0u) << "unused";
}

TEST_F(LogTest, NewestErrorFirstAndOldOnesFallOut) {
  for (int i = 0; i < 20; i++) admin(command(0x77));
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_ERROR_INFORMATION, 64 * 16)).status, 0);
  for (uint64_t i = 0; i < 16; i++) EXPECT_EQ(orm_get_le(&dev.host[64 * i], 8), 20 - i);
}

TEST_F(LogTest, OffsetsAndLengths) {
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, 512)).status, 0);
  std::vector<uint8_t> whole(dev.host.begin(), dev.host.begin() + 512);
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, 16, 496)).status, 0);
  EXPECT_EQ(memcmp(dev.host.data(), &whole[496], 16), 0);
  for (uint32_t bytes : {4u, 20u, 36u, 508u}) {
    std::fill(dev.host.begin(), dev.host.end(), 0xEE);
    ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, bytes, 4)).status, 0) << bytes;
    EXPECT_EQ(memcmp(dev.host.data(), &whole[4], bytes), 0) << bytes;
    EXPECT_EQ(dev.host[bytes], 0xEE) << bytes;
  }
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, 8, 512)).status, 0) << "at its end: nothing of it";
  std::fill(dev.host.begin(), dev.host.end(), 0xEE);
  ASSERT_EQ(admin(get_log(ORM_VENDOR_LOG_PAGES_OCP_SMART, 8192)).status, 0);
  EXPECT_EQ(memcmp(dev.host.data(), whole.data(), 512), 0);
  EXPECT_EQ(dev.host[512], 0) << "past the end of the page";
  EXPECT_EQ(dev.host[8191], 0);
  EXPECT_EQ(dev.host[8192], 0xEE);
}

TEST_F(LogTest, BadRequests) {
  EXPECT_EQ(sct_sc(admin(get_log(0x7F, 512))), NVME_STATUS_LOG_PAGE_INVALID);
  EXPECT_EQ(sct_sc(admin(get_log(NVME_LOG_PAGE_SMART, 512, 2))), NVME_STATUS_INVALID_FIELD) << "not a dword";
  EXPECT_EQ(sct_sc(admin(get_log(NVME_LOG_PAGE_SMART, 512, 1024))), NVME_STATUS_INVALID_FIELD) << "past its end";
  EXPECT_EQ(sct_sc(admin(get_log(NVME_LOG_PAGE_SMART, 512, uint64_t{1} << 40))), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(admin(get_log(NVME_LOG_PAGE_SMART, 9 * 4096))), NVME_STATUS_INVALID_FIELD) << "over the MDTS";
  nvme_submission_entry e = get_log(NVME_LOG_PAGE_SMART, 512);
  e.nsid = 7;
  EXPECT_EQ(sct_sc(admin(e)), NVME_STATUS_INVALID_NAMESPACE);
}

}  // namespace
}  // namespace orm_test
