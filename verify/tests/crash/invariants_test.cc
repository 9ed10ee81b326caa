// SPDX-License-Identifier: Apache-2.0
// The invariants of the crash explorer: a sound device violates none, and each kind of damage to tables and media is
// found.
#include "crash/invariants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash/summaries.h"
#include "lockstep/lockstep_stream.h"
#include "pcie_function.h"

namespace orm::crash {
namespace {

// LPNs in the script below.
constexpr uint32_t kShared = 3;       // by kSharer, whose entry is in NVRAM
constexpr uint32_t kSharer = 103;     // in the checkpoint's bitmap as mapped
constexpr uint32_t kWritten = 20;     // before the checkpoint
constexpr uint32_t kTrimmed = 41;     // before the checkpoint; its slot has data still
constexpr uint32_t kJournalled = 51;  // after it
const char *const kScript = R"(lockstep 1 seed 1 superblocks 8
write 0 60 data 1
remap 0 100 8
deallocate 40+4
flush
power-cycle
write 200 8 data 2
deallocate 50+2
flush
)";

// The number of entries is so large, and that of segments so small, that chains go to flash.
const char *const kDestaging = R"(lockstep 1 seed 6 superblocks 24 segments 68
write 0 128 data 1
write 128 128 data 2
write 256 128 data 3
write 384 128 data 4
flush
copy 0 600 120
copy 0 720 120
copy 0 840 120
copy 128 960 120
copy 128 1080 120
copy 128 1200 120
copy 256 1320 120
copy 256 1440 120
copy 256 1560 120
copy 384 1680 120
copy 384 1800 120
copy 384 1920 120
flush
)";

/// A device that has run a script, and the tables read from it.
class Sound {
 public:
  explicit Sound(const char *script, const char *geometry = nullptr) {
    const lockstep::Stream stream = lockstep::parse_stream(script, "script");
    openremap_options options{};
    options.device.kind = "model";
    options.device.geometry = geometry;
    options.device.superblocks = stream.device.superblocks;
    options.device.remap_segments = stream.device.segments;
    options.device.seed = stream.device.seed;
    options.create = pcie_device_create;
    char error[256] = "";
    EXPECT_EQ(openremap_open(&options, &dev_, error, sizeof error), 0) << error;
    for (const lockstep::Command &c : stream.commands) EXPECT_EQ(lockstep::execute(dev_, c).statuses.back(), 0);
    EXPECT_TRUE(lockstep::rest(dev_));
    tables = read_tables(openremap_pcie_function(dev_));
  }
  ~Sound() { (void)!openremap_close(dev_); }
  Sound(const Sound &) = delete;
  Sound &operator=(const Sound &) = delete;

  Tables tables;

 private:
  openremap_device *dev_ = nullptr;
};

const Tables &sound() {
  static const Sound device(kScript);
  return device.tables;
}

/// First segment of the superblock's chain.
uint32_t segment_of(const Tables &t, uint32_t sb) {
  for (uint32_t i = 0; i < t.segments; ++i) {
    orm_segment_header h{};
    if (orm_segment_header_open(&h, t.nvram.data() + t.nv_segments + i * t.segment_bytes) && h.sb == sb) return i;
  }
  ADD_FAILURE() << "superblock " << sb << " has no chain";
  return 0;
}
uint8_t *segment(Tables &t, uint32_t i) { return t.nvram.data() + t.nv_segments + i * t.segment_bytes; }
uint8_t *chain(Tables &t) { return segment(t, segment_of(t, 0)); }

void put_entry(Tables &t, uint32_t place, uint32_t lpn, uint32_t offset, uint64_t seq) {
  orm_remap_entry e{};
  e.lpn = lpn;
  e.offset = uint16_t(offset);
  e.seq = seq;
  orm_remap_entry_seal(&e, 0, t.sb[0].gen, uint16_t(t.sb[0].epoch), chain(t) + (place + 1) * ORM_REMAP_ENTRY_BYTES);
}

orm_pointer_word pointer(const Tables &t, uint32_t at) {
  orm_pointer_word w{};
  EXPECT_TRUE(orm_pointer_word_open(&w, t.nvram.data() + at));
  return w;
}

orm_trim_pointer trim_pointer(const Tables &t, uint32_t lpn) {
  const uint32_t region = lpn / (ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS);
  orm_trim_pointer p{};
  EXPECT_TRUE(orm_trim_pointer_open(&p, t.nvram.data() + t.nv_trim_pointers + region * ORM_TRIM_POINTER_BYTES, region));
  return p;
}

void set_trimmed(Tables &t, uint32_t lpn, uint64_t trimmed) {
  const uint32_t word = lpn / ORM_TRIM_WORD_LPNS;
  orm_trim_word w{};
  w.trimmed = trimmed;
  orm_trim_word_seal(
      &w, word,
      t.nvram.data() + t.nv_bitmap + trim_pointer(t, lpn).bitmap * t.nv_bitmap_bytes + word * ORM_TRIM_WORD_BYTES);
}

uint32_t free_superblock(const Tables &t) {
  const auto is_free = [](const Superblock &s) { return s.state == ORM_SB_STATE_FREE; };
  return uint32_t(std::find_if(t.sb.begin(), t.sb.end(), is_free) - t.sb.begin());
}

void make_bad(Tables &t, uint32_t sb) {
  uint8_t *const raw = t.nvram.data() + t.nv_counters + ORM_NV_BAD_OFFSET;
  orm_bad_word w{};
  ASSERT_TRUE(orm_bad_word_open(&w, raw, 0));
  w.bad |= uint64_t(1) << sb;
  orm_bad_word_seal(&w, 0, raw);
}

void set_header(Tables &t, uint32_t i, const std::function<void(orm_segment_header *)> &change) {
  orm_segment_header h{};
  ASSERT_TRUE(orm_segment_header_open(&h, segment(t, i)));
  change(&h);
  orm_segment_header_seal(&h, segment(t, i));
}

struct Damage {
  const char *name;
  std::function<void(Tables &)> make;
  const char *found;
};

const Damage kDamages[] = {
    {"RefTooHigh", [](Tables &t) { ++t.ref[t.l2p[kShared]]; }, "I1: slot 3 has 2 sharers; REF is 3"},
    {"RefOfNobody", [](Tables &t) { t.ref[t.slots.size() - 1] = 1; }, "has 0 sharers; REF is 1"},
    {"MoreSharersThanMayBe", [](Tables &t) { t.sharers = 0; }, "I1: slot 3 has 2 sharers; REF is 2"},
    {"ValidTooLow", [](Tables &t) { --t.sb[0].valid; }, "valid slots; VALID is"},
    {"MappedToNoSlot", [](Tables &t) { t.l2p[kWritten] = uint32_t(t.ref.size()); }, "which is no slot"},
    {"MappedToTheFlashOfAnother", [](Tables &t) { t.l2p[kWritten] = t.l2p[kShared]; },
     "I2: LPN 20 is mapped to slot 3; a recovery would find slot 20"},
    {"UnmappedWithoutARecord", [](Tables &t) { t.l2p[kWritten] = ORM_UNMAPPED; },
     "I2: LPN 20 is unmapped; slot 20 would come back"},
    {"MappedBehindTheNamespace", [](Tables &t) { t.l2p[t.nsze] = 0; }, "a recovery would find none"},
    {"MappedAfterATrim", [](Tables &t) { t.l2p[kJournalled] = kJournalled; }, "I2: LPN 51 is mapped to slot 51; a"},
    {"TornSlot", [](Tables &t) { t.slots[kWritten].state = PCIE_SLOT_TORN; }, "I2: LPN 20 is mapped to slot 20, which"},
    {"SpareOfAnotherGeneration", [](Tables &t) { ++t.slots[kWritten].oob.gen; }, "a recovery would find none"},
    {"SpareOfAnotherSlot", [](Tables &t) { ++t.slots[kWritten].oob.slot; }, "a recovery would find none"},
    {"SpareOfAnotherFormat", [](Tables &t) { ++t.slots[kWritten].oob.version; }, "a recovery would find none"},
    {"OneSeqTwoPages",
     [](Tables &t) {
       t.slots[kWritten + 1].oob.lpn = kWritten;
       t.slots[kWritten + 1].oob.seq = t.slots[kWritten].oob.seq;
     },
     "I5: LPN 20 has different data in slots 20 and 21"},
    {"FreeWithData", [](Tables &t) { t.sb[0].state = ORM_SB_STATE_FREE; }, "I3: superblock 0 is free and holds"},
    {"FreeWithAChain", [](Tables &t) { t.sb[0].state = ORM_SB_STATE_FREE; },
     "I3: superblock 0 is free and has a chain"},
    {"FreeAndProgrammed", [](Tables &t) { t.slots[free_superblock(t) * t.slots_per_sb].state = PCIE_SLOT_PROGRAMMED; },
     "is free and not erased"},
    {"FreeAndOnNoList", [](Tables &t) { --t.free_superblocks; }, "are on the free list"},
    {"MoreSuperblocksThanTheHeaderHas", [](Tables &t) { t.sb.back().state = ORM_SB_STATE_CLOSED; },
     "is in use; the header does not have it"},
    {"SegmentLost", [](Tables &t) { std::memset(chain(t), 0, ORM_SEGMENT_HEADER_BYTES); },
     "I4: superblock 0 has 0 segments in NVRAM; the controller counts 1"},
    {"SegmentLostToRecovery", [](Tables &t) { std::memset(chain(t), 0, ORM_SEGMENT_HEADER_BYTES); },
     "I2: LPN 103 is mapped to slot 3; a recovery would find none"},
    {"SegmentInTwoPlaces", [](Tables &t) { std::memcpy(segment(t, segment_of(t, 0) + 1), chain(t), t.segment_bytes); },
     "of another one"},
    {"SegmentMissing", [](Tables &t) { set_header(t, segment_of(t, 0), [](auto *h) { h->index = 1; }); },
     "has no segment at place 0"},
    {"SegmentNotLinked", [](Tables &t) { set_header(t, segment_of(t, 0), [](auto *h) { ++h->prev; }); },
     "is not linked to the one before it"},
    {"SegmentOfTheNextEpoch", [](Tables &t) { set_header(t, segment_of(t, 0), [](auto *h) { ++h->epoch; }); },
     "still to come"},
    {"SegmentOfTheNextGeneration", [](Tables &t) { set_header(t, segment_of(t, 0), [](auto *h) { ++h->gen; }); },
     "still to come"},
    {"SegmentOnNoList", [](Tables &t) { --t.free_segments; }, "I4: 511 segments are in no chain; 510"},
    {"ChainTooLong", [](Tables &t) { t.segments_per_chain = 0; }, "I4: the chain of superblock 0 is longer"},
    {"EntryLost", [](Tables &t) { std::memset(chain(t) + 4 * ORM_REMAP_ENTRY_BYTES, 0, ORM_REMAP_ENTRY_BYTES); },
     "I2: LPN 103 is mapped to slot 3; a recovery would find none"},
    {"EntryNotCommitted", [](Tables &t) { put_entry(t, 9, 300, 1, pointer(t, t.nv_commit).seq + 1); },
     "an entry for LPN 300 is past the commit pointer"},
    {"EntryNotCommittedWithoutAHeader",
     [](Tables &t) {
       orm_remap_entry e{};
       e.lpn = 300;
       e.seq = pointer(t, t.nv_commit).seq + 1;
       orm_remap_entry_seal(&e, 0, t.sb[0].gen, uint16_t(t.sb[0].epoch),
                            segment(t, t.segments - 1) + ORM_SEGMENT_HEADER_BYTES);
     },
     "which is nobody's, has an entry of superblock 0 past the commit pointer"},
    {"EntryOfAnErasedSlot", [](Tables &t) { put_entry(t, 9, 300, t.data_slots() - 1, 1); },
     "an entry for LPN 300 names a slot that holds no data"},
    {"EntryOutsideTheSuperblock", [](Tables &t) { put_entry(t, 9, 300, t.slots_per_sb, 1); },
     "an entry for LPN 300 names a slot that holds no data"},
    {"EntryTooNew", [](Tables &t) { put_entry(t, 9, kShared, 1, pointer(t, t.nv_commit).seq); },
     "I2: LPN 3 is mapped to slot 3; a recovery would find slot 1"},
    {"CommitPointerDamaged", [](Tables &t) { t.nvram[t.nv_commit] ^= 1; }, "the commit pointer is damaged"},
    {"CheckpointPointerDamaged", [](Tables &t) { t.nvram[t.nv_checkpoint] ^= 1; }, "the checkpoint pointer is damaged"},
    {"TrimPointerDamaged", [](Tables &t) { t.nvram[t.nv_trim_pointers] ^= 1; }, "the pointer of region 0 of the trim"},
    {"BlockRecordDamaged", [](Tables &t) { t.nvram[t.nv_blocks] ^= 1; }, "the record of superblock 0 is damaged"},
    {"BadWordDamaged", [](Tables &t) { t.nvram[t.nv_counters + ORM_NV_BAD_OFFSET] ^= 1; },
     "the BadWord of the superblocks from 0 on is damaged"},
    {"MappedToABadSuperblock", [](Tables &t) { make_bad(t, 0); }, "I2: LPN 20 is mapped to slot 20; a recovery would"},
    {"FreeAndBad", [](Tables &t) { make_bad(t, free_superblock(t)); }, "is free and bad"},
    {"BadOfAnotherGeneration",
     [](Tables &t) {
       make_bad(t, 0);
       ++t.sb[0].gen;
     },
     "the record of superblock 0 has generation"},
    {"BlockRecordOfAnotherEpoch", [](Tables &t) { ++t.sb[0].epoch; }, "the record of superblock 0 has generation"},
    {"FormatWordLeft",
     [](Tables &t) {
       orm_format_word w{};
       w.mark = ORM_FORMAT_MARK;
       orm_format_word_seal(&w, t.nvram.data() + t.nv_counters + ORM_NV_FORMAT_OFFSET);
     },
     "the word of a Format NVM"},
    {"JournalRecordLost", [](Tables &t) { t.nvram[t.nv_journal] ^= 1; },
     "journal record 0 is in use, and does not count"},
    {"TrimLost", [](Tables &t) { t.nvram[t.nv_journal] ^= 1; }, "I2: LPN 51 is unmapped; slot 51 would come back"},
    {"JournalCutTooEarly", [](Tables &t) { t.journal_used = 0; }, "is neither in the checkpoint nor in use"},
    {"JournalRecordNotCommitted",
     [](Tables &t) {
       orm_journal_record r{};
       r.pages = 1;
       r.seq = pointer(t, t.nv_commit).seq + 1;
       orm_journal_record_seal(&r, t.nvram.data() + t.nv_journal + ORM_JOURNAL_RECORD_BYTES);
     },
     "journal record 1 is past the commit pointer"},
    {"TrimNotInTheBitmap", [](Tables &t) { set_trimmed(t, kTrimmed, 0); }, "I2: LPN 41 is unmapped; slot 41"},
    {"BitmapTrimsTooMuch", [](Tables &t) { set_trimmed(t, kSharer, (1ull << ORM_TRIM_WORD_LPNS) - 1); },
     "I2: LPN 103 is mapped to slot 3; a recovery would find none"},
    {"SeqDrawnAgain", [](Tables &t) { --t.next_seq; }, "and the next one drawn is"},
};

/// Whether one of the lines contains the text.
bool says(const std::vector<std::string> &lines, const std::string &text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string &line) { return line.find(text) != std::string::npos; });
}

class Damages : public ::testing::TestWithParam<Damage> {};

TEST_P(Damages, AreFound) {
  Tables t = sound();
  GetParam().make(t);
  const std::vector<std::string> broken = broken_invariants(t);
  EXPECT_TRUE(says(broken, GetParam().found)) << ::testing::PrintToString(broken);
}

INSTANTIATE_TEST_SUITE_P(Invariants, Damages, ::testing::ValuesIn(kDamages),
                         [](const auto &of) { return std::string(of.param.name); });

TEST(Invariants, HoldForASoundDevice) {
  const Tables &t = sound();
  EXPECT_EQ(broken_invariants(t), std::vector<std::string>());
  EXPECT_EQ(t.l2p[kSharer], t.l2p[kShared]);
  EXPECT_EQ(t.l2p[kTrimmed], ORM_UNMAPPED);
  EXPECT_EQ(t.journal_used, 1u);
  EXPECT_EQ(t.sb[0].segments, 1u);
}

TEST(Invariants, ACopyWithTheSameSeqIsNoOtherData) {
  Tables t = sound();
  Slot &copy = t.slots[kWritten + 1];
  const uint32_t lpn = copy.oob.lpn;
  copy.oob.lpn = kWritten;
  copy.oob.seq = t.slots[kWritten].oob.seq;
  copy.data = t.slots[kWritten].data;
  const std::vector<std::string> broken = broken_invariants(t);
  ASSERT_EQ(broken.size(), 1u) << "that the page which was there is lost";
  EXPECT_TRUE(says(broken, "I2: LPN " + std::to_string(lpn) + " is mapped"));
}

/// A victim that failed to erase: it keeps its generation, its chain and the slots of some dies.
TEST(Invariants, NothingOfABadSuperblockCounts) {
  Tables t = sound();
  const uint32_t segments = t.sb[0].segments;
  for (uint32_t &slot : t.l2p) {
    if (slot >= t.slots_per_sb) continue;
    t.ref[slot] = 0;
    slot = ORM_UNMAPPED;
  }
  t.sb[0].valid = 0;
  for (uint32_t slot = 0; slot < t.slots_per_sb; slot += 2) t.slots[slot] = {};
  EXPECT_TRUE(says(broken_invariants(t), "names a slot that holds no data"));
  EXPECT_TRUE(says(broken_invariants(t), "would come back"));
  make_bad(t, 0);
  EXPECT_EQ(broken_invariants(t), std::vector<std::string>());
  // The next start calls it bad, and gives its segments to the others.
  t.sb[0].state = ORM_SB_STATE_BAD;
  t.sb[0].segments = 0;
  t.sb[0].epoch = 9;
  t.free_segments += segments;
  EXPECT_EQ(broken_invariants(t), std::vector<std::string>());
}

class DestagedChain : public ::testing::Test {
 protected:
  static const Tables &device() {
    static const Sound destaging(kDestaging);
    return destaging.tables;
  }
  void SetUp() override {
    const auto has_set = [](const Superblock &s) { return s.set != 0; };
    sb_ = uint32_t(std::find_if(t_.sb.begin(), t_.sb.end(), has_set) - t_.sb.begin());
    ASSERT_LT(sb_, t_.superblocks) << "nothing was destaged";
    slot_ = t_.l2p[t_.destage_lpn_of(sb_, t_.sb[sb_].set, 0)];
    ASSERT_LT(slot_, t_.slots.size());
    bytes_.assign(t_.slots[slot_].data, t_.slots[slot_].data + ORM_SLOT_BYTES);
    t_.slots[slot_].data = bytes_.data();
  }

  Tables t_ = device();
  uint32_t sb_ = 0, slot_ = 0;
  std::vector<uint8_t> bytes_;  // of its first slot
};

TEST_F(DestagedChain, IsSound) { EXPECT_EQ(broken_invariants(t_), std::vector<std::string>()); }

TEST_F(DestagedChain, LostHeaderIsFound) {
  bytes_[0] ^= 1;
  EXPECT_TRUE(says(broken_invariants(t_), "has no good slot at place 0"));
}

TEST_F(DestagedChain, LostEntryIsFound) {
  bytes_[ORM_REMAP_ENTRY_BYTES] ^= 1;
  const std::vector<std::string> broken = broken_invariants(t_);
  EXPECT_TRUE(says(broken, "has a damaged entry"));
  EXPECT_TRUE(says(broken, "a recovery would find none"));
}

TEST_F(DestagedChain, WrongLengthIsFound) {
  ++t_.sb[sb_].set_segments;
  EXPECT_TRUE(says(broken_invariants(t_), "the controller counts"));
}

TEST_F(DestagedChain, SlotsOfTheOtherSetAreNobodys) {
  t_.l2p[t_.destage_lpn_of(sb_, 3 - t_.sb[sb_].set, 0)] = slot_;
  EXPECT_TRUE(says(broken_invariants(t_), "a recovery would find none"));
}

/// Superblock 0, closed, with the summary that firmware would write.
class Summarized : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(t_.summary_slots, 1u);
    t_.sb[0].state = ORM_SB_STATE_CLOSED;
    for (uint32_t offset = 0; offset < t_.data_slots(); ++offset) {
      const orm_oob_record &oob = t_.slots[offset].oob;
      if (t_.slots[offset].sealed) put({oob.lpn, oob.gen, oob.seq, 0}, offset);
    }
    ASSERT_TRUE(t_.slots[kWritten].sealed);
    last().state = PCIE_SLOT_PROGRAMMED;
    last().data = bytes_.data();
    seal();
  }
  Slot &last() { return t_.slots[t_.data_slots()]; }
  void put(const orm_slot_record &r, uint32_t offset) {
    orm_slot_record_pack(&r, bytes_.data() + offset * ORM_SLOT_RECORD_BYTES);
  }
  orm_slot_record record(uint32_t offset) const {
    orm_slot_record r{};
    orm_slot_record_unpack(&r, bytes_.data() + offset * ORM_SLOT_RECORD_BYTES);
    return r;
  }
  void seal() {
    const size_t before = bytes_.size() - ORM_SUMMARY_TRAILER_BYTES;
    orm_summary_trailer trailer{};
    trailer.mark = ORM_SUMMARY_MARK;
    trailer.gen = t_.sb[0].gen;
    trailer.version = ORM_FORMAT_VERSION;
    trailer.stream = t_.slots[0].oob.stream;
    const uint32_t crc = orm_crc32c_final(orm_crc32c_update(ORM_CRC32C_INIT, bytes_.data(), before));
    orm_summary_trailer_seal(&trailer, crc, bytes_.data() + before);
  }
  void expect(const std::string &text) {
    seal();
    const std::vector<std::string> broken = broken_invariants(t_);
    ASSERT_FALSE(broken.empty());
    EXPECT_EQ(broken.front().substr(0, 23), "summaries: superblock 0");
    EXPECT_TRUE(says(broken, text)) << ::testing::PrintToString(broken);
  }

  Tables t_ = sound();
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(ORM_SLOT_BYTES);
};

TEST_F(Summarized, IsSound) {
  EXPECT_EQ(broken_invariants(t_), std::vector<std::string>());
  EXPECT_EQ(summaries(t_), 1u);
}

TEST_F(Summarized, ATornOneIsNone) {
  bytes_[0] ^= 1;
  EXPECT_EQ(summaries(t_), 0u);
  EXPECT_EQ(broken_invariants(t_), std::vector<std::string>());
  bytes_[0] ^= 1;
  last().state = PCIE_SLOT_TORN;
  EXPECT_EQ(summaries(t_), 0u);
}

TEST_F(Summarized, OneOfAnotherGenerationIsNone) {
  t_.sb[0].gen++;
  EXPECT_EQ(summaries(t_), 0u);
}

TEST_F(Summarized, PaddingNeedsNoRecord) {
  const uint32_t free = t_.data_slots() - 1;
  ASSERT_FALSE(t_.slots[free].sealed);
  t_.slots[free] = t_.slots[kWritten];
  t_.slots[free].oob.slot = free;
  t_.slots[free].oob.lpn = ORM_UNMAPPED;
  t_.slots[free].oob.seq = 0;
  EXPECT_EQ(broken_invariants(t_), std::vector<std::string>());
  put({ORM_UNMAPPED, t_.sb[0].gen, 0, 0}, free);  // of a slot that GC fills with nobody's data
  seal();
  EXPECT_EQ(summaries(t_), 1u);
  EXPECT_EQ(broken_invariants(t_), std::vector<std::string>());
}

TEST_F(Summarized, AnotherSeqIsFound) {
  orm_slot_record r = record(kWritten);
  ++r.seq;
  put(r, kWritten);
  expect("has for slot 20 LPN 20, seq");
}

TEST_F(Summarized, AnotherLpnIsFound) {
  orm_slot_record r = record(kWritten);
  ++r.lpn;
  put(r, kWritten);
  expect("has for slot 20 LPN 21, seq");
}

TEST_F(Summarized, AMissingRecordIsFound) {
  put({}, kWritten);
  expect("has for slot 20 nothing, and the spare LPN 20");
}

/// Like records of the log of an earlier filling.
TEST_F(Summarized, RecordsOfAnotherGenerationAreMissing) {
  for (uint32_t offset = 0; offset < t_.data_slots(); ++offset) {
    orm_slot_record r = record(offset);
    --r.gen;
    put(r, offset);
  }
  expect("has for slot 20 nothing, and the spare LPN 20");
}

TEST_F(Summarized, ARecordOfASlotWithoutDataIsFound) {
  t_.slots[t_.data_slots() - 1].sealed = false;
  put(record(kWritten), t_.data_slots() - 1);
  expect("LPN 20, and the spare none");
}

TEST_F(Summarized, AnotherStreamIsFound) {
  t_.slots[kWritten].oob.stream = ORM_STREAM_GC;
  expect("has for slot 20 another stream than the spare");
}

TEST_F(Summarized, DataInItsPlaceIsFound) {
  last() = t_.slots[kWritten];
  last().oob.slot = t_.data_slots();
  expect("has a spare of data where its summary goes");
}

TEST_F(Summarized, AnOpenSuperblockHasNone) {
  t_.sb[0].state = ORM_SB_STATE_OPEN;
  expect("is open, and its summary is not erased");
}

/// Host and GC fill the flash. If flash pages have several slots, some of them are completed with padding.
TEST(Summaries, SayWhatTheSparesSay) {
  for (const char *const geometry : {"2x2x64x32", "2x2x64x32x2", "2x2x64x32x4"}) {
    std::string script = "lockstep 1 seed 3 superblocks 8\n";
    for (int i = 0; i < 120; ++i) {
      const int pages = 1 + i * 37 % 60;
      script += "write " + std::to_string(i * 53 % 290) + " " + std::to_string(pages) + " data " +
                std::to_string(i + 1) + (i % 7 == 0 ? "\nflush\n" : "\n");
    }
    script += "flush\n";
    const Sound device(script.c_str(), geometry);
    EXPECT_EQ(broken_invariants(device.tables), std::vector<std::string>()) << geometry;
    EXPECT_GT(summaries(device.tables), 0u) << geometry;
  }
}

TEST(ReadTables, ADeviceWithoutPowerIsAnError) {
  openremap_options options{};
  options.device.kind = "model";
  options.device.superblocks = 8;
  options.create = pcie_device_create;
  char error[256] = "";
  openremap_device *dev = nullptr;
  ASSERT_EQ(openremap_open(&options, &dev, error, sizeof error), 0) << error;
  pcie_function *fn = openremap_pcie_function(dev);
  ASSERT_EQ(fn->ops->power_cut(fn), 0);
  EXPECT_THROW((void)read_tables(fn), std::runtime_error);
  ASSERT_EQ(openremap_power_cycle(dev), 0);
  EXPECT_EQ(openremap_close(dev), 0);
}

}  // namespace
}  // namespace orm::crash
