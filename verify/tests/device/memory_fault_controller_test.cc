// SPDX-License-Identifier: Apache-2.0
// DRAM or NVRAM answers the controller with an error: it stops with CSTS.CFS and a log, and no page ever has other data
// than it was promised.
#include <cerrno>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

class MemoryFaultTest : public ControllerTest {
 protected:
  static constexpr uint64_t kSlice = 50'000;  // ns: a stopped controller is never idle, so each cycle is simulated

  pcie_function *fn() { return openremap_pcie_function(dev_); }
  uint32_t Register(uint32_t offset) {
    uint32_t value = 0;
    EXPECT_EQ(pcie_device_firmware_register(fn(), offset, &value), 0);
    return value;
  }
  bool Fatal() {
    uint64_t csts = 0;
    EXPECT_EQ(fn()->ops->bar0_read(fn(), ORM_BAR0_CSTS, 4, &csts), 0);
    return (csts & ORM_BAR0_CSTS_CFS_MASK) != 0;
  }

  // Runs one command to its end, or until the controller is fatal; -EIO then.
  int Run(const nvme_submission_entry &c, std::vector<uint8_t> *data = nullptr, bool admin = false) {
    int status = -EINPROGRESS;
    int rc = openremap_submit_command(
        dev_, admin, &c, data == nullptr ? nullptr : data->data(), data == nullptr ? 0 : data->size(),
        [](void *arg, int s, uint32_t) { *static_cast<int *>(arg) = s; }, &status);
    while (rc >= 0 && status == -EINPROGRESS) rc = openremap_poll(dev_, kSlice);
    return rc < 0 ? rc : status;
  }
  // Whether the controller has stopped; anything else must go well. Pages that the command would have changed may then
  // be old or new.
  bool Stops(int rc, const std::map<uint64_t, uint64_t> &changes) {
    if (rc == 0) {
      for (const auto &[lpn, version] : changes) versions_[lpn] = version;
      return false;
    }
    EXPECT_EQ(rc, -EIO);
    maybe_ = changes;
    return true;
  }
  bool WriteStops(uint64_t lpn, uint64_t count) {
    std::map<uint64_t, uint64_t> changes;
    std::vector<uint8_t> data;
    for (uint64_t i = 0; i < count; i++) {
      const Page page = Contents(changes[lpn + i] = ++last_version_);
      data.insert(data.end(), page.begin(), page.end());
    }
    nvme_submission_entry c;
    nvme_cmd_write(&c, 1, lpn, uint32_t(count), true);
    return Stops(Run(c, &data), changes);
  }
  bool RemapStops(uint64_t src, uint64_t dst, uint64_t count) {
    std::map<uint64_t, uint64_t> changes;
    for (uint64_t i = 0; i < count; i++) changes[dst + i] = versions_[src + i];
    nvme_submission_entry c;
    nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP, 1);
    c.cdw10 = uint32_t(src);
    c.cdw12 = uint32_t(dst);
    c.cdw14 = uint32_t(count);
    return Stops(Run(c), changes);
  }
  // Its targets descend, so that the hardware leaves it to the firmware.
  bool VectorStops(uint64_t src, uint64_t dst, uint64_t count) {
    std::map<uint64_t, uint64_t> changes;
    std::vector<uint8_t> list(count * ORM_REMAP_RANGE_BYTES);
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t to = dst + 2 * (count - 1 - i);
      changes[to] = versions_[src + i];
      orm_remap_range range{};
      range.src = src + i;
      range.dst = to;
      range.nlb = 1;
      orm_remap_range_pack(&range, &list[i * ORM_REMAP_RANGE_BYTES]);
    }
    nvme_submission_entry c;
    nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP_VECTOR, 1);
    c.cdw10 = uint32_t(count);
    return Stops(Run(c, &list), changes);
  }
  bool DeallocateStops(uint64_t lpn, uint64_t count) {
    std::map<uint64_t, uint64_t> changes;
    for (uint64_t i = 0; i < count; i++) changes[lpn + i] = 0;
    nvme_submission_entry c;
    nvme_cmd_write_zeroes(&c, 1, lpn, uint32_t(count), true);
    return Stops(Run(c), changes);
  }
  bool ReadStops(uint64_t lpn) {
    std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES, 0xEE);
    nvme_submission_entry c;
    nvme_cmd_read(&c, 1, lpn, 1);
    if (Stops(Run(c, &page), {})) return true;
    EXPECT_EQ(page, Contents(versions_[lpn])) << "LPN " << lpn;
    return false;
  }
  bool LogPageStops() {
    std::vector<uint8_t> data(512);
    nvme_submission_entry c;
    nvme_cmd_get_log_page(&c, ORM_VENDOR_LOG_PAGES_REMAP_LOG, 0, uint32_t(data.size()));
    return Stops(Run(c, &data, true), {});
  }

  // Everything there is, again and again; superblocks fill up, and are collected.
  bool TrafficStops() {
    for (int round = 0; round < 40; round++) {
      for (uint64_t lpn = 0; lpn < 160; lpn += 16)
        if (WriteStops(lpn, 16)) return true;
      const uint64_t far = 200 + 16 * (uint64_t(round) % 24);
      if (RemapStops(16, far, 5) || VectorStops(40, far + 6, 4) || DeallocateStops(70 + uint64_t(round), 2))
        return true;
      for (uint64_t lpn = 0; lpn < pages_; lpn += 61)
        if (ReadStops(lpn)) return true;
      if (LogPageStops()) return true;
    }
    return false;
  }

  void CheckPromises() {
    for (const auto &[lpn, version] : versions_) {
      const Page got = Read(lpn);
      const auto other = maybe_.find(lpn);
      if (other != maybe_.end() && got == Contents(other->second)) continue;
      ASSERT_EQ(got, Contents(version)) << "LPN " << lpn;
    }
    // What may have changed has, all of it or nothing of each page: from here on it is known.
    for (const auto &[lpn, version] : maybe_)
      if (Read(lpn) == Contents(version)) versions_[lpn] = version;
    maybe_.clear();
  }

  void ExpectStop(const pcie_memory_fault &fault, uint32_t user, const std::string &text) {
    SCOPED_TRACE(text);
    ASSERT_EQ(pcie_device_memory_fault(fn(), &fault), 0);
    ASSERT_TRUE(TrafficStops()) << "nothing used that memory";
    EXPECT_TRUE(Fatal());
    const uint32_t error = Register(ORM_FW_MEMORY_ERROR), at = Register(ORM_FW_MEMORY_ERROR_AT);
    EXPECT_EQ(error, ORM_PUT(ORM_FW_MEMORY_ERROR_USER, user) | ORM_PUT(ORM_FW_MEMORY_ERROR_NVRAM, fault.nvram) |
                         ORM_PUT(ORM_FW_MEMORY_ERROR_WRITE, fault.write) |
                         ORM_PUT(ORM_FW_MEMORY_ERROR_RESPONSE, fault.decode_error ? 3u : 2u) |
                         ORM_FW_MEMORY_ERROR_VALID_MASK);
    EXPECT_GE(at + 4096u, fault.from);
    EXPECT_LT(at, fault.to);
    // A function reset does not hide it, and the controller does not start again.
    fn()->ops->reset(fn());
    EXPECT_TRUE(Fatal());
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    EXPECT_FALSE(Fatal());
    EXPECT_EQ(Register(ORM_FW_MEMORY_ERROR), 0u);
    uint8_t raw[ORM_CRASH_LOG_BYTES];
    ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, raw, sizeof raw), 0);
    orm_crash_log log{};
    ASSERT_TRUE(orm_crash_log_open(&log, raw));
    EXPECT_EQ(log.cause, ORM_CRASH_MEMORY);
    EXPECT_EQ(std::string(reinterpret_cast<const char *>(log.file)), text);
    EXPECT_EQ(log.line, at);
    EXPECT_EQ(log.count, ++stops_);
    ASSERT_NO_FATAL_FAILURE(CheckPromises());
  }

  std::map<uint64_t, uint64_t> maybe_;
  uint32_t stops_ = 0;
};

class NoBusesTest : public MemoryFaultTest {};

TEST_P(NoBusesTest, AModelRefusesFaults) {
  const pcie_memory_fault fault{false, false, false, 1, 0, UINT64_MAX};
  EXPECT_EQ(pcie_device_memory_fault(fn(), &fault), -ENOTSUP);
}

TEST_P(MemoryFaultTest, EachErrorStopsTheControllerAndNothingIsLostOrMixedUp) {
  const uint64_t l2p = Register(ORM_FW_DRAM_L2P), ref = Register(ORM_FW_DRAM_REF), logs = Register(ORM_FW_DRAM_LOG),
                 own = Register(ORM_FW_DRAM_FW), commit = Register(ORM_FW_NV_COMMIT),
                 journal = Register(ORM_FW_NV_JOURNAL), bitmap = Register(ORM_FW_NV_BITMAP),
                 segments = Register(ORM_FW_NV_SEGMENTS), blocks = Register(ORM_FW_NV_BLOCKS);
  constexpr uint64_t kEnd = UINT32_MAX;
  const struct {
    pcie_memory_fault fault;
    uint32_t user;
    const char *text;
  } kCases[] = {
      {{false, false, false, 9, l2p, ref}, ORM_MEMORY_USER_L2P, "DRAM read, L2P"},
      {{false, false, true, 5, ref, logs}, ORM_MEMORY_USER_REFS, "DRAM read, REF"},
      {{false, true, false, 40, l2p, ref}, ORM_MEMORY_USER_L2P, "DRAM write, L2P"},
      {{false, true, true, 30, ref, logs}, ORM_MEMORY_USER_REFS, "DRAM write, REF"},
      {{false, true, false, 20, logs, own}, ORM_MEMORY_USER_SLOT_LOG, "DRAM write, slot log"},
      {{false, false, false, 1, own, kEnd}, ORM_MEMORY_USER_REMAP_LIST, "DRAM read, remap list"},
      {{false, true, false, 1, own, kEnd}, ORM_MEMORY_USER_FIRMWARE_DMA, "DRAM write, DMA"},
      {{true, true, false, 3, journal, bitmap}, ORM_MEMORY_USER_JOURNAL, "NVRAM write, journal"},
      {{true, true, true, 2, commit, commit + 8}, ORM_MEMORY_USER_JOURNAL, "NVRAM write, journal"},
      {{true, true, false, 2, blocks, journal}, ORM_MEMORY_USER_JOURNAL, "NVRAM write, journal"},
      {{true, true, false, 4, segments, kEnd}, ORM_MEMORY_USER_REMAP_TABLE, "NVRAM write, remap table"},
      {{true, false, true, 1, segments, kEnd}, ORM_MEMORY_USER_REMAP_TABLE, "NVRAM read, remap table"},
  };
  for (const auto &c : kCases) ASSERT_NO_FATAL_FAILURE(ExpectStop(c.fault, c.user, c.text));
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Kinds, NoBusesTest, ::testing::Values("model"), KindName);
#ifdef __SANITIZE_ADDRESS__
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MemoryFaultTest);
#else
INSTANTIATE_TEST_SUITE_P(Kinds, MemoryFaultTest, ::testing::Values("rtl"), KindName);
#endif

}  // namespace
}  // namespace openremap
