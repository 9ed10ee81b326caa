// SPDX-License-Identifier: Apache-2.0
#include "fw/fw_nand.h"

#include <algorithm>

#include "fast/gc/gc_fixture.h"

namespace orm::fast {
namespace {

class FastFwNand : public FastGc {
 protected:
  void SetUp() override { nand_.listen(NandClient::kFirmware, &fw_); }
  void fill(uint32_t slot, uint8_t seed) {
    for (uint32_t i = 0; i < ORM_SLOT_BYTES; ++i) buffers_.data(0)[i] = uint8_t(seed + i + i / 256);
    program(slot, 1000 + slot, 5);
  }

  FwNand fw_{sim_, p_, nand_, buffers_};
};

TEST_F(FastFwNand, AReadGivesDataAndSpare) {
  const uint32_t slot = p_.slot_at(1, 0);
  fill(slot, 3);
  EXPECT_FALSE(fw_.fetched());
  fw_.start(slot, ORM_FW_NAND_OP_READ);
  run();
  ASSERT_NE(fw_.outcome(), nullptr);
  EXPECT_EQ(fw_.outcome()->slot, slot);
  EXPECT_EQ(fw_.outcome()->status, NandStatus::kOk);
  orm_oob_record oob;
  ASSERT_TRUE(orm_oob_record_open(&oob, fw_.outcome()->oob.data()));
  EXPECT_EQ(oob.lpn, 1000 + slot);
  fw_.pop();
  for (const uint32_t at : {0u, 1u, 17u, 255u}) {
    fw_.fetch(at);
    EXPECT_TRUE(fw_.fetched());
    const uint32_t first = 16 * at;
    for (uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(uint8_t(fw_.word(i / 4) >> 8 * (i % 4)), uint8_t(3 + first + i + (first + i) / 256)) << at;
    }
  }
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_HOST), 0u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 0u);
}

TEST_F(FastFwNand, ProbesAndErasesGoOnBesideARead) {
  const uint32_t slot = p_.slot_at(1, 0);
  fill(slot, 3);
  fw_.start(slot, ORM_FW_NAND_OP_READ);
  sim_.step();
  while (!fw_.ready()) sim_.step();
  fw_.start(p_.slot_at(1, 1), ORM_FW_NAND_OP_PROBE);
  while (!fw_.ready()) sim_.step();
  fw_.start(p_.slot_at(5, 2), ORM_FW_NAND_OP_ERASE);
  run();
  uint32_t results = 0;
  for (; fw_.outcome() != nullptr; ++results) {
    if (fw_.outcome()->slot == p_.slot_at(1, 1)) {
      EXPECT_EQ(fw_.outcome()->status, NandStatus::kErased);
    }
    fw_.pop();
  }
  EXPECT_EQ(results, 3u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_FW), 2u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_ERASE), 1u);
}

// A snapshot of the mapping: pages of firmware's, with spares that nobody takes for data, and read back side by side.
TEST_F(FastFwNand, ProgramsComeOutOfItsBuffersAndReadsGoThere) {
  const uint32_t n = p_.k.fw_buffers;
  for (uint32_t i = 0; i < n; ++i) {
    std::fill_n(buffers_.data(p_.fw_buf + i), ORM_SLOT_BYTES, uint8_t(i + 1));
    std::fill_n(buffers_.spare(p_.fw_buf + i), ORM_OOB_RECORD_BYTES, 0xEE);
    while (!fw_.ready()) sim_.step();
    fw_.start(p_.slot_at(5, i), ORM_FW_NAND_OP_PROGRAM, i);
  }
  run();
  for (uint32_t i = 0; i < n; ++i, fw_.pop()) {
    ASSERT_NE(fw_.outcome(), nullptr);
    EXPECT_EQ(fw_.outcome()->status, NandStatus::kOk);
  }
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), n);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_HOST), 0u);
  for (uint32_t i = 0; i < n; ++i) {  // into other ones
    while (!fw_.ready()) sim_.step();
    fw_.start(p_.slot_at(5, i), ORM_FW_NAND_OP_READ, n - 1 - i);
  }
  run();
  for (uint32_t i = 0; i < n; ++i, fw_.pop()) {
    ASSERT_NE(fw_.outcome(), nullptr);
    EXPECT_EQ(fw_.outcome()->oob, RawOob{});
  }
  for (uint32_t i = 0; i < n; ++i) {
    EXPECT_EQ(buffers_.data(p_.fw_buf + n - 1 - i)[0], i + 1);
    EXPECT_EQ(buffers_.data(p_.fw_buf + n - 1 - i)[ORM_SLOT_BYTES - 1], i + 1);
    EXPECT_TRUE(fw_.idle(i));
  }
}

TEST_F(FastFwNand, FirmwareBugsStopTheModel) {
  const uint32_t slot = p_.slot_at(1, 0);
  fill(slot, 3);
  EXPECT_THROW(fw_.start(slot, ORM_FW_NAND_OP_PROGRAM, p_.k.fw_buffers), ModelStopped) << "no such buffer";
  fw_.start(slot, ORM_FW_NAND_OP_READ);
  while (!fw_.ready()) sim_.step();
  EXPECT_THROW(fw_.start(slot + 1, ORM_FW_NAND_OP_READ), ModelStopped) << "it is in use";
  EXPECT_THROW(fw_.start(slot + 1, ORM_FW_NAND_OP_PROGRAM), ModelStopped) << "it is in use";
  EXPECT_FALSE(fw_.idle(0));
  EXPECT_TRUE(fw_.idle(1));
  EXPECT_THROW(fw_.fetch(0), ModelStopped) << "it is being filled";
  run();
  fw_.fetch(0);
  EXPECT_EQ(fw_.outcome()->status, NandStatus::kOk);
}

}  // namespace
}  // namespace orm::fast
