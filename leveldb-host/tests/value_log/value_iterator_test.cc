// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_iterator.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "memory_remap_env.h"
#include "prefetching_file.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

// Files that count what is to be read side by side.
class CountingEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  Status NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) override {
    Status s = target()->NewRandomAccessFile(fname, result);
    if (s.ok()) *result = new File(this, std::unique_ptr<leveldb::RandomAccessFile>(*result));
    return s;
  }
  std::vector<size_t> prefetches;  // ranges of each call
  int reads = 0;

 private:
  class File : public leveldb::RandomAccessFile, public PrefetchingFile {
   public:
    File(CountingEnv *env, std::unique_ptr<leveldb::RandomAccessFile> file) : env_(env), file_(std::move(file)) {}
    Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override {
      env_->reads++;
      return file_->Read(offset, n, result, scratch);
    }
    void Prefetch(const std::vector<FileRange> &ranges) const override { env_->prefetches.push_back(ranges.size()); }

   private:
    CountingEnv *const env_;
    const std::unique_ptr<leveldb::RandomAccessFile> file_;
  };
};

class MapIterator : public leveldb::Iterator {
 public:
  explicit MapIterator(const std::map<std::string, std::string> *map) : map_(map), at_(map->end()) {}
  bool Valid() const override { return at_ != map_->end(); }
  void SeekToFirst() override { at_ = map_->begin(); }
  void SeekToLast() override { at_ = map_->empty() ? map_->end() : std::prev(map_->end()); }
  void Seek(const Slice &target) override { at_ = map_->lower_bound(target.ToString()); }
  void Next() override { ++at_; }
  void Prev() override { at_ = at_ == map_->begin() ? map_->end() : std::prev(at_); }
  Slice key() const override { return at_->first; }
  Slice value() const override { return at_->second; }
  Status status() const override { return Status::OK(); }

 private:
  const std::map<std::string, std::string> *const map_;
  std::map<std::string, std::string>::const_iterator at_;
};

class ValueIteratorTest : public ::testing::Test {
 protected:
  ValueIteratorTest() {
    options_.env = &env_;
    options_.compression = leveldb::kNoCompression;
    log_ = std::make_unique<ValueLog>(options_, "/db");
    log_->Begin(1);
  }
  void Add(int number, bool separated, size_t bytes = 50) {
    const std::string key = std::to_string(100000 + number);
    const std::string value = key + std::string(bytes, 'v');
    std::string tagged;
    ValuePointer pointer;
    if (separated) {
      ASSERT_TRUE(log_->Append(value, &pointer).ok());
      AppendPointer(pointer, &tagged);
    } else {
      AppendInline(value, &tagged);
    }
    tagged_[key] = tagged;
    values_[key] = value;
  }
  std::unique_ptr<ValueIterator> New() {
    return std::make_unique<ValueIterator>(std::make_unique<MapIterator>(&tagged_), log_.get());
  }

  MemoryRemapEnv memory_;
  CountingEnv env_{&memory_};
  leveldb::Options options_;
  std::unique_ptr<ValueLog> log_;
  std::map<std::string, std::string> tagged_, values_;
};

TEST_F(ValueIteratorTest, MovesAsTheOneBelow) {
  leveldb::Random random(7);
  for (int i = 0; i < 300; i++) Add(i, !random.OneIn(3), random.Uniform(200));
  const auto it = New();
  MapIterator model(&values_);
  EXPECT_FALSE(it->Valid());
  for (int step = 0; step < 20000; step++) {
    const uint32_t dice = random.Uniform(100);
    if (dice < 2 || !model.Valid()) {
      const std::string target = std::to_string(100000 + random.Uniform(310));
      it->Seek(target);
      model.Seek(target);
    } else if (dice < 3) {
      it->SeekToFirst();
      model.SeekToFirst();
    } else if (dice < 4) {
      it->SeekToLast();
      model.SeekToLast();
    } else if (step / 50 % 2 == 0 ? dice < 90 : dice < 50) {
      it->Next();
      model.Next();
    } else {
      it->Prev();
      model.Prev();
    }
    ASSERT_EQ(it->Valid(), model.Valid());
    if (!model.Valid()) continue;
    ASSERT_TRUE(it->key() == model.key());
    if (random.OneIn(4)) continue;
    ASSERT_TRUE(it->value() == model.value());
  }
  EXPECT_TRUE(it->status().ok());
}

TEST_F(ValueIteratorTest, RunsAheadOnceItGoesForward) {
  for (int i = 0; i < 200; i++) Add(i, true);
  const auto it = New();
  it->SeekToFirst();
  EXPECT_EQ(env_.reads, 0) << "a value is read when it is asked for";
  (void)it->value();
  (void)it->value();
  EXPECT_EQ(env_.reads, 1);
  it->Next();
  EXPECT_TRUE(env_.prefetches.empty());
  for (; it->Valid(); it->Next()) (void)it->value();
  EXPECT_EQ(env_.reads, 200);
  const std::vector<size_t> begin(env_.prefetches.begin(), env_.prefetches.begin() + 6);
  EXPECT_EQ(begin, (std::vector<size_t>{2, 4, 8, 16, 32, 32}));
}

TEST_F(ValueIteratorTest, RunsAheadByBytesToo) {
  for (int i = 0; i < 20; i++) Add(i, true, 600 << 10);
  const auto it = New();
  for (it->SeekToFirst(); it->Valid(); it->Next()) (void)it->value();
  for (const size_t ranges : env_.prefetches) EXPECT_LE(ranges, 2u);
  EXPECT_FALSE(env_.prefetches.empty());
}

TEST_F(ValueIteratorTest, AValueThatCannotBeReadEndsIt) {
  for (int i = 0; i < 10; i++) Add(i, true);
  tagged_["100004"] = "\x07";
  const auto it = New();
  int shown = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (!it->value().empty()) shown++;
  }
  EXPECT_EQ(shown, 4);
  EXPECT_TRUE(it->status().IsCorruption());
  it->Seek("100005");
  EXPECT_TRUE(it->Valid());
  EXPECT_TRUE(it->value() == Slice(values_["100005"]));
  EXPECT_TRUE(it->status().IsCorruption()) << "stays";
}

TEST_F(ValueIteratorTest, ConstFunctionsMayBeCalledByThreads) {
  for (int i = 0; i < 10; i++) Add(i, true);
  const auto it = New();
  it->Seek("100003");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back(
        [&] { EXPECT_TRUE(it->Valid() && it->value() == Slice(values_["100003"]) && it->status().ok()); });
  }
  for (std::thread &thread : threads) thread.join();
}

}  // namespace
}  // namespace openremap
