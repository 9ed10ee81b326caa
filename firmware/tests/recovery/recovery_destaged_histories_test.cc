// SPDX-License-Identifier: Apache-2.0
// Recovery of random histories with destagings, and of power cuts during recovery.
#include <random>

#include "recovery/recovery_destaged_fixture.h"
#include "test_seed.h"

namespace orm_test {
namespace {

// Recovery's treatment of sets and superblocks, with a power cut before each of its NVRAM writes.
TEST_F(DestagedRecoveryTest, CutDuringRecovery) {
  fill(0, 0, 4, 0, 1);
  fill(1, 0, 4, 10, 5);
  fill(3, 0, 4, 50, 10);
  destage(kHome, 0, 1, 3, 60, {{entry(1, 11, 20)}});
  destage(6 * kSlots, 5, 2, 2, 61, {{entry(0, 31, 21)}});
  destage(7 * kSlots, 1, 1, 1, 62, {{entry(1, 32, 22)}, {entry(2, 33, 23)}});
  destage(7 * kSlots + 2, 1, 2, 2, 63, {{entry(3, 34, 24)}});  // not named
  destage(7 * kSlots + 3, 3, 2, 4, 64, {{entry(0, 60, 25)}});
  fill(2, 0, 4, 0, 70);
  fill(2, 4, 1, 11, 75);
  fill(2, 5, 1, 31, 76);
  dev.write_segment(9, 1, 0, 9, 1, 1);
  dev.write_entry(9, 0, 1, 1, 3, 35, 26, 1);
  dev.write_entry(9, 1, 1, 1, 3, 36, 400, 1);
  dev.write_segment(10, 1, 0, 10, 1, 2);  // of the destaging that did not end
  dev.write_entry(10, 0, 1, 1, 3, 37, 27, 2);
  dev.write_block(0, 1, 3, 1);
  dev.write_block(5, 1, 2, 2);
  dev.write_block(1, 1, 1, 1);
  dev.write_block(3, 1, 4, 2);
  dev.write_journal(0, 33, 1, 77);
  dev.write_commit(80);
  intent(6, 1, kSlots);
  auto result = [this] {
    std::vector<uint32_t> all;
    for (uint32_t lpn = 0; lpn < MockDevice::kLpns; lpn++) all.push_back(dev.l2p(lpn));
    for (const Superblock &s : dev.sb) all.push_back(s.valid);
    for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) all.push_back(dev.destaged[sb]);
    return all;
  };
  std::vector<uint32_t> expected;
  const int cuts = cut_everywhere(
      [&] {
        expected = result();
        EXPECT_EQ(dev.l2p(32), kSlots + 1);
        EXPECT_EQ(dev.l2p(33), ORM_UNMAPPED);
        EXPECT_EQ(dev.l2p(60), 3 * kSlots);
        EXPECT_EQ(media_errors(), 0u);
      },
      [&](int cut) {
        EXPECT_EQ(result(), expected) << "cut " << cut;
        EXPECT_EQ(media_errors(), 0u) << "cut " << cut;
      });
  EXPECT_GT(cuts, 20);
}

// Random histories of writes, remaps, trims, compactions and destagings, some of which a power cut ends. The reference
// is the rule "the event with the largest seq wins".
class DestagedHistoriesTest : public DestagedRecoveryTest {
 protected:
  static constexpr uint32_t kDataSbs = 7;  // the rest takes destaged slots

  struct ChainModel {
    uint16_t epoch = 0;
    uint32_t set = 0, next_set = 1;
    Entries flash, nvram;
    std::vector<uint32_t> segments;
  };

  std::mt19937 rng_;
  std::vector<uint32_t> map_;
  std::map<uint32_t, uint32_t> sets_;  // destaged LPN to slot
  uint64_t seq_ = 1;
  uint32_t slot_ = 0, meta_ = kDataSbs * kSlots, journal_ = 0, segment_ = 0;
  std::vector<ChainModel> chains_ = std::vector<ChainModel>(kDataSbs);

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(rng_() % n); }

  void write(uint32_t lpn) {
    if (slot_ == kDataSbs * kSlots) return;
    dev.program(slot_, lpn, seq_, 1);
    map_[lpn] = slot_++;
  }

  void append(uint32_t sb, const orm_remap_entry &e) {
    ChainModel &c = chains_[sb];
    const uint32_t n = static_cast<uint32_t>(c.nvram.size());
    if (n % 3 == 0) {
      dev.write_segment(segment_, sb, n / 3, c.segments.empty() ? segment_ : c.segments.back(), 1, c.epoch);
      c.segments.push_back(segment_++);
    }
    dev.write_entry(c.segments.back(), n % 3, sb, 1, e.offset, e.lpn, e.seq, c.epoch);
    c.nvram.push_back(e);
  }

  void link(uint32_t lpn, uint32_t source) {
    if (map_[source] == ORM_UNMAPPED || segment_ == MockDevice::kSegments) return;
    const uint32_t sb = map_[source] / kSlots;
    if (chains_[sb].nvram.size() == 3 * MockDevice::kPerChain) return;
    append(sb, entry(map_[source] % kSlots, lpn, seq_));
    map_[lpn] = map_[source];
  }

  void trim(uint32_t lpn) {
    if (journal_ == MockDevice::kJournal) return;
    dev.write_journal(journal_++, lpn, 1, seq_);
    map_[lpn] = ORM_UNMAPPED;
  }

  // What is live goes to the other set; with `cut` power goes before the record names it.
  void destage_chain(uint32_t sb, bool cut) {
    ChainModel &c = chains_[sb];
    if (c.nvram.empty() || meta_ + 2 > MockDevice::kLpns) return;
    Entries all = c.flash, live;
    all.insert(all.end(), c.nvram.begin(), c.nvram.end());
    for (const orm_remap_entry &e : all) {
      if (map_[e.lpn] == sb * kSlots + e.offset) live.push_back(e);
    }
    const uint32_t set = c.set == 0 ? 1 + below(2) : 3 - c.set;
    const size_t half = below(2) ? live.size() : live.size() / 2;
    std::vector<Entries> slots{{live.begin(), live.begin() + static_cast<ptrdiff_t>(half)}};
    if (half != live.size()) slots.emplace_back(live.begin() + static_cast<ptrdiff_t>(half), live.end());
    destage(meta_, sb, set, static_cast<uint16_t>(c.epoch + 1), seq_, slots);
    const uint32_t first = meta_;
    meta_ += static_cast<uint32_t>(slots.size());
    if (cut) return;
    for (uint32_t k = 0; k < MockDevice::kDestageSlots; k++) {
      if (c.set != 0) sets_.erase(MockDevice::destage_lpn(sb, c.set, k));
      if (k < slots.size()) sets_[MockDevice::destage_lpn(sb, set, k)] = first + k;
    }
    c.epoch++;
    c.set = set;
    c.flash = live;
    c.nvram.clear();
    c.segments.clear();  // what they hold is of the old epoch
    dev.write_block(sb, 1, c.epoch, static_cast<uint8_t>(set));
  }

  void history() {
    const uint32_t nsze = format_blank();
    map_.assign(nsze, ORM_UNMAPPED);
    sets_.clear();
    chains_.assign(kDataSbs, {});
    seq_ = 1;
    slot_ = journal_ = segment_ = 0;
    meta_ = kDataSbs * kSlots;
    for (int step = 0; step < 200; step++, seq_++) {
      const uint32_t lpn = below(nsze);
      switch (below(10)) {
        case 0:
        case 1:
        case 2:
          write(lpn);
          break;
        case 3:
          trim(lpn);
          break;
        case 4:
          destage_chain(below(kDataSbs), below(4) == 0);
          break;
        default:
          link(lpn, below(nsze));
      }
    }
    dev.write_commit(seq_);
  }

  // Whoever holds nothing live but slots of its own set loses its set.
  void forget_dead() {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t sb = 0; sb < kDataSbs; sb++) {
        if (chains_[sb].set == 0) continue;
        const bool live =
            std::any_of(map_.begin(), map_.end(), [sb](uint32_t s) { return s != ORM_UNMAPPED && s / kSlots == sb; });
        if (live) continue;
        for (uint32_t k = 0; k < MockDevice::kDestageSlots; k++)
          sets_.erase(MockDevice::destage_lpn(sb, chains_[sb].set, k));
        chains_[sb].set = 0;
        changed = true;
      }
    }
  }
};

TEST_F(DestagedHistoriesTest, LargestSeqWins) {
  uint32_t destagings = 0;
  for (uint32_t n = 0; n < 40; n++) {
    SCOPED_TRACE("history " + std::to_string(n));
    rng_.seed(static_cast<uint32_t>(openremap::TestSeed() * 1000003 + n));
    history();
    forget_dead();
    destagings += static_cast<uint32_t>(sets_.size());
    for (int again = 0; again < 2; again++) {
      recover();
      std::vector<uint32_t> refs(MockDevice::kLpns, 0), valid(MockDevice::kSuperblocks, 0);
      auto count = [&](uint32_t slot) {
        if (slot != ORM_UNMAPPED && refs[slot]++ == 0) valid[slot / kSlots]++;
      };
      for (uint32_t lpn = 0; lpn < map_.size(); lpn++) {
        ASSERT_EQ(dev.l2p(lpn), map_[lpn]) << "lpn " << lpn;
        count(map_[lpn]);
      }
      for (uint32_t lpn = MockDevice::kDestageLpn; lpn < MockDevice::kLpns; lpn++) {
        const auto it = sets_.find(lpn);
        ASSERT_EQ(dev.l2p(lpn), it == sets_.end() ? ORM_UNMAPPED : it->second) << "lpn " << lpn;
        count(dev.l2p(lpn));
      }
      for (uint32_t s = 0; s < refs.size(); s++) ASSERT_EQ(dev.ref(s), refs[s]) << s;
      for (uint32_t sb = 0; sb < valid.size(); sb++) ASSERT_EQ(dev.sb[sb].valid, valid[sb]) << sb;
      for (uint32_t sb = 0; sb < kDataSbs; sb++) {
        ASSERT_EQ(ORM_GET(dev.destaged[sb], ORM_FW_SB_DESTAGED_SET), chains_[sb].set);
        const size_t entries = chains_[sb].set != 0 ? chains_[sb].flash.size() : 0;
        ASSERT_EQ(ORM_GET(dev.destaged[sb], ORM_FW_SB_DESTAGED_SEGMENTS), (entries + 2) / 3);
      }
      ASSERT_EQ(media_errors(), 0u);
      dev.power_cycle();
    }
  }
  EXPECT_GT(destagings, 40u);
}

}  // namespace
}  // namespace orm_test
