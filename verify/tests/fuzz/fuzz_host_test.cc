// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's host detects wrong behaviour of the device.
#include "fuzz/fuzz_host.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz_entries.h"
#include "orm_regs.h"
#include "test_seed.h"

namespace orm::fuzz {
namespace {

TEST(FuzzMemory, TheDeviceReadsAndWritesOnlyWhatItMay) {
  Memory memory;
  const pcie_host *host = memory.host();
  uint8_t byte = 1;
  EXPECT_EQ(host->dma_read(host->ctx, Memory::kInput, &byte, 1), 0);
  EXPECT_EQ(host->dma_write(host->ctx, Memory::kInput, &byte, 1), -EFAULT);
  EXPECT_EQ(host->dma_write(host->ctx, Memory::kOutput, &byte, 1), 0);
  EXPECT_EQ(host->dma_read(host->ctx, Memory::kOutput, &byte, 1), -EFAULT);
  const uint64_t end = Memory::kOutput + Memory::kOutputPages * kPage;
  std::vector<uint8_t> page(kPage);
  EXPECT_EQ(host->dma_write(host->ctx, end - kPage, page.data(), kPage), 0);
  EXPECT_EQ(host->dma_write(host->ctx, end - kPage + 1, page.data(), kPage), -EFAULT);
  EXPECT_EQ(host->dma_write(host->ctx, UINT64_MAX, page.data(), kPage), -EFAULT);
}

TEST(FuzzHost, ComesBackFromEveryReset) {
  Host host("model", 8, openremap::TestSeed());
  ASSERT_GT(host.pages(), 0u);
  nvme_submission_entry write;
  nvme_cmd_write(&write, 1, 3, 1, 1);
  write.prp1 = Memory::kInput;
  fill_page(host.memory().page(Memory::kInput), 77);
  ASSERT_EQ(host.execute(1, write), 0);
  for (int way = 0; way < 3; ++way) {
    if (way == 1) host.function_reset();
    if (way == 2) host.power_cycle();
    host.start();
    nvme_submission_entry read;
    nvme_cmd_read(&read, 1, 3, 1);
    read.prp1 = Memory::kOutput;
    std::memset(host.memory().page(Memory::kOutput), 0, kPage);
    ASSERT_EQ(host.execute(2, read), 0) << way;
    EXPECT_EQ(std::memcmp(host.memory().page(Memory::kOutput), host.memory().page(Memory::kInput), kPage), 0) << way;
  }
}

TEST(FuzzHost, AnAnswerThatDoesNotComeIsAHang) {
  Host host("model", 8, openremap::TestSeed());
  nvme_submission_entry event;
  nvme_cmd_init(&event, NVME_ADMIN_OPCODE_ASYNC_EVENT, 0);
  (void)host.put(0, event, true);  // held until there is an event
  host.ring(0);
  try {
    (void)host.finish();
    FAIL() << "an event that nothing raised";
  } catch (const Wrong &found) {
    EXPECT_EQ(std::string(found.what()).rfind("hang: no completion of 0:", 0), 0u) << found.what();
  }
}

class FuzzDevice : public ::testing::TestWithParam<const char *> {};

/// A bug that the fuzzer found. Completions went to a queue at an invalid address. The last of these writes was refused
/// when the controller was disabled already. CSTS.CFS then stayed set, and after a function reset no enabling ended.
TEST_P(FuzzDevice, ALateErrorOfADisabledControllerDoesNotOutliveIt) {
  Host host(GetParam(), 8, openremap::TestSeed());
  pcie_function *fn = host.function();
  nvme_submission_entry unknown;
  nvme_cmd_init(&unknown, 0xFF, 0);
  for (uint64_t delay_ns = 0; delay_ns < 5000; delay_ns += 50) {
    for (int i = 0; i < 4; ++i) (void)host.put(0, unknown);
    host.write32(ORM_BAR0_CC, 0);
    ASSERT_GE(fn->ops->run(fn, 100'000), 0);
    host.write32(ORM_BAR0_ACQ_HI, 0x1234);
    host.write32(ORM_BAR0_CC, 0x460001);
    ASSERT_GE(fn->ops->run(fn, 100'000), 0);
    ASSERT_EQ(host.read32(ORM_BAR0_CSTS), uint32_t(ORM_BAR0_CSTS_RDY_MASK));
    host.write_doorbell(0, 4);
    (void)fn->ops->run(fn, delay_ns);
    host.write32(ORM_BAR0_CC, 0);
    ASSERT_GE(fn->ops->run(fn, 100'000), 0);
    EXPECT_EQ(host.read32(ORM_BAR0_CSTS), 0u) << "disabled " << delay_ns << " ns after the doorbell";
    host.function_reset();
    ASSERT_NO_THROW(host.start()) << "disabled " << delay_ns << " ns after the doorbell";
  }
}
#ifdef __SANITIZE_ADDRESS__  // the RTL: verify.fuzz.rtl
INSTANTIATE_TEST_SUITE_P(Kinds, FuzzDevice, ::testing::Values("model"),
#else
INSTANTIATE_TEST_SUITE_P(Kinds, FuzzDevice, ::testing::Values("model", "rtl"),
#endif
                         [](const auto &kind) { return std::string(kind.param); });

TEST(FuzzHost, ADisabledControllerAnswersNothing) {
  Host host("model", 8, openremap::TestSeed());
  nvme_submission_entry flush;
  nvme_cmd_flush(&flush, 1);
  (void)host.put(1, flush);
  host.ring(1);
  // A controller that is reset without the host's knowledge takes the queues away: the doorbell is then of no queue.
  host.write32(ORM_BAR0_CC, 0);
  EXPECT_THROW((void)host.finish(), Wrong);
}

}  // namespace
}  // namespace orm::fuzz
