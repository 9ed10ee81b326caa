// SPDX-License-Identifier: Apache-2.0
// Warning and Critical Composite Temperature Time of SMART, against the temperatures that Identify Controller names.
extern "C" {
#include "fw.h"
}

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond;

class HotTimeTest : public FwTest {
 protected:
  uint16_t wctemp_ = 0, cctemp_ = 0;

  void SetUp() override {
    boot_enabled();
    ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER)).status, 0);
    nvme_identify_controller c;
    nvme_identify_controller_unpack(&c, dev.host.data());
    wctemp_ = c.wctemp;
    cctemp_ = c.cctemp;
    ASSERT_GT(wctemp_, dev.kelvin) << "the mock device is cool";
    ASSERT_GT(cctemp_, wctemp_);
  }

  // The temperature changes, and stays for `ns`. The port polls once a second.
  void stay(uint16_t kelvin, uint64_t ns) {
    dev.kelvin = kelvin;
    fw_poll(fw_);
    for (uint64_t left = ns; left != 0;) {
      const uint64_t step = std::min<uint64_t>(left, FW_POLL_MOST_NS);
      dev.now_ns += step;
      left -= step;
      fw_poll(fw_);
    }
  }

  void expect_minutes(uint32_t warning, uint32_t critical) {
    ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    EXPECT_EQ(s.warning_minutes, warning);
    EXPECT_EQ(s.critical_minutes, critical);
  }
};

TEST_F(HotTimeTest, EachTemperatureCountsWhereItBelongs) {
  const struct {
    const char *what;
    int kelvin;
    uint32_t warning, critical;  // of two minutes
  } cases[] = {
      {"cool", 300, 0, 0},
      {"just below the warning", wctemp_ - 1, 0, 0},
      {"the warning temperature", wctemp_, 2, 0},
      {"between the two", (wctemp_ + cctemp_) / 2, 2, 0},
      {"just below the critical", cctemp_ - 1, 2, 0},
      {"the critical temperature", cctemp_, 0, 2},
      {"far above", cctemp_ + 50, 0, 2},
  };
  uint32_t warning = 0, critical = 0;
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    stay(static_cast<uint16_t>(c.kelvin), 2 * kMinute);
    warning += c.warning;
    critical += c.critical;
    expect_minutes(warning, critical);
  }
}

TEST_F(HotTimeTest, WholeMinutesOfManyPieces) {
  for (int i = 0; i < 5; i++) {
    stay(wctemp_, 11 * kSecond);
    stay(300, 100 * kSecond);
  }
  expect_minutes(0, 0);
  stay(wctemp_, 5 * kSecond - 1);
  expect_minutes(0, 0);
  stay(wctemp_, 1);
  expect_minutes(1, 0);
}

// The temperatures of Identify count, not the thresholds of feature 04h. A controller reset changes nothing.
TEST_F(HotTimeTest, NeitherThresholdsNorResetsMatter) {
  ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_TEMPERATURE, 310)).status, 0);
  stay(320, 3 * kMinute);
  expect_minutes(0, 0);
  stay(cctemp_, kMinute);
  set_cc(0);
  stay(cctemp_, kMinute);
  enable();
  expect_minutes(0, 2);
}

TEST_F(HotTimeTest, KeptOverAShutdown) {
  stay(wctemp_, 3 * kMinute + 40 * kSecond);
  stay(cctemp_, kMinute);
  stay(300, 0);
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  power_cycle();
  enable();
  expect_minutes(3, 1);
  stay(wctemp_, 20 * kSecond);
  expect_minutes(4, 1);
}

// The first look has no time before it, however long the start took.
TEST_F(HotTimeTest, TheStartUpDoesNotCount) {
  dev.kelvin = cctemp_;
  dev.power_cycle();
  dev.now_ns += 10 * kMinute;
  boot();
  enable();
  expect_minutes(0, 0);
}

TEST_F(HotTimeTest, NoSensorIsNeverHot) {
  platform port = *dev.port();
  port.temperature_k = nullptr;
  fw_init(fw_, &port);
  settle();
  enable();
  stay(400, 2 * kMinute);
  expect_minutes(0, 0);
}

}  // namespace
}  // namespace orm_test
