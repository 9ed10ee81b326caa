// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_MERGED_TRACE_H_
#define OPENREMAP_IOREPLAY_MERGED_TRACE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gen/replay_options.h"
#include "leveldb/status.h"
#include "pagefs/trace/page_trace.h"

namespace openremap {

// Which placement a replayed write names.
enum class ReplayPlacement {
  kRecorded,  // the recorded one, or the last that the device has
  kTrace,     // one for each trace, in order; the last ones share the last that the device has
  kNone,      // 0
};

struct MergeOptions {
  uint64_t chunk = replaying::kChunk.initial;  // records that one trace contributes before it is the next one's turn
  // Pages: longer reads, writes, deallocations and remaps are cut into records of this many. 0: none are.
  uint64_t split = replaying::kSplit.initial;
  // Percent of the tables that stay whole: none of their records is cut, and no turn ends within them. Which ones these
  // are is drawn, the same in each replay.
  uint64_t whole = replaying::kWhole.initial;
  ReplayPlacement placement = ReplayPlacement::kRecorded;
  bool deallocate = true;  // false: Deallocate calls are left out
};

// Several traces as one, as if their writers shared a device: in turn each contributes `chunk` records, until all have
// ended. Each trace has LPNs of its own: its pages follow those of the trace before it. A call that a turn ends within
// becomes two. Not thread-safe.
class MergedTrace {
 public:
  // Reads every trace once to the end, which checks it and finds out which pages it uses. `noted` (may be empty) is
  // told of the number of records so far. Errors are those of PageTraceReader; InvalidArgument: the pages of all traces
  // cannot be numbered, or options need kinds of pages that a trace of an earlier version does not have.
  leveldb::Status Open(const std::vector<std::string> &paths, const MergeOptions &options,
                       const std::function<void(uint64_t records)> &noted = {});

  // Pages up to the last one that is written, read or remapped.
  uint64_t UsedPages() const;
  // Whether all traces tell what their pages are written for.
  bool HasKinds() const;
  // Records in the files.
  uint64_t Records() const;

  // Before the first Next(): the device has this many pages and placements. A single trace keeps its deallocations of
  // pages that it does not use, where the device is as large as the one that it was recorded on; any others are left
  // out. InvalidArgument: the device has less than UsedPages().
  leveldb::Status Begin(uint64_t device_pages, unsigned device_placements);
  // The records of the next call, or those of its part; *end behind the last.
  leveldb::Status Next(std::vector<PageRecord> *call, bool *end);

 private:
  struct Source {
    std::string path;
    uint64_t records = 0;
    uint64_t used_pages = 0;
    uint64_t first = 0;  // of its LPNs
    uint64_t pages = 0;  // that deallocations may reach
    std::unique_ptr<PageTraceReader> reader;
    bool has_rest = false;  // a record that was cut, or comes too early
    PageRecord rest;
    bool kinds = false;
    uint64_t tables = 0;          // that have begun
    bool table_is_whole = false;  // the last one of them
    bool joined = false;          // the last record is a further one of a whole table
    bool ended = false;
  };

  leveldb::Status Scan(Source *source, uint64_t before, const std::function<void(uint64_t)> &noted);
  leveldb::Status NextRecord(Source *source, PageRecord *record);
  bool IsWhole(size_t source, uint64_t table) const;
  void PutBack(Source *source, PageRecord record);
  bool Fit(const Source &source, PageRecord *record) const;
  void PassOn();

  MergeOptions options_;
  unsigned placements_ = 1;
  std::vector<Source> sources_;
  size_t turn_ = 0;
  uint64_t left_ = 0;  // records of this turn
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_MERGED_TRACE_H_
