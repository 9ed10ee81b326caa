// SPDX-License-Identifier: Apache-2.0
//
// What a replay writes: each page of each write has a number of its own, its stamp, from which its contents follow. A
// page that reads as another stamp, or as none, is found without keeping the contents.
#ifndef OPENREMAP_IOREPLAY_PAGE_STAMPS_H_
#define OPENREMAP_IOREPLAY_PAGE_STAMPS_H_

#include <cstdint>

#include "remap_env.h"

namespace openremap {

constexpr uint64_t kNoStamp = 0;            // a page that was never written, or was deallocated: it reads as zeroes
constexpr uint64_t kAnyStamp = UINT64_MAX;  // a page that somebody else wrote: it reads as anything

// Fills the kPageBytes of a page. Not for kAnyStamp.
void FillPage(uint64_t stamp, char *page);
// Whether the page is that of the stamp, in every byte.
bool IsPageOf(uint64_t stamp, const char *page);

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_PAGE_STAMPS_H_
