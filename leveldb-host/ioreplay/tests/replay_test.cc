// SPDX-License-Identifier: Apache-2.0
#include "replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hdd_target.h"
#include "hybrid_target.h"
#include "page_stamps.h"
#include "trace_files.h"

namespace openremap {
namespace {

using leveldb::Status;
using Op = PageOperation;

// Keeps stamps, remaps or not, and can lose a write.
class FakeTarget : public ReplayTarget {
 public:
  uint64_t Pages() const override { return 1000; }
  bool Remaps() const override { return remaps; }
  Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) override {
    for (const PageRecord &run : runs) {
      for (uint64_t p = run.lpn; p < run.lpn + run.pages; p++) {
        if (p != lost) held[p] = stamps.at(p);
        programmed += 2;
      }
    }
    return status;
  }
  Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps, uint64_t *wrong) override {
    for (const PageRecord &run : runs) {
      for (uint64_t p = run.lpn; p < run.lpn + run.pages; p++) *wrong += held[p] != stamps.at(p) ? 1 : 0;
    }
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Deallocate(const std::vector<PageRecord> &runs) override {
    for (const PageRecord &run : runs) {
      for (uint64_t p = run.lpn; p < run.lpn + run.pages; p++) held[p] = kNoStamp;
    }
    return Status::OK();
  }
  Status Remap(const std::vector<PageRecord> &runs, bool *refused) override {
    *refused = !remaps || refuses;
    remap_calls++;
    for (const PageRecord &run : runs) {
      for (uint64_t i = 0; i < run.pages && !*refused; i++) held[run.lpn + i] = held[run.source + i];
    }
    return Status::OK();
  }
  Status BeginUnit(unsigned, bool *begun) override {
    *begun = true;
    return Status::OK();
  }
  Status Programmed(uint64_t *pages) override {
    *pages = programmed;
    return Status::OK();
  }
  Status Figures(ReplayFigures *figures) override {
    programmed += 3;  // what its buffers held
    figures->emplace_back("held", FigureOf(uint64_t{held.size()}));
    return Status::OK();
  }

  bool remaps = true, refuses = false;
  uint64_t lost = UINT64_MAX;
  Status status;
  uint64_t remap_calls = 0, programmed = 0;
  std::map<uint64_t, uint64_t> held;
};

class ReplayTest : public ::testing::Test {
 protected:
  Status Run(const std::vector<PageRecord> &records, ReplayTarget *target, ReplayResult *result,
             const ReplayOptions &options = {}) {
    MergedTrace trace;
    Status s = trace.Open({files_.Make(records)}, {});
    if (s.ok()) s = trace.Begin(target->Pages(), target->Placements());
    return s.ok() ? Replay(&trace, target, options, {}, result) : s;
  }

  TraceFiles files_;
};

const std::vector<PageRecord> kRecords = {
    WriteOf(0, 10, 0, true),         WriteOf(20, 5),           RecordOf(Op::kFlush),
    RecordOf(Op::kRead, 0, 30),      RemapOf(0, 40, 4),        RecordOf(Op::kDeallocate, 0, 5, true),
    RecordOf(Op::kDeallocate, 8, 1), RecordOf(Op::kBeginUnit), WriteOf(8, 2),
    RecordOf(Op::kRead, 40, 4)};

TEST_F(ReplayTest, CountsAndVerifies) {
  FakeTarget target;
  ReplayResult r;
  ASSERT_TRUE(Run(kRecords, &target, &r).ok());
  EXPECT_EQ(r.records, kRecords.size());
  EXPECT_EQ(r.written_pages, 17u);
  EXPECT_EQ(r.read_pages, 34u);
  EXPECT_EQ(r.deallocated_pages, 6u);
  EXPECT_EQ(r.remapped_pages, 4u);
  EXPECT_EQ(r.copied_pages, 0u);
  EXPECT_EQ(r.flushes, 1u);
  EXPECT_EQ(r.units_begun, 1u);
  EXPECT_EQ(r.pages_verified, 34u + 44) << "and the read-back";
  EXPECT_EQ(r.wrong_pages, 0u);
  EXPECT_EQ(r.figures.at(0).first, "held");
}

TEST_F(ReplayTest, WindowsTellWhatThePartsCost) {
  using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
  const auto windows = [this](uint64_t pages) {
    FakeTarget target;
    ReplayOptions options;
    options.window_pages = pages;
    ReplayResult r;
    EXPECT_TRUE(Run(kRecords, &target, &r, options).ok());
    Pairs pairs;
    for (const ReplayWindow &window : r.windows) pairs.emplace_back(window.written_pages, window.programmed_pages);
    return pairs;
  };
  EXPECT_EQ(windows(0), Pairs());
  EXPECT_EQ(windows(2), (Pairs{{15, 30}, {2, 4}})) << "a call is in one window";
  EXPECT_EQ(windows(15), (Pairs{{15, 30}, {2, 7}})) << "the last one is not full, and has what buffers held";
  EXPECT_EQ(windows(100), (Pairs{{17, 37}}));
}

TEST_F(ReplayTest, ATargetWithoutContentsMayHaveAsManyPagesAsThereAreNumbers) {
  const uint64_t many = UINT64_MAX, half = uint64_t{1} << 63;
  const std::string path = files_.Make(
      {WriteOf(many - 2, 1), RecordOf(Op::kRead, 0, half), RemapOf(0, half, 1), RecordOf(Op::kDeallocate, 0, many)},
      {many, 1});
  HddTarget target{HddCost()};
  MergedTrace trace;
  ASSERT_TRUE(trace.Open({path}, {}).ok());
  ASSERT_TRUE(trace.Begin(target.Pages(), target.Placements()).ok());
  ReplayResult r;
  ASSERT_TRUE(Replay(&trace, &target, {}, {}, &r).ok());
  EXPECT_EQ(r.read_pages, half + 1) << "one of them for the remap";
  EXPECT_EQ(r.written_pages, 2u);
  EXPECT_EQ(r.deallocated_pages, many);
  EXPECT_NEAR(target.Seconds(), std::ldexp(4096, 63) / 196e6, 1e6);
}

TEST_F(ReplayTest, ALostPageIsFoundWhereverItIsRead) {
  FakeTarget target;
  target.lost = 2;
  ReplayResult r;
  ASSERT_TRUE(Run(kRecords, &target, &r).ok());
  EXPECT_EQ(r.wrong_pages, 3u) << "by the trace's reads, there and where it is remapped to, which is read back as well";
}

TEST_F(ReplayTest, RemapsThatTheTargetDoesNotTakeAreCopied) {
  for (const bool remaps : {false, true}) {
    FakeTarget target;
    target.remaps = remaps;
    target.refuses = true;
    ReplayResult r;
    ASSERT_TRUE(Run(kRecords, &target, &r).ok());
    EXPECT_EQ(r.remapped_pages, 0u);
    EXPECT_EQ(r.copied_pages, 4u);
    EXPECT_EQ(r.written_pages, 21u);
    EXPECT_EQ(r.read_pages, 38u);
    EXPECT_EQ(r.wrong_pages, 0u);
  }
}

TEST_F(ReplayTest, RemapsThatWereRefusedAreNotCopiedTwice) {
  const std::vector<PageRecord> records = {WriteOf(0, 4), RemapOf(0, 10, 4, true), RecordOf(Op::kRead, 0, 4),
                                           WriteOf(10, 4)};
  for (const bool remaps : {false, true}) {
    for (const bool refuses : {false, true}) {
      FakeTarget target;
      target.remaps = remaps;
      target.refuses = refuses;
      ReplayResult r;
      ASSERT_TRUE(Run(records, &target, &r).ok());
      EXPECT_EQ(target.remap_calls, remaps ? 1u : 0u);
      EXPECT_EQ(r.copied_pages, 0u);
      EXPECT_EQ(r.written_pages, 8u);
      EXPECT_EQ(r.wrong_pages, 0u);
    }
  }
}

TEST_F(ReplayTest, AFailureOfTheTargetEndsIt) {
  FakeTarget target;
  target.status = Status::IOError("broken");
  ReplayResult r;
  EXPECT_TRUE(Run(kRecords, &target, &r).IsIOError());
}

TEST_F(ReplayTest, ModelsTakeTheSameTraces) {
  HddTarget disk(HddCost{});
  ReplayResult on_disk;
  ASSERT_TRUE(Run(kRecords, &disk, &on_disk).ok());
  EXPECT_EQ(on_disk.pages_verified, 0u) << "it keeps no contents";
  EXPECT_EQ(on_disk.copied_pages, 4u);
  HybridTarget hybrid({1000, 16, 14});
  ReplayResult on_hybrid;
  ASSERT_TRUE(Run(kRecords, &hybrid, &on_hybrid).ok());
  EXPECT_EQ(on_hybrid.wrong_pages, 0u);
  EXPECT_GT(on_hybrid.pages_verified, 0u);
}

TEST_F(ReplayTest, PagesOfASideDeviceDoNotReachTheTarget) {
  std::vector<PageRecord> records = {WriteOf(0, 10), RecordOf(Op::kFlush), WriteOf(20, 5, 0, true),
                                     WriteOf(30, 2), RecordOf(Op::kFlush), RecordOf(Op::kRead, 0, 40),
                                     WriteOf(20, 1), RecordOf(Op::kFlush), RecordOf(Op::kDeallocate, 20, 15)};
  records[0].kind = records[3].kind = PageKind::kTable;
  records[2].kind = records[6].kind = PageKind::kLog;
  for (const bool side : {false, true}) {
    FakeTarget target;
    ReplayOptions options;
    options.side.at(static_cast<size_t>(PageKind::kLog)) = side;
    MergedTrace trace;
    ReplayResult r;
    ASSERT_TRUE(trace.Open({files_.Make(records)}, {}).ok());
    ASSERT_TRUE(trace.Begin(1000, 1).ok());
    ASSERT_TRUE(Replay(&trace, &target, options, {}, &r).ok());
    EXPECT_EQ(r.wrong_pages, 0u);
    EXPECT_EQ(r.written_pages, side ? 12u : 18u);
    EXPECT_EQ(r.side_pages, side ? 6u : 0u);
    EXPECT_EQ(r.written_by_kind, (std::array<uint64_t, kPageKinds>{0, 0, 6, 12, 0})) << "wherever they are";
    EXPECT_EQ(r.read_pages, side ? 35u : 40u);
    EXPECT_EQ(r.deallocated_pages, side ? 10u : 15u);
    EXPECT_EQ(r.flushes, side ? 2u : 3u) << "not the one of the log alone";
    EXPECT_EQ(target.held.count(22), 1u) << "read back";
    EXPECT_EQ(r.records, records.size());
  }
}

}  // namespace
}  // namespace openremap
