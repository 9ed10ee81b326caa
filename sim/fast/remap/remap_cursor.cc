// SPDX-License-Identifier: Apache-2.0
#include "remap/remap_cursor.h"

#include "lib/invariant.h"

namespace orm::fast {

void RemapCursor::rewind(uint32_t list, uint32_t ranges, const orm_remap_range *given) {
  believe(ranges != 0, "a list without ranges");
  believe(list % ORM_REMAP_RANGE_BYTES == 0, "a range list is aligned to its records");
  addr_ = list;
  ranges_ = ranges;
  given_ = given;
  page_ = {};
  read_range();
}

void RemapCursor::read_range() {
  uint8_t raw[ORM_REMAP_RANGE_BYTES];
  orm_remap_range range{};
  const bool readable = given_ != nullptr || dram_.read(addr_, raw, sizeof raw);
  if (given_ != nullptr) {
    range = given_[page_.range];
  } else if (readable) {
    orm_remap_range_unpack(&range, raw);
  }
  const auto outside = [&](uint64_t start) { return start > UINT32_MAX || start + range.nlb > p_.lpns; };
  page_.src = uint32_t(range.src);
  page_.dst = uint32_t(range.dst);
  page_.left = range.nlb;
  page_.first = true;
  page_.bad = !readable || range.nlb == 0 || outside(range.src) || outside(range.dst);
  page_.last = page_.left == 1 || page_.bad;
  page_.end_of_list = page_.last && (page_.range == ranges_ - 1 || page_.bad);
}

bool RemapCursor::next() {
  believe(!page_.end_of_list, "past the end of a range list");
  if (page_.last) {
    ++page_.range;
    addr_ += ORM_REMAP_RANGE_BYTES;
    read_range();
    return true;
  }
  ++page_.src;
  ++page_.dst;
  --page_.left;
  page_.first = false;
  page_.last = page_.left == 1;
  page_.end_of_list = page_.last && page_.range == ranges_ - 1;
  return false;
}

}  // namespace orm::fast
