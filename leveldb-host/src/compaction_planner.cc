// SPDX-License-Identifier: Apache-2.0
#include "compaction_planner.h"

#include <algorithm>
#include <cassert>

#include "db/version_set.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

// Entries go through the planner, which may hold them back; they count as added at once, since they are sure to end up
// in this table.
class CompactionPlanner::PlannedTableBuilder : public PagedTableBuilder {
 public:
  PlannedTableBuilder(CompactionPlanner *planner, leveldb::WritableFile *file)
      : PagedTableBuilder(planner->options_, file, planner->output_level_), planner_(planner) {}

  void Add(const Slice &key, const Slice &value) override { planner_->Reserved(key, value); }
  uint64_t NumEntries() const override { return PagedTableBuilder::NumEntries() + planner_->held_.size(); }

  Status Finish() override {
    planner_->TableEnds();
    return PagedTableBuilder::Finish();
  }

  void Abandon() override {
    planner_->held_.Clear();
    planner_->builder_ = nullptr;
    PagedTableBuilder::Abandon();
  }

 private:
  CompactionPlanner *planner_;
};

std::unique_ptr<CompactionPlanner> CompactionPlanner::Create(const leveldb::Options &options, const std::string &dbname,
                                                             leveldb::TableCache *cache,
                                                             leveldb::Compaction *compaction) {
  if (options.remap.mode == RemapMode::kOff) return nullptr;
  std::vector<std::vector<TableRef>> runs;
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < compaction->num_input_files(which); i++) {
      const leveldb::FileMetaData *file = compaction->input(which, i);
      // Tables of level 0 may overlap, so each is a run of its own; those of another level follow one another.
      const bool own_run = i == 0 || compaction->level() + which == 0;
      if (own_run) runs.emplace_back();
      runs.back().push_back({file->number, file->file_size});
    }
  }
  return std::make_unique<CompactionPlanner>(options, dbname, cache, runs, compaction->level() + 1,
                                             compaction->MaxOutputFileSize());
}

CompactionPlanner::CompactionPlanner(const leveldb::Options &options, const std::string &dbname,
                                     leveldb::TableCache *cache, const std::vector<std::vector<TableRef>> &runs,
                                     int output_level, uint64_t max_table_bytes)
    : options_(options),
      output_level_(output_level),
      max_table_bytes_(max_table_bytes),
      machines_(runs.size()),
      kept_writer_(options.env, dbname),
      traversed_run_(runs.size()) {
  leveldb::ReadOptions read;  // as VersionSet::MakeInputIterator
  read.verify_checksums = options.paranoid_checks;
  read.fill_cache = false;
  runs_.reserve(runs.size());
  for (const std::vector<TableRef> &run : runs) runs_.emplace_back(read, cache, run);
}

CompactionPlanner::~CompactionPlanner() {
  assert(builder_ == nullptr);
  if (options_.remap.statistics != nullptr) options_.remap.statistics->Add(output_level_, counters_);
}

leveldb::Iterator *CompactionPlanner::NewInputIterator() {
  assert(input_ == nullptr);
  input_ = new CompactionInput(options_.comparator, &runs_);
  return input_;
}

leveldb::TableBuilder *CompactionPlanner::NewTableBuilder(leveldb::WritableFile *file) {
  assert(builder_ == nullptr && held_.empty());
  builder_ = new PlannedTableBuilder(this, file);
  return builder_;
}

bool CompactionPlanner::TableFull() const {
  if (builder_ == nullptr || !held_.empty()) return false;
  const uint64_t bytes = builder_->DataBytesIfCut();
  if (bytes < max_table_bytes_) return false;
  // A table may run over by a sixteenth to end on a full block.
  const uint64_t slack = std::max<uint64_t>(max_table_bytes_ / 16, kPageBytes);
  return builder_->BeginsBlock(input_->key(), input_->value()) || bytes >= max_table_bytes_ + slack;
}

void CompactionPlanner::EnterBlock() {
  const size_t run = input_->current();
  if (traversed_run_ != run && traversed_run_ < machines_.size() && machines_[traversed_run_].undecided()) {
    machines_[traversed_run_].Apply(BlockEvent::kBlockSwitch);
    Release();
  }
  traversed_run_ = run;
  if (input_->run().FirstInBlock()) {
    assert(held_.empty());
    machines_[run].Apply(BlockEvent::kBlockStart);
    hold_ = false;
    counters_.input_blocks++;
  }
}

void CompactionPlanner::Reserved(const Slice &key, const Slice &value) {
  EnterBlock();
  BlockStateMachine &machine = machines_[traversed_run_];
  machine.Apply(BlockEvent::kKvReserved);
  if (input_->run().FirstInBlock()) hold_ = MayKeep(key, value);
  if (machine.state() == BlockState::kInProgress && hold_) {
    held_.Push(key, value);
  } else {
    builder_->PagedTableBuilder::Add(key, value);
  }
  if (input_->run().LastInBlock()) {
    machine.Apply(BlockEvent::kBlockEnd);
    if (machine.state() == BlockState::kUnchanged) {
      counters_.unchanged_blocks++;
      if (hold_) Keep();
    }
  }
}

void CompactionPlanner::Dropped() {
  EnterBlock();
  BlockStateMachine &machine = machines_[traversed_run_];
  machine.Apply(BlockEvent::kKvDropped);
  Release();
  if (input_->run().LastInBlock()) machine.Apply(BlockEvent::kBlockEnd);
}

// In base mode a block that would not start on a page boundary is not worth holding back.
bool CompactionPlanner::MayKeep(const Slice &key, const Slice &value) const {
  if (!input_->run().block().PageAligned()) return false;  // a table that stock LevelDB wrote
  return options_.remap.mode == RemapMode::kRetain || builder_->BeginsBlock(key, value);
}

void CompactionPlanner::Release() {
  hold_ = false;
  for (size_t i = 0; i < held_.size(); i++) builder_->PagedTableBuilder::Add(held_.key(i), held_.value(i));
  held_.Clear();
}

void CompactionPlanner::Keep() {
  const SourceBlock &block = input_->run().block();
  bool remapped = false;
  builder_->AppendKept(block, held_, &kept_writer_, &remapped);
  held_.Clear();
  if (!builder_->status().ok()) return;
  (remapped ? counters_.remapped_blocks : counters_.copied_blocks)++;
  counters_.kept_pages += block.Pages();
}

// The rest of a block that is cut here goes to the next table, so it cannot stay as it is.
void CompactionPlanner::TableEnds() {
  if (traversed_run_ < machines_.size() && machines_[traversed_run_].undecided()) {
    machines_[traversed_run_].Apply(BlockEvent::kBlockSwitch);
  }
  Release();
  builder_ = nullptr;
}

}  // namespace openremap
