// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FULL_ORACLE_H
#define OPENREMAP_FULL_ORACLE_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orm::full {

/// What an LPN holds, as the host knows it.
struct Page {
  uint64_t content = 0;  // seed of its data; 0: zeroes
  uint64_t slot = 0;     // the write that made the slot it names, LPNs of one slot share it; 0: it is unmapped
};

struct Change {
  uint64_t lpn = 0;
  Page to;
};

/// The data that a seed stands for.
void fill_page(uint64_t content, uint8_t *page);

/// Knows from the answers alone what each page must read and how many pages share a slot. Commands that are under way
/// side by side never share a page: the sender of one claims its pages, so that each has one outcome.
class Oracle {
 public:
  explicit Oracle(uint64_t pages) : pages_(pages), claimed_(pages) {}

  uint64_t pages() const { return pages_.size(); }
  const Page &page(uint64_t lpn) const { return pages_[lpn]; }

  /// Claims the pages from `lpn` on; false, and nothing is claimed, if a command has one of them.
  bool claim(uint64_t lpn, uint64_t pages);
  void release(uint64_t lpn, uint64_t pages);

  /// A slot that is written now, with this content or a new one.
  Page written(uint64_t content) { return {content, ++writes_}; }
  Page written() { return written(writes_ + 1); }
  /// The changes are under way, from now until they are applied or have come to nothing.
  void begin(const std::vector<Change> &changes);
  void cancel(const std::vector<Change> &changes);
  void apply(const std::vector<Change> &changes);

  /// LPNs that may name the slot while commands are under way: those that do, and those of changes that have begun.
  uint32_t sharers(uint64_t slot) const;
  uint32_t most_sharers() const;
  /// LPNs that a write would give a slot of their own: unmapped ones, and all sharers of a slot but the first.
  std::vector<uint64_t> without_own_slot() const;

  /// Empty, or what is wrong with what a read of the page gave.
  std::string check(uint64_t lpn, const uint8_t *data) const;

 private:
  void leave(uint64_t slot);

  std::vector<Page> pages_;
  std::vector<bool> claimed_;
  std::unordered_map<uint64_t, uint32_t> sharers_;  // by slot
  uint64_t writes_ = 0;
};

}  // namespace orm::full
#endif  // OPENREMAP_FULL_ORACLE_H
