// SPDX-License-Identifier: Apache-2.0
#include "pagefs/trace/recording_page_device.h"

#include <gtest/gtest.h>

#include "pagefs/tests/device/fake_page_device.h"
#include "temp_dir.h"

namespace openremap {
namespace {

TEST(RecordingPageDeviceTest, RecordsWhatSucceeded) {
  const orm::TempDir folder;
  const std::string path = folder.path + "/trace";
  FakePageDevice below(100);
  below.placements = 4;
  below.unit_pages = 10;
  std::unique_ptr<PageTraceWriter> trace;
  ASSERT_TRUE(PageTraceWriter::Create(path, {below.Pages(), below.Placements()}, &trace).ok());
  RecordingPageDevice device(&below, trace.get());
  EXPECT_EQ(device.Pages(), 100u);
  EXPECT_EQ(device.Placements(), 4u);
  EXPECT_EQ(device.UnitPages(), 10u);
  EXPECT_EQ(device.MaxRemapRuns(), below.MaxRemapRuns());
  EXPECT_EQ(device.MaxRemapPages(), below.MaxRemapPages());

  std::string data(10 * kPageBytes, 'x');
  bool refused = false;
  ASSERT_TRUE(device.BeginUnit(3).ok());
  ASSERT_TRUE(device.Write({{5, 10, data.data(), 3, PageKind::kTable, true}, {20, 1, data.data(), 0}}, true).ok());
  EXPECT_FALSE(device.Write({{95, 10, data.data(), 0}}, false).ok()) << "is not recorded";
  ASSERT_TRUE(device.Read(6, 2, &data[0]).ok());
  ASSERT_TRUE(device.ReadTogether({{5, 1, &data[0]}, {20, 1, &data[0]}}).ok());
  ASSERT_TRUE(device.Remap({{5, 40, 4}, {9, 60, 1}}, &refused).ok());
  EXPECT_FALSE(refused);
  below.refuse = [](const std::vector<RemapRun> &) { return true; };
  ASSERT_TRUE(device.Remap({{5, 70, 4}}, &refused).ok());
  EXPECT_TRUE(refused);
  ASSERT_TRUE(device.Flush().ok());
  ASSERT_TRUE(device.Deallocate({{5, 3}, {20, 1}}).ok());
  ASSERT_TRUE(trace->Close().ok());
  ASSERT_TRUE(device.Flush().ok()) << "and no more is recorded";

  using Op = PageOperation;
  const auto record = [](Op operation, uint64_t lpn, uint64_t pages, bool more) {
    PageRecord r;
    r.operation = operation;
    r.lpn = lpn;
    r.pages = pages;
    r.more = more;
    return r;
  };
  std::vector<PageRecord> expected = {
      record(Op::kBeginUnit, 0, 0, false), record(Op::kWrite, 5, 10, true),     record(Op::kWrite, 20, 1, false),
      record(Op::kRead, 6, 2, false),      record(Op::kRead, 5, 1, true),       record(Op::kRead, 20, 1, false),
      record(Op::kRemap, 40, 4, true),     record(Op::kRemap, 60, 1, false),    record(Op::kRemap, 70, 4, false),
      record(Op::kFlush, 0, 0, false),     record(Op::kDeallocate, 5, 3, true), record(Op::kDeallocate, 20, 1, false)};
  expected[0].placement = expected[1].placement = 3;
  expected[1].durable = expected[2].durable = true;
  expected[1].kind = PageKind::kTable;
  expected[1].begins = true;
  expected[6].source = expected[8].source = 5;
  expected[7].source = 9;
  expected[8].refused = true;

  std::unique_ptr<PageTraceReader> reader;
  ASSERT_TRUE(PageTraceReader::Open(path, &reader).ok());
  for (size_t i = 0; i <= expected.size(); i++) {
    PageRecord found;
    bool end = false;
    ASSERT_TRUE(reader->Next(&found, &end).ok());
    ASSERT_EQ(end, i == expected.size());
    if (!end) {
      EXPECT_TRUE(found == expected[i]) << i;
    }
  }
}

}  // namespace
}  // namespace openremap
