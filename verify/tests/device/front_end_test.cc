// SPDX-License-Identifier: Apache-2.0
//
// The NVMe front end of the Verilated controller with its firmware, through libopenremap: deleted queues, resets, log
// pages.
#include <random>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_regs.h"

namespace openremap {
namespace {

class FrontEndTest : public ControllerTest {
 protected:
  struct Source {
    uint64_t slba;
    uint32_t pages;
  };
  // A Copy and its list, in either descriptor format.
  static nvme_submission_entry Copy(uint64_t dst, const std::vector<Source> &sources, uint32_t format,
                                    std::vector<uint8_t> *list) {
    const size_t bytes = format == 0 ? NVME_COPY_RANGE_BYTES : NVME_COPY_RANGE1_BYTES;
    list->assign(sources.size() * bytes, 0);
    for (size_t i = 0; i < sources.size(); i++) {
      const auto nlb = static_cast<uint16_t>(sources[i].pages - 1);
      const nvme_copy_range range{sources[i].slba, nlb, 0, 0, 0};
      const nvme_copy_range1 range1{sources[i].slba, nlb, {}, 0, 0};
      if (format == 0)
        nvme_copy_range_pack(&range, &list->at(i * bytes));
      else
        nvme_copy_range1_pack(&range1, &list->at(i * bytes));
    }
    nvme_submission_entry c;
    nvme_cmd_copy(&c, 1, dst, static_cast<uint32_t>(sources.size()));
    c.cdw12 |= format << 8;
    return c;
  }
  // Runs one; `result` is dword 0.
  int RunCopy(uint64_t dst, const std::vector<Source> &sources, uint32_t format, uint32_t *result,
              uint32_t more_cdw12 = 0) {
    std::vector<uint8_t> list;
    nvme_submission_entry c = Copy(dst, sources, format, &list);
    c.cdw12 |= more_cdw12;
    *result = 0xEEEEEEEE;
    return openremap_io(dev_, &c, list.data(), list.size(), result);
  }
};

// A raw command and its outcome.
struct Raw {
  bool done = false;
  int status = 0;
  uint32_t result = 0;  // dword 0
  static void Done(void *arg, int status, uint32_t result) { *static_cast<Raw *>(arg) = {true, status, result}; }
};

TEST_P(FrontEndTest, DeletedQueueLeavesNothingBehind) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  constexpr size_t kCommands = 32;
  for (const uint64_t head_start_ns : {0u, 2000u, 20000u, 60000u}) {
    SCOPED_TRACE(head_start_ns);
    auto *memory = static_cast<uint8_t *>(openremap_dma_alloc(dev_, kCommands * OPENREMAP_PAGE_BYTES));
    ASSERT_NE(memory, nullptr);
    std::vector<Raw> raw(kCommands);
    for (size_t i = 0; i < kCommands; i++) {
      void *data = memory + i * OPENREMAP_PAGE_BYTES;
      if (i % 4 == 1) {
        std::vector<uint8_t> list;
        const nvme_submission_entry c = Copy(300 + i, {{i % 8, 1}}, 0, &list);
        std::copy(list.begin(), list.end(), static_cast<uint8_t *>(data));
        ASSERT_EQ(openremap_submit_command(dev_, false, &c, data, list.size(), Raw::Done, &raw[i]), 0);
      } else if (i % 4 == 3) {
        nvme_submission_entry c;
        nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP, 1);
        c.cdw10 = static_cast<uint32_t>(i % 8);
        c.cdw12 = static_cast<uint32_t>(200 + i);
        c.cdw14 = 1;
        ASSERT_EQ(openremap_submit_command(dev_, false, &c, nullptr, 0, Raw::Done, &raw[i]), 0);
      } else {
        ASSERT_EQ(openremap_submit_read(dev_, i % 8, 1, data, Raw::Done, &raw[i]), 0);
      }
    }
    const uint64_t start = openremap_now_ns(dev_) + head_start_ns;
    do {
      ASSERT_GE(openremap_poll(dev_, 100), 0);
    } while (openremap_now_ns(dev_) < start);
    nvme_submission_entry c;
    Raw gone;
    nvme_cmd_init(&c, NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0);
    c.cdw10 = 1;
    ASSERT_EQ(openremap_submit_command(dev_, true, &c, nullptr, 0, Raw::Done, &gone), 0);
    for (int i = 0; i < 100000 && !gone.done; i++) ASSERT_GE(openremap_poll(dev_, 10000), 0);
    ASSERT_TRUE(gone.done);
    EXPECT_EQ(gone.status, 0);
    ASSERT_GE(openremap_poll(dev_, 0), 0);
    size_t before = 0;
    for (const Raw &r : raw) {
      before += r.done;
      if (r.done && r.status != 0) {
        EXPECT_EQ(r.status, NVME_STATUS_ABORT_SQ_DELETION);
      }
    }
    // The memory is the host's again: nobody writes to it, and nothing is completed any more.
    std::fill_n(memory, kCommands * OPENREMAP_PAGE_BYTES, uint8_t{0xEE});
    const uint64_t until = openremap_now_ns(dev_) + 2000000;
    pcie_function *fn = openremap_pcie_function(dev_);
    int64_t ran = 1;
    while (openremap_now_ns(dev_) < until && ran > 0) ran = fn->ops->run(fn, until - openremap_now_ns(dev_));
    ASSERT_GE(ran, 0);
    ASSERT_GE(openremap_poll(dev_, 0), 0);
    size_t after = 0;
    for (const Raw &r : raw) after += r.done;
    EXPECT_EQ(after, before);
    for (size_t i = 0; i < kCommands * OPENREMAP_PAGE_BYTES; i++) ASSERT_EQ(memory[i], 0xEE) << "late data at " << i;
    nvme_cmd_init(&c, NVME_ADMIN_OPCODE_DELETE_IO_CQ, 0);
    c.cdw10 = 1;
    EXPECT_EQ(openremap_admin(dev_, &c, nullptr, 0, nullptr), 0);
    ASSERT_EQ(openremap_reset(dev_), 0);
    openremap_dma_free(dev_, memory);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
}

// The host enables the controller with settings that it does not have, takes that back, and enables it rightly, at any
// time of the firmware's answer to the first. It must never see CSTS.CFS of what it took back.
TEST_P(FrontEndTest, AnEnablingThatIsTakenBackLeavesNothing) {
  constexpr uint32_t kGood = ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);
  constexpr uint32_t kBad = kGood | ORM_PUT(ORM_BAR0_CC_CSS, 7);
  constexpr uint64_t kTimes = 40;
  pcie_function *fn = openremap_pcie_function(dev_);
  const auto csts = [fn] {
    uint64_t value = 0;
    EXPECT_EQ(fn->ops->bar0_read(fn, ORM_BAR0_CSTS, 4, &value), 0);
    return static_cast<uint32_t>(value);
  };
  const auto become = [&](uint32_t cc) {
    const uint32_t ready = ORM_GET(cc, ORM_BAR0_CC_EN);
    ASSERT_EQ(fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, cc), 0);
    for (int i = 0; ORM_GET(csts(), ORM_BAR0_CSTS_RDY) != ready; i++) {
      ASSERT_LT(i, 10'000) << "CSTS.RDY stays " << !ready;
      ASSERT_GE(fn->ops->run(fn, 1000), 0);
    }
  };
  ASSERT_NO_FATAL_FAILURE(become(0));
  const uint64_t begin = openremap_now_ns(dev_);
  ASSERT_NO_FATAL_FAILURE(become(kBad));
  const uint64_t until_answered_ns = openremap_now_ns(dev_) - begin;
  bool early = false, late = false;
  for (uint64_t i = 0; i <= kTimes; i++) {
    const uint64_t ns = until_answered_ns * i / (kTimes * 3 / 4);
    SCOPED_TRACE(ns);
    ASSERT_NO_FATAL_FAILURE(become(0));
    ASSERT_EQ(fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, kBad), 0);
    if (ns > 0) {
      ASSERT_GE(fn->ops->run(fn, ns), 0);
    }
    const bool answered = ORM_GET(csts(), ORM_BAR0_CSTS_RDY) != 0;
    (answered ? late : early) = true;
    ASSERT_EQ(fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, 0), 0);
    if (answered) {
      ASSERT_NO_FATAL_FAILURE(become(0));
    }
    ASSERT_NO_FATAL_FAILURE(become(kGood));
    EXPECT_EQ(ORM_GET(csts(), ORM_BAR0_CSTS_CFS), 0u);
  }
  // Firmware that takes no time has answered when CSTS is first read.
  EXPECT_TRUE(late && (early || until_answered_ns < 2000)) << "the times do not surround the answer";
  ASSERT_EQ(openremap_reset(dev_), 0);
  Write(0, 8);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(FrontEndTest, ResetUnderLoadLeaksNothing) {
  Write(0, 64);
  ASSERT_EQ(openremap_flush(dev_), 0);
  std::mt19937_64 random(openremap::TestSeed());
  // More rounds than there are buffers of either kind, mailbox places or held requests.
  for (int round = 0; round < 30; round++) {
    SCOPED_TRACE(round);
    std::vector<Raw> raw(40);
    std::vector<Page> data(raw.size(), Page(OPENREMAP_PAGE_BYTES));
    std::vector<std::vector<uint8_t>> lists(raw.size());
    for (size_t i = 0; i < raw.size(); i++) {
      nvme_submission_entry c;
      nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP, 1);
      c.cdw10 = static_cast<uint32_t>(i);
      c.cdw12 = static_cast<uint32_t>(300 + i);
      c.cdw14 = 1;
      int rc = 0;
      switch (random() % 6) {
        case 0:
          rc = openremap_submit_command(dev_, false, &c, nullptr, 0, Raw::Done, &raw[i]);
          break;
        case 5:
          c = Copy(300 + i, {{i, 1}}, i % 2, &lists[i]);
          rc = openremap_submit_command(dev_, false, &c, lists[i].data(), lists[i].size(), Raw::Done, &raw[i]);
          break;
        case 1:  // what it writes is there already
          data[i] = Contents(versions_[i]);
          rc = openremap_submit_write(dev_, i, 1, data[i].data(), false, Raw::Done, &raw[i]);
          break;
        default:
          rc = openremap_submit_read(dev_, i, 1, data[i].data(), Raw::Done, &raw[i]);
      }
      ASSERT_EQ(rc, 0);
    }
    std::vector<Raw> events(3);
    for (Raw &event : events) {
      nvme_submission_entry c;
      nvme_cmd_init(&c, NVME_ADMIN_OPCODE_ASYNC_EVENT, 0);
      ASSERT_EQ(openremap_submit_command(dev_, true, &c, nullptr, 0, Raw::Done, &event), 0);
    }
    const uint64_t until = openremap_now_ns(dev_) + random() % 100000;
    do {
      ASSERT_GE(openremap_poll(dev_, 1000), 0);
    } while (openremap_now_ns(dev_) < until);
    ASSERT_EQ(openremap_reset(dev_), 0);
    for (const Raw &r : raw) EXPECT_TRUE(r.done);
    for (const Raw &event : events) EXPECT_TRUE(event.done);
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Write(100, 64);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// A command in an engine runs to its end, and the completion of the Abort says so.
TEST_P(FrontEndTest, AbortLeavesWhatIsUnderWay) {
  Close();
  HardwareAlone(&options_.device);  // with a CPU an Abort takes longer than a read
  ASSERT_NO_FATAL_FAILURE(Open());
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  Page data(OPENREMAP_PAGE_BYTES, 0xEE);
  Raw read;
  ASSERT_EQ(openremap_submit_read(dev_, 5, 1, data.data(), Raw::Done, &read), 0);
  nvme_submission_entry c;
  nvme_cmd_init(&c, NVME_ADMIN_OPCODE_ABORT, 0);
  c.cdw10 = 1;  // queue 1; the only command of the driver's has identifier 0
  Raw abort;
  ASSERT_EQ(openremap_submit_command(dev_, true, &c, nullptr, 0, Raw::Done, &abort), 0);
  for (int i = 0; i < 100000 && !abort.done; i++) ASSERT_GE(openremap_poll(dev_, 100), 0);
  ASSERT_TRUE(abort.done);
  EXPECT_EQ(abort.status, 0);
  EXPECT_EQ(abort.result, 1u) << "not aborted";
  EXPECT_FALSE(read.done) << "flash takes longer than an Abort";
  for (int i = 0; i < 100000 && !read.done; i++) ASSERT_GE(openremap_poll(dev_, 10000), 0);
  ASSERT_TRUE(read.done);
  EXPECT_EQ(read.status, 0);
  EXPECT_EQ(data, Contents(versions_[5]));
}

// Its list is longer than a page, and not a multiple of the unit of the firmware's DMA.
TEST_P(FrontEndTest, CopyWithDescriptorsOfFormat1) {
  constexpr uint64_t kTarget = 200;
  constexpr size_t kRanges = 127;
  Write(0, 16);
  ASSERT_EQ(openremap_flush(dev_), 0);
  std::vector<uint8_t> list(kRanges * NVME_COPY_RANGE1_BYTES);
  for (size_t i = 0; i < kRanges; i++) {
    nvme_copy_range1 range{};
    range.slba = 7 * i % 16;
    nvme_copy_range1_pack(&range, &list[i * NVME_COPY_RANGE1_BYTES]);
  }
  nvme_submission_entry c;
  nvme_cmd_copy(&c, 1, kTarget, kRanges);
  c.cdw12 |= 1u << 8;
  const uint64_t programmed = Stats().nand_program_host;
  ASSERT_EQ(openremap_io(dev_, &c, list.data(), list.size(), nullptr), 0);
  for (size_t i = 0; i < kRanges; i++) versions_[kTarget + i] = versions_[7 * i % 16];
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  EXPECT_EQ(Stats().nand_program_host, programmed) << "a copy is a remap";
}

// Statuses and dword 0 follow the specification. A refused command changes nothing and is counted.
TEST_P(FrontEndTest, CopyIsCheckedAsAWhole) {
  constexpr uint32_t kRefused = 0;  // all or nothing: the first range was not copied
  Write(0, 16);
  Write(200, 8);
  nvme_identify_namespace ns;
  ASSERT_EQ(openremap_identify_namespace(dev_, &ns), 0);
  const uint32_t most = ns.mcl, ranges = ns.msrc + 1u;
  EXPECT_EQ(ns.mssrl, most);
  const orm_remap_log before = Stats();
  uint32_t result = 0;
  for (const uint32_t format : {0u, 1u}) {
    SCOPED_TRACE(format);
    EXPECT_EQ(RunCopy(200, {{0, 1}, {pages_, 1}}, format, &result), NVME_STATUS_LBA_OUT_OF_RANGE);
    EXPECT_EQ(result, kRefused);
    EXPECT_EQ(RunCopy(pages_ - 1, {{0, 2}}, format, &result), NVME_STATUS_LBA_OUT_OF_RANGE);
    EXPECT_EQ(RunCopy(1ull << 40, {{0, 1}}, format, &result), NVME_STATUS_LBA_OUT_OF_RANGE);
    EXPECT_EQ(RunCopy(200, {{0, 1}, {1ull << 40, 1}}, format, &result), NVME_STATUS_LBA_OUT_OF_RANGE);
    EXPECT_EQ(RunCopy(200, {{0, most}, {0, 1}}, format, &result), NVME_STATUS_COPY_SIZE_LIMIT);
    EXPECT_EQ(RunCopy(200, std::vector<Source>(ranges + 1, {0, 1}), format, &result), NVME_STATUS_COPY_SIZE_LIMIT);
    EXPECT_EQ(RunCopy(200, {{0, 3}, {4, 1}, {203, 1}}, format, &result), NVME_STATUS_INVALID_FIELD) << "overlap";
    EXPECT_EQ(result, kRefused);
    EXPECT_EQ(RunCopy(200, {{0, 1}}, format, &result, 1u << 12), NVME_STATUS_INVALID_FIELD) << "PRINFOR";
    EXPECT_EQ(RunCopy(200, {{0, 1}}, format, &result, 2u << 8), NVME_STATUS_INVALID_FIELD) << "descriptor format";
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  const orm_remap_log refused = Stats();
  EXPECT_EQ(refused.remap_refused_other - before.remap_refused_other, 18u);
  EXPECT_EQ(refused.remap_commands, before.remap_commands);
  EXPECT_EQ(refused.remap_entries, before.remap_entries);
  // Sharers of one page, until it has as many as it can.
  uint32_t copies = 0;
  int status = 0;
  while (status == 0 && copies < 2 * before.sharer_limit) {
    status = RunCopy(300 + copies, {{5, 1}}, copies % 2, &result);
    if (status != 0) break;
    EXPECT_EQ(result, 1u) << "pages";
    versions_[300 + copies] = versions_[5];
    copies++;
  }
  EXPECT_EQ(status, NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT));
  EXPECT_EQ(result, kRefused);
  EXPECT_EQ(copies, before.sharer_limit - 1) << "the page itself is one";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  const orm_remap_log after = Stats();
  EXPECT_EQ(after.remap_commands - before.remap_commands, copies);
  EXPECT_EQ(after.remap_refused_sharers - before.remap_refused_sharers, 1u);
  EXPECT_EQ(after.remap_refused_nvram, before.remap_refused_nvram);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// A Copy does not go through firmware's mailbox, so it does not wait behind commands that do.
TEST_P(FrontEndTest, CopyPassesWhatWaitsForFirmware) {
  constexpr size_t kRemaps = 24;
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  std::vector<Raw> remaps(kRemaps);
  for (size_t i = 0; i < kRemaps; i++) {
    nvme_submission_entry c;
    nvme_cmd_init(&c, ORM_VENDOR_OPCODES_REMAP, 1);
    c.cdw10 = static_cast<uint32_t>(i % 8);
    c.cdw12 = static_cast<uint32_t>(200 + i);
    c.cdw14 = 1;
    c.cdw15 = 2;  // no flag that there is: the hardware leaves it to firmware
    ASSERT_EQ(openremap_submit_command(dev_, false, &c, nullptr, 0, Raw::Done, &remaps[i]), 0);
  }
  uint32_t result = 0;
  ASSERT_EQ(RunCopy(300, {{3, 2}, {0, 1}}, 0, &result), 0);
  EXPECT_EQ(result, 3u);
  versions_[300] = versions_[3];
  versions_[301] = versions_[4];
  versions_[302] = versions_[0];
  size_t ended = 0;
  for (const Raw &r : remaps) ended += r.done;
  EXPECT_LT(ended, kRemaps / 2);
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  for (const Raw &r : remaps) {
    EXPECT_TRUE(r.done);
    EXPECT_EQ(r.status, NVME_STATUS_INVALID_FIELD);
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(FrontEndTest, LogPagesByTheDword) {
  uint8_t whole[512], part[520];
  ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_OCP_SMART, 0, whole, sizeof(whole)), 0);
  for (const size_t bytes : {4u, 12u, 20u, 500u}) {
    std::fill_n(part, sizeof(part), uint8_t{0xEE});
    ASSERT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_OCP_SMART, 512 - bytes, part, bytes), 0) << bytes;
    EXPECT_TRUE(std::equal(part, part + bytes, whole + 512 - bytes)) << bytes;
    EXPECT_EQ(part[bytes], 0xEE);
  }
  EXPECT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_OCP_SMART, 516, part, 4), NVME_STATUS_INVALID_FIELD);
}

TEST_P(FrontEndTest, HealthFollowsWhatWasDone) {
  nvme_smart_log before, after;
  uint8_t raw[NVME_SMART_LOG_BYTES];
  ASSERT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof(raw)), 0);
  nvme_smart_log_unpack(&before, raw);
  for (uint64_t i = 0; i < 6; i++) Write(i);
  Read(0);
  ASSERT_EQ(Remap(0, 100, 4), 0);
  ASSERT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof(raw)), 0);
  nvme_smart_log_unpack(&after, raw);
  EXPECT_EQ(after.host_writes - before.host_writes, 6u);
  EXPECT_EQ(after.host_reads - before.host_reads, 1u);
  EXPECT_EQ(after.available_spare, 100);
  EXPECT_EQ(after.critical_warning, 0);
  EXPECT_EQ(after.temperature, 313);
  nvme_identify_namespace ns;
  ASSERT_EQ(openremap_identify_namespace(dev_, &ns), 0);
  EXPECT_EQ(ns.nuse, 6u) << "sharers take no flash";
  EXPECT_EQ(ns.ncap, ns.nsze);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof(raw)), 0);
  nvme_smart_log_unpack(&after, raw);
  EXPECT_EQ(after.power_cycles, before.power_cycles + 1);
  EXPECT_EQ(after.unsafe_shutdowns, before.unsafe_shutdowns + 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FrontEndTest, EveryKind(), [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Cached, FrontEndTest, CachedKinds(), [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace openremap
