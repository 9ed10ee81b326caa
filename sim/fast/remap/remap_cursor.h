// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_REMAP_CURSOR_H
#define OPENREMAP_FAST_REMAP_CURSOR_H

#include <cstdint>

#include "dram_model.h"
#include "orm_formats.h"
#include "top/params.h"

namespace orm::fast {

/// One page of a remap command.
struct RemapPage {
  uint32_t src = 0;
  uint32_t dst = 0;
  uint32_t range = 0;        // index of its range
  bool first = false;        // of its range
  bool last = false;         // of its range
  bool end_of_list = false;  // of the command
  uint32_t left = 0;         // pages left in its range, this one included
  bool bad = false;          // range out of bounds, empty or unreadable: its only page, and the last
};

/// Iterates over the pages of a range list, which is in DRAM or `given` (hw/src/remap/RemapCursor.scala).
class RemapCursor {
 public:
  RemapCursor(const Params &p, const DramModel &dram) : p_(p), dram_(dram) {}

  void rewind(uint32_t list, uint32_t ranges, const orm_remap_range *given = nullptr);
  const RemapPage &page() const { return page_; }
  /// Advances to the next page; not allowed at the end of the list. Returns whether a range was read.
  bool next();

 private:
  void read_range();

  const Params &p_;
  const DramModel &dram_;
  uint32_t addr_ = 0;
  uint32_t ranges_ = 0;
  const orm_remap_range *given_ = nullptr;
  RemapPage page_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_REMAP_CURSOR_H
