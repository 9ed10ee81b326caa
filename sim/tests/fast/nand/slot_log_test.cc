// SPDX-License-Identifier: Apache-2.0
#include "nand/slot_log.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "lib/invariant.h"
#include "nand/page_gatherer.h"

namespace orm::fast {
namespace {

/// The log alone: its superblocks are whichever numbers the test says.
class FastSlotLog : public ::testing::Test {
 protected:
  explicit FastSlotLog(const Geometry &geometry = {}) : p_(geometry) {}

  void programs(uint32_t sb, uint32_t offset, uint32_t lpn = 500, uint64_t seq = 9, uint8_t stream = ORM_STREAM_HOST) {
    orm_oob_record oob{};
    oob.lpn = lpn;
    oob.gen = 100 + sb;
    oob.seq = seq;
    oob.stream = stream;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = p_.slot_at(sb, offset);
    uint8_t spare[ORM_OOB_RECORD_BYTES];
    orm_oob_record_seal(&oob, spare);
    log_.programs(oob.slot, spare);
  }
  void programmed(uint32_t sb, uint32_t offset, NandStatus status = NandStatus::kOk) {
    log_.programmed(p_.slot_at(sb, offset), status);
  }
  /// A superblock all of whose slots are programmed before it is closed.
  void fill(uint32_t sb) {
    log_.opened(sb);
    for (uint32_t offset = 0; offset < p_.data_slots; ++offset) {
      programs(sb, offset, 1000 + offset);
      programmed(sb, offset);
    }
    log_.closed(sb, true);
  }
  orm_slot_record record(uint32_t log, uint32_t offset) {
    orm_slot_record r{};
    orm_slot_record_unpack(&r, dram_.data() + p_.log_base + log * p_.log_bytes + offset * ORM_SLOT_RECORD_BYTES);
    return r;
  }
  /// Number of the log that is due; none: -1.
  int due(uint32_t sb) {
    const SlotLog::Due d = log_.due();
    EXPECT_EQ(d.valid, log_.is_due());
    if (!d.valid) return -1;
    EXPECT_EQ(d.sb, sb);
    return int(d.log);
  }
  int due() { return due(log_.due().sb); }

  const Params p_;
  DramModel dram_{p_.dram_bytes};
  SlotLog log_{p_, dram_};
};

TEST_F(FastSlotLog, RecordsAreWhatTheSparesSay) {
  log_.opened(9);
  programs(9, 0, 7, 0x123456789ABC);
  programs(9, 126, 8, 3);
  const orm_slot_record first = record(0, 0), last = record(0, 126);
  EXPECT_EQ(first.lpn, 7u);
  EXPECT_EQ(first.gen, 109u);
  EXPECT_EQ(first.seq, 0x123456789ABCu);
  EXPECT_EQ(first.sb, 9u);
  EXPECT_EQ(last.lpn, 8u);
  EXPECT_EQ(last.seq, 3u);
  for (uint32_t offset = 1; offset < 126; ++offset) EXPECT_NE(record(0, offset).sb, 9u) << "not written";
}

TEST_F(FastSlotLog, AWholeSuperblockIsDueUntilItIsReleased) {
  fill(5);
  EXPECT_EQ(due(5), 0);
  fill(6);
  EXPECT_EQ(due(5), 0) << "the lowest number";
  log_.release(0);
  EXPECT_EQ(due(6), 1);
  fill(7);
  EXPECT_EQ(due(7), 0);
  EXPECT_EQ(record(0, 3).sb, 7u);
  EXPECT_EQ(record(1, 3).sb, 6u);
  log_.release(0);
  log_.release(1);
  EXPECT_EQ(due(), -1);
}

TEST_F(FastSlotLog, DueOnlyWhenTheLastProgramIsAnswered) {
  log_.opened(5);
  programs(5, 0);
  programs(5, 1);
  programmed(5, 1);
  log_.closed(5, true);
  EXPECT_EQ(due(), -1);
  programmed(5, 0);
  EXPECT_EQ(due(5), 0);
}

TEST_F(FastSlotLog, DueOnlyWhenTheSuperblockIsClosed) {
  log_.opened(5);
  programs(5, 0);
  programmed(5, 0);
  EXPECT_EQ(due(), -1);
  log_.closed(5, true);
  EXPECT_EQ(due(5), 0);
}

TEST_F(FastSlotLog, SuperblocksThatAreFilledSideBySideHaveTheirOwn) {
  for (uint32_t sb = 0; sb < p_.slot_logs; ++sb) log_.opened(40 + sb);
  for (uint32_t offset = 0; offset < 3; ++offset) {
    for (uint32_t sb = 0; sb < p_.slot_logs; ++sb) {
      programs(40 + sb, offset, 10 * sb + offset, 1, sb % 2 == 0 ? ORM_STREAM_GC : ORM_STREAM_HANDLE);
    }
  }
  for (uint32_t sb = 0; sb < p_.slot_logs; ++sb) {
    for (uint32_t offset = 0; offset < 3; ++offset) {
      EXPECT_EQ(record(sb, offset).sb, 40 + sb);
      EXPECT_EQ(record(sb, offset).lpn, 10 * sb + offset);
      programmed(40 + sb, offset);
    }
  }
  log_.closed(43, true);
  EXPECT_EQ(due(43), 3);
  EXPECT_EQ(log_.due().stream, ORM_STREAM_HANDLE);
  log_.closed(42, true);
  EXPECT_EQ(due(42), 2);
  EXPECT_EQ(log_.due().stream, ORM_STREAM_GC);
}

TEST_F(FastSlotLog, WithoutAFreeLogASuperblockHasNone) {
  for (uint32_t sb = 0; sb <= p_.slot_logs; ++sb) log_.opened(sb);
  const uint32_t without = p_.slot_logs;
  log_.closed(0, true);
  log_.release(0);
  programs(without, 0);
  programmed(without, 0);
  log_.closed(without, true);
  EXPECT_EQ(due(), -1) << "nor does it get one later";
  log_.opened(without);
  EXPECT_EQ(record(0, 0).sb, 0xD5D5u);
  programs(without, 0);
  EXPECT_EQ(record(0, 0).sb, without);
}

TEST_F(FastSlotLog, AFailedProgramSpoilsIt) {
  log_.opened(5);
  log_.opened(6);
  programs(5, 0);
  programs(5, 1);
  programs(6, 0);
  programmed(5, 0, NandStatus::kFailed);
  programmed(6, 0);
  log_.closed(5, true);
  log_.opened(7);
  programs(7, 0);
  EXPECT_EQ(record(2, 0).sb, 7u) << "not free before all of it has been answered";
  programmed(5, 1);
  EXPECT_EQ(due(), -1);
  log_.opened(8);
  programs(8, 0);
  EXPECT_EQ(record(0, 0).sb, 8u);
  log_.closed(6, true);
  EXPECT_EQ(due(6), 1);
}

TEST_F(FastSlotLog, TheLastProgramMayBeTheOneThatFails) {
  log_.opened(5);
  programs(5, 0);
  log_.closed(5, true);
  programmed(5, 0, NandStatus::kFailed);
  EXPECT_EQ(due(), -1);
  fill(5);
  EXPECT_EQ(due(5), 0);
}

TEST_F(FastSlotLog, OneThatFirmwareEndedIsNotDue) {
  log_.opened(5);
  programs(5, 0);
  log_.closed(5, false);
  log_.opened(6);
  programs(6, 0);
  EXPECT_EQ(record(0, 0).sb, 5u);
  EXPECT_EQ(record(1, 0).sb, 6u);
  programmed(5, 0);
  EXPECT_EQ(due(), -1);
  fill(7);
  EXPECT_EQ(due(7), 0);
}

/// Firmware has not come to release it, and the superblock has been collected meanwhile.
TEST_F(FastSlotLog, ASuperblockThatIsStillDueHasNoLogThisTime) {
  fill(5);
  log_.opened(5);
  programs(5, 0, 77);
  EXPECT_EQ(record(0, 0).lpn, 1000u);
  programmed(5, 0, NandStatus::kFailed);
  EXPECT_EQ(due(5), 0);
  log_.closed(5, true);
  log_.release(0);
  EXPECT_EQ(due(), -1);
}

TEST_F(FastSlotLog, ARestoredSuperblockHasNone) {
  programs(5, 60);
  programmed(5, 60);
  log_.closed(5, true);
  EXPECT_EQ(due(), -1);
}

TEST_F(FastSlotLog, BrokenInvariantsStopTheModel) {
  EXPECT_THROW(log_.release(0), ModelStopped) << "free";
  EXPECT_THROW(log_.release(p_.slot_logs), ModelStopped);
  log_.opened(5);
  EXPECT_THROW(log_.release(0), ModelStopped) << "not due";
  EXPECT_THROW(log_.opened(5), ModelStopped);
  EXPECT_THROW(programmed(5, 0), ModelStopped);
  EXPECT_THROW(programs(5, p_.data_slots), ModelStopped);
  programs(5, 0);
  log_.closed(5, true);
  EXPECT_THROW(programs(5, 1), ModelStopped) << "closed";
}

class WithoutSummaries : public FastSlotLog {
 protected:
  WithoutSummaries() : FastSlotLog({2, 2, 64, 16}) {}
};

TEST_F(WithoutSummaries, NothingIsLogged) {
  ASSERT_EQ(p_.slot_logs, 0u);
  fill(5);
  EXPECT_EQ(due(), -1);
  EXPECT_THROW(log_.release(0), ModelStopped);
}

/// With who asks for programs, from the slot on: superblocks 0 to 7 are free.
class LoggedPages : public FastSlotLog, private NandListener {
 protected:
  explicit LoggedPages(const Geometry &geometry = {2, 2, 64, 32, 4}) : FastSlotLog(geometry) {
    for (uint32_t sb = 0; sb < p_.superblocks; ++sb) {
      table_.set(sb, {100 + sb, 0, SbState::kFree});
      if (sb < 8) allocator_.freed(sb);
    }
    allocator_.follow([this](uint32_t sb) { log_.opened(sb); },
                      [this](uint32_t sb, bool whole) { log_.closed(sb, whole); });
    pages_.link(this);
    scheduler_.listen(NandClient::kGc, &pages_);
  }
  /// The next slot of GC's stream gets LPN 2000 + its number.
  uint32_t write() {
    Allocation a;
    EXPECT_TRUE(allocator_.take(AllocStream::kGc, &a));
    orm_oob_record oob{};
    oob.lpn = 2000 + a.slot;
    oob.gen = a.gen;
    oob.seq = ++seq_;
    oob.stream = ORM_STREAM_GC;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = a.slot;
    const uint32_t buf = a.slot % p_.g.slots_per_page;
    orm_oob_record_seal(&oob, buffers_.spare(buf));
    while (!pages_.accept({NandRequestOp::kProgram, NandClient::kGc, a.slot, buf})) sim_.step();
    return a.slot;
  }
  void run() {
    while (sim_.next() != Simulation::kNever) sim_.step();
  }
  void nand_done(const NandDone &done) override {
    if (done.op == NandRequestOp::kProgram) ++answers_;
  }

  Simulation sim_{0};
  Counters counters_;
  SuperblockTable table_{p_};
  Allocator allocator_{sim_, p_, table_};
  BufferRam buffers_{p_};
  NandModel nand_{p_.nand(), NandTiming(), "", 1};
  NandScheduler scheduler_{sim_, p_, nand_, NandTiming(), buffers_, counters_};
  PageGatherer pages_{{sim_, p_, buffers_, allocator_, scheduler_, 1, &log_}};
  uint64_t seq_ = 0;
  uint32_t answers_ = 0;
};

TEST_F(LoggedPages, SlotsAreLoggedBeforeTheirPageIsFull) {
  ASSERT_EQ(p_.summary_slots, 4u);
  write();
  write();
  run();
  EXPECT_EQ(answers_, 0u);
  EXPECT_EQ(record(0, 0).lpn, 2000u);
  EXPECT_EQ(record(0, 1).lpn, 2001u);
  EXPECT_EQ(record(0, 1).seq, 2u);
  EXPECT_NE(record(0, 2).sb, 0u);
}

TEST_F(LoggedPages, AFullSuperblockIsDueWhenItsPagesHaveLanded) {
  while (write() != p_.data_slots - 1) continue;
  run();
  EXPECT_EQ(due(), -1) << "it is open";
  EXPECT_EQ(write(), p_.slot_at(1, 0));
  EXPECT_EQ(due(0), 0);
  EXPECT_EQ(log_.due().stream, ORM_STREAM_GC);
  for (uint32_t offset = 0; offset < p_.data_slots; ++offset) {
    const orm_slot_record r = record(0, offset);
    ASSERT_EQ(r.lpn, 2000 + offset);
    ASSERT_EQ(r.gen, 100u);
    ASSERT_EQ(r.sb, 0u);
    ASSERT_EQ(r.seq, offset + 1);
  }
}

TEST_F(LoggedPages, PaddingLeavesNoRecordAndIsNotWaitedFor) {
  while (write() != p_.data_slots - 7) continue;
  pages_.close_all();
  for (uint32_t slot = p_.data_slots - 4; slot != p_.data_slots - 2; ++slot) EXPECT_EQ(write(), slot);
  pages_.close_all();
  EXPECT_EQ(write(), p_.slot_at(1, 0));
  EXPECT_EQ(due(), -1);
  run();
  EXPECT_EQ(due(0), 0);
  EXPECT_EQ(answers_, p_.data_slots - 4);
  for (uint32_t back = 1; back <= 8; ++back) {
    const bool padding = back <= 2 || back == 5 || back == 6;
    EXPECT_EQ(record(0, p_.data_slots - back).sb == 0, !padding) << back;
  }
}

class LoggedSlots : public LoggedPages {
 protected:
  LoggedSlots() : LoggedPages(Geometry{}) {}
};

TEST_F(LoggedSlots, ProgramsUnderWayAreWaitedFor) {
  while (write() != p_.slot_at(1, 0)) continue;
  EXPECT_EQ(table_[0].state, SbState::kClosed);
  EXPECT_EQ(due(), -1);
  run();
  EXPECT_EQ(due(0), 0);
  EXPECT_EQ(record(0, 126).lpn, 2126u);
  EXPECT_NE(record(0, 127).sb, 0u);
}

}  // namespace
}  // namespace orm::fast
