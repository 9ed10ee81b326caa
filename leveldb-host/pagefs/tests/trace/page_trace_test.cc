// SPDX-License-Identifier: Apache-2.0
#include "pagefs/trace/page_trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "temp_dir.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kPages = uint64_t{1} << 40;

class PageTraceTest : public ::testing::Test {
 protected:
  const orm::TempDir folder_;
  const std::string path_ = folder_.path + "/trace";

  void Record(const std::vector<PageRecord> &records, const PageTraceInfo &info = {kPages, 8}) {
    std::unique_ptr<PageTraceWriter> writer;
    const Status s = PageTraceWriter::Create(path_, info, &writer);
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (const PageRecord &record : records) writer->Add(record);
    ASSERT_TRUE(writer->Close().ok());
    writer->Add(PageRecord());  // is dropped
    ASSERT_TRUE(writer->Close().ok());
  }
  Status Replay(std::vector<PageRecord> *records) {
    records->clear();
    std::unique_ptr<PageTraceReader> reader;
    Status s = PageTraceReader::Open(path_, &reader);
    for (bool end = false; s.ok() && !end;) {
      PageRecord record;
      s = reader->Next(&record, &end);
      if (s.ok() && !end) records->push_back(record);
    }
    return s;
  }
  std::string Bytes() {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Put(const std::string &bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<long>(bytes.size()));
  }
};

std::vector<PageRecord> RandomRecords(size_t count) {
  std::mt19937_64 random(1);
  std::vector<PageRecord> records;
  for (size_t i = 0; i < count; i++) {
    PageRecord record;
    record.operation = static_cast<PageOperation>(random() % 6);
    record.more = random() % 4 == 0;
    if (record.HasPages()) {
      record.lpn = random() % (uint64_t{1} << (1 + random() % 39));
      record.pages = 1 + random() % 3000;
    }
    if (record.operation == PageOperation::kRemap) {
      record.source = random() % (uint64_t{1} << 30);
      record.refused = random() % 4 == 0;
    }
    if (record.operation == PageOperation::kWrite) {
      record.durable = random() % 2 == 0;
      record.begins = random() % 4 == 0;
      record.kind = static_cast<PageKind>(random() % kPageKinds);
    }
    if (record.operation == PageOperation::kWrite || record.operation == PageOperation::kBeginUnit) {
      record.placement = static_cast<unsigned>(random() % 8);
    }
    records.push_back(record);
  }
  return records;
}

TEST_F(PageTraceTest, GivesBackWhatWasRecorded) {
  for (const size_t count : {0u, 1u, 50000u}) {
    const std::vector<PageRecord> records = RandomRecords(count);
    Record(records);
    std::vector<PageRecord> back;
    const Status s = Replay(&back);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(back, records);
  }
  std::unique_ptr<PageTraceReader> reader;
  ASSERT_TRUE(PageTraceReader::Open(path_, &reader).ok());
  EXPECT_EQ(reader->info().pages, kPages);
  EXPECT_EQ(reader->info().placements, 8u);
}

TEST_F(PageTraceTest, NeighboursTakeFewBytes) {
  std::vector<PageRecord> records(1000);
  for (size_t i = 0; i < records.size(); i++) {
    records[i].operation = PageOperation::kWrite;
    records[i].lpn = 100000 + 32 * i;
    records[i].pages = 32;
  }
  Record(records);
  EXPECT_LT(Bytes().size(), 5 * records.size() + 100);
}

TEST_F(PageTraceTest, EveryTruncationIsFound) {
  Record(RandomRecords(40));
  const std::string bytes = Bytes();
  for (size_t length = 0; length < bytes.size(); length++) {
    Put(bytes.substr(0, length));
    std::vector<PageRecord> back;
    const Status s = Replay(&back);
    ASSERT_TRUE(s.IsCorruption()) << length;
    ASSERT_EQ(s.ToString().find("Corruption: " + path_ + ": "), 0u) << s.ToString();
  }
  Put(bytes.substr(0, bytes.size() - 1));
  std::vector<PageRecord> back;
  EXPECT_NE(Replay(&back).ToString().find("truncated after 40 records"), std::string::npos);
}

TEST_F(PageTraceTest, EveryChangedByteIsFound) {
  Record(RandomRecords(30));
  const std::string bytes = Bytes();
  for (size_t at = 0; at < bytes.size(); at++) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    Put(changed);
    std::vector<PageRecord> back;
    EXPECT_FALSE(Replay(&back).ok()) << "byte " << at;
  }
  Put(bytes + "x");
  std::vector<PageRecord> back;
  EXPECT_TRUE(Replay(&back).IsCorruption()) << "more than the trace";
}

TEST_F(PageTraceTest, ForeignFilesAndVersionsAreNamed) {
  std::vector<PageRecord> back;
  EXPECT_TRUE(Replay(&back).IsIOError()) << "no such file";
  Put("");
  EXPECT_NE(Replay(&back).ToString().find("not a trace of pages"), std::string::npos);
  Put(std::string(5000, 'x'));
  EXPECT_NE(Replay(&back).ToString().find("not a trace of pages"), std::string::npos);
  Record({});
  std::string bytes = Bytes();
  bytes[8] = 3;
  Put(bytes);
  EXPECT_NE(Replay(&back).ToString().find("version 3 of the trace format"), std::string::npos);
  std::unique_ptr<PageTraceWriter> writer;
  EXPECT_TRUE(PageTraceWriter::Create(path_ + "/in/no/folder", {}, &writer).IsIOError());
}

TEST_F(PageTraceTest, AnEarlierVersionHasNoKinds) {
  std::vector<PageRecord> records = RandomRecords(1000), back;
  Record(records, {kPages, 8, false});
  for (PageRecord &record : records) {
    record.kind = PageKind::kUnknown;
    record.begins = false;
  }
  ASSERT_TRUE(Replay(&back).ok());
  EXPECT_EQ(back, records);
  EXPECT_EQ(Bytes()[8], 1);
  std::unique_ptr<PageTraceReader> reader;
  ASSERT_TRUE(PageTraceReader::Open(path_, &reader).ok());
  EXPECT_FALSE(reader->info().kinds);
}

TEST_F(PageTraceTest, AKindThatThereIsNotIsRefused) {
  PageRecord record;
  record.operation = PageOperation::kWrite;
  record.pages = 1;
  std::vector<PageRecord> back;
  record.kind = static_cast<PageKind>(kPageKinds - 1);
  Record({record});
  EXPECT_TRUE(Replay(&back).ok());
  record.kind = static_cast<PageKind>(kPageKinds);
  Record({record});
  EXPECT_TRUE(Replay(&back).IsCorruption());
  record = PageRecord();
  record.begins = true;
  Record({record});
  EXPECT_TRUE(Replay(&back).IsCorruption()) << "only of a write";
}

TEST_F(PageTraceTest, RecordsOutsideTheDeviceAreRefused) {
  PageRecord record;
  record.operation = PageOperation::kWrite;
  record.lpn = 5;
  record.pages = 10;
  record.placement = 1;
  std::vector<PageRecord> back;
  Record({record}, {15, 2});
  EXPECT_TRUE(Replay(&back).ok());
  Record({record}, {14, 2});
  EXPECT_TRUE(Replay(&back).IsCorruption());
  Record({record}, {15, 1});
  EXPECT_TRUE(Replay(&back).IsCorruption());
  record.pages = 0;
  Record({record}, {15, 2});
  EXPECT_TRUE(Replay(&back).IsCorruption());
}

TEST_F(PageTraceTest, AFullDiskIsToldAtTheEnd) {
  std::unique_ptr<PageTraceWriter> writer;
  if (!PageTraceWriter::Create("/dev/full", {kPages, 8}, &writer).ok()) return;
  for (const PageRecord &record : RandomRecords(20000)) writer->Add(record);
  EXPECT_TRUE(writer->Close().IsIOError());
}

}  // namespace
}  // namespace openremap
