// SPDX-License-Identifier: Apache-2.0
#include "planner/table_factory.h"

#include "db/table_cache.h"
#include "paged_table/table_fixture.h"
#include "planner/compaction_planner.h"

namespace openremap {
namespace {

using leveldb::Status;
using leveldb::WritableFile;

class TableFactoryTest : public TableFixture {
 protected:
  std::unique_ptr<WritableFile> NewFile(leveldb::Env *env, WriteCause cause = WriteCause::kFlush) {
    WritableFile *file = nullptr;
    const Status s = NewTableFile(options_, env, Name(1), 1, &file, cause);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return std::unique_ptr<WritableFile>(file);
  }
  // Where the second of two one-entry blocks begins.
  uint64_t SecondBlock(CompactionPlanner *planner = nullptr) {
    std::unique_ptr<WritableFile> file = NewFile(&env_);
    const std::unique_ptr<leveldb::TableBuilder> builder(NewTableBuilder(options_, file.get(), planner));
    for (uint64_t n : {1, 2}) {
      builder->Add(Item(n).Internal(), Item(n).value);
      builder->Flush();
    }
    EXPECT_TRUE(builder->Finish().ok());
    EXPECT_TRUE(file->Close().ok());
    return Blocks(1).at(1).offset();
  }
};

TEST_F(TableFactoryTest, OffMakesStockTablesInPlainFiles) {
  options_.remap.mode = RemapMode::kOff;
  EXPECT_NE(SecondBlock() % kPageBytes, 0u) << "stock LevelDB does not align blocks";
}

TEST_F(TableFactoryTest, OtherModesMakePagedTables) {
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill, RemapMode::kSkip}) {
    options_.remap.mode = mode;
    EXPECT_EQ(SecondBlock() % kPageBytes, 0u) << RemapModeName(mode);
    EXPECT_EQ(ReadTable(1), (std::vector<Entry>{Item(1), Item(2)}));
  }
}

TEST_F(TableFactoryTest, StockTablesAreMadeWhereSpaceEnds) {
  for (RemapMode mode : RemapModes()) {
    options_.remap.mode = mode;
    env_.SetFileSpace({40, 100});
    EXPECT_NE(SecondBlock() % kPageBytes, 0u) << RemapModeName(mode);
    env_.SetFileSpace({60, 100});
    EXPECT_EQ(SecondBlock() % kPageBytes != 0, mode == RemapMode::kOff) << RemapModeName(mode);
  }
}

TEST_F(TableFactoryTest, FilesTakeRemapsWhereTheEnvCan) {
  EXPECT_NE(dynamic_cast<RemapFile *>(NewFile(&env_).get()), nullptr);
  // An Env without the remapping side still gets a file, in every mode.
  leveldb::EnvWrapper plain(&env_);
  for (RemapMode mode : RemapModes()) {
    options_.remap.mode = mode;
    EXPECT_NE(NewFile(&plain), nullptr) << RemapModeName(mode);
  }
}

// An Env that records the hints.
class Placing : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit Placing(MemoryRemapEnv *env) : EnvWrapper(env), env_(env) {}
  Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override {
    levels[fname] = level;
    return env_->NewRemapFile(fname, level, result);
  }
  void PlaceFile(const std::string &fname, int level) override {
    EXPECT_TRUE(FileExists(fname));
    levels[fname] = level;
  }
  Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override {
    return env_->GetLpn(fname, offset, max_pages, run);
  }
  RemapStats GetRemapStats() const override { return env_->GetRemapStats(); }
  void SetCause(const std::string &fname, WriteCause cause) override {
    EXPECT_TRUE(FileExists(fname));
    causes[fname] = cause;
  }

  std::map<std::string, int> levels;
  std::map<std::string, WriteCause> causes;

 private:
  MemoryRemapEnv *const env_;
};

TEST_F(TableFactoryTest, TheFileLayerIsToldLevelAndCauseInEachMode) {
  for (RemapMode mode : RemapModes()) {
    options_.remap.mode = mode;
    Placing env(&env_);
    EXPECT_NE(NewFile(&env, WriteCause::kSeekCompaction), nullptr);
    EXPECT_EQ(env.levels, (std::map<std::string, int>{{Name(1), 1}})) << RemapModeName(mode);
    EXPECT_EQ(env.causes, (std::map<std::string, WriteCause>{{Name(1), WriteCause::kSeekCompaction}}));
  }
}

// An Env that cannot create files.
class Full : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit Full(leveldb::Env *env) : EnvWrapper(env) {}
  Status NewWritableFile(const std::string &, WritableFile **) override { return Status::IOError("full"); }
  Status NewRemapFile(const std::string &, int, RemapFile **) override { return Status::IOError("full"); }
  Status GetLpn(const std::string &, uint64_t, uint64_t, PageRun *) override { return Status::NotSupported("full"); }
  RemapStats GetRemapStats() const override { return {}; }
};

TEST_F(TableFactoryTest, AnErrorOfTheEnvIsTheCallers) {
  Full full(&env_);
  for (RemapMode mode : {RemapMode::kOff, RemapMode::kRetain}) {
    options_.remap.mode = mode;
    WritableFile *file = nullptr;
    EXPECT_TRUE(NewTableFile(options_, &full, Name(1), 1, &file).IsIOError()) << RemapModeName(mode);
    EXPECT_EQ(file, nullptr);
  }
}

TEST_F(TableFactoryTest, ACompactionsTableComesFromItsPlanner) {
  leveldb::TableCache cache("/db", options_, 100);
  const std::vector<TableRef> source = {{5, BuildPaged(5, {{Item(1)}, {Item(2)}})}};
  CompactionPlanner planner(options_, "/db", &cache, {source}, 2, 1 << 20);
  std::unique_ptr<WritableFile> file = NewFile(&env_);
  const std::unique_ptr<leveldb::TableBuilder> builder(NewTableBuilder(options_, file.get(), &planner));
  const std::unique_ptr<leveldb::Iterator> input(planner.NewInputIterator());
  for (input->SeekToFirst(); input->Valid(); input->Next()) builder->Add(input->key(), input->value());
  ASSERT_TRUE(builder->Finish().ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_GT(env_.GetRemapStats().remapped_pages, 0u) << "it knows which blocks stay";
}

}  // namespace
}  // namespace openremap
