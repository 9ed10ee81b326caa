// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_REPLAY_TARGET_H_
#define OPENREMAP_IOREPLAY_REPLAY_TARGET_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/status.h"
#include "page_stamps.h"
#include "pagefs/trace/page_trace.h"

namespace openremap {

// A figure of a report, in its order. A value is a JSON number.
using ReplayFigures = std::vector<std::pair<std::string, std::string>>;

std::string FigureOf(uint64_t value);
std::string FigureOf(double value);

// What a trace is replayed onto: a device, or a model that only counts. The records of a call have one operation.
// `stamps` has an entry for each page (page_stamps.h). Not thread-safe.
class ReplayTarget {
 public:
  virtual ~ReplayTarget() = default;

  // UINT64_MAX: as many as are asked for.
  virtual uint64_t Pages() const = 0;
  virtual unsigned Placements() { return 1; }
  // Whether Remap() can be accepted.
  virtual bool Remaps() const { return false; }

  // The stamp of pages that were not written yet: kNoStamp, or kAnyStamp on a device that was used before.
  virtual uint64_t FirstStamp() const { return kNoStamp; }

  // Writes pages of these stamps, the newest ones.
  virtual leveldb::Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) = 0;
  // Reads pages, and adds to *wrong how many of them are not of these stamps. A target that keeps no contents adds
  // none.
  virtual leveldb::Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps,
                               uint64_t *wrong) = 0;
  virtual leveldb::Status Flush() = 0;
  virtual leveldb::Status Deallocate(const std::vector<PageRecord> &runs) = 0;
  virtual leveldb::Status Remap(const std::vector<PageRecord> &runs, bool *refused) {
    (void)runs;
    *refused = true;
    return leveldb::Status::OK();
  }
  // *begun: false where there are no reclaim units.
  virtual leveldb::Status BeginUnit(unsigned placement, bool *begun) {
    (void)placement;
    *begun = false;
    return leveldb::Status::OK();
  }
  // Whether Read() finds wrong pages.
  virtual bool KeepsContents() const { return true; }

  // *pages: those that its flash has programmed so far, which may lack what write buffers hold. 0: it has no flash.
  virtual leveldb::Status Programmed(uint64_t *pages) {
    *pages = 0;
    return leveldb::Status::OK();
  }
  // All that was replayed counts from then on; what it cost so far.
  virtual leveldb::Status Figures(ReplayFigures *figures) = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_REPLAY_TARGET_H_
