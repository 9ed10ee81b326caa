// SPDX-License-Identifier: Apache-2.0
// Chains of the remap table that are destaged to flash: only the log page shows it, whatever happens in between.

#include <algorithm>
#include <filesystem>
#include <string>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "pcie_function.h"
#include "temp_dir.h"

namespace openremap {
namespace {

// A superblock whose slots have enough sharers to nearly fill its chain, with little of the chain stale.
class DestageTest : public ControllerTest {
 protected:
  static constexpr uint64_t kSources = 127;  // slots of a superblock but its summary
  static constexpr uint64_t kCopies = 7;     // chain entries of each: 29 of 32 segments
  static constexpr uint64_t kGroup = kSources * (1 + kCopies);
  static constexpr uint64_t kStale = 2 * kGroup, kStalePages = 16;

  void SetUp() override {
    options_.device.image_dir = folder_.c_str();
    ControllerTest::SetUp();
    Close();
    std::filesystem::remove_all(folder_);
    options_.device.superblocks = 24;
    Open();
    ASSERT_GE(pages_, kStale + 2 * kStalePages);
  }
  void NewDevice() {
    Close();
    std::filesystem::remove_all(folder_);
    versions_.clear();
    Open();
  }
  // LPNs from `base` on: the sources, then their copies. And a few pages in another superblock.
  void Fill(uint64_t base) {
    for (uint64_t i = 0; i < kSources; i += 8)
      ASSERT_NO_FATAL_FAILURE(Write(base + i, std::min<uint64_t>(8, kSources - i)));
    ASSERT_NO_FATAL_FAILURE(Write(kStale, kStalePages));
    ASSERT_EQ(openremap_flush(dev_), 0);
    for (uint64_t copy = 1; copy <= kCopies; copy++)
      ASSERT_EQ(Remap(base, base + copy * kSources, kSources), 0) << copy;
  }
  // Entries once more for copies that are as they should be: two more segments of the chain, if it has room. And
  // another chain, of which most is stale: a remap that finds no room has it compacted, tries again, and then has
  // chains destaged.
  void Lengthen(uint64_t base) {
    Remap(base, base + kSources, 60);
    for (int i = 0; i < 8; i++) Remap(kStale, kStale + kStalePages, kStalePages);
  }
  // Nothing that the targets read changes, whether the remap is refused in the end or not.
  void Reclaim(uint64_t base) {
    Lengthen(base);
    Remap(base, base + kCopies * kSources, kSources);
  }
  // The last of its remaps, not waited for.
  void SubmitReclaim(uint64_t base) {
    nvme_submission_entry e;
    nvme_cmd_init(&e, ORM_VENDOR_OPCODES_REMAP, 1);
    nvme_cmd_slba(&e, base);
    e.cdw12 = uint32_t(base + kCopies * kSources);
    e.cdw14 = uint32_t(kSources);
    const auto ignore = [](void *, int, uint32_t) {};
    ASSERT_EQ(openremap_submit_command(dev_, false, &e, nullptr, 0, ignore, nullptr), 0);
  }
  uint64_t SegmentsUsed() {
    const orm_remap_log log = Stats();
    return log.segments_total - log.segments_free;
  }
  void Pass(uint64_t ns) {
    const uint64_t until = openremap_now_ns(dev_) + ns;
    while (openremap_now_ns(dev_) < until) ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
  }
  uint64_t Destaged() { return Stats().chains_destaged; }

  const orm::TempDir temporary_;
  const std::string folder_ = temporary_.path + "/images";
};

// Many commands or new devices: minutes on the RTL, which lockstep compares with the model (verify.lockstep.segments).
class DestageLongTest : public DestageTest {};

// Hardware finds no room for the Copy and gives it to firmware, which makes room, as for a REMAP.
TEST_P(DestageTest, ACopyWithoutRoomIsFirmwares) {
  ASSERT_NO_FATAL_FAILURE(Fill(0));
  Lengthen(0);
  const orm_remap_log before = Stats();
  const int status = openremap_copy(dev_, 0, kCopies * kSources, kSources);
  const orm_remap_log after = Stats();
  EXPECT_GT(after.chain_compactions + after.chains_destaged, before.chain_compactions + before.chains_destaged);
  const bool done = status == 0;
  EXPECT_TRUE(done || status == NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_NVRAM_FULL)) << status;
  EXPECT_EQ(after.remap_commands - before.remap_commands, done ? 1u : 0u);
  EXPECT_EQ(after.remap_refused_nvram - before.remap_refused_nvram, done ? 0u : 1u);
  EXPECT_EQ(after.remap_refused_other, before.remap_refused_other);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(DestageTest, AFullChainGoesToFlash) {
  ASSERT_NO_FATAL_FAILURE(Fill(0));
  const orm_remap_log before = Stats();
  Reclaim(0);
  const orm_remap_log after = Stats();
  EXPECT_GT(after.chains_destaged, before.chains_destaged);
  EXPECT_GE(after.entries_destaged, kSources * kCopies);
  EXPECT_GE(after.nand_program_meta, 4u);
  EXPECT_GT(after.segments_free, before.segments_free);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Close();
  Open();
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(DestageLongTest, RemapsOfOtherSuperblocksGoOn) {
  ASSERT_NO_FATAL_FAILURE(Fill(0));
  Reclaim(0);
  ASSERT_GT(Destaged(), 0u);
  ASSERT_NO_FATAL_FAILURE(Fill(kGroup));
  Deallocate(kSources + 3, 5);
  ASSERT_EQ(Remap(kGroup + 5, 5, 3, OPENREMAP_MOVE), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// Cuts in the destaging of a chain for the first time, and of a chain that already has a destaged part, whose sets take
// turns.
TEST_P(DestageLongTest, PowerCutsAtEveryStep) {
  std::mt19937_64 random(openremap::TestSeed());
  const int cuts = 60;
  uint64_t lasts[2] = {0, 0};
  int destaged[2] = {0, 0}, kept[2] = {0, 0};
  for (int cut = 0; cut < cuts; cut++) {  // the first of each is none, to see how long it takes
    SCOPED_TRACE("cut " + std::to_string(cut));
    const bool again = cut % 2 != 0;
    ASSERT_NO_FATAL_FAILURE(NewDevice());
    ASSERT_NO_FATAL_FAILURE(Fill(0));
    if (again) Reclaim(0);
    Lengthen(0);
    // One target is overwritten, and may be lost: then it is what it was before.
    const uint64_t lpn = kSources + 60 + random() % 400, was = versions_[lpn];
    ASSERT_NO_FATAL_FAILURE(Write(lpn));
    const uint64_t begun = openremap_now_ns(dev_), before = Destaged();
    ASSERT_NO_FATAL_FAILURE(SubmitReclaim(0));
    if (lasts[again] == 0) {
      while (openremap_in_flight(dev_) != 0) ASSERT_GE(openremap_poll(dev_, 1000000), 0);
      lasts[again] = openremap_now_ns(dev_) - begun;
      ASSERT_GT(Destaged(), before);
    } else {
      const uint64_t part = lasts[again] / uint64_t(cuts / 2 - 1);
      ASSERT_NO_FATAL_FAILURE(Pass(uint64_t(cut / 2 - 1) * part + random() % part));
    }
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    // What is left of the chain itself, one segment of the stale one aside.
    (SegmentsUsed() < (again ? 3 : 20) ? destaged : kept)[again]++;
    if (Read(lpn) != Contents(versions_[lpn])) versions_[lpn] = was;
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    // It goes on from there.
    Reclaim(0);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    Close();
    Open();
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    EXPECT_EQ(Stats().bad_entries, 0u);
  }
  for (const bool again : {false, true}) {
    EXPECT_GT(destaged[again], 0) << again << ": no cut came late enough";
    EXPECT_GT(kept[again], 0) << again << ": no cut came early enough";
  }
}

// Most slots of the superblock become invalid, so it is collected. Only its destaged part names the sharers of the
// others.
TEST_P(DestageLongTest, SuperblocksWithDestagedChainsAreCollected) {
  std::mt19937_64 random(openremap::TestSeed());
  ASSERT_NO_FATAL_FAILURE(Fill(0));
  Reclaim(0);
  const orm_remap_log before = Stats();
  ASSERT_GT(before.chains_destaged, 0u);
  Deallocate(kStale, 2 * kStalePages);
  const uint64_t live = 4;  // sources that stay shared, and no others are
  for (uint64_t copy = 0; copy <= kCopies; copy++) Deallocate(copy * kSources + live, kSources - live);
  for (uint64_t i = 0; Stats().gc_moved_shared < before.gc_moved_shared + live && i < 800; i++)
    ASSERT_NO_FATAL_FAILURE(Write(kGroup + random() % (pages_ - kGroup - 8), 8));
  EXPECT_GE(Stats().gc_moved_shared, before.gc_moved_shared + live);
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// More entries than NVRAM holds, then only writes: entries that collections bring back to NVRAM go to flash again.
TEST_P(DestageLongTest, WritesGoOnWithMoreEntriesThanSegments) {
  std::mt19937_64 random(openremap::TestSeed());
  Close();
  std::filesystem::remove_all(folder_);
  versions_.clear();
  options_.device.remap_segments = 68;  // GC has half of them, and the rest is room for one long chain
  options_.device.superblocks = 64;
  Open();
  const uint64_t shared = 8;  // of each superblock
  const uint64_t group = kSources + shared * 24, groups = pages_ / group;
  for (uint64_t g = 0; g < groups; g++) {
    const uint64_t base = g * group;
    for (uint64_t i = 0; i < kSources; i += 8) ASSERT_NO_FATAL_FAILURE(Write(base + i, 8));
    for (uint64_t copy = 0; copy < 24; copy++) Remap(base, base + kSources + copy * shared, shared);
  }
  ASSERT_EQ(openremap_flush(dev_), 0);
  const orm_remap_log filled = Stats();
  EXPECT_GT(filled.chains_destaged, 10u);
  EXPECT_GT(filled.remap_entries - filled.stale_dropped, 68u * 31u);
  for (int i = 0; i < 4000; i++) {  // among the slots that nobody shares
    const uint64_t base = random() % groups * group;
    ASSERT_NO_FATAL_FAILURE(Write(base + shared + random() % (kSources - shared - 8), 8)) << i;
  }
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  EXPECT_GT(Stats().gc_victims, filled.gc_victims + 50);
  EXPECT_GT(Stats().chains_destaged, filled.chains_destaged);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(DestageLongTest, WritesRemapsAndCutsAtRandom) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t copies = pages_ / kSources - 1;
  uint64_t destaged = 0, meta = 0;
  for (int round = 0; round < 16; round++) {
    SCOPED_TRACE("round " + std::to_string(round));
    const orm_remap_log begun = Stats();
    for (uint64_t i = 0; i < kSources; i += 8) ASSERT_NO_FATAL_FAILURE(Write(i, 8));
    for (uint64_t copy = 1; copy < copies; copy++) Remap(0, copy * kSources, kSources);  // or there is no room
    for (int i = 0; i < 40; i++) ASSERT_NO_FATAL_FAILURE(Write(random() % (pages_ - 8), 1 + random() % 8));
    Deallocate(random() % (pages_ - 100), 100);
    for (int i = 0; i < 8; i++) Remap(random() % (pages_ - 64), random() % (pages_ - 64), 1 + random() % 64);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    ASSERT_EQ(openremap_flush(dev_), 0);
    destaged += Stats().chains_destaged - begun.chains_destaged;
    meta += Stats().nand_program_meta - begun.nand_program_meta;
    if (random() % 3 == 0) {
      Close();
      Open();
    } else {
      ASSERT_NO_FATAL_FAILURE(SubmitReclaim(0));
      ASSERT_NO_FATAL_FAILURE(Pass(random() % 5000000));
      ASSERT_EQ(openremap_power_cycle(dev_), 0);
      const uint64_t dst = kCopies * kSources;
      uint64_t tells = 0;  // the first page that tells whether the remap has happened
      while (tells < kSources && versions_[tells] == versions_[dst + tells]) tells++;
      if (tells < kSources && Read(dst + tells) == Contents(versions_[tells])) {
        for (uint64_t i = 0; i < kSources; i++) versions_[dst + i] = versions_[i];
      }
    }
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
  EXPECT_GT(destaged, 5u);
  EXPECT_GT(meta, destaged);
  EXPECT_EQ(Stats().bad_entries, 0u);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
#ifdef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Kinds, DestageLongTest, ::testing::Values("model"), KindName);
INSTANTIATE_TEST_SUITE_P(Kinds, DestageTest, ::testing::Values("model", kWideModel), KindName);
#else
INSTANTIATE_TEST_SUITE_P(Kinds, DestageLongTest, ::testing::Values("model", kWideModel), KindName);
INSTANTIATE_TEST_SUITE_P(Kinds, DestageTest, ::testing::Values("model", kWideModel, "rtl"), KindName);
#endif
INSTANTIATE_TEST_SUITE_P(Cached, DestageTest, CachedKinds(), KindName);

}  // namespace
}  // namespace openremap
