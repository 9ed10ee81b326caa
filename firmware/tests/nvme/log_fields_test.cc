// SPDX-License-Identifier: Apache-2.0
// Each field of each report is what its name says: known numbers are set up, each different, and each field is looked
// at. Bytes that no field has are zero.
extern "C" {
#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint64_t kSlot = 4096, kGiga = 1'000'000'000, kHour = 3600 * kGiga;
constexpr uint32_t kWarningKelvin = 343;

// What a counter of the hardware is set to: no two are alike, and no sum of a few is another one.
constexpr uint64_t count_of(uint32_t counter) { return (uint64_t{1} << 20) + (uint64_t{counter} + 1) * 1009 * 1009; }

uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit; }

class LogFieldsTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    for (uint32_t i = 0; i < ORM_COUNTERS; i++) dev.counters[i] = count_of(i);
    // Wear: 12 superblocks with 31 erases on average, of which one was erased 90 times and one never.
    for (Superblock &s : dev.sb) s.gen = 1 + 30;
    dev.sb[3].gen = 1 + 102;
    dev.sb[7].gen = 1;
    dev.sb[1].valid = 5;
    fw_->state.read_reclaims = 17;
    fw_->state.wear_moved_pages = 18;
    dev.board() = ORM_BOARD_FLAGS;
    fw_->state.media_errors = 3;
    fw_->state.remap_commands = 40;
    fw_->state.remap_refused_sharers = 41;
    fw_->state.remap_refused_nvram = 42;
    fw_->state.remap_refused_other = 43;
    fw_->state.trim_checkpoints = 44;
    dev.now_ns = 5 * kHour + 7;
    dev.journal_used = 6;
    dev.segments_least = MockDevice::kSegments - 9;
    admin(command(0x77));  // two entries of the error log
    admin(command(0x77));
  }

  // The page; bytes behind its fields, which `named` is not 0 for, must be zero.
  std::vector<uint8_t> page(uint8_t id, const std::vector<uint8_t> &named, uint32_t group = 0) {
    const uint32_t bytes = static_cast<uint32_t>(named.size());
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, id | (bytes / 4 - 1) << 16, group << 16)).status, 0);
    for (uint32_t i = 0; i < bytes; i++) EXPECT_TRUE(named[i] != 0 || dev.host[i] == 0) << "byte " << i;
    return std::vector<uint8_t>(dev.host.begin(), dev.host.begin() + bytes);
  }
};

// The bytes that the fields of a record have.
template <class Record>
std::vector<uint8_t> named(void (*pack)(const Record *, uint8_t *), size_t bytes) {
  Record r;
  memset(&r, 0xFF, sizeof r);
  std::vector<uint8_t> out(bytes);
  pack(&r, out.data());
  return out;
}

TEST_F(LogFieldsTest, Smart) {
  dev.kelvin = 351;
  const auto raw = page(NVME_LOG_PAGE_SMART, named(nvme_smart_log_pack, NVME_SMART_LOG_BYTES));
  nvme_smart_log s;
  nvme_smart_log_unpack(&s, raw.data());
  EXPECT_EQ(s.critical_warning, NVME_CRITICAL_WARNING_TEMPERATURE | NVME_CRITICAL_WARNING_RELIABILITY);
  EXPECT_EQ(s.temperature, 351);
  EXPECT_EQ(s.available_spare, 100);
  EXPECT_EQ(s.spare_threshold, FW_SPARE_THRESHOLD);
  EXPECT_EQ(s.percentage_used, 33 * 100 / FW_RATED_ERASES);
  EXPECT_EQ(s.group_warning, NVME_CRITICAL_WARNING_RELIABILITY) << "a temperature is no group's";
  EXPECT_EQ(s.data_units_read, rounded_up(count_of(ORM_COUNTER_HOST_READ_PAGES) * kSlot, 512'000));
  EXPECT_EQ(s.data_units_written, rounded_up(count_of(ORM_COUNTER_HOST_WRITE_PAGES) * kSlot, 512'000));
  EXPECT_EQ(s.host_reads, count_of(ORM_COUNTER_HOST_READ_COMMANDS));
  EXPECT_EQ(s.host_writes, count_of(ORM_COUNTER_HOST_WRITE_COMMANDS));
  EXPECT_EQ(s.busy_minutes, 0u) << "nothing measures it";
  EXPECT_EQ(s.power_cycles, 1u);
  EXPECT_EQ(s.power_on_hours, 5u);
  EXPECT_EQ(s.unsafe_shutdowns, 0u);
  EXPECT_EQ(s.media_errors, count_of(ORM_COUNTER_READ_ERRORS) + count_of(ORM_COUNTER_WRITE_ERRORS) + 3);
  EXPECT_EQ(s.error_entries, 2u);
  EXPECT_EQ(s.warning_minutes, 0u) << "see hot_time_test.cc";
  EXPECT_EQ(s.critical_minutes, 0u);
}

TEST_F(LogFieldsTest, EnduranceGroup) {
  dev.kelvin = 351;  // a temperature is no group's: bit 1 of the warning is reserved here
  const auto raw =
      page(NVME_LOG_PAGE_ENDURANCE_GROUP, named(nvme_endurance_group_log_pack, NVME_ENDURANCE_GROUP_LOG_BYTES), 1);
  nvme_endurance_group_log e;
  nvme_endurance_group_log_unpack(&e, raw.data());
  EXPECT_EQ(e.critical_warning, NVME_CRITICAL_WARNING_RELIABILITY);
  EXPECT_EQ(e.available_spare, 100);
  EXPECT_EQ(e.spare_threshold, FW_SPARE_THRESHOLD);
  EXPECT_EQ(e.percentage_used, 1);
  const uint64_t bytes = uint64_t{MockDevice::kSuperblocks} * MockDevice::kSlotsPerSb * kSlot * FW_RATED_ERASES;
  EXPECT_EQ(e.endurance_estimate, rounded_up(bytes, kGiga));
  EXPECT_EQ(e.data_units_read, rounded_up(count_of(ORM_COUNTER_HOST_READ_PAGES) * kSlot, kGiga));
  EXPECT_EQ(e.data_units_written, rounded_up(count_of(ORM_COUNTER_HOST_WRITE_PAGES) * kSlot, kGiga));
  uint64_t programs = 0;
  for (uint32_t c : {ORM_COUNTER_NAND_PROGRAM_HOST, ORM_COUNTER_NAND_PROGRAM_GC, ORM_COUNTER_NAND_PROGRAM_PAD,
                     ORM_COUNTER_NAND_PROGRAM_META})
    programs += count_of(c);
  EXPECT_EQ(e.media_units_written, rounded_up(programs * kSlot, kGiga));
  EXPECT_EQ(e.host_reads, count_of(ORM_COUNTER_HOST_READ_COMMANDS));
  EXPECT_EQ(e.host_writes, count_of(ORM_COUNTER_HOST_WRITE_COMMANDS));
  EXPECT_EQ(e.media_errors, count_of(ORM_COUNTER_READ_ERRORS) + count_of(ORM_COUNTER_WRITE_ERRORS) + 3);
  EXPECT_EQ(e.error_entries, 2u);
}

TEST_F(LogFieldsTest, Ocp) {
  const auto raw = page(ORM_VENDOR_LOG_PAGES_OCP_SMART, named(nvme_ocp_smart_log_pack, NVME_OCP_SMART_LOG_BYTES));
  nvme_ocp_smart_log o;
  nvme_ocp_smart_log_unpack(&o, raw.data());
  uint64_t programs = 0, reads = 0;
  for (uint32_t c : {ORM_COUNTER_NAND_PROGRAM_HOST, ORM_COUNTER_NAND_PROGRAM_GC, ORM_COUNTER_NAND_PROGRAM_PAD,
                     ORM_COUNTER_NAND_PROGRAM_META})
    programs += count_of(c);
  for (uint32_t c : {ORM_COUNTER_NAND_READ_HOST, ORM_COUNTER_NAND_READ_GC, ORM_COUNTER_NAND_READ_FW})
    reads += count_of(c);
  EXPECT_EQ(o.media_written, programs * kSlot);
  EXPECT_EQ(o.media_read, reads * kSlot);
  EXPECT_EQ(o.bad_user_blocks, 0u);
  EXPECT_EQ(o.bad_user_normalized, 100);
  EXPECT_EQ(o.bad_system_blocks, 0u);
  EXPECT_EQ(o.bad_system_normalized, 100);
  EXPECT_EQ(o.xor_recovery, 0u);
  EXPECT_EQ(o.uncorrectable_reads, count_of(ORM_COUNTER_READ_ERRORS)) << "that the host was told of";
  EXPECT_EQ(o.soft_ecc_errors, 0u);
  EXPECT_EQ(o.e2e_detected, 0u);
  EXPECT_EQ(o.e2e_corrected, 0u);
  EXPECT_EQ(o.system_data_used, 0);
  EXPECT_EQ(o.refresh_count, 17u * MockDevice::kDies) << "blocks, not superblocks";
  EXPECT_EQ(o.max_erase_count, 102u);
  EXPECT_EQ(o.min_erase_count, 0u);
  EXPECT_EQ(o.avg_erase_count, (10u * 30 + 102) / 12);
  EXPECT_EQ(o.incomplete_shutdowns, 0u);
  EXPECT_EQ(o.percent_free_blocks, 100);
  EXPECT_EQ(o.capacitor_health, 0xFFFF);
  EXPECT_EQ(o.nvme_errata, 0);
  EXPECT_EQ(o.unaligned_io, 0u);
  EXPECT_EQ(o.security_version, 0u);
  EXPECT_EQ(o.total_nuse, 5u);
  EXPECT_EQ(o.plp_start_count, 0u);
  EXPECT_EQ(o.endurance_estimate,
            uint64_t{MockDevice::kSuperblocks} * MockDevice::kSlotsPerSb * kSlot * FW_RATED_ERASES);
  EXPECT_EQ(o.version, 3);
}

TEST_F(LogFieldsTest, FirmwareSlot) {
  const auto raw = page(NVME_LOG_PAGE_FIRMWARE_SLOT, named(nvme_firmware_slot_log_pack, NVME_FIRMWARE_SLOT_LOG_BYTES));
  nvme_firmware_slot_log f;
  nvme_firmware_slot_log_unpack(&f, raw.data());
  EXPECT_EQ(f.afi, 1) << "slot 1 is active, none is next";
  ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER)).status, 0);
  std::string revision(reinterpret_cast<char *>(&dev.host[64]), 8);
  revision.erase(revision.find_last_not_of(' ') + 1);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(&raw[8]), revision.size()), revision);
}

TEST_F(LogFieldsTest, NothingHasChangedAndNoEventIsRecorded) {
  page(NVME_LOG_PAGE_CHANGED_NAMESPACES, std::vector<uint8_t>(4096));
  page(NVME_LOG_PAGE_PLACEMENT_EVENTS, std::vector<uint8_t>(4096), 1);
  page(ORM_VENDOR_LOG_PAGES_CRASH_LOG, std::vector<uint8_t>(ORM_CRASH_LOG_BYTES));
}

TEST_F(LogFieldsTest, Remap) {
  const auto raw = page(ORM_VENDOR_LOG_PAGES_REMAP_LOG, std::vector<uint8_t>(ORM_REMAP_LOG_BYTES, 0xFF));
  orm_remap_log l;
  orm_remap_log_unpack(&l, raw.data());
  const struct {
    uint64_t field;
    uint32_t counter;
  } counters[] = {
      {l.host_read_pages, ORM_COUNTER_HOST_READ_PAGES},
      {l.host_write_pages, ORM_COUNTER_HOST_WRITE_PAGES},
      {l.host_trim_pages, ORM_COUNTER_HOST_TRIM_PAGES},
      {l.remap_pages, ORM_COUNTER_REMAP_PAGES},
      {l.remap_commands - 40, ORM_COUNTER_REMAPS_BY_HARDWARE},
      {l.remap_refused_other - 43, ORM_COUNTER_COPY_REFUSED},
      {l.nand_program_host, ORM_COUNTER_NAND_PROGRAM_HOST},
      {l.nand_program_gc, ORM_COUNTER_NAND_PROGRAM_GC},
      {l.nand_program_meta, ORM_COUNTER_NAND_PROGRAM_META},
      {l.nand_program_pad, ORM_COUNTER_NAND_PROGRAM_PAD},
      {l.nand_program_fails, ORM_COUNTER_NAND_PROGRAM_FAILS},
      {l.nand_read_host, ORM_COUNTER_NAND_READ_HOST},
      {l.nand_read_gc, ORM_COUNTER_NAND_READ_GC},
      {l.nand_read_meta, ORM_COUNTER_NAND_READ_FW},
      {l.nand_read_retries, ORM_COUNTER_NAND_READ_RETRIES},
      {l.nand_erase, ORM_COUNTER_NAND_ERASE},
      {l.gc_victims, ORM_COUNTER_GC_VICTIMS},
      {l.gc_moved_pages, ORM_COUNTER_GC_MOVED_PAGES},
      {l.gc_moved_shared, ORM_COUNTER_GC_MOVED_SHARED},
      {l.gc_lost_races, ORM_COUNTER_GC_LOST_RACES},
      {l.remap_entries, ORM_COUNTER_REMAP_ENTRIES},
      {l.segments_freed, ORM_COUNTER_SEGMENTS_FREED},
      {l.bad_entries, ORM_COUNTER_BAD_ENTRIES},
      {l.stall_write_buffer, ORM_COUNTER_STALL_WRITE_BUFFER},
      {l.stall_alloc, ORM_COUNTER_STALL_ALLOC},
      {l.stall_map_lock, ORM_COUNTER_STALL_MAP_LOCK},
      {l.stall_share_lock, ORM_COUNTER_STALL_SHARE_LOCK},
      {l.stall_fence, ORM_COUNTER_STALL_FENCE},
      {l.stall_journal, ORM_COUNTER_STALL_JOURNAL},
      {l.map_lookups, ORM_COUNTER_MAP_LOOKUPS},
      {l.map_updates, ORM_COUNTER_MAP_UPDATES},
      {l.chain_compactions, ORM_COUNTER_CHAIN_COMPACTIONS},
      {l.stale_dropped, ORM_COUNTER_STALE_DROPPED},
      {l.chains_destaged, ORM_COUNTER_CHAINS_DESTAGED},
      {l.entries_destaged, ORM_COUNTER_ENTRIES_DESTAGED},
      {l.l2p_hits, ORM_COUNTER_L2P_HITS},
      {l.l2p_misses, ORM_COUNTER_L2P_MISSES},
      {l.remap_sharers_2, ORM_COUNTER_REMAP_SHARERS_2},
      {l.remap_sharers_4, ORM_COUNTER_REMAP_SHARERS_4},
      {l.remap_sharers_8, ORM_COUNTER_REMAP_SHARERS_8},
      {l.remap_sharers_more, ORM_COUNTER_REMAP_SHARERS_MORE},
      {l.host_saved_pages, ORM_COUNTER_HOST_SAVED_PAGES},
  };
  for (const auto &c : counters) EXPECT_EQ(c.field, count_of(c.counter)) << "counter " << c.counter;
  EXPECT_EQ(l.version, 1u);
  EXPECT_EQ(l.superblocks_free, MockDevice::kSuperblocks);
  EXPECT_EQ(l.segments_free, MockDevice::kSegments);
  EXPECT_EQ(l.segments_total, MockDevice::kSegments);
  EXPECT_EQ(l.segments_most, 9u);
  EXPECT_EQ(l.superblock_slots, MockDevice::kSlotsPerSb);
  EXPECT_EQ(l.sharer_limit, MockDevice::kSharers);
  EXPECT_EQ(l.remap_refused_nvram, 42u);
  EXPECT_EQ(l.trim_checkpoints, 44u);
  EXPECT_EQ(l.device_ns, dev.now_ns);
  EXPECT_EQ(l.read_reclaims, 17u);
  EXPECT_EQ(l.wear_moved_pages, 18u);
  EXPECT_EQ(l.board, ORM_BOARD_FLAGS);
  EXPECT_EQ(l.crashes, 0u);
  EXPECT_EQ(l.read_only, 0u);
  EXPECT_EQ(l.damaged_entries + l.damaged_segments + l.damaged_journal + l.damaged_words, 0u);
  EXPECT_EQ(std::count(raw.begin() + 460, raw.end(), 0), 52) << "reserved";
}

}  // namespace
}  // namespace orm_test
