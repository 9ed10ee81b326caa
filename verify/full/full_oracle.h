// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FULL_ORACLE_H
#define OPENREMAP_FULL_ORACLE_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orm::full {

/// The host's knowledge of an LPN.
struct Page {
  uint64_t content = 0;  // seed of its data; 0: zeroes
  uint64_t slot = 0;     // number of the write that created its slot, the same for all sharers; 0: unmapped
};

struct Change {
  uint64_t lpn = 0;
  Page to;
};

/// The data of a seed.
void fill_page(uint64_t content, uint8_t *page);

/// Knows from the answers alone what each page must read and how many pages share a slot. Commands that are under way
/// side by side never share a page: the sender of one claims its pages, so that each has one outcome.
class Oracle {
 public:
  explicit Oracle(uint64_t pages) : pages_(pages), claimed_(pages) {}

  uint64_t pages() const { return pages_.size(); }
  const Page &page(uint64_t lpn) const { return pages_[lpn]; }

  /// Claims the pages from `lpn` on. Returns false, and claims none, if one of them is claimed.
  bool claim(uint64_t lpn, uint64_t pages);
  void release(uint64_t lpn, uint64_t pages);

  /// A newly written slot, with the given or a new content.
  Page written(uint64_t content) { return {content, ++writes_}; }
  Page written() { return written(writes_ + 1); }
  /// Marks the changes as in flight until they are applied or cancelled.
  void begin(const std::vector<Change> &changes);
  void cancel(const std::vector<Change> &changes);
  void apply(const std::vector<Change> &changes);

  /// The most LPNs that may map to the slot: those that do, and those of changes in flight.
  uint32_t sharers(uint64_t slot) const;
  uint32_t most_sharers() const;
  /// LPNs to write so that none shares a slot: unmapped ones, and all sharers of a slot except the first.
  std::vector<uint64_t> without_own_slot() const;

  /// Checks the data of a read. Returns the difference, or an empty string.
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
