// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "drivers/nand.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class NandTest : public ::testing::Test {
 protected:
  MockDevice dev;
  device d{};
  nand n{};

  void SetUp() override { ASSERT_EQ(device_probe(&d, dev.port()), FW_OK); }
};

TEST_F(NandTest, ProbeOfEachKindOfPage) {
  dev.program(0, 42, 7, 1);
  dev.flash[1].state = Page::kTorn;
  for (uint32_t slot = 0; slot < 3; slot++)
    EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, slot)) << slot;
  EXPECT_FALSE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 4)) << "its die is busy";
  nand_result r;
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_EQ(r.slot, 0u);
  EXPECT_EQ(r.status, ORM_FW_NAND_STATUS_OK);
  orm_oob_record oob;
  ASSERT_TRUE(orm_oob_record_open(&oob, r.oob));
  EXPECT_EQ(oob.lpn, 42u);
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_EQ(r.status, ORM_FW_NAND_STATUS_UNCORRECTABLE);
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_EQ(r.status, ORM_FW_NAND_STATUS_ERASED);
  EXPECT_FALSE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 4)) << "free again";
}

TEST_F(NandTest, ReadOfASlot) {
  dev.program(5, 42, 7, 1);
  dev.data[5].resize(ORM_SLOT_BYTES);
  for (uint32_t i = 0; i < ORM_SLOT_BYTES; i++) dev.data[5][i] = static_cast<uint8_t>(i / 16 + i);
  dev.data_delay = 3;
  ASSERT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, 5));
  EXPECT_FALSE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, 6)) << "one at a time, whatever die it is";
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 6));
  nand_result r;
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_EQ(r.slot, 5u);
  EXPECT_EQ(r.status, ORM_FW_NAND_STATUS_OK);
  for (uint32_t at : {0u, 255u, 7u}) {
    uint8_t out[FW_NAND_CHUNK];
    EXPECT_EQ(nand_data(&n, dev.port(), at, out), FW_PENDING);
    EXPECT_EQ(nand_data(&n, dev.port(), at, out), FW_PENDING);
    ASSERT_EQ(nand_data(&n, dev.port(), at, out), FW_OK);
    EXPECT_EQ(memcmp(out, &dev.data[5][at * FW_NAND_CHUNK], FW_NAND_CHUNK), 0) << at;
  }
  EXPECT_FALSE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, 5)) << "the buffer is not given back";
  nand_read_done(&n);
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, 5));
}

TEST_F(NandTest, DataThatNeverComesIsNoEndlessLoop) {
  dev.program(5, 42, 7, 1);
  dev.data_delay = UINT32_MAX;
  ASSERT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, 5));
  nand_result r;
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  uint8_t out[FW_NAND_CHUNK];
  EXPECT_EQ(nand_data(&n, dev.port(), 0, out), FW_PENDING);
}

TEST_F(NandTest, FailedRead) {
  dev.program(5, 42, 7, 1);
  dev.unreadable = {5};
  nand_result r;
  for (uint32_t slot : {5u, 6u}) {
    ASSERT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_READ, slot));
    ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
    EXPECT_EQ(r.status, slot == 5 ? ORM_FW_NAND_STATUS_UNCORRECTABLE : ORM_FW_NAND_STATUS_ERASED);
    nand_read_done(&n);
  }
}

TEST_F(NandTest, EraseOfASuperblock) {
  dev.program(2 * MockDevice::kSlotsPerSb + 5, 1, 1, 1);
  nand_eraser e;
  nand_erase_begin(&e, 2);
  fw_result_t r = FW_PENDING;
  for (int i = 0; i < 10 && r == FW_PENDING; i++) r = nand_erase_poll(&e, &n, &d, dev.port());
  EXPECT_EQ(r, FW_OK);
  EXPECT_EQ(dev.erased.size(), MockDevice::kDies);
  EXPECT_EQ(dev.flash[2 * MockDevice::kSlotsPerSb + 5].state, Page::kErased);
}

TEST_F(NandTest, SlotsOfAPageShareTheirDie) {
  dev.make_wide();
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  dev.program(0, 42, 7, 1);
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 0));
  for (uint32_t slot : {1u, 3u, 8u, 11u})
    EXPECT_FALSE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, slot)) << slot << ": its die is busy";
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 4)) << "the other die";
  nand_result r;
  ASSERT_TRUE(nand_take(&n, &d, dev.port(), &r));
  EXPECT_TRUE(nand_start(&n, &d, dev.port(), ORM_FW_NAND_OP_PROBE, 11)) << "free again";
}

TEST_F(NandTest, EraseNamesABlockOfEachDie) {
  dev.make_wide();
  ASSERT_EQ(device_probe(&d, dev.port()), FW_OK);
  const uint32_t base = 2 * MockDevice::kSlotsPerSb;
  for (uint32_t i = 0; i < MockDevice::kSlotsPerSb; i++) dev.program(base + i, i, 1, 1);
  nand_eraser e;
  nand_erase_begin(&e, 2);
  fw_result_t r = FW_PENDING;
  for (int i = 0; i < 10 && r == FW_PENDING; i++) r = nand_erase_poll(&e, &n, &d, dev.port());
  EXPECT_EQ(r, FW_OK);
  EXPECT_EQ(dev.erased, (std::vector<uint32_t>{base, base + 4}));
  for (uint32_t i = 0; i < MockDevice::kSlotsPerSb; i++) EXPECT_EQ(dev.flash[base + i].state, Page::kErased) << i;
}

TEST_F(NandTest, FailedErase) {
  dev.erase_fails = true;
  nand_eraser e;
  nand_erase_begin(&e, 0);
  fw_result_t r = FW_PENDING;
  for (int i = 0; i < 10 && r == FW_PENDING; i++) r = nand_erase_poll(&e, &n, &d, dev.port());
  EXPECT_EQ(r, FW_NAND);
}

}  // namespace
}  // namespace orm_test
