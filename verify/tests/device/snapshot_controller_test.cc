// SPDX-License-Identifier: Apache-2.0
//
// Orderly shutdowns: the next start loads a snapshot of the mapping. A host sees only that the start takes less time.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "orm_nvme.h"
#include "orm_regs.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

class SnapshotTest : public ControllerTest {
 protected:
  void ShutDown() {
    pcie_function *fn = openremap_pcie_function(dev_);
    uint64_t value = 0;
    ASSERT_EQ(openremap_flush(dev_), 0);
    ASSERT_EQ(fn->ops->bar0_read(fn, ORM_BAR0_CC, 4, &value), 0);
    value |= ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL);
    ASSERT_EQ(fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, value), 0);
    for (int looks = 0; looks < 100'000; looks++) {
      ASSERT_EQ(fn->ops->bar0_read(fn, ORM_BAR0_CSTS, 4, &value), 0);
      if (ORM_GET(value, ORM_BAR0_CSTS_SHST) == NVME_SHUTDOWN_COMPLETE) return;
      ASSERT_GE(fn->ops->run(fn, 10'000), 0);
    }
    FAIL() << "the shutdown does not end";
  }
  uint64_t StepNs(const std::string &name) {
    pcie_function *fn = openremap_pcie_function(dev_);
    std::vector<pcie_device_step> steps(pcie_device_start_up(fn, nullptr, 0));
    EXPECT_EQ(pcie_device_start_up(fn, steps.data(), steps.size()), steps.size());
    for (const pcie_device_step &step : steps) {
      if (step.name == name) return step.ns;
    }
    ADD_FAILURE() << "no step " << name;
    return 0;
  }
  void SomeData() {
    for (uint64_t lpn = 0; lpn < 320; lpn += 32) ASSERT_NO_FATAL_FAILURE(Write(lpn, 32));
    for (uint64_t lpn = 0; lpn < 64; lpn += 16) ASSERT_NO_FATAL_FAILURE(Write(lpn, 16));
    ASSERT_EQ(Remap(64, 400, 32), 0);
    ASSERT_EQ(Remap(128, 440, 8, OPENREMAP_MOVE), 0);
    ASSERT_NO_FATAL_FAILURE(Deallocate(200, 20));
  }
};

TEST_P(SnapshotTest, AStartGoesByIt) {
  ASSERT_NO_FATAL_FAILURE(SomeData());
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_GE(openremap_poll(dev_, 20'000'000), 0);  // the summaries of full superblocks are written
  const uint64_t meta = Stats().nand_program_meta;
  ASSERT_NO_FATAL_FAILURE(ShutDown());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  const uint64_t quick = StepNs("probe spare areas");
  EXPECT_GT(StepNs("load snapshot"), 0u);
  EXPECT_EQ(Stats().nand_program_meta - meta, WholePages(2)) << "a slot for the superblocks, one for L2P";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_GT(StepNs("probe spare areas"), 2 * quick);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(SnapshotTest, GoneBeforeTheControllerIsReadyAgain) {
  ASSERT_NO_FATAL_FAILURE(SomeData());
  const uint32_t free = Stats().superblocks_free;
  ASSERT_NO_FATAL_FAILURE(ShutDown());
  ASSERT_EQ(openremap_reset(dev_), 0);
  EXPECT_EQ(Stats().superblocks_free, free);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(Write(0, 32));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// Only the superblocks that collections leave are free, and each shutdown takes some of them.
TEST_P(SnapshotTest, FullDevice) {
  for (uint64_t lpn = 0; lpn < pages_; lpn += 8)
    ASSERT_NO_FATAL_FAILURE(Write(lpn, std::min<uint64_t>(8, pages_ - lpn)));
  std::mt19937_64 random(options_.device.seed);
  const int rounds = std::string(GetParam()).find("model") == std::string::npos ? 2 : 6;  // on the RTL it takes long
  for (int round = 0; round < rounds; round++) {
    SCOPED_TRACE(round);
    for (int i = 0; i < 150; i++) ASSERT_NO_FATAL_FAILURE(Write(random() % pages_));
    for (int i = 0; i < 10; i++) Remap(random() % (pages_ / 2), pages_ / 2 + random() % (pages_ / 2 - 4), 4);
    ASSERT_NO_FATAL_FAILURE(ShutDown());
    ASSERT_EQ(round % 2 == 0 ? openremap_power_cycle(dev_) : openremap_reset(dev_), 0);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
  EXPECT_GT(Stats().gc_victims, 0u);
  EXPECT_GT(Stats().nand_program_meta, 0u);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Kinds, SnapshotTest, EveryKindAndWideRtl(), KindName);
INSTANTIATE_TEST_SUITE_P(Cached, SnapshotTest, CachedKinds(), KindName);

}  // namespace
}  // namespace openremap
