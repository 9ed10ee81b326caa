// SPDX-License-Identifier: Apache-2.0
#include "metadata_log.h"

#include <gtest/gtest.h>

#include "fake_page_device.h"

namespace openremap {
namespace {

Record Named(const std::string &name) {
  Record record;
  record.type = RecordType::kRemove;
  record.name = name;
  return record;
}

class MetadataLogTest : public ::testing::Test {
 protected:
  MetadataLogTest() : device_(100), log_(&device_, 1, 8) {}

  std::vector<std::string> ReplayNames(bool *clean = nullptr) {
    MetadataLog log(&device_, 1, 8);
    std::vector<std::string> names;
    bool ignored = false;
    const leveldb::Status s = log.Replay(
        [&](const Record &record) {
          names.push_back(record.name);
          return leveldb::Status::OK();
        },
        clean != nullptr ? clean : &ignored);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return names;
  }
  void Append(const std::string &name, bool expect_full = false) {
    bool full = false;
    ASSERT_TRUE(log_.Append({Named(name)}, &full).ok());
    ASSERT_EQ(full, expect_full);
  }

  FakePageDevice device_;
  MetadataLog log_;
};

TEST_F(MetadataLogTest, RecordsComeBackInOrderAtOnePageEach) {
  ASSERT_TRUE(log_.Format().ok());
  EXPECT_EQ(ReplayNames().size(), 1u) << "the mark of a clean log";
  const uint64_t before = device_.pages_written;
  for (int i = 0; i < 20; i++) Append("file" + std::to_string(i));
  EXPECT_EQ(device_.pages_written - before, 20u);
  const std::vector<std::string> names = ReplayNames();
  ASSERT_EQ(names.size(), 21u);
  EXPECT_EQ(names[1], "file0");
  EXPECT_EQ(names[20], "file19");
  EXPECT_EQ(log_.PagesInUse(), 2u) << "the tail page was rewritten in place";
}

TEST_F(MetadataLogTest, FullAreaAsksForACheckpointAndTheOtherAreaGoesOn) {
  ASSERT_TRUE(log_.Format().ok());
  const std::string big(1000, 'x');  // four a page, seven log pages
  for (int i = 0; i < 28; i++) ASSERT_NO_FATAL_FAILURE(Append(big));
  ASSERT_NO_FATAL_FAILURE(Append(big, true));
  EXPECT_EQ(ReplayNames().size(), 1 + 28u);
  bool too_big = false;
  ASSERT_TRUE(log_.Checkpoint({Named("all that is left")}, &too_big).ok());
  ASSERT_FALSE(too_big);
  Append("and more");
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"all that is left", "and more"}));
}

TEST_F(MetadataLogTest, TooBigACheckpointChangesNothing) {
  ASSERT_TRUE(log_.Format().ok());
  Append("kept");
  bool too_big = false;
  ASSERT_TRUE(log_.Checkpoint(std::vector<Record>(40, Named(std::string(1000, 'x'))), &too_big).ok());
  EXPECT_TRUE(too_big);
  Append("too");
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"", "kept", "too"}));
}

TEST_F(MetadataLogTest, CleanMarkCountsOnlyAtTheEnd) {
  ASSERT_TRUE(log_.Format().ok());
  bool clean = false, full = false;
  ReplayNames(&clean);
  EXPECT_TRUE(clean);
  Append("a");
  ReplayNames(&clean);
  EXPECT_FALSE(clean);
  ASSERT_TRUE(log_.Append({Record()}, &full).ok());
  ReplayNames(&clean);
  EXPECT_TRUE(clean);
  Append("b");
  ReplayNames(&clean);
  EXPECT_FALSE(clean);
}

TEST_F(MetadataLogTest, APageThatOutlivedTheOneBeforeItDoesNotCount) {
  ASSERT_TRUE(log_.Format().ok());
  Append("first");
  std::string old_tail(kPageBytes, '\0');
  ASSERT_TRUE(device_.Read(2, 1, &old_tail[0]).ok());
  std::vector<Record> many(10, Named(std::string(1000, 'x')));  // spills over into further pages
  bool full = false;
  ASSERT_TRUE(log_.Append(many, &full).ok());
  ASSERT_EQ(ReplayNames().size(), 1 + 1 + 10u);
  ASSERT_TRUE(device_.Write({{2, 1, old_tail.data()}}, true).ok());
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"", "first"}));
}

TEST_F(MetadataLogTest, TornCheckpointLeavesTheOldGeneration) {
  ASSERT_TRUE(log_.Format().ok());
  Append("kept");
  for (uint64_t cut = 0; cut < 3; cut++) {
    MetadataLog log(&device_, 1, 8);
    bool clean = false, too_big = false;
    ASSERT_TRUE(log.Replay([](const Record &) { return leveldb::Status::OK(); }, &clean).ok());
    device_.CutAfter(cut);
    EXPECT_FALSE(log.Checkpoint(std::vector<Record>(10, Named(std::string(1000, 'x'))), &too_big).ok());
    device_.PowerOn(cut);
    EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"", "kept"})) << cut;
  }
}

TEST_F(MetadataLogTest, NothingReadableIsAnError) {
  bool clean = false;
  EXPECT_TRUE(log_.Replay([](const Record &) { return leveldb::Status::OK(); }, &clean).IsCorruption());
}

}  // namespace
}  // namespace openremap
