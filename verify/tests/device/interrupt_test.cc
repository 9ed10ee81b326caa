// SPDX-License-Identifier: Apache-2.0
//
// Interrupt coalescing as a host sees it: the number of MSI-X for its commands, and the time of the last one.
#include <algorithm>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_nvme.h"

namespace openremap {
namespace {

// Stands between device and driver and counts the interrupts.
struct CountingHost {
  const pcie_host *driver = nullptr;
  std::vector<unsigned> vectors;
  pcie_host host{this, DmaRead, DmaWrite, Msix};

  static const pcie_host &Driver(void *ctx) { return *static_cast<CountingHost *>(ctx)->driver; }
  static int DmaRead(void *ctx, uint64_t addr, void *buf, size_t len) {
    return Driver(ctx).dma_read(Driver(ctx).ctx, addr, buf, len);
  }
  static int DmaWrite(void *ctx, uint64_t addr, const void *buf, size_t len) {
    return Driver(ctx).dma_write(Driver(ctx).ctx, addr, buf, len);
  }
  static void Msix(void *ctx, unsigned vector) {
    static_cast<CountingHost *>(ctx)->vectors.push_back(vector);
    Driver(ctx).msix(Driver(ctx).ctx, vector);
  }
};
CountingHost counting;

pcie_function *CreateCounted(const pcie_device_options *options, const pcie_host *host, char *error, size_t error_len) {
  counting.driver = host;
  return pcie_device_create(options, &counting.host, error, error_len);
}

class InterruptTest : public ControllerTest {
 protected:
  void SetUp() override {
    ControllerTest::SetUp();
    Close();
    options_.create = CreateCounted;
    Open();
  }

  int SetFeature(uint32_t feature, uint32_t value) {
    nvme_submission_entry c;
    nvme_cmd_init(&c, NVME_ADMIN_OPCODE_SET_FEATURES, 0);
    c.cdw10 = feature;
    c.cdw11 = value;
    return openremap_admin(dev_, &c, nullptr, 0, nullptr);
  }

  // Interrupts of I/O queues that `reads` reads side by side cost, in the time they take and `after_ns` more.
  size_t CountInterrupts(size_t reads, uint64_t after_ns) {
    auto *data = static_cast<uint8_t *>(openremap_dma_alloc(dev_, (reads + 1) * OPENREMAP_PAGE_BYTES));
    EXPECT_NE(data, nullptr);
    counting.vectors.clear();
    for (size_t i = 0; i < reads; i++) {
      EXPECT_EQ(openremap_submit_read(dev_, i, 1, data + i * OPENREMAP_PAGE_BYTES, Ignore, nullptr), 0);
    }
    const uint64_t end = openremap_now_ns(dev_) + after_ns;
    while (openremap_in_flight(dev_) != 0 || openremap_now_ns(dev_) < end) {
      if (openremap_poll(dev_, 1000) < 0) break;
      if (openremap_in_flight(dev_) == 0 && after_ns == 0) break;
    }
    EXPECT_GE(openremap_poll(dev_, 1000), 0);  // the last interrupt follows the entry that was found
    openremap_dma_free(dev_, data);
    return static_cast<size_t>(
        std::count_if(counting.vectors.begin(), counting.vectors.end(), [](unsigned v) { return v != 0; }));
  }
  static void Ignore(void *, int status, uint32_t) { EXPECT_EQ(status, 0); }
};

TEST_P(InterruptTest, CoalescedByEntriesAndByTime) {
  Write(0, 16);
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(CountInterrupts(16, 0), 16u) << "after start-up each completion has its own";
  constexpr uint32_t kThreshold = 7, kTime = 10;  // eight entries, or 1 ms
  ASSERT_EQ(SetFeature(NVME_FEATURE_INTERRUPT_COALESCING, kTime << 8 | kThreshold), 0);
  EXPECT_EQ(CountInterrupts(16, 0), 2u);
  EXPECT_EQ(CountInterrupts(3, 500'000), 0u) << "too few, too early";
  EXPECT_EQ(CountInterrupts(0, 600'000), 1u) << "time is over";
  ASSERT_EQ(SetFeature(NVME_FEATURE_INTERRUPT_VECTOR, 1 | 1u << 16), 0);
  EXPECT_EQ(CountInterrupts(3, 0), 3u) << "the vector takes no part";
  ASSERT_EQ(SetFeature(NVME_FEATURE_INTERRUPT_VECTOR, 1), 0);
  ASSERT_EQ(SetFeature(NVME_FEATURE_INTERRUPT_COALESCING, 0), 0);
  EXPECT_EQ(CountInterrupts(3, 0), 3u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, InterruptTest, EveryKind(), [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Cached, InterruptTest, CachedKinds(),
                         [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace openremap
