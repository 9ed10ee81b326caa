// SPDX-License-Identifier: Apache-2.0
//
// The controller (Verilated, and its fast model) with its firmware, through libopenremap: the promises of the device
// contract, end to end.
//
//   test -> libopenremap -> PCIe function -> RTL or model + firmware -> NAND, NVRAM and DRAM models
//
// Data is read back from flash through the mapping. Neither side keeps a copy: the expected bytes follow from LPN and
// version. OPENREMAP_SEED seeds the random parts.

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "temp_dir.h"

namespace openremap {
namespace {

constexpr int kOverlap = NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_OVERLAP);
constexpr int kUnmapped = NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_UNMAPPED);
constexpr int kSharerLimit = NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT);
constexpr int kZeroLength = NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH);

TEST_P(ControllerTest, TransfersOfEverySizeAndAlignment) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t most = openremap_get_info(dev_)->max_transfer_pages;
  auto *memory = static_cast<uint8_t *>(openremap_dma_alloc(dev_, (3 * most + 2) * OPENREMAP_PAGE_BYTES));
  ASSERT_NE(memory, nullptr);
  for (uint64_t count : {uint64_t{1}, uint64_t{2}, uint64_t{3}, most - 1, most, most + 1, 3 * most}) {
    for (uint64_t offset : {0u, 4u, 2052u, 4092u}) {
      const uint64_t lpn = random() % (pages_ - count);
      const uint64_t first = last_version_ + 1;
      uint8_t *data = memory + offset;
      for (uint64_t i = 0; i < count; i++) {
        versions_[lpn + i] = ++last_version_;
        const Page page = Contents(last_version_);
        std::copy(page.begin(), page.end(), data + i * OPENREMAP_PAGE_BYTES);
      }
      ASSERT_EQ(openremap_write(dev_, lpn, count, data, false), 0) << count << " pages at offset " << offset;
      std::fill_n(memory, (3 * most + 2) * OPENREMAP_PAGE_BYTES, uint8_t{0xEE});
      ASSERT_EQ(openremap_read(dev_, lpn, count, data), 0);
      for (uint64_t i = 0; i < count; i++) {
        const Page page = Contents(first + i);
        ASSERT_TRUE(std::equal(page.begin(), page.end(), data + i * OPENREMAP_PAGE_BYTES)) << count << " " << offset;
      }
      ASSERT_EQ(data[count * OPENREMAP_PAGE_BYTES], 0xEE) << "bytes past the end were written";
      if (offset != 0) {
        ASSERT_EQ(data[-1], 0xEE) << "bytes before the start were written";
      }
    }
  }
  openremap_dma_free(dev_, memory);
  CheckAll();
}

TEST_P(ControllerTest, RemapShareMoveAndVector) {
  Write(0, 16);
  ASSERT_EQ(Remap(0, 100, 8), 0);
  ASSERT_EQ(Remap(8, 200, 8, OPENREMAP_MOVE), 0);
  const std::vector<openremap_remap_range> ranges = {{100, 300, 2}, {0, 310, 3}, {204, 320, 4}};
  ASSERT_EQ(openremap_remap_vector(dev_, ranges.data(), ranges.size(), OPENREMAP_SHARE), 0);
  for (const openremap_remap_range &range : ranges) {
    for (uint64_t i = 0; i < range.pages; i++) versions_[range.dst + i] = versions_[range.src + i];
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Write(0, 4);  // the others keep what they have
  Deallocate(100, 4);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  // Overwritten without a flush: old or new.
  for (uint64_t lpn = 0; lpn < 4; lpn++) versions_.erase(lpn);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(ControllerTest, CopyAlsoCopiesThatAPageIsUnmapped) {
  Write(10, 2);
  Write(13, 1);
  Write(40, 4);
  ASSERT_EQ(openremap_flush(dev_), 0);
  const uint64_t programmed = Stats().nand_program_host;
  ASSERT_EQ(openremap_copy(dev_, 10, 40, 4), 0);
  versions_[40] = versions_[10];
  versions_[41] = versions_[11];
  versions_[42] = 0;
  versions_[43] = versions_[13];
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Stats().nand_program_host, programmed) << "flash was written for the copy";
}

TEST_P(ControllerTest, BadInputHasItsStatusAndChangesNothing) {
  Write(0, 8);
  Write(50, 1);
  EXPECT_EQ(openremap_remap(dev_, pages_ - 1, 100, 2, 0), NVME_STATUS_LBA_OUT_OF_RANGE);
  EXPECT_EQ(openremap_remap(dev_, 0, pages_ - 1, 2, 0), NVME_STATUS_LBA_OUT_OF_RANGE);
  EXPECT_EQ(openremap_remap(dev_, 0, 1ull << 40, 1, 0), NVME_STATUS_LBA_OUT_OF_RANGE);
  EXPECT_EQ(openremap_remap(dev_, 0, 4, 8, 0), kOverlap);
  EXPECT_EQ(openremap_remap(dev_, 0, 0, 1, 0), kOverlap);
  EXPECT_EQ(openremap_remap(dev_, 4, 100, 8, 0), kUnmapped);
  EXPECT_EQ(openremap_remap(dev_, 0, 100, 0, 0), kZeroLength);
  const openremap_remap_range twice[] = {{0, 100, 2}, {2, 101, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, twice, 2, 0), kOverlap);
  const openremap_remap_range late[] = {{0, 100, 2}, {300, 110, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, late, 2, 0), kUnmapped) << "the last range fails: none takes effect";
  const openremap_range outside = {pages_ - 1, 2};
  EXPECT_EQ(openremap_deallocate(dev_, &outside, 1), NVME_STATUS_LBA_OUT_OF_RANGE);
  uint8_t page[OPENREMAP_PAGE_BYTES] = {};
  EXPECT_EQ(openremap_read(dev_, pages_, 1, page), NVME_STATUS_LBA_OUT_OF_RANGE);
  EXPECT_EQ(openremap_write(dev_, UINT64_MAX - 1, 1, page, false), NVME_STATUS_LBA_OUT_OF_RANGE);

  nvme_submission_entry c;
  for (unsigned opcode : {0x05u, 0x0Cu, 0x82u, 0xFCu}) {
    nvme_cmd_init(&c, static_cast<uint8_t>(opcode), 1);
    EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_INVALID_OPCODE) << opcode;
  }
  nvme_cmd_init(&c, 0xC5, 1);
  EXPECT_EQ(openremap_admin(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_INVALID_OPCODE);
  nvme_cmd_read(&c, 7, 0, 1);
  EXPECT_EQ(openremap_io(dev_, &c, page, sizeof(page), nullptr), NVME_STATUS_INVALID_NAMESPACE);
  nvme_cmd_read(&c, 1, 0, 1);
  c.prp1 = 0x1000;  // no memory there
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_DATA_TRANSFER_ERROR);
  nvme_cmd_write(&c, 1, 0, 1, 0);
  c.prp1 = 0x1000;
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_DATA_TRANSFER_ERROR);
  c.prp1 = 0x1002;
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_INVALID_PRP_OFFSET);
  nvme_cmd_create_sq(&c, 60, 16, 0x100000000, 1);
  EXPECT_EQ(openremap_admin(dev_, &c, nullptr, 0, nullptr), NVME_STATUS_QID_INVALID);
  EXPECT_EQ(openremap_get_log_page(dev_, 0x77, 0, page, 512), NVME_STATUS_LOG_PAGE_INVALID);

  ASSERT_NO_FATAL_FAILURE(CheckAll());
  for (uint64_t lpn = 100; lpn < 112; lpn++) {
    ASSERT_EQ(Read(lpn), Contents(0)) << "a refused remap left something at LPN " << lpn;
  }
  ASSERT_EQ(Remap(0, 100, 8), 0) << "the device works on";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(ControllerTest, SharersUpToTheLimitThenARefusal) {
  Write(0);
  const uint32_t limit = Stats().sharer_limit;
  ASSERT_GE(limit, 15u);
  for (uint32_t i = 1; i < limit; i++) ASSERT_EQ(Remap(0, 100 + i, 1), 0) << i;
  const int refused = Remap(0, 100 + limit, 1);
  EXPECT_EQ(refused, kSharerLimit);
  EXPECT_TRUE(openremap_should_write_instead(refused));
  Deallocate(101, 1);
  EXPECT_EQ(Remap(0, 100 + limit, 1), 0) << "a sharer less";
  CheckAll();
}

TEST_P(ControllerTest, StatsTellSharersCacheAndSegments) {
  Write(0);
  const orm_remap_log before = Stats();
  for (uint64_t i = 1; i < 12; i++) ASSERT_EQ(Remap(0, 100 + i, 1), 0) << i;
  const orm_remap_log after = Stats();
  EXPECT_EQ(after.remap_sharers_2 - before.remap_sharers_2, 1u);
  EXPECT_EQ(after.remap_sharers_4 - before.remap_sharers_4, 2u);
  EXPECT_EQ(after.remap_sharers_8 - before.remap_sharers_8, 4u);
  EXPECT_EQ(after.remap_sharers_more - before.remap_sharers_more, 4u);
  EXPECT_GT(after.l2p_hits, before.l2p_hits);
  EXPECT_GE(after.l2p_misses, 2u) << "LPN 0 and LPN 100 do not share a line";
  EXPECT_EQ(after.segments_most, after.segments_total - after.segments_free) << "none was freed";
  EXPECT_GT(after.segments_most, before.segments_most);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_GE(Stats().segments_most, Stats().segments_total - Stats().segments_free);
  CheckAll();
}

TEST_P(ControllerTest, SharedPagesSurviveOverwriteDeallocateAndGarbageCollection) {
  // Each source page lies among seven that will be overwritten, so that the greedy victim policy comes to its
  // superblock.
  const uint64_t n = 48;
  const uint64_t first = 4 * n;
  ASSERT_LE(11 * n, pages_);
  for (uint64_t i = 0; i < n; i++) {
    ASSERT_NO_FATAL_FAILURE(Write(i));
    ASSERT_NO_FATAL_FAILURE(Write(first + 7 * i, 7));
  }
  // Sources and targets; then the sources go in every way there is.
  ASSERT_EQ(Remap(0, 1 * n, n), 0);
  ASSERT_EQ(Remap(0, 2 * n, n / 2), 0);
  ASSERT_EQ(Remap(n, 3 * n, n / 4), 0);
  Write(0, n / 2);
  Deallocate(n / 2, n / 2);
  // The other data is overwritten until superblocks with shared pages have been collected.
  std::mt19937_64 random(openremap::TestSeed());
  const orm_remap_log before = Stats();
  for (int i = 0; i < 40 && Stats().gc_moved_shared - before.gc_moved_shared < n / 2; i++) {
    for (int j = 0; j < 16; j++) ASSERT_NO_FATAL_FAILURE(Write(first + random() % (7 * n - 8), 8));
  }
  const orm_remap_log after = Stats();
  EXPECT_GT(after.gc_victims, before.gc_victims);
  EXPECT_GT(after.gc_moved_shared, before.gc_moved_shared) << "GC has met shared pages";
  EXPECT_GT(after.nand_erase, before.nand_erase);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(ControllerTest, WhatIsAcknowledgedSurvivesPowerCutsInTheMiddleOfThings) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t span = 256;
  // What each LPN may read: what is durable, or what was written since and not flushed.
  std::map<uint64_t, std::vector<uint64_t>> allowed;
  for (uint64_t lpn = 0; lpn < 2 * span; lpn++) allowed[lpn] = {0};
  for (int round = 0; round < 6; round++) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (int i = 0; i < 30; i++) {
      const uint64_t lpn = random() % (span - 8), count = 1 + random() % 8;
      const unsigned what = static_cast<unsigned>(random() % 10);
      if (what < 6) {
        ASSERT_NO_FATAL_FAILURE(Write(lpn, count));
        for (uint64_t p = lpn; p < lpn + count; p++) allowed[p].push_back(versions_[p]);
      } else if (what < 7) {
        ASSERT_EQ(openremap_flush(dev_), 0);
        for (auto &[p, versions] : allowed) versions = {versions_[p]};
      } else if (what < 8) {
        ASSERT_NO_FATAL_FAILURE(Deallocate(lpn, count));
        for (uint64_t p = lpn; p < lpn + count; p++) allowed[p] = {0};
      } else {
        // An acknowledged remap is durable, and so are its sources.
        if (Remap(lpn, span + lpn, count) != 0) continue;
        for (uint64_t p = lpn; p < lpn + count; p++) allowed[p] = allowed[span + p] = {versions_[p]};
      }
    }
    // Power goes while writes are under way.
    std::vector<Page> data;
    const auto ignore = [](void *, int, uint32_t) {};
    for (int i = 0; i < 20; i++) {
      const uint64_t lpn = random() % span;
      allowed[lpn].push_back(++last_version_);
      data.push_back(Contents(last_version_));
      ASSERT_EQ(openremap_submit_write(dev_, lpn, 1, data.back().data(), false, ignore, nullptr), 0);
    }
    const uint64_t until = openremap_now_ns(dev_) + random() % 400000;
    while (openremap_in_flight(dev_) != 0 && openremap_now_ns(dev_) < until) {
      ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
    }
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    for (auto &[lpn, versions] : allowed) {
      const Page page = Read(lpn);
      uint64_t found = UINT64_MAX;
      for (const uint64_t version : versions) {
        if (page == Contents(version)) found = version;
      }
      ASSERT_NE(found, UINT64_MAX) << "LPN " << lpn << " reads none of its " << versions.size() << " versions";
      versions_[lpn] = found;
      versions = {found};
    }
  }
}

// A remap holds the locks from its first page to its last, so docs/design/remap.md bounds the cost of a page.
TEST_P(ControllerTest, WhatAPageOfARemapCosts) {
  Close();
  HardwareAlone(&options_.device);
  ASSERT_NO_FATAL_FAILURE(Open());
  Write(0, 160);
  ASSERT_EQ(openremap_flush(dev_), 0);
  const auto time = [&](uint64_t dst, uint64_t count, unsigned flags) {
    const uint64_t begin = openremap_now_ns(dev_);
    EXPECT_EQ(Remap(0, dst, count, flags), 0);
    return openremap_now_ns(dev_) - begin;
  };
  const uint64_t few = time(200, 32, OPENREMAP_SHARE), many = time(240, 160, OPENREMAP_SHARE);
  const uint64_t over = time(240, 160, OPENREMAP_SHARE), move = time(400, 160, OPENREMAP_MOVE);
  const uint64_t page = (many - few) / 128;
  std::printf("ns: %llu for 32 pages, %llu a page; 160 pages: %llu, over mapped ones %llu, MOVE %llu\n",
              static_cast<unsigned long long>(few), static_cast<unsigned long long>(page),
              static_cast<unsigned long long>(many), static_cast<unsigned long long>(over),
              static_cast<unsigned long long>(move));
  // Bounds with room for both kinds.
  EXPECT_LT(page, 100);
  EXPECT_LT(over, 160 * 100);
  EXPECT_LT(move, 160 * 150);
}

// Power is cut again and again in the middle of collections of superblocks with shared pages. Each cut leaves copies
// and remap entries behind. None may use up superblocks or remap table segments, and GC must finish afterwards.
TEST_P(ControllerTest, CutsInTheMiddleOfCollectionsUseNothingUp) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t n = 64, first = 4 * n;
  const uint64_t cold = 3 * n;
  ASSERT_LE(first + 6 * n, pages_);
  for (uint64_t i = 0; i < n; i++) {
    ASSERT_NO_FATAL_FAILURE(Write(i));
    ASSERT_NO_FATAL_FAILURE(Write(first + 3 * i, 3));
  }
  ASSERT_EQ(Remap(0, n, n), 0);
  ASSERT_EQ(Remap(0, 2 * n, n), 0);
  ASSERT_EQ(Remap(n, cold, n), 0);
  ASSERT_EQ(openremap_flush(dev_), 0);
  const auto ignore = [](void *, int, uint32_t) {};
  const int enough = std::string(GetParam()).find("model") == std::string::npos ? 6 : 12;  // on the RTL it takes long
  int caught = 0;
  for (int cut = 0; cut < 40 && caught < enough; cut++) {
    SCOPED_TRACE("cut " + std::to_string(cut));
    // Overwrite until GC has begun to move something, then pull the plug a little later.
    std::map<uint64_t, std::vector<uint64_t>> allowed;
    std::vector<Page> data;
    data.reserve(4000);
    const uint64_t moved = Stats().gc_moved_pages;
    const auto keep = [&] { return Stats().gc_moved_pages == moved && data.size() < 600; };
    while (keep()) {
      for (int j = 0; j < 8; j++) {
        const uint64_t lpn = first + random() % (3 * n);
        if (allowed[lpn].empty()) allowed[lpn].push_back(versions_[lpn]);
        allowed[lpn].push_back(++last_version_);
        data.push_back(Contents(last_version_));
        ASSERT_EQ(openremap_submit_write(dev_, lpn, 1, data.back().data(), false, ignore, nullptr), 0);
      }
      while (openremap_in_flight(dev_) != 0) ASSERT_GE(openremap_poll(dev_, 1000000), 0);
    }
    if (Stats().gc_moved_pages != moved) caught++;
    const uint64_t until = openremap_now_ns(dev_) + random() % 1500000;
    while (openremap_now_ns(dev_) < until) ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    for (const auto &[lpn, versions] : allowed) {
      const Page page = Read(lpn);
      uint64_t found = UINT64_MAX;
      for (const uint64_t version : versions) {
        if (page == Contents(version)) found = version;
      }
      ASSERT_NE(found, UINT64_MAX) << "LPN " << lpn;
      versions_[lpn] = found;
    }
    for (uint64_t i = 0; i < n; i += 7) ASSERT_NO_FATAL_FAILURE(CheckPage(cold + i));
  }
  EXPECT_EQ(caught, enough) << "GC never met the cuts";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  const orm_remap_log before = Stats();
  EXPECT_GE(before.segments_free, before.segments_total / 2) << "segments leak";
  for (int i = 0; i < 60 && Stats().gc_victims - before.gc_victims < 10; i++) {
    for (int j = 0; j < 8; j++) ASSERT_NO_FATAL_FAILURE(Write(first + random() % (3 * n - 8), 8));
  }
  EXPECT_GE(Stats().gc_victims - before.gc_victims, 10u) << "GC has come to a stop";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// The same pages are remapped to ever other places, far more often than a chain of the remap table has entries. Stale
// entries must be dropped. A remap that finds no room waits for that, and power is cut meanwhile, at different times.
// Nothing may be refused, no data may move, and each remap must be there as a whole or not at all.
TEST_P(ControllerTest, StaleEntriesMakeRoomForRemapsOverPowerCuts) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t n = 64, places = 4 * n;
  ASSERT_LE(n + places, pages_);
  for (uint64_t i = 0; i < n; i += 8) ASSERT_NO_FATAL_FAILURE(Write(i, 8));
  ASSERT_EQ(openremap_flush(dev_), 0);
  const orm_remap_log first = Stats();
  const auto used = [&] { return Stats().segments_total - Stats().segments_free; };
  int compacted = 0, kept = 0;
  for (int cut = 0; cut < 6; cut++) {
    SCOPED_TRACE("cut " + std::to_string(cut));
    // Two segments a remap; a chain has at most 32, and one that starts with as many is compacted by the next one.
    while (used() < 31) ASSERT_EQ(Remap(0, n + random() % (places - n), n), 0);
    uint64_t dst = n + random() % (places - n);
    while (versions_[dst] == versions_[0]) dst = n + random() % (places - n);  // what it holds must tell
    nvme_submission_entry e;
    nvme_cmd_init(&e, ORM_VENDOR_OPCODES_REMAP, 1);
    nvme_cmd_slba(&e, 0);
    e.cdw12 = uint32_t(dst);
    e.cdw14 = uint32_t(n);
    int status = -1;
    const auto note = [](void *arg, int rc, uint32_t) { *static_cast<int *>(arg) = rc; };
    ASSERT_EQ(openremap_submit_command(dev_, false, &e, nullptr, 0, note, &status), 0);
    const uint64_t until = openremap_now_ns(dev_) + uint64_t(cut) * 160000 + random() % 160000;
    while (openremap_now_ns(dev_) < until) ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
    const bool acknowledged = status == 0;
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    const bool happened = Read(dst) == Contents(versions_[0]);
    ASSERT_TRUE(happened || !acknowledged) << "an acknowledged remap is gone";
    (used() < 31 ? compacted : kept)++;
    for (uint64_t i = 0; happened && i < n; i++) versions_[dst + i] = versions_[i];
    for (uint64_t i = 0; i < n; i += 9) ASSERT_NO_FATAL_FAILURE(CheckPage(dst + i));
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  const orm_remap_log last = Stats();
  EXPECT_GT(compacted, 0) << "no cut came late enough";
  EXPECT_GT(kept, 0) << "no cut came early enough";
  EXPECT_EQ(last.remap_refused_nvram, first.remap_refused_nvram);
  EXPECT_EQ(last.gc_moved_pages, first.gc_moved_pages) << "compaction moves no data";
}

TEST_P(ControllerTest, ImagesKeepTheDeviceBetweenPrograms) {
  Close();
  const orm::TempDir temporary;
  const std::string folder = temporary.path + "/images";
  options_.device.image_dir = folder.c_str();
  Open();
  Write(3, 5);
  ASSERT_EQ(Remap(3, 60, 5), 0);
  Deallocate(3, 2);
  Close();
  Open();
  CheckAll();
  Close();
}

TEST_P(ControllerTest, FunctionResetForgetsQueuesAndKeepsData) {
  Write(0, 4);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_reset(dev_), 0);
  CheckAll();
  Write(2, 4);
  CheckAll();
}

INSTANTIATE_TEST_SUITE_P(Kinds, ControllerTest, EveryKind(), [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Cached, ControllerTest, CachedKinds(),
                         [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace openremap
