// SPDX-License-Identifier: Apache-2.0
#include "host/prp_walker.h"

#include <algorithm>

#include "lib/invariant.h"
#include "orm_bytes.h"

namespace orm::fast {
namespace {

constexpr uint32_t kPage = 4096;
constexpr uint32_t kBeat = 16;

}  // namespace

PrpSegment PrpWalker::fail(NvmeStatus why) {
  status_ = why;
  return {0, 0, why};
}

PrpSegment PrpWalker::next() {
  if (status_ != kSuccess) return {0, 0, status_};
  believe(left_ != 0, "a PRP walk past its end");
  if (!started_) return first();
  if (listed_) return from_list();
  const bool is_list = left_ > kPage;
  if (t_.prp2 % (is_list ? 8 : kPage) != 0) return fail(kInvalidPrpOffset);
  if (!is_list) {
    const uint32_t bytes = left_;
    left_ = 0;
    return {t_.prp2, bytes, kSuccess};
  }
  entry_ = t_.prp2;
  listed_ = true;
  return from_list();
}

PrpSegment PrpWalker::first() {
  if (t_.prp1 % 4 != 0) return fail(kInvalidPrpOffset);
  started_ = true;
  const uint32_t bytes = std::min(left_, kPage - uint32_t(t_.prp1 % kPage));
  left_ -= bytes;
  return {t_.prp1, bytes, kSuccess};
}

/// Reads list entries up to the end of what is needed, to the end of the list page, and at most a burst.
bool PrpWalker::fetch() {
  const uint32_t high = uint32_t(entry_ >> 3 & 1);
  const uint32_t pages = (left_ + kPage - 1) / kPage;
  const uint32_t to_page_end = kPage / kBeat - uint32_t(entry_ % kPage / kBeat);
  const uint32_t beats = std::min({(pages + high + 1) / 2, to_page_end, uint32_t(list_.size()) / kBeat});
  list_begin_ = entry_ / kBeat * kBeat;
  list_end_ = list_begin_ + beats * kBeat;
  ++fetches_;
  return host_.dma_read(host_.ctx, list_begin_, list_.data(), beats * kBeat) == 0;
}

PrpSegment PrpWalker::from_list() {
  for (;;) {
    if ((entry_ < list_begin_ || entry_ >= list_end_) && !fetch()) return fail(kDataTransferError);
    const uint64_t value = orm_get_le(list_.data() + (entry_ - list_begin_), 8);
    // A chained list must start at a page boundary.
    if (value % kPage != 0) return fail(kInvalidPrpOffset);
    if (entry_ % kPage == kPage - 8 && left_ > kPage) {
      entry_ = value;
      list_end_ = list_begin_ = 0;
      continue;
    }
    const uint32_t bytes = std::min(left_, kPage);
    left_ -= bytes;
    entry_ += 8;
    return {value, bytes, kSuccess};
  }
}

}  // namespace orm::fast
