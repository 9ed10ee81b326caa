// SPDX-License-Identifier: Apache-2.0
#include "remap/chain_walk.h"

#include "fast/gc/gc_fixture.h"

namespace orm::fast {
namespace {

constexpr uint32_t kSb = 2, kLpn = 1000;

/// Slots of destaged entries that the test has made by itself, so that they can be wrong.
class FastChainWalk : public FastGc {
 protected:
  /// Programs slot `index` of set 1, with `entries` for LPNs from kLpn + 1000 * index on, in superblock 3.
  void put(uint32_t index, uint32_t entries, const std::function<void(uint8_t *)> &change = {}) {
    orm_destage_header header{};
    header.sb = kSb;
    header.gen = 100 + kSb;
    header.epoch = 7;
    header.entries = uint16_t(entries);
    header.index = uint8_t(index);
    header.slots = 2;
    uint8_t *const data = buffers_.data(0);
    std::memset(data, 0, ORM_SLOT_BYTES);
    orm_destage_header_seal(&header, data);
    for (uint32_t i = 0; i < entries; ++i) {
      const orm_remap_entry e{kLpn + 1000 * index + i, uint16_t(i % p_.slots_per_sb), 50 + i, 0};
      orm_remap_entry_seal(&e, kSb, header.gen, header.epoch, data + (i + 1) * ORM_REMAP_ENTRY_BYTES);
    }
    if (change) change(data);
    const uint32_t slot = p_.slot_at(3, next_++), lpn = p_.destage_lpn_of(kSb, 1, index);
    program(slot, lpn, 40);
    map(map_.set(lpn, slot));
  }
  void put_header(uint32_t index, const std::function<void(orm_destage_header *)> &change) {
    put(index, 4, [&](uint8_t *data) {
      orm_destage_header header;
      orm_destage_header_unpack(&header, data);
      change(&header);
      orm_destage_header_seal(&header, data);
    });
  }
  ChainWalked walk(bool all = true) {
    table_.place(kSb, {1, 2, 1});
    return wait(walk_.walk(kSb, all));
  }

  ChainWalk walk_{{sim_, p_, map_, table_, superblocks_, nand_, buffers_, counters_}};
  struct Walks final : NandListener {
    explicit Walks(FastChainWalk &test) : test_(test) {}
    void nand_done(const NandDone &done) override {
      EXPECT_TRUE(done.meta);
      NandDone answer = done;
      if (done.slot == test_.bad_) answer.status = NandStatus::kUncorrectable;
      test_.walk_.nand_done(answer);
    }
    FastChainWalk &test_;
  } walks_{*this};
  uint32_t bad_ = ORM_UNMAPPED;  // a slot that cannot be read
  uint32_t next_ = 0;

  void SetUp() override { nand_.listen(NandClient::kGc, &walks_); }
};

TEST_F(FastChainWalk, TheDestagedPartComesFirst) {
  put(0, kDestageEntries);
  put(1, 3);
  wait(table_.append({kSb, 9, 77, 88}));
  const ChainWalked all = walk();
  EXPECT_TRUE(all.ok);
  ASSERT_EQ(all.entries.size(), kDestageEntries + 4);
  EXPECT_EQ(all.entries[5].sb, kSb);
  EXPECT_EQ(all.entries[5].offset, 5u);
  EXPECT_EQ(all.entries[5].lpn, kLpn + 5);
  EXPECT_EQ(all.entries[5].seq, 55u);
  EXPECT_EQ(all.entries[kDestageEntries].lpn, kLpn + 1000);
  EXPECT_EQ(all.entries.back().lpn, 77u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 2u);
  const ChainWalked segments = walk(false);
  EXPECT_TRUE(segments.ok);
  ASSERT_EQ(segments.entries.size(), 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 2u);
}

TEST_F(FastChainWalk, TheReadsAreUnderWayTogether) {
  put(0, 4);
  put(1, 4);
  const uint64_t begun = sim_.now();
  walk();
  EXPECT_LT(sim_.now() - begun, 2 * NandTiming().read_ns);
}

TEST_F(FastChainWalk, BadEntriesAreLeftOutAndCounted) {
  put(0, 4, [](uint8_t *data) { data[2 * ORM_REMAP_ENTRY_BYTES] ^= 1; });
  put(1, 4, [](uint8_t *data) {
    const orm_remap_entry beyond{kLpn, uint16_t(0xFFFF), 50, 0};
    orm_remap_entry_seal(&beyond, kSb, 100 + kSb, 7, data + ORM_REMAP_ENTRY_BYTES);
  });
  const ChainWalked found = walk();
  EXPECT_TRUE(found.ok);
  EXPECT_EQ(found.entries.size(), 6u);
  EXPECT_EQ(counted(ORM_COUNTER_BAD_ENTRIES), 2u);
}

TEST_F(FastChainWalk, ASlotThatIsNotMappedFails) {
  put(0, 4);
  EXPECT_FALSE(walk().ok);
  map(map_.unmap(p_.destage_lpn_of(kSb, 1, 0)));
  EXPECT_FALSE(walk().ok);
}

TEST_F(FastChainWalk, ASlotThatCannotBeReadFails) {
  put(0, 4);
  put(1, 4);
  bad_ = named(kSb, 1, 0);
  wait(table_.append({kSb, 9, 77, 88}));
  const ChainWalked found = walk();
  EXPECT_FALSE(found.ok);
  EXPECT_TRUE(found.entries.empty());
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 2u) << "asked for before the first one was answered";
}

TEST_F(FastChainWalk, ASlotThatHoldsSomethingElseFails) {
  const std::function<void(orm_destage_header *)> wrong[] = {
      [](orm_destage_header *h) { h->sb = kSb + 1; },
      [](orm_destage_header *h) { ++h->gen; },
      [](orm_destage_header *h) { h->index = 0; },
      [](orm_destage_header *h) { h->slots = 3; },
      [](orm_destage_header *h) { h->entries = kDestageEntries + 1; },
  };
  put(0, 4);
  for (size_t i = 0; i < std::size(wrong); ++i) {
    put_header(1, wrong[i]);
    const ChainWalked found = walk();
    EXPECT_FALSE(found.ok) << i;
    EXPECT_EQ(found.entries.size(), 4u) << i;
  }
  put(1, 4, [](uint8_t *data) { data[0] ^= 1; });
  EXPECT_FALSE(walk().ok) << "its CRC";
  put(1, 4);
  EXPECT_TRUE(walk().ok);
}

}  // namespace
}  // namespace orm::fast
