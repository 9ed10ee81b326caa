// SPDX-License-Identifier: Apache-2.0
//
// Runs compactions with only the planner, for tests of the blocks that it keeps.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_PLANNER_FIXTURE_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_PLANNER_FIXTURE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/table_cache.h"
#include "paged_table/table_fixture.h"
#include "planner/compaction_planner.h"
#include "planner/table_factory.h"

namespace openremap {

// Runs the planner as DBImpl's compaction loop does: an entry is dropped if a newer entry of its user key came before.
class PlannerFixture : public TableFixture {
 protected:
  PlannerFixture() { options_.remap.statistics = &statistics_; }

  // One table of given blocks as a sorted run by itself.
  std::vector<TableRef> Run(const std::vector<std::vector<Entry>> &blocks) {
    const uint64_t number = next_number_++;
    return {{number, BuildPaged(number, blocks)}};
  }

  // The same as a table of the output level, of several sorted runs, newest first.
  LowerTable Lower(const std::vector<std::vector<std::vector<Entry>>> &runs) {
    LowerTable lower;
    lower.table.number = next_number_++;
    lower.table.file_size = BuildRuns(lower.table.number, runs);
    for (const auto &run : runs) {
      const std::string first = run.front().front().Internal(), last = run.back().back().Internal();
      if (lower.smallest.empty() || comparator_.Compare(first, lower.smallest) < 0) lower.smallest = first;
      if (lower.largest.empty() || comparator_.Compare(last, lower.largest) > 0) lower.largest = last;
    }
    return lower;
  }

  // Merges `runs`, and mode blend what it likes of lower_; returns the numbers of the output tables.
  std::vector<uint64_t> Compact(const std::vector<std::vector<TableRef>> &runs, uint64_t max_table = 1 << 20,
                                leveldb::Env *env = nullptr) {
    leveldb::Options options = options_;
    if (env != nullptr) options.env = env;
    leveldb::TableCache cache("/db", options, cached_tables_);
    CompactionPlanner planner(options, "/db", &cache, runs, 2, max_table, grandparents_, lower_, deeper_);
    std::unique_ptr<leveldb::Iterator> input(planner.NewInputIterator());
    std::unique_ptr<leveldb::WritableFile> file;
    std::unique_ptr<leveldb::TableBuilder> builder;
    std::vector<uint64_t> outputs;
    leveldb::InternalKey smallest, largest;
    auto finish = [&] {
      if (builder == nullptr) return;
      entries_of_.push_back(builder->NumEntries());
      status_ = input->status();
      if (status_.ok()) {
        status_ = builder->Finish();
      } else {
        builder->Abandon();
      }
      planner.Widen(&smallest, &largest);
      bounds_.push_back({smallest.Encode().ToString(), largest.Encode().ToString()});
      if (status_.ok()) status_ = file->Sync();
      if (status_.ok()) status_ = file->Close();
      builder.reset();
      file.reset();
    };
    std::string last_user_key;
    bool any = false;
    for (input->SeekToFirst(); input->Valid() && status_.ok(); input->Next()) {
      if (!planner.MustGoOn() && planner.TableFull()) finish();
      const leveldb::Slice user_key = leveldb::ExtractUserKey(input->key());
      const bool drop = any && user_key == leveldb::Slice(last_user_key);
      any = true;
      last_user_key = user_key.ToString();
      if (drop) {
        planner.Dropped();
        continue;
      }
      if (builder == nullptr) {
        outputs.push_back(next_number_++);
        leveldb::WritableFile *raw = nullptr;
        EXPECT_TRUE(NewTableFile(options, options.env, Name(outputs.back()), 2, &raw).ok());
        file.reset(raw);
        builder.reset(NewTableBuilder(options, raw, &planner));
        smallest.DecodeFrom(input->key());
      }
      largest.DecodeFrom(input->key());
      if (planner.KeepsDeletions()) keeps_deletions_.insert(user_key.ToString());
      builder->Add(input->key(), input->value());
    }
    finish();
    if (status_.ok()) status_ = input->status();
    return outputs;
  }

  std::vector<Entry> ReadAll(const std::vector<uint64_t> &tables, leveldb::Env *env = nullptr) {
    std::vector<Entry> all;
    for (uint64_t number : tables) {
      const std::vector<Entry> entries = ReadTable(number, env);
      all.insert(all.end(), entries.begin(), entries.end());
    }
    return all;
  }

  // What a table says of its blocks is what is in them.
  void ExpectRightMetadata(uint64_t number) {
    std::shared_ptr<const TableMetadata> metadata;
    ASSERT_TRUE(TableMetadata::Read(options_, Name(number), Bytes(number).size(), &metadata).ok());
    ASSERT_NE(metadata, nullptr);
    WithTable(number, nullptr, [this, &metadata](leveldb::Table *table) {
      std::unique_ptr<leveldb::Iterator> index(table->NewIndexIterator());
      size_t i = 0;
      for (index->SeekToFirst(); index->Valid(); index->Next(), i++) {
        ASSERT_LT(i, metadata->blocks().size());
        BlockMetadata said = metadata->blocks()[i];
        BlockSummary summary(options_);
        std::unique_ptr<leveldb::Iterator> it(table->NewBlockIterator(leveldb::ReadOptions(), index->value()));
        for (it->SeekToFirst(); it->Valid(); it->Next()) {
          summary.Add(it->key());
          if (options_.filter_policy != nullptr) {
            EXPECT_TRUE(options_.filter_policy->KeyMayMatch(it->key(), said.filter));
          }
        }
        leveldb::Slice encoded = index->value();
        leveldb::BlockHandle handle;
        ASSERT_TRUE(handle.DecodeFrom(&encoded).ok());
        const BlockMetadata found = summary.Take();
        EXPECT_EQ(said.offset, handle.offset());
        EXPECT_EQ(said.size, handle.size());
        EXPECT_EQ(said.first, found.first);
        EXPECT_EQ(said.last, found.last);
        EXPECT_EQ(said.entries, found.entries);
        EXPECT_EQ(said.plain, found.plain);
      }
      EXPECT_EQ(i, metadata->blocks().size());
    });
  }

  LevelCounters Counters() const { return statistics_.Level(2); }

  std::vector<Grandparent> grandparents_;
  std::vector<LowerTable> lower_;
  std::vector<std::vector<Grandparent>> deeper_;
  std::vector<std::pair<std::string, std::string>> bounds_;  // of the output tables, internal keys
  std::set<std::string> keeps_deletions_;                    // user keys of which a deletion would have to stay
  CompactionStatistics statistics_;
  leveldb::Status status_;
  uint64_t next_number_ = 10;
  int cached_tables_ = 100;
  std::vector<uint64_t> entries_of_;  // what NumEntries() said of each output before it was finished
};

inline std::vector<Entry> Items(std::initializer_list<uint64_t> numbers, uint64_t sequence = 1) {
  std::vector<Entry> items;
  for (uint64_t n : numbers) items.push_back(Item(n, sequence));
  return items;
}

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_PLANNER_FIXTURE_H_
