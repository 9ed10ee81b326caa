// SPDX-License-Identifier: Apache-2.0
#include "merged_trace.h"

#include <gtest/gtest.h>

#include <fstream>

#include "trace_files.h"

namespace openremap {
namespace {

using leveldb::Status;
using Op = PageOperation;
using Calls = std::vector<std::vector<PageRecord>>;

class MergedTraceTest : public ::testing::Test {
 protected:
  // All calls of the merged traces.
  Calls Merge(const std::vector<std::string> &paths, const MergeOptions &options, uint64_t device_pages = 1000,
              unsigned placements = 8) {
    Status s = merged_.Open(paths, options);
    if (s.ok()) s = merged_.Begin(device_pages, placements);
    Calls calls;
    for (bool end = false; s.ok() && !end;) {
      std::vector<PageRecord> call;
      s = merged_.Next(&call, &end);
      EXPECT_EQ(call.empty(), end);
      if (!end) calls.push_back(call);
    }
    EXPECT_TRUE(s.ok()) << s.ToString();
    return calls;
  }

  TraceFiles files_;
  MergedTrace merged_;
};

TEST_F(MergedTraceTest, OneTraceComesBackAsItIs) {
  const Calls recorded = {{RecordOf(Op::kDeallocate, 0, 1000)},
                          {WriteOf(5, 10, 3, true), WriteOf(30, 2, 1)},
                          {RecordOf(Op::kFlush)},
                          {RecordOf(Op::kRead, 5, 2, true), RecordOf(Op::kRead, 30, 1)},
                          {RecordOf(Op::kBeginUnit)},
                          {RemapOf(5, 40, 10)},
                          {RecordOf(Op::kDeallocate, 5, 10, true), RecordOf(Op::kDeallocate, 700, 5)}};
  std::vector<PageRecord> records;
  for (const auto &call : recorded) records.insert(records.end(), call.begin(), call.end());
  EXPECT_EQ(Merge({files_.Make(records)}, {}), recorded);
  EXPECT_EQ(merged_.UsedPages(), 50u);
  EXPECT_EQ(merged_.Records(), records.size());
}

TEST_F(MergedTraceTest, TracesTakeTurnsAndHavePagesOfTheirOwn) {
  std::vector<PageRecord> a, b;
  for (uint64_t i = 0; i < 5; i++) a.push_back(WriteOf(i, 1));
  for (uint64_t i = 0; i < 2; i++) b.push_back(WriteOf(10 * i, 10, 2));
  MergeOptions options;
  options.chunk = 2;
  const Calls calls = Merge({files_.Make(a), files_.Make(b), files_.Make({})}, options);
  std::vector<uint64_t> lpns;
  for (const auto &call : calls) lpns.push_back(call.at(0).lpn);
  EXPECT_EQ(lpns, (std::vector<uint64_t>{0, 1, 5, 15, 2, 3, 4}));
  EXPECT_EQ(calls[2][0].placement, 2u);
  EXPECT_EQ(merged_.UsedPages(), 25u);
}

TEST_F(MergedTraceTest, ATurnThatEndsWithinACallCutsIt) {
  const std::string a = files_.Make({WriteOf(0, 1, 0, true), WriteOf(1, 1, 0, true), WriteOf(2, 1)});
  const std::string b = files_.Make({WriteOf(0, 1)});
  MergeOptions options;
  options.chunk = 2;
  const Calls calls = Merge({a, b}, options);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].size(), 2u);
  EXPECT_EQ(calls[1][0].lpn, 3u);
  EXPECT_EQ(calls[2][0].lpn, 2u);
}

TEST_F(MergedTraceTest, LongRecordsAreSplit) {
  MergeOptions options;
  options.split = 4;
  options.chunk = 1;
  Calls calls = Merge({files_.Make({WriteOf(0, 10), RemapOf(0, 20, 5)}), files_.Make({WriteOf(0, 3)})}, options);
  std::vector<std::pair<uint64_t, uint64_t>> runs;
  for (const auto &call : calls) runs.emplace_back(call.at(0).lpn, call.at(0).pages);
  EXPECT_EQ(runs, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 4}, {25, 3}, {4, 4}, {8, 2}, {20, 4}, {24, 1}}));
  EXPECT_EQ(calls[4][0].source, 0u);
  EXPECT_EQ(calls[5][0].source, 4u);
  options.chunk = 100;
  calls = Merge({files_.Make({WriteOf(0, 10)})}, options);
  ASSERT_EQ(calls.size(), 1u) << "still one call";
  EXPECT_EQ(calls[0].size(), 3u);
}

// Tables of three records of 4 pages, one call each, with a flush behind it.
std::vector<PageRecord> Tables(uint64_t count) {
  std::vector<PageRecord> records;
  for (uint64_t table = 0; table < count; table++) {
    for (uint64_t i = 0; i < 3; i++) {
      records.push_back(WriteOf(12 * table + 4 * i, 4, 0, i != 2));
      records.back().kind = PageKind::kTable;
      records.back().begins = i == 0;
    }
    records.push_back(RecordOf(Op::kFlush));
  }
  return records;
}

TEST_F(MergedTraceTest, SomeTablesStayWhole) {
  const std::string path = files_.Make(Tables(500), {10000, 8});
  for (const uint64_t whole : {0, 20, 100}) {
    MergeOptions options;
    options.chunk = 1;
    options.split = 2;
    options.whole = whole;
    const Calls calls = Merge({path, path}, options, 20000);
    uint64_t in_one = 0, pages = 0;
    for (const auto &call : calls) {
      uint64_t written = 0;
      for (const PageRecord &record : call) written += record.pages;
      pages += written;
      if (call[0].operation != Op::kWrite) continue;
      EXPECT_TRUE(written == 2 || written == 12) << "a piece or a table";
      if (written == 12) {
        in_one++;
        EXPECT_EQ(call.size(), 3u) << "as it was recorded";
      }
    }
    EXPECT_EQ(pages, 2u * 500 * 12);
    EXPECT_GE(in_one, whole * 9) << "of 1000 tables";
    EXPECT_LE(in_one, whole * 11);
    EXPECT_EQ(Merge({path, path}, options, 20000), calls) << "the same ones each time";
  }
}

TEST_F(MergedTraceTest, ATurnDoesNotEndWithinAWholeTable) {
  MergeOptions options;
  options.chunk = 1;
  options.whole = 100;
  std::vector<uint64_t> lpns;
  std::vector<PageRecord> records = Tables(2);
  records[0].more = records[1].more = false;  // three calls
  for (const auto &call : Merge({files_.Make(records), files_.Make({WriteOf(0, 1), WriteOf(1, 1)})}, options)) {
    lpns.push_back(call[0].operation == Op::kWrite ? call[0].lpn : 1000);
  }
  EXPECT_EQ(lpns, (std::vector<uint64_t>{0, 4, 8, 24, 1000, 25, 12, 1000}));
}

TEST_F(MergedTraceTest, AnEarlierVersionHasNoTables) {
  const std::string old = files_.Make({WriteOf(0, 1)}, {1000, 8, false}), now = files_.Make({WriteOf(0, 1)});
  MergeOptions options;
  EXPECT_TRUE(merged_.Open({old, now}, options).ok());
  EXPECT_FALSE(merged_.HasKinds());
  EXPECT_TRUE(merged_.Open({now}, options).ok());
  EXPECT_TRUE(merged_.HasKinds());
  options.whole = 20;
  EXPECT_TRUE(merged_.Open({now}, options).ok());
  EXPECT_TRUE(merged_.Open({now, old}, options).IsInvalidArgument());
}

TEST_F(MergedTraceTest, DeallocationsStayWithinTheirTrace) {
  const std::vector<PageRecord> records = {WriteOf(0, 10), RecordOf(Op::kDeallocate, 5, 500, true),
                                           RecordOf(Op::kDeallocate, 600, 10), WriteOf(0, 10)};
  MergeOptions options;
  const std::string path = files_.Make(records);
  Calls calls = Merge({path, path}, options);
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[1], (std::vector<PageRecord>{RecordOf(Op::kDeallocate, 5, 5, true)}));
  EXPECT_EQ(calls[2], (std::vector<PageRecord>{WriteOf(0, 10)})) << "a call of its own";
  EXPECT_EQ(calls[4], (std::vector<PageRecord>{RecordOf(Op::kDeallocate, 15, 5, true)}));
  options.split = 4;  // what follows such a call is cut, too
  calls = Merge({path}, options, 500);
  ASSERT_EQ(calls.size(), 3u) << "also a single trace on a smaller device";
  EXPECT_EQ(calls[1].back().pages, 1u);
  EXPECT_EQ(calls[2].size(), 3u);
  EXPECT_EQ(calls[2].back().lpn, 8u);
  EXPECT_EQ(calls[2].back().pages, 2u);
  options.deallocate = false;
  EXPECT_EQ(Merge({path, path}, options).size(), 4u);
}

TEST_F(MergedTraceTest, PlacementsFitTheDevice) {
  const std::string path = files_.Make({WriteOf(0, 1, 5)});
  const auto placements = [&](ReplayPlacement placement, unsigned handles) {
    MergeOptions options;
    options.placement = placement;
    std::vector<unsigned> found;
    for (const auto &call : Merge({path, path, path}, options, 1000, handles)) found.push_back(call.at(0).placement);
    return found;
  };
  EXPECT_EQ(placements(ReplayPlacement::kRecorded, 8), (std::vector<unsigned>{5, 5, 5}));
  EXPECT_EQ(placements(ReplayPlacement::kRecorded, 4), (std::vector<unsigned>{3, 3, 3}));
  EXPECT_EQ(placements(ReplayPlacement::kTrace, 2), (std::vector<unsigned>{0, 1, 1}));
  EXPECT_EQ(placements(ReplayPlacement::kNone, 8), (std::vector<unsigned>{0, 0, 0}));
}

TEST_F(MergedTraceTest, PagesThatCannotBeNumberedAreRefused) {
  const uint64_t half = uint64_t{1} << 63;
  const std::string path = files_.Make({WriteOf(half, 1)}, {UINT64_MAX, 1});
  MergedTrace trace;
  EXPECT_TRUE(trace.Open({path}, {}).ok());
  const Status s = trace.Open({path, path}, {});
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(s.ToString().find("too many pages"), std::string::npos);
}

TEST_F(MergedTraceTest, WhatCannotBeReplayedIsRefusedFirst) {
  const std::string good = files_.Make({WriteOf(0, 100)});
  ASSERT_TRUE(merged_.Open({good, good}, {}).ok());
  const Status small = merged_.Begin(199, 1);
  EXPECT_TRUE(small.IsInvalidArgument());
  EXPECT_NE(small.ToString().find("the traces use 200 pages: the device has 199"), std::string::npos);
  EXPECT_TRUE(merged_.Begin(200, 1).ok());
  EXPECT_TRUE(merged_.Open({good, good + ".none"}, {}).IsIOError());
  std::ofstream(good, std::ios::binary | std::ios::app) << "more";
  EXPECT_TRUE(merged_.Open({good}, {}).IsCorruption());
}

}  // namespace
}  // namespace openremap
