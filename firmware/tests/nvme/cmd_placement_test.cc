// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kOffered = 2;  // placement handles, of the mock's 4
constexpr uint32_t kRuh = NVME_IO_MGMT_RUH;

class PlacementCommandTest : public FwTest {
 protected:
  void SetUp() override {
    dev.options().placement_handles = kOffered;
    boot_enabled();
  }

  static constexpr uint32_t kStream[] = {ORM_STREAM_HOST, ORM_STREAM_HOST + ORM_STREAM_HANDLE};

  void open(uint32_t handle, uint32_t sb, uint32_t next) {
    dev.open_streams[kStream[handle]] =
        ORM_PUT(ORM_FW_ALLOC_OPEN_OPEN, 1) | ORM_PUT(ORM_FW_ALLOC_OPEN_SB, sb) | ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, next);
  }
  // What the intent of its erase says of a superblock, which has been closed since.
  uint16_t good_slots(uint32_t sb) {
    dev.sb[sb] = {1, 2, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1, 2};
    settle();
    orm_gc_intent i;
    EXPECT_TRUE(orm_gc_intent_open(&i, &dev.nvram[MockDevice::kNvCounters]));
    EXPECT_EQ(i.sb, sb);
    return i.good_slots;
  }
  Completion receive(uint32_t bytes, uint32_t operation = kRuh, uint32_t nsid = 1) {
    return run(1, command(NVME_IO_OPCODE_IO_MGMT_RECEIVE, nsid, operation, bytes / 4 - 1));
  }
  // The list lies at `offset` of the host's memory.
  Completion send(const std::vector<uint16_t> &identifiers, uint64_t offset = 0, uint32_t operation = kRuh) {
    for (size_t i = 0; i < identifiers.size(); i++) orm_put_le(&dev.host[offset + 2 * i], identifiers[i], 2);
    nvme_submission_entry e =
        command(NVME_IO_OPCODE_IO_MGMT_SEND, 1, operation | uint32_t(identifiers.size() - 1) << 16, 0);
    e.prp1 = MockDevice::kHost + offset;
    return run(1, e);
  }
  Completion get(uint32_t fid, uint32_t cdw11, uint32_t select = 0, uint32_t nsid = 1) {
    return admin(command(NVME_ADMIN_OPCODE_GET_FEATURES, nsid, fid | select << 8, cdw11));
  }
  Completion set(uint32_t fid, uint32_t cdw11) { return admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, 1, fid, cdw11)); }
};

TEST_F(PlacementCommandTest, StatusOfTheHandles) {
  dev.open_streams[2] = ORM_PUT(ORM_FW_ALLOC_OPEN_OPEN, 1) | ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, 5);
  ASSERT_EQ(receive(256).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[14], 2), kOffered);
  nvme_ruh_status s;
  for (uint16_t h = 0; h < kOffered; h++) {
    nvme_ruh_status_unpack(&s, &dev.host[16 + 32 * h]);
    EXPECT_EQ(s.identifier, h);
    EXPECT_EQ(s.handle, h);
    EXPECT_EQ(s.blocks_left, h == 1 ? MockDevice::kSlotsPerSb - 5 : MockDevice::kSlotsPerSb);
  }
  EXPECT_EQ(dev.host[16 + 32 * kOffered], 0) << "past its end";
  dev.open_streams[2] |= ORM_FW_ALLOC_OPEN_FULL_MASK;
  ASSERT_EQ(receive(256).status, 0);
  nvme_ruh_status_unpack(&s, &dev.host[16 + 32]);
  EXPECT_EQ(s.blocks_left, MockDevice::kSlotsPerSb) << "of the next reclaim unit";
}

TEST_F(PlacementCommandTest, StatusIsCutToWhatWasAskedFor) {
  std::fill(dev.host.begin(), dev.host.begin() + 64, 0xEE);
  ASSERT_EQ(receive(16).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[14], 2), kOffered);
  EXPECT_EQ(dev.host[16], 0xEE);
}

TEST_F(PlacementCommandTest, BadReceive) {
  EXPECT_EQ(receive(64, 0).status, 0) << "no action";
  EXPECT_EQ(sct_sc(receive(64, 2)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(receive(64, kRuh, 2)), NVME_STATUS_INVALID_NAMESPACE);
  EXPECT_EQ(sct_sc(receive(64, kRuh, UINT32_MAX)), NVME_STATUS_INVALID_NAMESPACE);
  EXPECT_EQ(sct_sc(receive(9 * 4096)), NVME_STATUS_INVALID_FIELD) << "over the MDTS";
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  EXPECT_EQ(sct_sc(receive(64)), NVME_STATUS_DATA_TRANSFER_ERROR);
}

TEST_F(PlacementCommandTest, UpdateEndsReclaimUnits) {
  open(0, 3, 1);
  open(1, 4, 2);
  EXPECT_EQ(send({1}).status, 0);
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{1});
  EXPECT_EQ(send({1, 0}).status, 0);
  EXPECT_EQ(dev.closed_handles, (std::vector<uint32_t>{1, 1, 0}));
  EXPECT_EQ(send({0}, 0, NVME_IO_MGMT_NONE).status, 0);
  EXPECT_EQ(dev.closed_handles.size(), 3u) << "no action";
}

TEST_F(PlacementCommandTest, ListMayLieAnywhere) {
  for (uint64_t offset : {4u, 8u, 12u, 4092u}) {
    dev.closed_handles.clear();
    open(0, 3, 1);
    open(1, 4, 2);
    EXPECT_EQ(send({0, 1}, offset).status, 0) << offset;
    EXPECT_EQ(dev.closed_handles, (std::vector<uint32_t>{0, 1})) << offset;
  }
  EXPECT_EQ(sct_sc(send({0}, 2)), NVME_STATUS_INVALID_PRP_OFFSET);
}

TEST_F(PlacementCommandTest, BadUpdateChangesNothing) {
  EXPECT_EQ(sct_sc(send({0, kOffered})), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(send({0, 1, 0})), NVME_STATUS_INVALID_FIELD) << "more than there are identifiers";
  EXPECT_EQ(sct_sc(send({0}, 0, 2)), NVME_STATUS_INVALID_FIELD);
  nvme_submission_entry e = command(NVME_IO_OPCODE_IO_MGMT_SEND, 2, kRuh);
  EXPECT_EQ(sct_sc(run(1, e)), NVME_STATUS_INVALID_NAMESPACE);
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  EXPECT_EQ(sct_sc(send({0})), NVME_STATUS_DATA_TRANSFER_ERROR);
  EXPECT_TRUE(dev.closed_handles.empty());
}

TEST_F(PlacementCommandTest, HandleWithoutASuperblockHasNothingToEnd) {
  EXPECT_EQ(send({1}).status, 0);
  EXPECT_TRUE(dev.closed_handles.empty());
}

TEST_F(PlacementCommandTest, EraseOfAnEndedUnitKnowsItsSlots) {
  open(1, 6, 5);
  EXPECT_EQ(send({1}).status, 0);
  EXPECT_EQ(good_slots(6), 5);
}

TEST_F(PlacementCommandTest, EraseOfAnEndedUnitCountsThePageThatIsCompleted) {
  dev.make_wide();
  dev.forget_all();
  power_cycle();
  enable();
  for (auto [next, good] : {std::pair{4u, 4}, {5u, 8}, {15u, 16}}) {
    open(1, 6, next);
    EXPECT_EQ(send({1}).status, 0);
    EXPECT_EQ(good_slots(6), good) << next;
  }
}

TEST_F(PlacementCommandTest, EraseOfAUnitThatWasFullKnowsItsSlots) {
  open(1, 6, 0);
  dev.open_streams[kStream[1]] |= ORM_FW_ALLOC_OPEN_FULL_MASK;
  EXPECT_EQ(send({1}).status, 0);
  EXPECT_EQ(good_slots(6), MockDevice::kSlotsPerSb);
}

TEST_F(PlacementCommandTest, WriteInTheMiddleOfAnUpdateClosesTheUnit) {
  open(1, 6, 5);
  dev.on_close = [this] { open(1, 7, 1); };
  EXPECT_EQ(send({1}).status, 0);
  EXPECT_EQ(good_slots(6), UINT16_MAX) << "it may have got more";
}

TEST_F(PlacementCommandTest, AlwaysEnabled) {
  EXPECT_EQ(get(NVME_FEATURE_PLACEMENT, 1).dw0, 1u) << "with configuration 0";
  EXPECT_EQ(get(NVME_FEATURE_PLACEMENT, 1, NVME_FEATURE_SELECT_DEFAULT).dw0, 1u);
  EXPECT_EQ(get(NVME_FEATURE_PLACEMENT, 1, NVME_FEATURE_SELECT_CAPABILITIES).dw0, 0u) << "not changeable";
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_PLACEMENT, 0)), NVME_STATUS_INVALID_FIELD) << "no such endurance group";
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_PLACEMENT, 1, 4)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_PLACEMENT, 1)), NVME_STATUS_SEQUENCE_ERROR) << "the namespace exists";
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_PLACEMENT, 2)), NVME_STATUS_INVALID_FIELD);
}

TEST_F(PlacementCommandTest, NoEventsAreSupported) {
  EXPECT_EQ(get(NVME_FEATURE_PLACEMENT_EVENTS, 1 | 4u << 16).dw0, 0u);
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_PLACEMENT_EVENTS, kOffered)), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(get(NVME_FEATURE_PLACEMENT_EVENTS, 0, 0, 0)), NVME_STATUS_INVALID_NAMESPACE);
  EXPECT_EQ(set(NVME_FEATURE_PLACEMENT_EVENTS, 0).status, 0);
  EXPECT_EQ(sct_sc(set(NVME_FEATURE_PLACEMENT_EVENTS, 1u << 16)), NVME_STATUS_INVALID_FIELD);
}

}  // namespace
}  // namespace orm_test
