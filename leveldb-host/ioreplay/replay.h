// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_REPLAY_H_
#define OPENREMAP_IOREPLAY_REPLAY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "merged_trace.h"
#include "replay_target.h"

namespace openremap {

struct ReplayOptions {
  bool read_back = true;  // read all pages that the traces use at the end
  // Kinds of pages that lie on a side device: the target gets none of their calls.
  std::array<bool, kPageKinds> side{};
  uint64_t window_pages = replaying::kWindow.initial;  // written to the target; 0: no windows
};

// A part of a replay that wrote `window_pages`, as far as calls have room for it; the last one may have written less.
struct ReplayWindow {
  uint64_t written_pages = 0;     // to the target
  uint64_t programmed_pages = 0;  // by its flash meanwhile
};

// What was replayed. Pages are kPageBytes.
struct ReplayResult {
  uint64_t records = 0;                                // after cutting; without those that were left out
  uint64_t written_pages = 0;                          // to the target
  std::array<uint64_t, kPageKinds> written_by_kind{};  // by PageKind; those of the side device, too
  uint64_t side_pages = 0;                             // written to the side device
  uint64_t read_pages = 0;
  uint64_t deallocated_pages = 0;
  uint64_t remapped_pages = 0;
  uint64_t copied_pages = 0;  // of remaps that the target did not take: read and written, and counted as such, too
  uint64_t flushes = 0;
  uint64_t units_begun = 0;
  uint64_t pages_verified = 0;  // read and compared: those that the traces read, and those that were read back
  uint64_t wrong_pages = 0;     // of these, pages with other contents than they should have
  std::vector<ReplayWindow> windows;
  ReplayFigures figures;  // of the target, before the pages were read back
};

// Replays a trace, which Begin() was called of, onto a target that nothing was written to but what its FirstStamp()
// tells. `progress` (may be empty) is told of the records done. A flush that would find nothing written to the target
// is left out where there is a side device.
leveldb::Status Replay(MergedTrace *trace, ReplayTarget *target, const ReplayOptions &options,
                       const std::function<void(uint64_t done)> &progress, ReplayResult *result);

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_REPLAY_H_
