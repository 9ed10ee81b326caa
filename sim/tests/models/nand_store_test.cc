// SPDX-License-Identifier: Apache-2.0
#include "nand_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "temp_dir.h"

namespace orm {
namespace {

constexpr NandGeometry kFlash = {2, 2, 3, 4, 512, 16, 2};

/// The slots of a page: slot `sub` of it has data of `value` + sub, and that in its spare area.
class Page {
 public:
  explicit Page(uint8_t value) {
    for (uint32_t sub = 0; sub < kFlash.slots_per_page; ++sub) {
      data_.emplace_back(kFlash.slot_bytes, uint8_t(value + sub));
      spare_.emplace_back(kFlash.spare_bytes, uint8_t(value + sub));
    }
    for (uint32_t sub = 0; sub < kFlash.slots_per_page; ++sub) slots.push_back({data_[sub].data(), spare_[sub].data()});
  }
  std::vector<NandStore::SlotBytes> slots;

 private:
  std::vector<std::vector<uint8_t>> data_, spare_;
};

bool holds(const NandStore &store, size_t page, uint8_t value) {
  for (uint32_t sub = 0; sub < kFlash.slots_per_page; ++sub) {
    const NandStore::SlotBytes slot = store.slot(page, sub);
    const std::string data(reinterpret_cast<const char *>(slot.data), kFlash.slot_bytes);
    const std::string spare(reinterpret_cast<const char *>(slot.spare), kFlash.spare_bytes);
    if (data != std::string(kFlash.slot_bytes, char(value + sub))) return false;
    if (spare != std::string(kFlash.spare_bytes, char(value + sub))) return false;
  }
  return true;
}

TEST(NandStore, EveryAddressHasAnotherPlace) {
  NandStore store(kFlash, "");
  std::set<size_t> blocks, pages;
  NandAddress at{};
  for (at.channel = 0; at.channel < kFlash.channels; ++at.channel) {
    for (at.die = 0; at.die < kFlash.dies_per_channel; ++at.die) {
      for (at.block = 0; at.block < kFlash.blocks_per_die; ++at.block) {
        EXPECT_TRUE(blocks.insert(store.block_index(at)).second);
        EXPECT_EQ(&store.block(at), &store.block(store.block_index(at)));
        for (at.page = 0; at.page < kFlash.pages_per_block; ++at.page) {
          EXPECT_TRUE(pages.insert(store.page_index(at)).second);
        }
        at.page = 0;
      }
    }
  }
  EXPECT_EQ(blocks.size(), kFlash.blocks());
  EXPECT_EQ(*pages.rbegin(), kFlash.pages() - 1);
  for (const size_t page : pages) store.write_page(page, Page(uint8_t(page * 2)).slots.data());
  for (const size_t page : pages) EXPECT_TRUE(holds(store, page, uint8_t(page * 2))) << page;
}

TEST(NandStore, IsErasedAtFirst) {
  const NandStore store(kFlash, "");
  EXPECT_TRUE(store.fresh());
  for (size_t page = 0; page < kFlash.pages(); ++page) EXPECT_EQ(store.page_state(page), NandStore::PageState::kErased);
  EXPECT_EQ(store.block(NandAddress{}).erase_count, 0u);
}

TEST(NandStore, AnEraseTakesItsBlockAlone) {
  NandStore store(kFlash, "");
  for (size_t page = 0; page < kFlash.pages(); ++page) {
    store.write_page(page, Page(7).slots.data());
    store.set_page_state(page, NandStore::PageState::kProgrammed);
  }
  for (size_t block = 0; block < kFlash.blocks(); ++block) store.block(block).frontier = kFlash.pages_per_block;
  store.block(2).state = NandStore::BlockState::kErasing;
  store.block(2).reads = 9;
  store.erase_block(2);
  EXPECT_EQ(store.block(2).erase_count, 1u);
  EXPECT_EQ(store.block(2).frontier, 0u);
  EXPECT_EQ(store.block(2).reads, 0u);
  EXPECT_EQ(store.block(2).state, NandStore::BlockState::kReady);
  for (size_t page = 0; page < kFlash.pages(); ++page) {
    const bool erased = page / kFlash.pages_per_block == 2;
    EXPECT_EQ(store.page_state(page), erased ? NandStore::PageState::kErased : NandStore::PageState::kProgrammed);
    if (!erased) {
      EXPECT_TRUE(holds(store, page, 7)) << page;
    }
  }
}

TEST(NandStore, AFileKeepsAllOfIt) {
  const TempDir dir;
  const std::string path = dir.path + "/flash.img";
  {
    NandStore store(kFlash, path);
    store.write_page(5, Page(0x41).slots.data());
    store.set_page_state(5, NandStore::PageState::kTornButSpare);
    store.block(1).frontier = 2;
    store.block(1).marked_bad = 1;
  }
  NandStore store(kFlash, path);
  EXPECT_FALSE(store.fresh());
  EXPECT_TRUE(holds(store, 5, 0x41));
  EXPECT_EQ(store.page_state(5), NandStore::PageState::kTornButSpare);
  EXPECT_EQ(store.block(1).frontier, 2u);
  EXPECT_EQ(store.block(1).marked_bad, 1u);
  store.erase_block(1);
  EXPECT_EQ(store.page_state(5), NandStore::PageState::kErased);
}

}  // namespace
}  // namespace orm
