// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_HYBRID_FTL_H_
#define OPENREMAP_IOREPLAY_HYBRID_FTL_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gen/replay_options.h"

namespace openremap {

struct HybridFtlOptions {
  uint64_t pages = 0;                                      // logical ones, rounded up to whole blocks
  uint32_t block_pages = replaying::kHybridBlock.initial;  // of a flash block: 1 MiB
  uint32_t log_percent =
      replaying::kHybridLog.initial;  // log blocks, in percent of the logical blocks; at least 2 blocks
};

struct HybridFtlStats {
  uint64_t host_pages = 0;
  uint64_t direct_pages = 0;         // of these, into data blocks that were empty there
  uint64_t sequential_pages = 0;     // of these, into the sequential log block
  uint64_t log_pages = 0;            // of these, into the other log blocks
  uint64_t second_chance_pages = 0;  // moved from the oldest log block to the newest
  uint64_t merged_pages = 0;         // copied by full and partial merges
  uint64_t full_merges = 0;          // of a logical block
  uint64_t partial_merges = 0;       // of the sequential log block
  uint64_t switch_merges = 0;        // of the sequential log block: nothing was copied
  uint64_t reclaims = 0;             // of a log block: calls of garbage collection
  uint64_t erases = 0;
  // Of these, by cause; each reclaim erases one, too.
  uint64_t full_merge_erases = 0;     // of data blocks, and of a sequential log block
  uint64_t partial_merge_erases = 0;  // of data blocks
  uint64_t switch_merge_erases = 0;   // of data blocks
  uint64_t dead_blocks = 0;           // all of their pages were deallocated

  uint64_t ProgrammedPages() const { return host_pages + second_chance_pages + merged_pages; }
};

// A flash translation layer with a hybrid mapping, as a model that counts: it has no time, no wear levelling, and
// instead of contents a stamp for each page. It follows FASTer (S. Lim, S. Lee, B. Moon: FASTer FTL for
// Enterprise-Class Flash Memory SSDs, SNAPI 2010) as far as the works that use it describe it, and FAST, which that is
// based on:
//
//  * A logical block has one data block, in which each page has its own place. A write goes there as long as that place
//    and all behind it are empty: a flash block is programmed in order.
//  * Other writes go to log blocks, of which pages are mapped one by one and which all logical blocks share. One log
//    block is for sequential writes: a write to the first page of a logical block claims it for that block, and the
//    writes that continue follow it there. When it is full it becomes the data block (switch merge); when another
//    block claims it before, the missing pages are copied first (partial merge).
//  * When there is no empty log block the oldest one is reclaimed. A valid page that is there for the first time gets a
//    second chance: it moves to the newest log block. For one that had its chance all newest pages of its logical block
//    are gathered in a new data block (full merge).
//  * A logical block whose last page is deallocated gives its blocks back without a merge.
//
// Not thread-safe.
class HybridFtl {
 public:
  static constexpr uint64_t kMostPages = uint64_t{1} << 28;  // 1 TiB; the model takes up to 32 bytes of memory a page

  // REQUIRES: at most kMostPages.
  explicit HybridFtl(const HybridFtlOptions &options);

  uint64_t Pages() const { return logical_blocks_ * block_pages_; }
  uint64_t LogBlocks() const { return log_blocks_; }
  uint64_t UsedBlocks() const { return blocks_.size() - free_.size(); }  // that are to be erased before they are free
  // REQUIRES, for all: lpn < Pages().
  void Write(uint64_t lpn, uint64_t stamp);
  uint64_t Read(uint64_t lpn) const;  // the stamp; 0 if the page is not mapped
  void Deallocate(uint64_t lpn);

  const HybridFtlStats &stats() const { return stats_; }
  // What contradicts itself in the mapping; empty: nothing. For tests: takes as long as there are pages.
  std::string Check() const;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  struct Page {
    uint64_t lpn = kNone;
    uint64_t stamp = 0;
    bool had_chance = false;  // in the log
  };
  struct Block {
    std::vector<Page> pages;  // up to the last one that is programmed, places left out among them
    bool used = false;        // not on the free list
  };

  uint64_t BlockOf(uint64_t lpn) const { return lpn / block_pages_; }
  const Page &PageAt(uint64_t place) const { return blocks_[place / block_pages_].pages[place % block_pages_]; }
  bool IsValid(uint64_t block, uint64_t index) const;
  uint64_t Take();
  void Erase(uint64_t block);
  void Program(uint64_t block, uint64_t index, const Page &page);
  void AppendToLog(const Page &page);
  void Reclaim();
  void MoveMissing(uint64_t logical_block, uint64_t to, uint64_t from_index);
  void ReplaceDataBlock(uint64_t logical_block, uint64_t by);
  void FullMerge(uint64_t logical_block);
  void EndSequential();

  const uint64_t block_pages_;
  const uint64_t logical_blocks_;
  const uint64_t log_blocks_;  // the sequential one included
  std::vector<Block> blocks_;
  std::vector<uint64_t> free_;
  std::vector<uint64_t> where_;        // of each lpn the newest page: block * block_pages_ + index; or kNone
  std::vector<uint64_t> data_block_;   // of each logical block, or kNone
  std::deque<uint64_t> log_;           // oldest first; the last one takes pages
  uint64_t sequential_ = kNone;        // block
  uint64_t sequential_owner_ = kNone;  // its logical block
  HybridFtlStats stats_;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_HYBRID_FTL_H_
