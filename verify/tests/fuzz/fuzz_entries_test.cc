// SPDX-License-Identifier: Apache-2.0
//
// The entries that the fuzzer draws obey its one rule: they never change a page that is to be kept.
#include "fuzz/fuzz_entries.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/fuzz_host.h"
#include "orm_formats.h"
#include "test_seed.h"

namespace orm::fuzz {
namespace {

constexpr uint64_t kPages = 400;
constexpr uint64_t kFirstFree = 200;

/// Whether the range lies in the namespace, so that the device may act on it, and begins among the pages to keep.
bool touches_kept(uint64_t lba, uint64_t n) { return lba < kFirstFree && lba + n <= kPages; }

uint64_t lba(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

TEST(FuzzEntries, NoEntryMayChangeAPageThatIsToBeKept) {
  Memory memory;
  Entries entries(openremap::TestSeed(), kPages, kFirstFree, &memory);
  unsigned writes = 0, remaps = 0;
  for (int i = 0; i < 200'000; ++i) {
    const nvme_submission_entry e = entries.io();
    if (e.opcode == NVME_IO_OPCODE_WRITE || e.opcode == NVME_IO_OPCODE_WRITE_ZEROES) {
      ASSERT_FALSE(touches_kept(lba(e.cdw10, e.cdw11), (e.cdw12 & 0xFFFF) + 1)) << i;
      ++writes;
    } else if (e.opcode == ORM_VENDOR_OPCODES_REMAP) {
      ASSERT_FALSE(touches_kept(lba(e.cdw12, e.cdw13), e.cdw14)) << i;
      if ((e.cdw15 & 1) != 0) {
        ASSERT_FALSE(touches_kept(lba(e.cdw10, e.cdw11), e.cdw14)) << i;
      }
      ++remaps;
    } else if (e.opcode == NVME_IO_OPCODE_COPY) {
      ASSERT_GE(lba(e.cdw10, e.cdw11), kFirstFree) << i;
    }
  }
  EXPECT_GT(writes, 10'000u);
  EXPECT_GT(remaps, 10'000u);
}

/// Checks every list that a pointer of such an entry can lead to, from every place where it may begin.
TEST(FuzzEntries, NoListNamesAPageThatIsToBeKept) {
  Memory memory;
  Entries entries(openremap::TestSeed(), kPages, kFirstFree, &memory);
  unsigned lists = 0;
  for (int i = 0; i < 100'000; ++i) {
    const nvme_submission_entry e = entries.io();
    if (e.opcode != NVME_IO_OPCODE_DATASET_MANAGEMENT && e.opcode != ORM_VENDOR_OPCODES_REMAP_VECTOR) continue;
    for (const uint64_t prp : {e.prp1, e.prp2}) {
      std::vector<uint8_t> list(kPage - (prp & ~3ull) % kPage);
      if (memory.host()->dma_read(memory.host()->ctx, prp & ~3ull, list.data(), list.size()) != 0) continue;
      ++lists;
      const size_t bytes = e.opcode == NVME_IO_OPCODE_DATASET_MANAGEMENT ? NVME_DSM_RANGE_BYTES : ORM_REMAP_RANGE_BYTES;
      for (size_t at = 0; at + bytes <= list.size(); at += bytes) {
        if (e.opcode == NVME_IO_OPCODE_DATASET_MANAGEMENT) {
          nvme_dsm_range range;
          nvme_dsm_range_unpack(&range, list.data() + at);
          ASSERT_FALSE(touches_kept(range.slba, range.nlb) && range.nlb != 0) << i;
        } else {
          orm_remap_range range;
          orm_remap_range_unpack(&range, list.data() + at);
          ASSERT_FALSE(touches_kept(range.dst, range.nlb)) << i;
          ASSERT_FALSE(e.cdw15 != 0 && touches_kept(range.src, range.nlb)) << i;
        }
      }
    }
  }
  EXPECT_GT(lists, 5'000u);
}

}  // namespace
}  // namespace orm::fuzz
