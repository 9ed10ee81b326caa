// SPDX-License-Identifier: Apache-2.0
// Which event of an LPN wins, in a superblock and between superblocks.
#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

class RecoveryElectionTest : public RecoveryTest {
 protected:
  // A full superblock of which each slot holds the same LPN; the slot `newest` has the largest seq.
  void fill_with_one(uint32_t sb, uint32_t lpn, uint32_t newest) {
    for (uint32_t i = 0; i < dev.data_slots(); i++)
      dev.program(sb * kSlots + i, lpn, i == newest ? 900 : 100 + i, 1, ORM_STREAM_HOST);
    std::vector<uint8_t> raw(dev.summary_slots * ORM_SLOT_BYTES, 0);
    for (uint32_t i = 0; i < dev.data_slots(); i++) {
      orm_slot_record r{};
      r.lpn = lpn;
      r.gen = 1;
      r.seq = i == newest ? 900 : 100 + i;
      r.sb = static_cast<uint16_t>(sb);
      orm_slot_record_pack(&r, &raw[i * ORM_SLOT_RECORD_BYTES]);
    }
    orm_summary_trailer t{};
    t.mark = ORM_SUMMARY_MARK;
    t.gen = 1;
    t.sb = static_cast<uint16_t>(sb);
    t.version = ORM_FORMAT_VERSION;
    t.stream = ORM_STREAM_HOST;
    put_summary(sb, raw, t);
  }
};

class RecoveryElectionOfRecordsTest : public RecoveryElectionTest {
 protected:
  RecoveryElectionOfRecordsTest() { dev.make_summaries(); }
};

TEST_F(RecoveryElectionTest, TheNewestSlotOfAnLpnWins) {
  dev.program(2 * kSlots, 7, 50, 1, ORM_STREAM_HOST);
  dev.program(3 * kSlots, 7, 60, 1, ORM_STREAM_HOST);
  dev.program(4 * kSlots, 7, 40, 1, ORM_STREAM_HOST);
  recover();
  EXPECT_EQ(dev.l2p(7), 3 * kSlots);
  EXPECT_EQ(dev.sb[3].valid, 1u);
}

TEST_F(RecoveryElectionOfRecordsTest, OfRecordsThatAreTakenTogetherToo) {
  const uint32_t last = dev.data_slots() - 1;
  fill_with_one(2, 7, 0);
  fill_with_one(3, 8, last / 2);
  fill_with_one(4, 9, last);
  recover();
  EXPECT_EQ(dev.l2p(7), 2 * kSlots);
  EXPECT_EQ(dev.l2p(8), 3 * kSlots + last / 2);
  EXPECT_EQ(dev.l2p(9), 4 * kSlots + last);
  for (const uint32_t sb : {2u, 3u, 4u}) EXPECT_EQ(dev.sb[sb].valid, 1u) << sb;
}

}  // namespace
}  // namespace orm_test
