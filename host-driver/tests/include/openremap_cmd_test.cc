// SPDX-License-Identifier: Apache-2.0
#include "openremap_cmd.h"

#include <gtest/gtest.h>

#include "api/remap_wire.h"

namespace {

// Static assertions in nvme_spec.h check offsets and sizes of the wire structures. These tests check the values that
// the builders put there.

TEST(CmdTest, ReadCarriesLbaAndZeroBasedLength) {
  nvme_submission_entry c;
  nvme_cmd_read(&c, 1, 0x123456789Aull, 32);
  EXPECT_EQ(c.opcode, 0x02);
  EXPECT_EQ(c.nsid, 1u);
  EXPECT_EQ(c.cdw10, 0x3456789Au);
  EXPECT_EQ(c.cdw11, 0x12u);
  EXPECT_EQ(c.cdw12, 31u);
}

TEST(CmdTest, WriteSetsForceUnitAccessOnlyWhenAsked) {
  nvme_submission_entry c;
  nvme_cmd_write(&c, 1, 7, 1, 0);
  EXPECT_EQ(c.cdw12, 0u);
  nvme_cmd_write(&c, 1, 7, 65536, 1);
  EXPECT_EQ(c.cdw12, 1u << 30 | 0xFFFFu);
}

TEST(CmdTest, PlacementGoesBesideTheRestOfAWrite) {
  nvme_submission_entry c;
  nvme_cmd_write(&c, 1, 7, 3, 1);
  nvme_cmd_place(&c, 0xABCD);
  EXPECT_EQ(c.cdw12, 1u << 30 | 2u << 20 | 2u);
  EXPECT_EQ(c.cdw13, 0xABCD0000u);
}

TEST(CmdTest, IoManagement) {
  nvme_submission_entry c;
  nvme_cmd_ruh_status(&c, 1, 64);
  EXPECT_EQ(NVME_OPCODE_DIRECTION(c.opcode), 0u + NVME_DATA_FROM_CONTROLLER);
  EXPECT_EQ(c.cdw10, 1u);
  EXPECT_EQ(c.cdw11, 15u);
  nvme_cmd_ruh_update(&c, 1, 3);
  EXPECT_EQ(NVME_OPCODE_DIRECTION(c.opcode), 0u + NVME_DATA_TO_CONTROLLER);
  EXPECT_EQ(c.cdw10, 2u << 16 | 1u);
}

TEST(CmdTest, LongestLogPageUsesBothLengthFields) {
  nvme_submission_entry c;
  nvme_cmd_get_log_page(&c, 0xCA, 0x100000004ull, 0x80000 * 4);
  EXPECT_EQ(c.cdw10, 0xFFFF00CAu);
  EXPECT_EQ(c.cdw11, 0x7u);
  EXPECT_EQ(c.cdw12, 4u);
  EXPECT_EQ(c.cdw13, 1u);
}

TEST(CmdTest, CompletionQueueIsContiguousWithItsVector) {
  nvme_submission_entry c;
  nvme_cmd_create_cq(&c, 3, 64, 0x1000, 3);
  EXPECT_EQ(c.cdw10, 63u << 16 | 3);
  EXPECT_EQ(c.cdw11, 3u << 16 | 3);
  EXPECT_EQ(c.prp1, 0x1000u);
}

TEST(CmdTest, DeallocateCountsRangesFromZero) {
  nvme_submission_entry c;
  nvme_cmd_deallocate(&c, 1, 256);
  EXPECT_EQ(c.cdw10, 255u);
  EXPECT_EQ(c.cdw11, 4u);
}

TEST(CmdTest, RemapCarriesBothEndsAndACount) {
  nvme_submission_entry c;
  remap_wire_remap(&c, 1, 0x100000002ull, 0x300000004ull, 5, ORM_VENDOR_FLAGS_MOVE);
  EXPECT_EQ(c.opcode, ORM_VENDOR_OPCODES_REMAP);
  EXPECT_EQ(NVME_OPCODE_DIRECTION(c.opcode), 0u + NVME_DATA_NONE);
  EXPECT_EQ(c.cdw10, 2u);
  EXPECT_EQ(c.cdw11, 1u);
  EXPECT_EQ(c.cdw12, 4u);
  EXPECT_EQ(c.cdw13, 3u);
  EXPECT_EQ(c.cdw14, 5u);
  EXPECT_EQ(c.cdw15, 0u + ORM_VENDOR_FLAGS_MOVE);
}

TEST(CmdTest, RemapVectorSendsDataToTheController) {
  nvme_submission_entry c;
  remap_wire_vector(&c, 1, 128, 0);
  EXPECT_EQ(NVME_OPCODE_DIRECTION(c.opcode), 0u + NVME_DATA_TO_CONTROLLER);
  EXPECT_EQ(c.cdw10, 128u);
}

}  // namespace
