// SPDX-License-Identifier: Apache-2.0
//
// What the manifest says of the value log: how many bytes of each segment the tables refer to
// (docs/design/value-log.md).
#ifndef OPENREMAP_LEVELDB_HOST_SEGMENT_LEDGER_H_
#define OPENREMAP_LEVELDB_HOST_SEGMENT_LEDGER_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "leveldb/slice.h"

namespace openremap {

// What one edit of the manifest changes; a member of leveldb::VersionEdit.
struct SegmentChanges {
  // Bytes by segment: of pointers that a flush brought into the tables, and of those that a compaction dropped.
  std::map<uint64_t, uint64_t> added, dropped;
  // Segments that no visible entry refers to any more.
  std::set<uint64_t> collected;
  // Segments that are in another file from now on, which has all that visible entries refer to.
  struct Move {
    uint64_t file = 0;   // its number
    uint64_t bytes = 0;  // of values that it has, an upper bound of those that are visible
  };
  std::map<uint64_t, Move> moved;
  // Of segments that pages were punched out of: bytes of values that their files still have.
  std::map<uint64_t, uint64_t> punched;
  // Segments with pages that no visible entry refers to from now on, which are to be punched out. Not stored: what is
  // dead is looked for again after a crash.
  std::set<uint64_t> punchable;

  bool empty() const {
    return added.empty() && dropped.empty() && collected.empty() && moved.empty() && punched.empty();
  }
  // Count a tagged value; one that is inline or damaged does not count.
  void Add(const leveldb::Slice &tagged);
  void Drop(const leveldb::Slice &tagged);

  void EncodeTo(std::string *out) const;
  // The fields behind `tag`. False: it is none of ours, or *input is damaged.
  bool Decode(uint32_t tag, leveldb::Slice *input);
};

// The segments of a database. Not thread-safe: LevelDB's mutex guards it.
class SegmentLedger {
 public:
  struct Segment {
    uint64_t added = 0;  // bytes that tables ever referred to
    uint64_t dropped = 0;
    SegmentChanges::Move moved;  // file 0: it is in the file with its own number
    uint64_t kept = UINT64_MAX;  // bytes of values that punching left
    uint64_t live() const { return added - dropped; }
    // Bytes of values that its file was written with, and that it has.
    uint64_t file_bytes() const { return moved.file != 0 ? moved.bytes : added; }
    uint64_t size() const { return std::min(kept, file_bytes()); }
  };

  // Whether the database has a value log. A manifest says so with the name of its comparator, because that makes stock
  // LevelDB refuse the database with a message.
  bool separated() const { return separated_; }
  // The name to store for the comparator `name`.
  static std::string StoredName(const std::string &name, bool separated);
  std::string StoredName(const std::string &name) const { return StoredName(name, separated_); }
  // Whether a stored name is that of a database with a value log.
  static bool SaysSeparated(const std::string &stored);
  // Takes over what a manifest says. False: `stored` is not of the comparator `name`.
  bool Adopt(const std::string &stored, const std::string &name);

  // An edit came into effect with this version, when this was the last sequence number. Versions are counted up.
  void Apply(const SegmentChanges &changes, uint64_t version, uint64_t sequence);
  // The changes that make a ledger like this one out of an empty one, for a new manifest.
  SegmentChanges Content() const;

  // Whether tables of versions from `oldest_version` on, or readers as of sequence numbers from `oldest_sequence` on,
  // may need the file of a segment. Of a segment that no table ever referred to: false.
  bool Keeps(uint64_t file, uint64_t oldest_version, uint64_t oldest_sequence) const;
  // A segment whose dead pages nobody can see any more, under the same conditions; 0: none. It stays one until
  // TakePunchable().
  uint64_t Punchable(uint64_t oldest_version, uint64_t oldest_sequence) const;
  void TakePunchable() { punchable_.pop_front(); }
  // Pages were punched out of its file, which has no more than so many bytes of values left. An edit is to say so, too.
  void Punched(uint64_t segment, uint64_t bytes);
  // It was removed.
  void Forget(uint64_t file) { dead_.erase(file); }

  // With live bytes.
  const std::map<uint64_t, Segment> &segments() const { return segments_; }
  const Segment &Total() const { return total_; }
  // Grows with each change.
  uint64_t changes() const { return changes_; }

 private:
  struct Death {
    uint64_t version = 0;   // the first one without pointers into it, or from which on they are hidden
    uint64_t sequence = 0;  // as of earlier ones readers see hidden pointers
  };

  // REQUIRES: the segment has live bytes.
  void Die(uint64_t number, const Death &death);

  bool separated_ = false;
  uint64_t changes_ = 0;
  std::map<uint64_t, Segment> segments_;
  Segment total_;                                     // their sum
  std::set<uint64_t> targets_;                        // the files of segments that moved
  std::map<uint64_t, Death> dead_;                    // by file
  std::deque<std::pair<uint64_t, Death>> punchable_;  // segments, in the order of their deaths
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEGMENT_LEDGER_H_
