// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "nvme/async_events.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kRegister = NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER, kValue = NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE,
                   kSpare = NVME_ASYNC_EVENT_SMART_SPARE, kTemperature = NVME_ASYNC_EVENT_SMART_TEMPERATURE,
                   kNotice = NVME_ASYNC_EVENT_NAMESPACE_CHANGED;

class AsyncEventsTest : public FwTest {
 protected:
  void SetUp() override { boot_running(); }

  // Reports all that can be reported.
  std::vector<uint32_t> report() {
    std::vector<uint32_t> events;
    for (uint32_t event = 0; async_event_next(fw_, &event);) {
      async_event_reported(fw_, event);
      events.push_back(event);
    }
    return events;
  }
  void read(uint8_t page) {
    async_events_page_built(fw_);
    async_events_page_read(fw_, page);
  }
};

using Events = std::vector<uint32_t>;

TEST_F(AsyncEventsTest, OneOfEachTypeAtATime) {
  for (const uint32_t event : {kRegister, kValue, kSpare, kTemperature}) async_event_raise(fw_, event);
  EXPECT_EQ(report(), (Events{kRegister, kTemperature}));
  read(NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{kValue});
  read(NVME_LOG_PAGE_SMART);
  EXPECT_EQ(report(), Events{kSpare});
  for (const uint8_t page : {NVME_LOG_PAGE_ERROR_INFORMATION, NVME_LOG_PAGE_SMART}) read(page);
  EXPECT_EQ(report(), Events{});
}

TEST_F(AsyncEventsTest, TheSameEventWhileItIsReportedIsClearedWithIt) {
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{kValue});
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{});
  read(NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{});
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{kValue});
}

TEST_F(AsyncEventsTest, ReadBeforeItWasReported) {
  for (const uint32_t event : {kRegister, kValue, kSpare}) async_event_raise(fw_, event);
  read(NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{kSpare});
}

TEST_F(AsyncEventsTest, WhatThePageOnItsWayDoesNotShowStays) {
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{kValue});
  async_events_page_built(fw_);
  async_event_raise(fw_, kValue);
  async_events_page_read(fw_, NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{kValue});
}

// The completion of the event may reach the host before the page does. The host then reads the page once more.
TEST_F(AsyncEventsTest, WhatIsReportedWhileThePageIsSentMasksItsTypeUntilTheNextRead) {
  async_events_page_built(fw_);
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{kValue});
  async_event_raise(fw_, kRegister);
  async_events_page_read(fw_, NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{}) << "its type is masked: no page with the first one was read";
  read(NVME_LOG_PAGE_ERROR_INFORMATION);
  EXPECT_EQ(report(), Events{kRegister});
}

TEST_F(AsyncEventsTest, OtherPagesClearNothing) {
  async_event_raise(fw_, kValue);
  EXPECT_EQ(report(), Events{kValue});
  async_event_raise(fw_, kRegister);
  for (uint32_t page = 0; page < 256; page++) {
    if (page != NVME_LOG_PAGE_ERROR_INFORMATION) read(static_cast<uint8_t>(page));
  }
  EXPECT_EQ(report(), Events{});
}

TEST_F(AsyncEventsTest, WithdrawnUnlessReported) {
  async_event_raise(fw_, kSpare);
  async_event_withdraw(fw_, kSpare);
  EXPECT_EQ(report(), Events{});
  async_event_raise(fw_, kSpare);
  EXPECT_EQ(report(), Events{kSpare});
  async_event_withdraw(fw_, kSpare);
  async_event_raise(fw_, kTemperature);
  EXPECT_EQ(report(), Events{}) << "the type is still masked";
}

TEST_F(AsyncEventsTest, ANoticeStandsUntilItIsReadAndWaitsUntilItIsEnabled) {
  EXPECT_FALSE(async_event_stands(fw_, kNotice));
  async_event_raise(fw_, kNotice);
  EXPECT_TRUE(async_event_stands(fw_, kNotice));
  EXPECT_EQ(report(), Events{});
  fw_->features.feature[NVME_FEATURE_ASYNC_EVENT_CONFIG] = NVME_OAES_NAMESPACE_CHANGED;
  EXPECT_EQ(report(), Events{kNotice});
  EXPECT_TRUE(async_event_stands(fw_, kNotice));
  read(NVME_LOG_PAGE_CHANGED_NAMESPACES);
  EXPECT_FALSE(async_event_stands(fw_, kNotice));
}

TEST_F(AsyncEventsTest, NoSuchEvent) {
  async_event_raise(fw_, 0x123456);
  EXPECT_EQ(report(), Events{});
}

}  // namespace
}  // namespace orm_test
