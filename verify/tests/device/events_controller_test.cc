// SPDX-License-Identifier: Apache-2.0
// Asynchronous events of a device whose temperature and flash change while the host only waits.
#include <cstring>
#include <string>
#include <utility>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

class EventsTest : public ControllerTest {
 protected:
  struct Request {
    bool done = false;
    int status = 0;
    uint32_t event = 0;
    static void Done(void *arg, int status, uint32_t event) { *static_cast<Request *>(arg) = {true, status, event}; }
  };

  void SetFeature(uint32_t fid, uint32_t value) {
    nvme_submission_entry c;
    nvme_cmd_init(&c, NVME_ADMIN_OPCODE_SET_FEATURES, 0);
    c.cdw10 = fid;
    c.cdw11 = value;
    ASSERT_EQ(openremap_admin(dev_, &c, nullptr, 0, nullptr), 0);
  }
  void Ask(Request *request) {
    nvme_submission_entry c;
    nvme_cmd_init(&c, NVME_ADMIN_OPCODE_ASYNC_EVENT, 0);
    *request = {};
    ASSERT_EQ(openremap_submit_command(dev_, true, &c, nullptr, 0, Request::Done, request), 0);
    Wait();
  }
  // Lets the device do what it has to. The host only reads, which is nothing for firmware: a device that is idle while
  // a command is under way counts as lost (openremap_poll()).
  void Wait() {
    pcie_function *fn = openremap_pcie_function(dev_);
    for (int i = 0; i < 10; i++) {
      ASSERT_GE(fn->ops->run(fn, 10'000), 0);
      Read(0);
    }
  }
  void Warm(uint16_t kelvin) {
    pcie_device_set_temperature(openremap_pcie_function(dev_), kelvin);
    Wait();
  }
  nvme_smart_log Smart() {
    uint8_t raw[NVME_SMART_LOG_BYTES];
    EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof raw), 0);
    nvme_smart_log s{};
    nvme_smart_log_unpack(&s, raw);
    return s;
  }
};

TEST_P(EventsTest, TheTemperatureRisesAndFalls) {
  SetFeature(NVME_FEATURE_TEMPERATURE, 300 | 1u << 20);
  SetFeature(NVME_FEATURE_ASYNC_EVENT_CONFIG, NVME_CRITICAL_WARNING_TEMPERATURE);
  Request request;
  ASSERT_NO_FATAL_FAILURE(Ask(&request));
  // Past WCTEMP, back, past it again; below the under threshold.
  for (const auto &[hot, mild] : {std::pair<uint16_t, uint16_t>{343, 342}, {360, 301}, {300, 301}, {290, 313}}) {
    EXPECT_FALSE(request.done);
    ASSERT_NO_FATAL_FAILURE(Warm(hot));
    ASSERT_TRUE(request.done) << hot;
    EXPECT_EQ(request.status, 0);
    EXPECT_EQ(request.event, uint32_t{NVME_ASYNC_EVENT_SMART_TEMPERATURE});
    ASSERT_NO_FATAL_FAILURE(Ask(&request));
    ASSERT_NO_FATAL_FAILURE(Warm(uint16_t(hot + (hot > 313 ? 1 : -1))));
    EXPECT_FALSE(request.done) << "once";
    const nvme_smart_log s = Smart();
    EXPECT_EQ(s.temperature, hot + (hot > 313 ? 1 : -1));
    EXPECT_EQ(s.critical_warning, NVME_CRITICAL_WARNING_TEMPERATURE);
    ASSERT_NO_FATAL_FAILURE(Warm(mild));
    EXPECT_EQ(Smart().critical_warning, 0);
  }
  ASSERT_EQ(openremap_reset(dev_), 0);
  EXPECT_TRUE(request.done) << "the library ends it; the device does not complete it";
  EXPECT_NE(request.status, 0);
}

// Hardware carries out the host's read, and no interrupt tells the firmware of its error. It looks in each poll, and at
// least once in a second of a device that works. A second is too long for the Verilated controller.
TEST_P(EventsTest, AReadThatFindsLostData) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  SetFeature(NVME_FEATURE_ASYNC_EVENT_CONFIG, NVME_CRITICAL_WARNING_RELIABILITY);
  Request request;
  ASSERT_NO_FATAL_FAILURE(Ask(&request));
  pcie_function *fn = openremap_pcie_function(dev_);
  size_t bytes = 0;
  uint32_t slot = 0;
  std::memcpy(&slot, pcie_device_dram(fn, &bytes) + 4 * 3, sizeof slot);
  ASSERT_EQ(pcie_device_nand_fault(fn, PCIE_FAULT_DATA_LOST, slot), 0);
  Page page(OPENREMAP_PAGE_BYTES);
  EXPECT_EQ(openremap_read(dev_, 3, 1, page.data()), NVME_STATUS_UNRECOVERED_READ);
  EXPECT_FALSE(request.done);
  if (std::string(GetParam()) == "model") {
    const uint64_t until = openremap_now_ns(dev_) + 1'100'000'000;
    while (!request.done && openremap_now_ns(dev_) < until) Read(0);
  } else {
    SetFeature(NVME_FEATURE_ARBITRATION, 0);
    Wait();
  }
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.event, uint32_t{NVME_ASYNC_EVENT_SMART_RELIABILITY});
  EXPECT_EQ(Smart().critical_warning, NVME_CRITICAL_WARNING_RELIABILITY);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
#ifdef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Kinds, EventsTest, ::testing::Values("model"), KindName);
#else
INSTANTIATE_TEST_SUITE_P(Kinds, EventsTest, ::testing::Values("model", "rtl"), KindName);
#endif
INSTANTIATE_TEST_SUITE_P(Cached, EventsTest, CachedKinds(), KindName);
INSTANTIATE_TEST_SUITE_P(Remote, EventsTest, ::testing::Values(kRemoteModel), KindName);

}  // namespace
}  // namespace openremap
