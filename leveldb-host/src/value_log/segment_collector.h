// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_SEGMENT_COLLECTOR_H_
#define OPENREMAP_LEVELDB_HOST_SEGMENT_COLLECTOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "value_log/segment_ledger.h"
#include "value_log/segment_mover.h"
#include "value_log/segment_puncher.h"
#include "value_log/value_log.h"

namespace openremap {

// Frees the space of dead values in the segments with the largest dead share, segment by segment (ValueLogCollector):
//
//  copy   inserts the live values again (WiscKey, FAST 2016, section 3.3.2);
//  remap  moves the live pages to a file that shares them with the old one;
//  punch  makes holes of the dead pages, when what hides them is durable and nobody sees them any more.
//
// It goes through the keys in order, in steps between writes, to see what is live (docs/design/value-log.md).
//
// Not thread-safe: all but Step() and SpaceIsShort() need LevelDB's mutex, and the thread that writes calls them.
class SegmentCollector {
 public:
  // Size of all tables.
  using TableBytes = std::function<uint64_t()>;
  // Makes an iterator over the newest visible entries, with tagged values.
  using NewScan = std::function<std::unique_ptr<leveldb::Iterator>()>;

  // What the steps did so far. Any thread may read it.
  struct Counters {
    std::atomic<uint64_t> segments{0};        // collected
    std::atomic<uint64_t> key_bytes{0};       // looked at
    std::atomic<uint64_t> inserted_again{0};  // bytes of values, as stored
    std::atomic<uint64_t> moved{0};           // segments
    std::atomic<uint64_t> remapped{0};        // bytes of pages of these
    std::atomic<uint64_t> moved_copied{0};    // bytes of pages that had to be copied, and of maps
    std::atomic<uint64_t> punched{0};         // segments
    std::atomic<uint64_t> punched_bytes{0};   // of values that went with their pages, about
  };

  // `log` outlives this.
  SegmentCollector(const leveldb::Options &options, const std::string &dbname, ValueLog *log);

  // Begins a collection if one is due and none is under way, or an audit if it may be. A collection takes no segments
  // from `first_unflushed` on, because memtables may refer to them.
  void Plan(const SegmentLedger &ledger, uint64_t first_unflushed, const TableBytes &table_bytes);
  // Values are refused because of that, so nothing may change in the ledger: less has to be dead from now on.
  void SpaceIsShort() {
    if (!planned_short_) seen_changes_ = 0;
  }
  bool under_way() const { return auditing_ || !victims_.empty() || !movers_.empty() || moves() || punching_ != 0; }
  // Whether the next step moves a segment, and which: to a file with this number, a new one. The file that it is in has
  // to stay until Written(). Otherwise, where it died meanwhile, it is to be left out.
  bool moves() const { return !leaving_.empty(); }
  uint64_t leaving() const { return leaving_.begin()->first; }
  void SetTarget(uint64_t number) { target_ = number; }
  void LeaveOut() { leaving_.erase(leaving_.begin()); }
  // The next step makes holes of the dead pages of a segment that TakePunchable() had; the file that it is in has to
  // stay until Written(). Or it died: nothing is to be done.
  void SetPunching(uint64_t segment) { punching_ = segment; }
  bool punches() const { return punching_ != 0; }
  void ForgetPunchable(uint64_t segment);
  // For a defect: without waiting.
  void PunchAtOnce(uint64_t segment) {
    SetPunching(segment);
    PunchOne();
  }

  // Appends entries to *batch, which is empty, that are to be written before any others; the values of all of them are
  // flushed. `bytes`: of the write that the step goes with. Problems end the collection, or postpone it, and are no
  // errors of the write; the log may need a new segment then.
  void Step(uint64_t bytes, const NewScan &new_scan, leveldb::WriteBatch *batch);
  // Whether the batch of the last step was written. Returns the segments that no visible entry refers to from then on.
  std::vector<uint64_t> Written(bool ok);
  // The segments that moved with the last step, whether or not its batch was written. What visible entries refer to is
  // in the new file, which is durable before any manifest that names it.
  std::map<uint64_t, SegmentChanges::Move> TakeMoved() { return std::exchange(moved_, {}); }
  // After Written(): segments with pages that no visible entry refers to from then on.
  std::set<uint64_t> TakePunchable() { return std::exchange(punchable_, {}); }
  // The segments of which pages were punched out with the last step, and bytes of values that are left in their files.
  std::map<uint64_t, uint64_t> TakePunched() { return std::exchange(punched_, {}); }

  const Counters &counters() const { return counters_; }

 private:
  struct Candidate {
    uint64_t number = 0;
    uint64_t size = 0;  // bytes
    uint64_t live = 0;
    uint64_t file_bytes = 0;
  };
  enum class Way { kCopy, kMove, kPunch };
  // Of a segment that is to move or to be punched, as far as the keys were looked at.
  struct Mover {
    Way way = Way::kMove;
    uint64_t size = 0;        // bytes
    uint64_t live = 0;        // bytes
    uint64_t file_bytes = 0;  // of values that the file that it is in was written with
    uint64_t file_pages = 0;  // of that file, holes included
    uint64_t kept = 0;        // bytes of values in its pages with live ones
    SegmentPages pages;
  };

  uint64_t Live(uint64_t number, const SegmentLedger::Segment &segment) const;
  void Pick(std::vector<Candidate> candidates, uint64_t added, bool is_short);
  Way WayFor(const Candidate &candidate, bool is_short) const;
  bool IsFutile(const Candidate &candidate) const;
  void CountPages();
  void EndScan(std::vector<uint64_t> *done);
  void MoveOne();
  void PunchOne();
  void CountSeen();
  void EndBadScan(const leveldb::Status &why);
  void EndAudit(bool ok);
  bool InsertAgain(const leveldb::Slice &key, const ValuePointer &pointer, leveldb::WriteBatch *batch);
  void Postpone(leveldb::WriteBatch *batch);

  const leveldb::Options &options_;
  ValueLog *const log_;
  uint64_t seen_changes_ = 0;            // of the ledger
  bool planned_short_ = false;           // space was short then
  std::set<uint64_t> victims_;           // to be copied
  std::map<uint64_t, Mover> movers_;     // to be moved or punched, when all keys were looked at
  std::map<uint64_t, Mover> leaving_;    // to be moved, with the next steps
  std::map<uint64_t, Mover> waiting_;    // to be punched, when nobody sees what is dead
  uint64_t punching_ = 0;                // of these, with the next step; 0: none
  std::map<uint64_t, uint64_t> futile_;  // segments of which few pages were dead: with so many live bytes
  uint64_t target_ = 0;                  // number of the next file
  // Segments that were collected, or moved to a file, but that the ledger does not say yet.
  std::map<uint64_t, uint64_t> in_flight_;
  std::map<uint64_t, SegmentChanges::Move> moved_;  // with the last step
  std::optional<SegmentMover> mover_;               // none: the file layer cannot remap
  std::set<uint64_t> punchable_;                    // since the last step
  std::map<uint64_t, uint64_t> punched_;            // with the last step
  std::optional<SegmentPuncher> puncher_;           // none: the file layer makes no holes
  // An audit measures what is live, of segments that are flushed: a value that is hidden, but that no compaction has
  // dropped yet, does not count. It stays right as an upper bound, because nothing becomes live again.
  bool auditing_ = false;
  std::map<uint64_t, uint64_t> measured_;  // bytes by segment
  uint64_t measured_live_ = 0;             // of all, those of memtables included
  uint64_t measured_added_ = 0;            // size of the log then
  uint64_t measured_changes_ = 0;          // of the ledger
  std::set<uint64_t> unreadable_;          // segments with values that could not be read
  double pace_ = 0;                        // bytes of entries to look at, for each byte written
  double credit_ = 0;                      // bytes of entries that may be looked at
  bool begun_ = false;
  std::string cursor_;                 // the last key that was looked at, if begun_
  std::string next_cursor_;            // with the last step
  uint64_t most_copied_;               // bytes of values, as stored, that a step may copy
  uint64_t copied_ = 0;                // with the last step
  bool stepped_ = false;               // the last step did something
  bool ended_ = false;                 // with the last step
  std::map<uint64_t, uint64_t> seen_;  // with the last step: bytes that entries refer to, by segment
  Counters counters_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEGMENT_COLLECTOR_H_
