// SPDX-License-Identifier: Apache-2.0
#include "crash/election.h"

#include <algorithm>
#include <map>

namespace orm::crash {
namespace {

constexpr uint32_t kRegionLpns = ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS;  // of the trim bitmap

std::string number(uint64_t n) { return std::to_string(n); }

class Reader {
 public:
  explicit Reader(const Tables &t) : t_(t), chains_(t.superblocks) {
    e_.winners.resize(t.lpns);
    e_.segments.resize(t.superblocks);
    e_.bad.resize(t.superblocks);
  }

  Election all() {
    pointers();
    bad_words();
    block_records();
    spares();
    segments();
    for (uint32_t sb = 0; sb < t_.superblocks; ++sb) {
      chain(sb);
      destaged(sb);
    }
    journal();
    return std::move(e_);
  }

 private:
  struct Segment {
    uint32_t number;
    uint32_t prev;
  };

  const uint8_t *nvram(uint64_t at) const { return t_.nvram.data() + at; }
  void wrong(const std::string &what) { e_.wrong.push_back(what); }
  void saw(uint64_t seq) { e_.newest = std::max(e_.newest, seq); }

  void pointers() {
    orm_pointer_word commit{}, checkpoint{};
    if (!orm_pointer_word_open(&commit, nvram(t_.nv_commit))) wrong("the commit pointer is damaged");
    if (!orm_pointer_word_open(&checkpoint, nvram(t_.nv_checkpoint))) wrong("the checkpoint pointer is damaged");
    commit_ = commit.seq;
    checkpoint_ = checkpoint.seq;
    trim_pointers();
    saw(commit_);
    saw(checkpoint_);
    orm_format_word format{};
    if (orm_format_word_open(&format, nvram(t_.nv_counters + ORM_NV_FORMAT_OFFSET)) && format.mark == ORM_FORMAT_MARK) {
      wrong("the word of a Format NVM is there, and none is under way");
    }
  }

  void bad_words() {
    for (uint32_t first = 0; first < t_.superblocks; first += ORM_BAD_WORD_SBS) {
      orm_bad_word w{};
      const uint32_t at = t_.nv_counters + ORM_NV_BAD_OFFSET + first / ORM_BAD_WORD_SBS * ORM_BAD_WORD_BYTES;
      if (!orm_bad_word_open(&w, nvram(at), uint16_t(first))) {
        wrong("the BadWord of the superblocks from " + number(first) + " on is damaged");
        continue;
      }
      for (uint32_t i = 0; i < ORM_BAD_WORD_SBS && first + i < t_.superblocks; ++i) {
        e_.bad[first + i] = ((w.bad >> i) & 1) != 0;
      }
    }
  }

  /// Only the generation of a bad superblock counts: a start uses neither its chain nor its set.
  void block_records() {
    for (uint32_t sb = 0; sb < t_.superblocks; ++sb) {
      const Superblock &s = t_.sb[sb];
      orm_block_record r{};
      if (!orm_block_record_open(&r, nvram(t_.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES), uint16_t(sb))) {
        wrong("the record of superblock " + number(sb) + " is damaged");
      } else if (r.gen != s.gen || (!e_.bad[sb] && (r.epoch != s.epoch || r.set != s.set))) {
        wrong("the record of superblock " + number(sb) + " has generation " + number(r.gen) + ", epoch " +
              number(r.epoch) + ", set " + number(r.set) + "; the controller has " + number(s.gen) + ", " +
              number(s.epoch) + ", " + number(s.set));
      }
    }
  }

  void trim_pointers() {
    for (uint32_t region = 0; region * kRegionLpns < t_.nsze; ++region) {
      orm_trim_pointer p{};
      const uint8_t *raw = nvram(t_.nv_trim_pointers + region * ORM_TRIM_POINTER_BYTES);
      const bool good =
          orm_get_le(raw, ORM_TRIM_POINTER_BYTES) == 0 || (orm_trim_pointer_open(&p, raw, region) && p.bitmap <= 1);
      if (!good) wrong("the pointer of region " + number(region) + " of the trim bitmap is damaged");
      regions_.push_back(good ? p : orm_trim_pointer{});
      saw(regions_.back().seq);
    }
  }

  /// The LPN had no data at the seq of its region's pointer, which is this event's or a later one.
  bool in_bitmap(uint32_t lpn, uint64_t seq) const {
    if (lpn >= t_.nsze) return false;
    const uint32_t word = lpn / ORM_TRIM_WORD_LPNS;
    const orm_trim_pointer &region = regions_[lpn / kRegionLpns];
    const uint32_t bitmap = t_.nv_bitmap + (region.bitmap == 1 ? t_.nv_bitmap_bytes : 0);
    orm_trim_word w{};
    return seq <= region.seq && orm_trim_word_open(&w, nvram(bitmap + word * ORM_TRIM_WORD_BYTES), word) &&
           ((w.trimmed >> (lpn % ORM_TRIM_WORD_LPNS)) & 1) != 0;
  }

  /// `slot` ORM_UNMAPPED: a trim. LPNs of destaged chains are never trimmed.
  void event(uint32_t lpn, uint64_t seq, uint32_t slot) {
    const bool destaged = lpn >= t_.destage_lpn && lpn < t_.lpns;
    if (lpn >= t_.nsze && !destaged) return;  // a padding slot names none
    if (in_bitmap(lpn, seq)) return;
    Winner &w = e_.winners[lpn];
    if (seq < w.seq) return;
    if (seq > w.seq) w = {seq, {}};
    const bool known = std::find(w.slots.begin(), w.slots.end(), slot) != w.slots.end();
    if (slot != ORM_UNMAPPED && !known) w.slots.push_back(slot);
  }

  bool good(uint32_t slot) const {
    const Slot &s = t_.slots[slot];
    return t_.is_for_data(slot) && s.sealed && s.oob.slot == slot && s.oob.gen == t_.sb[t_.superblock_of(slot)].gen &&
           s.oob.version == ORM_FORMAT_VERSION;
  }

  void spares() {
    for (uint32_t slot = 0; slot < t_.slots.size(); ++slot) {
      if (e_.bad[t_.superblock_of(slot)] || !good(slot)) continue;
      saw(t_.slots[slot].oob.seq);
      event(t_.slots[slot].oob.lpn, t_.slots[slot].oob.seq, slot);
    }
  }

  void segments() {
    for (uint32_t i = 0; i < t_.segments; ++i) {
      orm_segment_header h{};
      if (!orm_segment_header_open(&h, nvram(t_.nv_segments + i * t_.segment_bytes)) || h.sb >= t_.superblocks) {
        strays(i);
        continue;
      }
      const Superblock &s = t_.sb[h.sb];
      const std::string name = "segment " + number(i) + " of superblock " + number(h.sb);
      const bool of_now = h.gen == s.gen && h.epoch == s.epoch;
      if (h.gen > s.gen || (h.gen == s.gen && h.epoch > s.epoch)) {
        wrong(name + " has a generation or an epoch that is still to come");
      } else if (!of_now) {
        strays(i);
      } else if (!chains_[h.sb].emplace(h.index, Segment{i, h.prev}).second) {
        wrong(name + " has the place " + number(h.index) + " of another one");
      }
    }
  }

  /// Entries in a segment that no chain has would count once their superblock gets that segment.
  void strays(uint32_t i) {
    const uint8_t *raw = nvram(t_.nv_segments + i * t_.segment_bytes);
    for (uint32_t at = ORM_SEGMENT_HEADER_BYTES; at < t_.segment_bytes; at += ORM_REMAP_ENTRY_BYTES) {
      orm_remap_entry e{};
      orm_remap_entry_unpack(&e, raw + at);
      for (uint32_t sb = 0; e.seq > commit_ && sb < t_.superblocks; ++sb) {
        if (e_.bad[sb]) continue;
        if (!orm_remap_entry_open(&e, raw + at, uint16_t(sb), t_.sb[sb].gen, uint16_t(t_.sb[sb].epoch))) continue;
        wrong("segment " + number(i) + ", which is nobody's, has an entry of superblock " + number(sb) +
              " past the commit pointer");
      }
    }
  }

  void chain(uint32_t sb) {
    if (e_.bad[sb]) {
      e_.segments[sb] = t_.sb[sb].segments;  // its remains stay until the next start
      return;
    }
    const std::string name = "the chain of superblock " + number(sb);
    e_.segments[sb] = uint32_t(chains_[sb].size());
    uint32_t place = 0, before = 0;
    for (const auto &[index, segment] : chains_[sb]) {
      if (index != place) {
        wrong(name + " has no segment at place " + number(place));
        return;
      }
      if (segment.prev != (place == 0 ? segment.number : before)) {
        wrong(name + ": segment " + number(segment.number) + " is not linked to the one before it");
      }
      for (uint32_t k = 1; k <= t_.entries_per_segment(); ++k) {
        entry(sb, nvram(t_.nv_segments + segment.number * t_.segment_bytes + k * ORM_REMAP_ENTRY_BYTES), name);
      }
      before = segment.number;
      ++place;
    }
  }

  /// Entries that do not count must not exist: they could count later.
  void entry(uint32_t sb, const uint8_t *raw, const std::string &chain) {
    orm_remap_entry e{};
    if (!orm_remap_entry_open(&e, raw, uint16_t(sb), t_.sb[sb].gen, uint16_t(t_.sb[sb].epoch))) return;
    saw(e.seq);
    const std::string name = chain + ": an entry for LPN " + number(e.lpn);
    const uint32_t slot = sb * t_.slots_per_sb + e.offset;
    if (e.seq > commit_) {
      wrong(name + " is past the commit pointer");
    } else if (e.offset >= t_.slots_per_sb || !good(slot)) {
      wrong(name + " names a slot that holds no data");
    } else {
      event(e.lpn, e.seq, slot);
    }
  }

  /// The slots of a set are the winners of their LPNs, all of one destaging.
  void destaged(uint32_t sb) {
    const Superblock &s = t_.sb[sb];
    if (s.set == 0 || e_.bad[sb]) return;
    const std::string name = "the destaged chain of superblock " + number(sb);
    uint32_t entries = 0;
    for (uint32_t k = 0; k < s.set_slots; ++k) {
      const Winner &w = e_.winners[t_.destage_lpn_of(sb, s.set, k)];
      orm_destage_header h{};
      const bool there = !w.slots.empty() && w.seq == e_.winners[t_.destage_lpn_of(sb, s.set, 0)].seq;
      if (!there || !orm_destage_header_open(&h, t_.slots[w.slots.front()].data) || h.sb != sb || h.gen != s.gen ||
          h.index != k || h.slots != s.set_slots || h.epoch > s.epoch ||
          h.entries >= ORM_SLOT_BYTES / ORM_REMAP_ENTRY_BYTES) {
        wrong(name + " has no good slot at place " + number(k));
        continue;
      }
      entries += h.entries;
      for (uint32_t i = 1; i <= h.entries; ++i) {
        destaged_entry(sb, h.epoch, t_.slots[w.slots.front()].data + i * ORM_REMAP_ENTRY_BYTES, name);
      }
    }
    if ((entries + t_.entries_per_segment() - 1) / t_.entries_per_segment() != s.set_segments) {
      wrong(name + " has " + number(entries) + " entries; the controller counts " + number(s.set_segments) +
            " segments for them");
    }
  }

  /// A destaged entry that does not count cannot be wiped, and need not be: its slot does not become good in this
  /// generation.
  void destaged_entry(uint32_t sb, uint16_t epoch, const uint8_t *raw, const std::string &chain) {
    orm_remap_entry e{};
    if (!orm_remap_entry_open(&e, raw, uint16_t(sb), t_.sb[sb].gen, epoch)) {
      wrong(chain + " has a damaged entry");
      return;
    }
    saw(e.seq);
    const uint32_t slot = sb * t_.slots_per_sb + e.offset;
    if (e.seq <= commit_ && e.offset < t_.slots_per_sb && good(slot)) event(e.lpn, e.seq, slot);
  }

  /// Records that the checkpoint does not cover must lie between tail and head; others would be overwritten.
  void journal() {
    const uint32_t n = t_.journal_records;
    for (uint32_t i = 0; i < n; ++i) {
      orm_journal_record r{};
      const bool opens = orm_journal_record_open(&r, nvram(t_.nv_journal + i * ORM_JOURNAL_RECORD_BYTES));
      const bool in_use = (t_.journal_head + n - 1 - i) % n < t_.journal_used;
      const bool counts = opens && r.seq > checkpoint_;
      const std::string name = "journal record " + number(i);
      if (opens) saw(r.seq);
      if (counts && r.seq > commit_) wrong(name + " is past the commit pointer");
      if (counts && !in_use) wrong(name + " is neither in the checkpoint nor in use");
      if (!counts && in_use) wrong(name + " is in use, and does not count");
      if (!counts || r.seq > commit_) continue;
      for (uint32_t page = 0; page < r.pages; ++page) event(r.lpn + page, r.seq, ORM_UNMAPPED);
    }
  }

  const Tables &t_;
  Election e_;
  uint64_t commit_ = 0, checkpoint_ = 0;
  std::vector<orm_trim_pointer> regions_;            // of the trim bitmap
  std::vector<std::map<uint32_t, Segment>> chains_;  // segments by place in the chain
};

}  // namespace

Election elect(const Tables &tables) { return Reader(tables).all(); }

}  // namespace orm::crash
