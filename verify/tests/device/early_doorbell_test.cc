// SPDX-License-Identifier: Apache-2.0
//
// Doorbells that the host rings before CSTS.RDY says that the controller takes them. None of their commands may run,
// in this enabling or in the next.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "device_kind.h"
#include "openremap_cmd.h"
#include "orm_regs.h"
#include "support/function_host.h"
#include "test_seed.h"

namespace orm {
namespace {

constexpr uint32_t kEntries = 16;
constexpr uint64_t kSubmission = 0x1000, kCompletion = 0x2000;
constexpr size_t kPage = 4096;
constexpr uint16_t kStale = 0x5000;  // command identifiers from here on are of entries that nobody may fetch

class EarlyDoorbell : public ::testing::TestWithParam<const char *> {
 protected:
  static pcie_device_options Options() {
    pcie_device_options options{};
    openremap::ChooseDevice(GetParam(), &options);
    options.superblocks = 10;
    options.seed = openremap::TestSeed();
    return options;
  }

  static int Read(void *ctx, uint64_t addr, void *buf, size_t len) {
    auto *self = static_cast<EarlyDoorbell *>(ctx);
    if (addr < kSubmission || addr + len > kSubmission + kPage) return -EFAULT;
    std::memcpy(buf, &self->submission_[addr - kSubmission], len);
    ++self->fetched_;
    return 0;
  }
  static int Write(void *ctx, uint64_t addr, const void *buf, size_t len) {
    auto *self = static_cast<EarlyDoorbell *>(ctx);
    if (addr < kCompletion || addr + len > kCompletion + kPage) return -EFAULT;
    std::memcpy(&self->completion_[addr - kCompletion], buf, len);
    ++self->completed_;
    return 0;
  }
  static pcie_host Callbacks(EarlyDoorbell *self) {
    pcie_host host{};
    host.ctx = self;
    host.dma_read = Read;
    host.dma_write = Write;
    host.msix = [](void *, unsigned) {};
    return host;
  }

  void Put(uint32_t place, nvme_submission_entry entry, uint16_t cid) {
    entry.cid = cid;
    nvme_submission_entry_pack(&entry, &submission_[place * NVME_SUBMISSION_ENTRY_BYTES]);
  }
  bool Ready() { return ORM_GET(fn_.read32(ORM_BAR0_CSTS), ORM_BAR0_CSTS_RDY) != 0; }
  void Enable() { fn_.write32(ORM_BAR0_CC, kEnabled); }
  void WaitReady() {
    for (int i = 0; !Ready(); i++) {
      ASSERT_LT(i, 100'000) << "the controller does not get ready";
      fn_.run(1000);
    }
  }

  static constexpr uint32_t kEnabled =
      ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);
  std::array<uint8_t, kPage> submission_{}, completion_{};
  unsigned fetched_ = 0, completed_ = 0;
  // Last, so that the device goes before the memory that it uses.
  const pcie_host callbacks_ = Callbacks(this);
  FunctionHost fn_{Options(), &callbacks_};
};

TEST_P(EarlyDoorbell, NoCommandOfThemRuns) {
  constexpr uint64_t kTimes = 24;
  fn_.wait_cap();
  fn_.disable();
  fn_.enable(kEntries, kSubmission, kCompletion);
  fn_.disable();
  const uint64_t begun = fn_.now_ns();
  Enable();
  ASSERT_NO_FATAL_FAILURE(WaitReady());
  const uint64_t until_ready_ns = fn_.now_ns() - begun;
  fn_.disable();
  nvme_submission_entry entry;
  nvme_cmd_set_num_queues(&entry, 1);
  for (uint64_t i = 0; i <= kTimes; i++) {
    const uint64_t ns = until_ready_ns * i / (kTimes * 3 / 4);
    SCOPED_TRACE("taken back after ns: " + std::to_string(ns));
    for (uint32_t place = 0; place < kEntries; place++) Put(place, entry, static_cast<uint16_t>(kStale + place));
    fetched_ = completed_ = 0;
    Enable();
    fn_.write_doorbell(0, kEntries / 2);
    if (ns > 0) fn_.run(ns);
    if (Ready()) {
      fn_.disable();
    } else {
      fn_.write32(ORM_BAR0_CC, 0);
    }
    Enable();
    fn_.write_doorbell(0, kEntries / 2);
    ASSERT_NO_FATAL_FAILURE(WaitReady());
    fn_.run(1'000'000);
    EXPECT_EQ(fetched_, 0u);
    EXPECT_EQ(completed_, 0u);
    // The queue is as good as new.
    Put(0, entry, 7);
    fn_.write_doorbell(0, 1);
    for (int n = 0; completed_ == 0 && n < 1000; n++) fn_.run(10'000);
    ASSERT_EQ(completed_, 1u);
    EXPECT_EQ(fetched_, 1u);
    nvme_completion_entry done;
    nvme_completion_entry_unpack(&done, completion_.data());
    EXPECT_EQ(done.cid, 7u);
    EXPECT_EQ(NVME_CQE_STATUS(done.status), 0u);
    EXPECT_EQ(done.sqhd, 1u);
    fn_.disable();
  }
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Kinds, EarlyDoorbell, openremap::EveryKind(), KindName);

}  // namespace
}  // namespace orm
