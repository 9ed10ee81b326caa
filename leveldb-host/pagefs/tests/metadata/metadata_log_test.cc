// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/metadata_log.h"

#include <gtest/gtest.h>

#include "pagefs/tests/device/fake_page_device.h"

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

  // log_ as a mount finds it, before the checkpoint that it begins with.
  void Begin() {
    log_ = MetadataLog(&device_, 1, 8);
    bool clean = false;
    ASSERT_TRUE(log_.Replay([](const Record &) { return leveldb::Status::OK(); }, &clean).ok());
  }
  // A mount whose checkpoint loses power; of its pages those arrive whose bits are set.
  void TornCheckpoint(const std::vector<Record> &records, unsigned arrived) {
    Begin();
    device_.CutAfter(0);
    bool too_big = false;
    EXPECT_FALSE(log_.Checkpoint(records, &too_big).ok());
    device_.PowerOn([this, arrived](uint64_t lpn) { return (arrived >> (lpn - AreaOf(lpn)) & 1) != 0; });
  }
  uint64_t AreaOf(uint64_t lpn) const { return lpn < 9 ? 1 : 9; }

  FakePageDevice device_;
  MetadataLog log_;
};

TEST_F(MetadataLogTest, RecordsComeBackInOrderAtOnePageEach) {
  ASSERT_TRUE(log_.Format().ok());
  EXPECT_EQ(ReplayNames().size(), 0u);
  const uint64_t before = device_.pages_written;
  for (int i = 0; i < 20; i++) Append("file" + std::to_string(i));
  EXPECT_EQ(device_.pages_written - before, 20u);
  const std::vector<std::string> names = ReplayNames();
  ASSERT_EQ(names.size(), 20u);
  EXPECT_EQ(names[0], "file0");
  EXPECT_EQ(names[19], "file19");
  EXPECT_EQ(log_.PagesInUse(), 2u) << "the tail page was rewritten in place";
}

TEST_F(MetadataLogTest, FullAreaAsksForACheckpointAndTheOtherAreaGoesOn) {
  ASSERT_TRUE(log_.Format().ok());
  const std::string big(1000, 'x');  // four a page, seven log pages
  for (int i = 0; i < 28; i++) ASSERT_NO_FATAL_FAILURE(Append(big));
  ASSERT_NO_FATAL_FAILURE(Append(big, true));
  EXPECT_EQ(ReplayNames().size(), 28u);
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
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"kept", "too"}));
}

TEST_F(MetadataLogTest, CleanMarkCountsOnlyAtTheEnd) {
  ASSERT_TRUE(log_.Format().ok());
  bool clean = false, full = false;
  ReplayNames(&clean);
  EXPECT_FALSE(clean) << "what the device held before has to be deallocated";
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
  ASSERT_EQ(ReplayNames().size(), 1 + 10u);
  ASSERT_TRUE(device_.Write({{2, 1, old_tail.data()}}, true).ok());
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"first"}));
}

// Any part of the pages of one command may arrive, not only the first ones.
TEST_F(MetadataLogTest, TornCheckpointLeavesTheOldGeneration) {
  ASSERT_TRUE(log_.Format().ok());
  Append("kept");
  for (unsigned arrived = 0; arrived < 7; arrived++) {  // of three pages; all three would be a checkpoint
    TornCheckpoint(std::vector<Record>(10, Named(std::string(1000, 'x'))), arrived);
    EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"kept"})) << arrived;
  }
}

TEST_F(MetadataLogTest, ACheckpointThatArrivedWithoutAnAnswerCounts) {
  ASSERT_TRUE(log_.Format().ok());
  TornCheckpoint(std::vector<Record>(10, Named(std::string(1000, 'x'))), 7);
  EXPECT_EQ(ReplayNames().size(), 10u);
}

TEST_F(MetadataLogTest, TornAppendLeavesAPrefix) {
  const std::string big(1000, 'x');
  for (unsigned arrived = 0; arrived < 8; arrived++) {
    ASSERT_TRUE(log_.Format().ok());
    Append("first");
    device_.CutAfter(0);
    bool full = false;
    EXPECT_FALSE(log_.Append(std::vector<Record>(10, Named(big)), &full).ok());  // four, four, two to a page
    device_.PowerOn([this, arrived](uint64_t lpn) { return (arrived >> (lpn - AreaOf(lpn) - 1) & 1) != 0; });
    const size_t expected = (arrived & 1) == 0 ? 0 : (arrived & 2) == 0 ? 4 : (arrived & 4) == 0 ? 8 : 10;
    EXPECT_EQ(ReplayNames().size(), 1 + expected) << arrived;
  }
}

// Two torn checkpoints in a row: were their generations one, the pages that arrived would look like a whole one.
TEST_F(MetadataLogTest, TornCheckpointsDoNotMakeOneTogether) {
  ASSERT_TRUE(log_.Format().ok());
  Append("kept");
  const std::string big(1000, 'x');
  for (unsigned first = 0; first < 7; first++) {
    TornCheckpoint(std::vector<Record>(10, Named("a" + big)), first);
    TornCheckpoint(std::vector<Record>(10, Named("b" + big)), ~first & 7u);
    const std::vector<std::string> names = ReplayNames();
    if (first == 0) {  // then all of the second arrived
      EXPECT_EQ(names, std::vector<std::string>(10, "b" + big));
      Begin();
      bool too_big = false;
      ASSERT_TRUE(log_.Checkpoint({Named("kept")}, &too_big).ok());
    } else {
      EXPECT_EQ(names, (std::vector<std::string>{"kept"})) << first;
    }
  }
}

// After a mount nothing may go on in the old area: a page of an append that lost the one before it may be waiting
// there.
TEST_F(MetadataLogTest, NothingIsAppendedBeforeTheCheckpointThatAMountBeginsWith) {
  ASSERT_TRUE(log_.Format().ok());
  Append("kept");
  Begin();
  Append("too early", /*expect_full=*/true);
}

class MetadataLogFormatTest : public MetadataLogTest, public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(, MetadataLogFormatTest, ::testing::Bool(),
                         [](const auto &given) { return given.param ? "Deallocating" : "Overwriting"; });

TEST_P(MetadataLogFormatTest, WinsAgainstWhatAnOlderFileSystemLeft) {
  const bool deallocate = GetParam();
  ASSERT_TRUE(log_.Format().ok());
  const std::string big(1000, 'x');
  bool too_big = false;
  for (int i = 0; i < 5; i++) {  // both areas hold complete checkpoints with a log behind each
    ASSERT_TRUE(log_.Checkpoint(std::vector<Record>(7, Named(big)), &too_big).ok());
    Append("stale");
  }
  for (unsigned arrived = 0; arrived < 2; arrived++) {  // also when power goes while formatting
    MetadataLog log(&device_, 1, 8);
    device_.CutAfter(0);
    EXPECT_FALSE(log.Format(deallocate).ok());
    device_.PowerOn([arrived](uint64_t) { return arrived != 0; });
  }
  MetadataLog log(&device_, 1, 8);
  const uint64_t deallocated = device_.deallocate_commands;
  ASSERT_TRUE(log.Format(deallocate).ok());
  EXPECT_EQ(device_.deallocate_commands - deallocated, deallocate ? 1u : 0u);
  bool full = false;
  ASSERT_TRUE(log.Append({Named("new")}, &full).ok());
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"new"}));
  // And the next generation, which goes over the other stale area.
  ASSERT_TRUE(log.Checkpoint({Named("newer")}, &too_big).ok());
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"newer"}));
  ASSERT_TRUE(log.Append({Named("newest")}, &full).ok());
  EXPECT_EQ(ReplayNames(), (std::vector<std::string>{"newer", "newest"}));
}

TEST_F(MetadataLogTest, AFormatWithoutDeallocateOverwritesWhatIsThereAndNoMore) {
  const std::string foreign(kPageBytes, 'f');
  ASSERT_TRUE(device_.Write({{2, 1, foreign.data()}, {12, 1, foreign.data()}}, true).ok());
  const uint64_t written = device_.pages_written;
  ASSERT_TRUE(log_.Format(false).ok());
  EXPECT_EQ(device_.pages_written - written, 3u) << "the two, and the checkpoint";
  EXPECT_EQ(device_.deallocate_commands, 0u);
  for (const uint64_t lpn : {2, 12}) {
    std::string page(kPageBytes, 'x');
    ASSERT_TRUE(device_.Read(lpn, 1, &page[0]).ok());
    EXPECT_EQ(page, std::string(kPageBytes, '\0'));
  }
}

TEST_F(MetadataLogTest, NothingReadableIsAnError) {
  bool clean = false;
  EXPECT_TRUE(log_.Replay([](const Record &) { return leveldb::Status::OK(); }, &clean).IsCorruption());
}

}  // namespace
}  // namespace openremap
