// SPDX-License-Identifier: Apache-2.0
//
// The part of CompactionPlanner that decides which tables are attached and appends their blocks to the output.
#include <algorithm>
#include <utility>

#include "db/filename.h"
#include "db/table_cache.h"
#include "leveldb/table.h"
#include "paged_table/table_runs.h"
#include "planner/compaction_planner.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr int kMostUnfiltered = 3;

// The plan merges a table that holds as many as asked for; the format has its own limit. Without filters each run is a
// block that a get reads; but who asks for a rule that only counts runs gets as many as he says.
size_t MostRuns(const leveldb::Options &options) {
  const bool counted = options.filter_policy != nullptr || options.remap.blend_rule == BlendRule::kRuns;
  const int most = counted ? static_cast<int>(kMostRuns) : kMostUnfiltered;
  return static_cast<size_t>(std::clamp(options.remap.blend_runs, 1, most));
}

}  // namespace

void CompactionPlanner::Prepare() {
  if (!lower_.empty()) PlanBlend();
  for (const std::vector<TableRef> &group : groups_) AddRuns(group);
  machines_.resize(runs_.size());
  traversed_run_ = runs_.size();
}

// The sorted runs of tables that follow one another: the newest of each, the next of those that have one, and so on.
void CompactionPlanner::AddRuns(const std::vector<TableRef> &tables) {
  std::vector<std::vector<TableRef>> runs(1);
  for (TableRef table : tables) {
    leveldb::Table *opened = nullptr;
    const std::unique_ptr<leveldb::Iterator> pin(cache_->NewIterator(read_, table.number, table.file_size, &opened));
    // Nobody knows how many runs one has that cannot be opened, even if it can be a moment later.
    if (opened == nullptr && status_.ok()) status_ = pin->status();
    const size_t count = opened == nullptr ? 1 : opened->Runs();
    runs.resize(std::max(runs.size(), count));
    for (table.run = 0; table.run < count; table.run++) runs[table.run].push_back(table);
  }
  MetadataReader metadata;
  if (HasBlockMetadata(options_.remap.mode)) metadata = [this](const TableRef &table) { return Metadata(table); };
  for (std::vector<TableRef> &run : runs) runs_.emplace_back(read_, cache_, std::move(run), metadata);
}

std::shared_ptr<const TableMetadata> CompactionPlanner::Metadata(const TableRef &table) {
  // Who asks for paranoid checks wants a damaged block found, so all are read.
  if (options_.paranoid_checks) return nullptr;
  const auto known = metadata_.find(table.number);
  if (known != metadata_.end()) return known->second;
  std::shared_ptr<const TableMetadata> found;
  // Where it cannot be read the blocks are.
  TableMetadata::Read(options_, leveldb::TableFileName(dbname_, table.number), table.file_size, &found);
  metadata_[table.number] = found;
  return found;
}

// A deeper table counts where it ends; behind the last table of the output level, as its own.
void CompactionPlanner::SetBeneath() {
  const auto add = [this](const std::vector<Grandparent> &level, uint64_t LowerTable::*counted) {
    auto table = lower_.begin();
    for (const Grandparent &deeper : level) {
      while (table + 1 != lower_.end() && options_.comparator->Compare(table->largest, deeper.largest) < 0) table++;
      (*table).*counted += deeper.bytes;
    }
  };
  add(grandparents_, &LowerTable::next_level);
  add(grandparents_, &LowerTable::beneath);
  for (const std::vector<Grandparent> &level : deeper_) add(level, &LowerTable::beneath);
}

void CompactionPlanner::PlanBlend() {
  std::vector<TableRef> upper, merged;
  for (const std::vector<TableRef> &group : groups_) upper.insert(upper.end(), group.begin(), group.end());
  SetBeneath();
  const BlendPlan plan(static_cast<const leveldb::InternalKeyComparator *>(options_.comparator),
                       options_.remap.blend_rule, MostRuns(options_), options_.remap.blend_space_percent,
                       max_table_bytes_);
  segments_ = plan.Make(
      upper, lower_, [this](const TableRef &table) { return Metadata(table); }, &merged);
  if (!merged.empty()) groups_.push_back(std::move(merged));
}

size_t CompactionPlanner::SegmentOf(const Slice &internal_key) {
  while (segment_ + 1 < segments_.size() && internal_key.size() >= sizeof(uint64_t) &&
         input_->user_comparator()->Compare(segments_[segment_].end, leveldb::ExtractUserKey(internal_key)) < 0) {
    segment_++;
  }
  return segment_;
}

void CompactionPlanner::AppendAttached(const AttachedTable &attached, PagedTableBuilder *builder) {
  for (size_t run = 0; run < attached.metadata->runs(); run++) {
    builder->NextRun();
    for (const BlockMetadata &known : attached.metadata->blocks(run)) {
      const SourceBlock block = known.In(attached.lower.table.number);
      bool remapped = false;
      builder->AppendUnread(block, known, &attached_writer_, &remapped);
      if (!builder->status().ok()) return;
      counters_.input_blocks++;
      counters_.unchanged_blocks++;
      counters_.skipped_blocks++;
      counters_.attached_blocks++;
      (remapped ? counters_.remapped_blocks : counters_.copied_blocks)++;
      counters_.kept_pages += block.Pages();
    }
  }
}

void CompactionPlanner::Widen(leveldb::InternalKey *smallest, leveldb::InternalKey *largest) const {
  if (finished_ == nullptr) return;
  const LowerTable &lower = finished_->lower;
  if (options_.comparator->Compare(lower.smallest, smallest->Encode()) < 0) smallest->DecodeFrom(lower.smallest);
  if (options_.comparator->Compare(lower.largest, largest->Encode()) > 0) largest->DecodeFrom(lower.largest);
}

Status CompactionPlanner::EverythingAttached(size_t before) const {
  for (size_t i = 0; i < before; i++) {
    if (segments_[i].attaches && !segments_[i].begun) {
      return Status::Corruption("block metadata promises entries that are not there, beside table " +
                                std::to_string(segments_[i].attached.lower.table.number));
    }
  }
  return Status::OK();
}

}  // namespace openremap
