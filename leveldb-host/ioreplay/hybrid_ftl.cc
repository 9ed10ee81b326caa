// SPDX-License-Identifier: Apache-2.0
#include "hybrid_ftl.h"

#include <algorithm>
#include <cassert>

namespace openremap {

namespace {

// A block for the pages of a log block that is being reclaimed, and one for a merge meanwhile.
constexpr uint64_t kSpareBlocks = 2;

}  // namespace

HybridFtl::HybridFtl(const HybridFtlOptions &options)
    : block_pages_(options.block_pages),
      logical_blocks_((options.pages + options.block_pages - 1) / options.block_pages),
      log_blocks_(std::max<uint64_t>(2, logical_blocks_ * options.log_percent / 100)),
      blocks_(static_cast<size_t>(logical_blocks_ + log_blocks_ + kSpareBlocks)),
      where_(static_cast<size_t>(logical_blocks_ * block_pages_), kNone),
      data_block_(static_cast<size_t>(logical_blocks_), kNone) {
  for (uint64_t block = blocks_.size(); block-- != 0;) free_.push_back(block);
}

bool HybridFtl::IsValid(uint64_t block, uint64_t index) const {
  const Page &page = blocks_[block].pages[index];
  return page.lpn != kNone && where_[page.lpn] == block * block_pages_ + index;
}

uint64_t HybridFtl::Take() {
  assert(!free_.empty());
  const uint64_t block = free_.back();
  free_.pop_back();
  blocks_[block].used = true;
  return block;
}

void HybridFtl::Erase(uint64_t block) {
  blocks_[block].pages.clear();
  blocks_[block].used = false;
  free_.push_back(block);
  stats_.erases++;
}

// REQUIRES: the block is empty from this index on.
void HybridFtl::Program(uint64_t block, uint64_t index, const Page &page) {
  std::vector<Page> &pages = blocks_[block].pages;
  assert(index >= pages.size() && index < block_pages_);
  pages.resize(static_cast<size_t>(index + 1));
  pages.back() = page;
  where_[page.lpn] = block * block_pages_ + index;
}

uint64_t HybridFtl::Read(uint64_t lpn) const { return where_[lpn] == kNone ? 0 : PageAt(where_[lpn]).stamp; }

void HybridFtl::Write(uint64_t lpn, uint64_t stamp) {
  stats_.host_pages++;
  const Page page = {lpn, stamp, false};
  const uint64_t owner = BlockOf(lpn);
  const uint64_t index = lpn % block_pages_;
  if (sequential_owner_ == owner && blocks_[sequential_].pages.size() == index) {
    Program(sequential_, index, page);
    stats_.sequential_pages++;
    if (index + 1 == block_pages_) EndSequential();
    return;
  }
  uint64_t &data = data_block_[owner];
  // Not while the logical block has the sequential one: all of its data block is to be outdated by that.
  if (sequential_owner_ != owner && (data == kNone || blocks_[data].pages.size() <= index)) {
    if (data == kNone) data = Take();
    Program(data, index, page);
    stats_.direct_pages++;
    return;
  }
  if (index == 0) {
    EndSequential();
    sequential_ = Take();
    sequential_owner_ = owner;
    Program(sequential_, 0, page);
    stats_.sequential_pages++;
    if (block_pages_ == 1) EndSequential();
    return;
  }
  AppendToLog(page);
  stats_.log_pages++;
}

void HybridFtl::AppendToLog(const Page &page) {
  while (log_.empty() || blocks_[log_.back()].pages.size() == block_pages_) {
    if (log_.size() + 1 < log_blocks_) {  // one is the sequential block's
      log_.push_back(Take());
    } else {
      Reclaim();
    }
  }
  Program(log_.back(), blocks_[log_.back()].pages.size(), page);
}

// Empties the oldest log block. Ends with a log block that has room, or, where all pages got a second chance, with one
// block fewer whose pages have had none.
void HybridFtl::Reclaim() {
  stats_.reclaims++;
  const uint64_t victim = log_.front();
  log_.pop_front();
  // Merges first: they also outdate pages of the same logical block that would have moved.
  for (size_t i = 0; i < blocks_[victim].pages.size(); i++) {
    if (IsValid(victim, i) && blocks_[victim].pages[i].had_chance) FullMerge(BlockOf(blocks_[victim].pages[i].lpn));
  }
  log_.push_back(Take());
  for (size_t i = 0; i < blocks_[victim].pages.size(); i++) {
    if (!IsValid(victim, i)) continue;
    Page page = blocks_[victim].pages[i];
    page.had_chance = true;
    Program(log_.back(), blocks_[log_.back()].pages.size(), page);
    stats_.second_chance_pages++;
  }
  Erase(victim);
}

// Copies the newest pages of the logical block from `from_index` on to their places in the block `to`.
void HybridFtl::MoveMissing(uint64_t logical_block, uint64_t to, uint64_t from_index) {
  for (uint64_t index = from_index; index < block_pages_; index++) {
    const uint64_t place = where_[logical_block * block_pages_ + index];
    if (place == kNone) continue;
    const Page page = PageAt(place);
    Program(to, index, page);
    stats_.merged_pages++;
  }
}

// REQUIRES: the old data block has no valid page.
void HybridFtl::ReplaceDataBlock(uint64_t logical_block, uint64_t by) {
  if (data_block_[logical_block] != kNone) Erase(data_block_[logical_block]);
  data_block_[logical_block] = by;
}

void HybridFtl::FullMerge(uint64_t logical_block) {
  stats_.full_merges++;
  const uint64_t erased = stats_.erases;
  const uint64_t merged = Take();
  MoveMissing(logical_block, merged, 0);
  ReplaceDataBlock(logical_block, merged);
  if (sequential_owner_ == logical_block) {
    Erase(sequential_);
    sequential_ = sequential_owner_ = kNone;
  }
  stats_.full_merge_erases += stats_.erases - erased;
}

// The sequential log block, if there is one, becomes the data block of its logical block.
void HybridFtl::EndSequential() {
  if (sequential_ == kNone) return;
  const uint64_t written = blocks_[sequential_].pages.size();
  const uint64_t before = stats_.merged_pages, erased = stats_.erases;
  MoveMissing(sequential_owner_, sequential_, written);
  ReplaceDataBlock(sequential_owner_, sequential_);
  if (stats_.merged_pages == before) {
    stats_.switch_merges++;
    stats_.switch_merge_erases += stats_.erases - erased;
  } else {
    stats_.partial_merges++;
    stats_.partial_merge_erases += stats_.erases - erased;
  }
  sequential_ = sequential_owner_ = kNone;
}

void HybridFtl::Deallocate(uint64_t lpn) {
  if (where_[lpn] == kNone) return;
  where_[lpn] = kNone;
  const uint64_t owner = BlockOf(lpn);
  const auto first = where_.begin() + static_cast<std::ptrdiff_t>(owner * block_pages_);
  const auto is_none = [](uint64_t place) { return place == kNone; };
  if (!std::all_of(first, first + static_cast<std::ptrdiff_t>(block_pages_), is_none)) return;
  if (data_block_[owner] != kNone) {
    stats_.dead_blocks++;
    ReplaceDataBlock(owner, kNone);
  }
  if (sequential_owner_ != owner) return;
  stats_.dead_blocks++;
  Erase(sequential_);
  sequential_ = sequential_owner_ = kNone;
}

std::string HybridFtl::Check() const {
  for (uint64_t lpn = 0; lpn < where_.size(); lpn++) {
    if (where_[lpn] == kNone) continue;
    const uint64_t block = where_[lpn] / block_pages_, index = where_[lpn] % block_pages_;
    const std::string page = "page " + std::to_string(lpn);
    if (!blocks_[block].used || index >= blocks_[block].pages.size()) return page + " is mapped to an empty page";
    if (blocks_[block].pages[index].lpn != lpn) return page + " is mapped to another one";
    const bool in_log = std::find(log_.begin(), log_.end(), block) != log_.end();
    const bool sequential = block == sequential_ && sequential_owner_ == BlockOf(lpn) && index == lpn % block_pages_;
    const bool data = block == data_block_[BlockOf(lpn)] && index == lpn % block_pages_;
    if (!in_log && !sequential && !data) return page + " is in a block of nobody, or out of place";
  }
  uint64_t used = log_.size() + (sequential_ != kNone ? 1 : 0);
  if (used > log_blocks_) return std::to_string(used) + " log blocks";
  for (const uint64_t block : data_block_) used += block != kNone ? 1 : 0;
  if (used + free_.size() != blocks_.size()) return "a block is lost";
  for (const uint64_t block : free_) {
    if (blocks_[block].used || !blocks_[block].pages.empty()) return "a free block is in use";
  }
  if (stats_.erases != stats_.reclaims + stats_.full_merge_erases + stats_.partial_merge_erases +
                           stats_.switch_merge_erases + stats_.dead_blocks) {
    return "erases without a cause";
  }
  if (stats_.host_pages != stats_.direct_pages + stats_.sequential_pages + stats_.log_pages) return "pages are lost";
  return "";
}

}  // namespace openremap
