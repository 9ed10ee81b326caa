// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class FeaturesTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  Completion get(uint32_t fid, uint32_t select = NVME_FEATURE_SELECT_CURRENT, uint32_t cdw11 = 0) {
    return admin(command(NVME_ADMIN_OPCODE_GET_FEATURES, nsid(fid), fid | select << 8, cdw11));
  }
  Completion set(uint32_t fid, uint32_t cdw11, uint32_t flags = 0) {
    return admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, nsid(fid), fid | flags, cdw11));
  }
  // Of the features that a namespace has.
  static uint32_t nsid(uint32_t fid) { return fid == NVME_FEATURE_ERROR_RECOVERY ? 1 : 0; }
};

TEST_F(FeaturesTest, NumberOfQueuesGrantsAllThereAre) {
  uint32_t all = (MockDevice::kQueues - 1) | (MockDevice::kQueues - 1) << 16;
  Completion c = set(NVME_FEATURE_NUMBER_OF_QUEUES, 0x000F000F);
  EXPECT_EQ(c.status, 0);
  EXPECT_EQ(c.dw0, all);
  EXPECT_EQ(get(NVME_FEATURE_NUMBER_OF_QUEUES).dw0, all);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_NUMBER_OF_QUEUES, 0xFFFF0001)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_NUMBER_OF_QUEUES, 0x0001FFFF)), NVME_STATUS_INVALID_FIELD);
}

TEST_F(FeaturesTest, NumberOfQueuesIsTooLateOnceThereAreQueues) {
  ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, 1 | 15 << 16, 1, 0x1000)).status, 0);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_NUMBER_OF_QUEUES, 0)), NVME_STATUS_SEQUENCE_ERROR);
}

TEST_F(FeaturesTest, StoredOnes) {
  const struct {
    uint32_t fid, value, capabilities;
  } cases[] = {{NVME_FEATURE_ARBITRATION, 0x1202, NVME_FEATURE_FLAG_CHANGEABLE},
               {NVME_FEATURE_ERROR_RECOVERY, 0x1234, NVME_FEATURE_FLAG_CHANGEABLE | NVME_FEATURE_FLAG_NAMESPACED},
               {NVME_FEATURE_WRITE_ATOMICITY, 1, NVME_FEATURE_FLAG_CHANGEABLE},
               {NVME_FEATURE_ASYNC_EVENT_CONFIG, 0x134, NVME_FEATURE_FLAG_CHANGEABLE}};
  for (const auto &[fid, value, capabilities] : cases) {
    EXPECT_EQ(set(fid, value).status, 0) << fid;
    EXPECT_EQ(get(fid).dw0, value) << fid;
    EXPECT_NE(get(fid, NVME_FEATURE_SELECT_DEFAULT).dw0, value) << fid;
    EXPECT_EQ(get(fid, NVME_FEATURE_SELECT_CAPABILITIES).dw0, capabilities) << fid;
  }
  set_cc(0);
  enable();
  EXPECT_EQ(get(NVME_FEATURE_ERROR_RECOVERY).dw0, 0u) << "a controller reset restores the defaults";
}

TEST_F(FeaturesTest, TheKeepAliveTimerIsOff) {
  EXPECT_EQ(get(NVME_FEATURE_KEEP_ALIVE).status, 0);
  EXPECT_EQ(get(NVME_FEATURE_KEEP_ALIVE).dw0, 0u);
  EXPECT_EQ(set(NVME_FEATURE_KEEP_ALIVE, 0).status, 0);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_KEEP_ALIVE, 120000)), NVME_STATUS_FEATURE_NOT_CHANGEABLE);
  EXPECT_EQ(get(NVME_FEATURE_KEEP_ALIVE, NVME_FEATURE_SELECT_CAPABILITIES).dw0, 0u);
}

class HostBehaviorTest : public FeaturesTest {
 protected:
  static constexpr uint32_t kBytes = 512;

  uint16_t say(const std::vector<uint8_t> &what, uint32_t offset = 0) {
    std::fill(dev.host.begin(), dev.host.begin() + 2 * kBytes, uint8_t{0xEE});
    std::fill_n(dev.host.begin() + offset, kBytes, uint8_t{0});
    std::copy(what.begin(), what.end(), dev.host.begin() + offset);
    return sct_sc(
        admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_HOST_BEHAVIOR, 0, MockDevice::kHost + offset)));
  }
  std::vector<uint8_t> ask(uint32_t select = NVME_FEATURE_SELECT_CURRENT) {
    std::fill(dev.host.begin(), dev.host.begin() + 2 * kBytes, uint8_t{0xEE});
    EXPECT_EQ(get(NVME_FEATURE_HOST_BEHAVIOR, select).status, 0);
    EXPECT_EQ(dev.host[kBytes], 0xEE) << "512 bytes";
    return {dev.host.begin(), dev.host.begin() + kBytes};
  }
  static std::vector<uint8_t> data(std::vector<uint8_t> first) {
    first.resize(kBytes);
    return first;
  }
};

TEST_F(HostBehaviorTest, IsWhatTheHostSaid) {
  EXPECT_EQ(ask(), data({}));
  EXPECT_EQ(say({1, 0, 1, 1}), 0);
  EXPECT_EQ(ask(), data({1, 0, 1, 1}));
  EXPECT_EQ(ask(NVME_FEATURE_SELECT_DEFAULT), data({}));
  EXPECT_EQ(ask(NVME_FEATURE_SELECT_SAVED), data({}));
  EXPECT_EQ(get(NVME_FEATURE_HOST_BEHAVIOR, NVME_FEATURE_SELECT_CAPABILITIES).dw0,
            uint32_t{NVME_FEATURE_FLAG_CHANGEABLE});
  set_cc(0);
  enable();
  EXPECT_EQ(ask(), data({})) << "a controller reset forgets it";
}

TEST_F(HostBehaviorTest, LiesAtAnyDword) {
  for (uint32_t offset : {4u, 12u, 100u}) {
    EXPECT_EQ(say({0, 1, 0, 0}, offset), 0) << offset;
    EXPECT_EQ(ask(), data({0, 1, 0, 0})) << offset;
    EXPECT_EQ(say({}), 0);
  }
  EXPECT_EQ(say({1}, 2), NVME_STATUS_INVALID_PRP_OFFSET);
}

TEST_F(HostBehaviorTest, WhatIsNotOfferedCannotBeEnabled) {
  ASSERT_EQ(say({1}), 0);
  EXPECT_EQ(say({2}), NVME_STATUS_INVALID_FIELD) << "reserved";
  EXPECT_EQ(say({0, 0, 0xFF}), NVME_STATUS_INVALID_FIELD) << "reserved";
  EXPECT_EQ(say({0, 0, 0, 0, 4}), NVME_STATUS_INVALID_FIELD) << "Copy descriptor format 2";
  EXPECT_EQ(say({0, 0, 0, 0, 0, 1}), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(ask(), data({1})) << "as before";
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  EXPECT_EQ(say({0}), NVME_STATUS_DATA_TRANSFER_ERROR);
  dev.dma_status = 0;
  EXPECT_EQ(ask(), data({1}));
}

TEST_F(FeaturesTest, WriteCacheIsThereToStay) {
  EXPECT_EQ(get(NVME_FEATURE_WRITE_CACHE).dw0, 1u);
  EXPECT_EQ(set(NVME_FEATURE_WRITE_CACHE, 1).status, 0);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_WRITE_CACHE, 0)), NVME_STATUS_FEATURE_NOT_CHANGEABLE);
  EXPECT_EQ(get(NVME_FEATURE_WRITE_CACHE, NVME_FEATURE_SELECT_CAPABILITIES).dw0, 0u);
}

TEST_F(FeaturesTest, TemperatureThresholds) {
  EXPECT_EQ(get(NVME_FEATURE_TEMPERATURE).dw0, 343u) << "WCTEMP";
  EXPECT_EQ(set(NVME_FEATURE_TEMPERATURE, 350).status, 0);
  EXPECT_EQ(set(NVME_FEATURE_TEMPERATURE, 250 | 1u << 20).status, 0);
  EXPECT_EQ(get(NVME_FEATURE_TEMPERATURE).dw0, 350u);
  EXPECT_EQ(get(NVME_FEATURE_TEMPERATURE, 0, 1u << 20).dw0, 250u);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_TEMPERATURE, 1u << 16)), NVME_STATUS_INVALID_FIELD) << "no such sensor";
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_TEMPERATURE, 0, 3u << 20)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(set(NVME_FEATURE_TEMPERATURE, 360 | 15u << 16).status, 0) << "of all sensors";
  EXPECT_EQ(get(NVME_FEATURE_TEMPERATURE).dw0, 360u);
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_TEMPERATURE, 0, 15u << 16)), NVME_STATUS_INVALID_FIELD) << "reserved in a Get";
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_TEMPERATURE, 361 | 1u << 22)), NVME_STATUS_INVALID_FIELD) << "no hysteresis";
  EXPECT_EQ(get(NVME_FEATURE_TEMPERATURE).dw0, 360u);
}

TEST_F(FeaturesTest, InterruptCoalescingReachesTheHardware) {
  EXPECT_EQ(set(NVME_FEATURE_INTERRUPT_COALESCING, 0xFFFF0000 | 5 << 8 | 7).status, 0);
  EXPECT_EQ(dev.reg[ORM_FW_INT_COALESCING], 5u << 8 | 7);
  EXPECT_EQ(get(NVME_FEATURE_INTERRUPT_COALESCING).dw0, 5u << 8 | 7);
  EXPECT_EQ(get(NVME_FEATURE_INTERRUPT_COALESCING, NVME_FEATURE_SELECT_DEFAULT).dw0, 0u);
  set_cc(0);
  enable();
  EXPECT_EQ(dev.reg[ORM_FW_INT_COALESCING], 0u) << "a controller reset ends it";
  EXPECT_EQ(get(NVME_FEATURE_INTERRUPT_COALESCING).dw0, 0u);
}

TEST_F(FeaturesTest, InterruptVectorConfiguration) {
  EXPECT_EQ(set(NVME_FEATURE_INTERRUPT_VECTOR, 2 | 1u << 16).status, 0);
  EXPECT_EQ(get(NVME_FEATURE_INTERRUPT_VECTOR, 0, 2).dw0, 2 | 1u << 16);
  EXPECT_EQ(dev.direct_vectors, std::set<uint32_t>{2});
  EXPECT_EQ(get(NVME_FEATURE_INTERRUPT_VECTOR, 0, 1).dw0, 1u);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_INTERRUPT_VECTOR, MockDevice::kQueues + 1)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_INTERRUPT_VECTOR, 0, 0xFFFF)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(set(NVME_FEATURE_INTERRUPT_VECTOR, 2).status, 0);
  EXPECT_TRUE(dev.direct_vectors.empty());
}

TEST_F(FeaturesTest, OnlyPowerStateZero) {
  EXPECT_EQ(set(NVME_FEATURE_POWER_MANAGEMENT, 0).status, 0);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_POWER_MANAGEMENT, 1)), NVME_STATUS_INVALID_FIELD);
}

TEST_F(FeaturesTest, UnknownAndUnsaveable) {
  for (uint32_t fid : {0x00u, 0x03u, 0x0Cu, 0x0Eu, 0x10u, 0x81u, 0xFFu}) {
    EXPECT_EQ(sct_sc(get(fid)), NVME_STATUS_INVALID_FIELD) << fid;
    EXPECT_EQ(sct_sc(set(fid, 0)), NVME_STATUS_INVALID_FIELD) << fid;
  }
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_ARBITRATION, 1, 1u << 31)), NVME_STATUS_FEATURE_NOT_SAVEABLE);
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_ARBITRATION, 4)), NVME_STATUS_INVALID_FIELD);
}

}  // namespace
}  // namespace orm_test
