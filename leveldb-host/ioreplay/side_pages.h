// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_SIDE_PAGES_H_
#define OPENREMAP_IOREPLAY_SIDE_PAGES_H_

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "pagefs/trace/page_trace.h"

namespace openremap {

// Which pages lie on a side device: those that were last written as pages of certain kinds.
class SidePages {
 public:
  explicit SidePages(const std::array<bool, kPageKinds> &kinds) : kinds_(kinds) {}

  // The parts of a call that are the target's; the others are taken in, or forgotten where they are deallocated. A
  // remap is the target's as a whole.
  std::vector<PageRecord> Filter(const std::vector<PageRecord> &call);

  uint64_t count() const { return lpns_.size(); }

 private:
  bool IsSide(const PageRecord &write) const { return kinds_.at(static_cast<size_t>(write.kind)); }
  void Forget(const PageRecord &run);
  void Rest(const PageRecord &run, std::vector<PageRecord> *parts) const;

  const std::array<bool, kPageKinds> kinds_;
  std::set<uint64_t> lpns_;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_SIDE_PAGES_H_
