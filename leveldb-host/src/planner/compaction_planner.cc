// SPDX-License-Identifier: Apache-2.0
#include "planner/compaction_planner.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "db/filename.h"
#include "db/table_cache.h"
#include "db/version_set.h"
#include "leveldb/table.h"
#include "planner/space_reclaim.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// Blocks that may wait before the first of them is written after all. Each holds its source block in memory.
constexpr size_t kMostWaiting = 8;

// How full blocks are that end by themselves, until there are some.
constexpr double kUsualFill = 0.98;

double Pages(uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kPageBytes); }

// The modes of the paper keep blocks whatever that costs, as long as there is space.
bool ByCost(RemapMode mode, const FileSpace &space) {
  return mode == RemapMode::kFill || HasBlockMetadata(mode) || space.IsShort();
}

// What kept blocks may waste falls to nothing with the space that is left: then tables become as small as they can be.
double WastePercent(int percent, const FileSpace &space) {
  if (!space.IsShort()) return percent;
  return percent * static_cast<double>(space.room) / static_cast<double>(space.headroom);
}

}  // namespace

// Entries go through the planner, which may hold them back; they count as added at once, since they are sure to end up
// in this table.
class CompactionPlanner::PlannedTableBuilder : public PagedTableBuilder {
 public:
  PlannedTableBuilder(CompactionPlanner *planner, leveldb::WritableFile *file)
      : PagedTableBuilder(planner->options_, file, planner->output_level_), planner_(planner) {}

  void Add(const Slice &key, const Slice &value) override {
    // Of an unread block the input shows the first and the last entry.
    const SortedRun &run = planner_->input_->run();
    const bool many = run.Unread() && !run.FirstInBlock();
    const uint64_t count = many ? run.known().entries - 1 : 1;
    planner_->Reserved(key, value);
    num_added_ += count;
  }
  uint64_t NumEntries() const override { return num_added_; }

  Status status() const override { return planner_->status_.ok() ? PagedTableBuilder::status() : planner_->status_; }

  Status Finish() override {
    planner_->TableEnds();
    if (!planner_->status_.ok()) {
      PagedTableBuilder::Abandon();
      return planner_->status_;
    }
    return PagedTableBuilder::Finish();
  }

  void Abandon() override {
    planner_->held_.Clear();
    planner_->waiting_.clear();
    planner_->builder_ = nullptr;
    PagedTableBuilder::Abandon();
  }

 private:
  CompactionPlanner *planner_;
  uint64_t num_added_ = 0;  // those that are held back included
};

class CompactionPlanner::PlannedInput : public CompactionInput {
 public:
  explicit PlannedInput(CompactionPlanner *planner)
      // Upstream gives every DB an InternalKeyComparator (SanitizeOptions).
      : CompactionInput(static_cast<const leveldb::InternalKeyComparator *>(planner->options_.comparator),
                        &planner->runs_, [planner](const BlockMetadata &block) { return planner->MayPass(block); }),
        planner_(planner) {}

  // The DB's mutex is not held here.
  void SeekToFirst() override {
    planner_->Prepare();
    CompactionInput::SeekToFirst();
  }

  // Attached blocks must not get lost: the input tables are deleted after a successful compaction.
  Status status() const override {
    const Status s = CompactionInput::status();
    if (s.ok() && !planner_->status_.ok()) return planner_->status_;
    return s.ok() ? planner_->EverythingAttached(Valid() ? planner_->segment_ : planner_->segments_.size()) : s;
  }

 private:
  CompactionPlanner *planner_;
};

std::unique_ptr<CompactionPlanner> CompactionPlanner::Create(const leveldb::Options &options, const std::string &dbname,
                                                             leveldb::TableCache *cache,
                                                             leveldb::Compaction *compaction, bool manual) {
  const FileSpace space = RemapEnv::FileSpaceOf(options.env);
  const int output_level = compaction->level() + 1;
  CompactionStatistics *const statistics = options.remap.statistics;
  const bool counts = statistics != nullptr && options.remap.mode != RemapMode::kOff && space.IsShort();
  if (WritesPlainTables(options, space)) {
    if (counts) statistics->AddOne(output_level, &LevelCounters::plain_compactions);
    return nullptr;
  }
  if (counts) statistics->AddOne(output_level, &LevelCounters::short_compactions);
  const bool blend = options.remap.mode == RemapMode::kBlend && !manual && !space.IsShort();
  std::vector<std::vector<TableRef>> groups;
  std::vector<LowerTable> lower;
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < compaction->num_input_files(which); i++) {
      const leveldb::FileMetaData *file = compaction->input(which, i);
      const TableRef table{file->number, file->file_size};
      if (blend && which == 1) {
        lower.push_back({table, file->smallest.Encode().ToString(), file->largest.Encode().ToString()});
        continue;
      }
      // Tables of level 0 may overlap, so each is a group of its own; those of another level follow one another.
      const bool own_group = i == 0 || compaction->level() + which == 0;
      if (own_group) groups.emplace_back();
      groups.back().push_back(table);
    }
  }
  const auto described = [](const std::vector<leveldb::FileMetaData *> &files) {
    std::vector<Grandparent> level;
    for (const leveldb::FileMetaData *file : files)
      level.push_back({file->largest.Encode().ToString(), file->file_size});
    return level;
  };
  std::vector<std::vector<Grandparent>> deeper;
  for (const std::vector<leveldb::FileMetaData *> &files : compaction->deeper()) deeper.push_back(described(files));
  return std::make_unique<CompactionPlanner>(options, dbname, cache, std::move(groups), output_level,
                                             compaction->MaxOutputFileSize(), described(compaction->grandparents()),
                                             std::move(lower), std::move(deeper));
}

CompactionPlanner::CompactionPlanner(const leveldb::Options &options, const std::string &dbname,
                                     leveldb::TableCache *cache, std::vector<std::vector<TableRef>> groups,
                                     int output_level, uint64_t max_table_bytes, std::vector<Grandparent> grandparents,
                                     std::vector<LowerTable> lower, std::vector<std::vector<Grandparent>> deeper)
    : options_(options),
      dbname_(dbname),
      cache_(cache),
      output_level_(output_level),
      max_table_bytes_(max_table_bytes),
      grandparents_(std::move(grandparents)),
      groups_(std::move(groups)),
      lower_(std::move(lower)),
      deeper_(std::move(deeper)),
      kept_writer_(options.env, dbname, options.remap.remap_blocks == RemapBlocks::kAll),
      attached_writer_(options.env, dbname, options.remap.remap_blocks != RemapBlocks::kNone),
      space_(RemapEnv::FileSpaceOf(options.env)),
      budget_(WastePercent(options.remap.fill_space_percent, space_)),
      flow_fill_(kUsualFill) {
  // As VersionSet::MakeInputIterator.
  read_.verify_checksums = options.paranoid_checks;
  read_.fill_cache = false;
}

CompactionPlanner::~CompactionPlanner() {
  assert(builder_ == nullptr);
  if (options_.remap.statistics != nullptr) options_.remap.statistics->Add(output_level_, counters_);
}

leveldb::Iterator *CompactionPlanner::NewInputIterator() {
  assert(input_ == nullptr);
  input_ = new PlannedInput(this);
  return input_;
}

leveldb::TableBuilder *CompactionPlanner::NewTableBuilder(leveldb::WritableFile *file) {
  assert(builder_ == nullptr && held_.empty() && waiting_.empty());
  builder_ = new PlannedTableBuilder(this, file);
  return builder_;
}

bool CompactionPlanner::InsideBlock() const { return input_->run().Unread() && !input_->run().FirstInBlock(); }

bool CompactionPlanner::MustGoOn() {
  if (InsideBlock()) return true;
  return builder_ != nullptr && Attaches(open_segment_) && SegmentOf(input_->key()) == open_segment_;
}

bool CompactionPlanner::KeepsDeletions() { return Attaches(SegmentOf(input_->key())); }

bool CompactionPlanner::TableFull() {
  if (builder_ == nullptr || InsideBlock()) return false;
  const size_t segment = segments_.empty() ? 0 : SegmentOf(input_->key());
  if (segment != open_segment_) return true;
  if (!held_.empty() || Attaches(segment)) return false;
  const uint64_t max_table_bytes = segment < segments_.size() ? segments_[segment].table_bytes : max_table_bytes_;
  uint64_t bytes = builder_->DataBytesIfCut();
  for (const Waiting &waiting : waiting_) bytes += waiting.block.Pages() * kPageBytes;
  if (bytes < max_table_bytes) return false;
  // A table may run over by a sixteenth to end on a full block.
  const uint64_t slack = std::max<uint64_t>(max_table_bytes / 16, kPageBytes);
  return !waiting_.empty() || bytes >= max_table_bytes + slack || builder_->BeginsBlock(input_->key(), input_->value());
}

// No block goes unread where a table has to end inside it.
//
// LevelDB ends a table early where it would overlap too much of the level below; it cannot inside a block that is not
// read. So blocks of sparse keys, over which that could grow much, are.
bool CompactionPlanner::MayPass(const BlockMetadata &block) {
  const size_t segment = SegmentOf(block.first);
  if (segment + 1 < segments_.size() &&
      input_->user_comparator()->Compare(segments_[segment].end, leveldb::ExtractUserKey(block.last)) < 0) {
    return false;
  }
  if (Attaches(segment)) return true;  // its one table spans what the attached table and the gaps beside it span
  auto ends_before = [this](const Grandparent &table, const Slice &key) {
    return options_.comparator->Compare(table.largest, key) < 0;
  };
  while (next_grandparent_ < grandparents_.size() && ends_before(grandparents_[next_grandparent_], block.first)) {
    next_grandparent_++;
  }
  uint64_t bytes = 0;
  for (size_t i = next_grandparent_; i < grandparents_.size() && ends_before(grandparents_[i], block.last); i++) {
    bytes += grandparents_[i].bytes;
  }
  return bytes <= max_table_bytes_;
}

void CompactionPlanner::EnterBlock() {
  const size_t run = input_->current();
  if (traversed_run_ != run && traversed_run_ < machines_.size() && machines_[traversed_run_].undecided()) {
    machines_[traversed_run_].Apply(BlockEvent::kBlockSwitch);
    Release();
  }
  traversed_run_ = run;
  if (input_->run().FirstInBlock()) {
    if (machines_[run].undecided()) {  // a damaged block ended before its last entry
      machines_[run].Apply(BlockEvent::kBlockSwitch);
      Release();
    }
    assert(held_.empty());
    machines_[run].Apply(BlockEvent::kBlockStart);
    hold_ = false;
    counters_.input_blocks++;
  }
}

void CompactionPlanner::Reserved(const Slice &key, const Slice &value) {
  if (!segments_.empty() && builder_->NumEntries() == 0) {
    open_segment_ = SegmentOf(key);
    segments_[open_segment_].begun = true;
  }
  EnterBlock();
  BlockStateMachine &machine = machines_[traversed_run_];
  const SortedRun &run = input_->run();
  machine.Apply(BlockEvent::kKvReserved);
  if (!run.Unread()) {
    if (run.FirstInBlock()) hold_ = MayKeep(key, value);
    if (machine.state() == BlockState::kInProgress && hold_) {
      held_.Push(key, value);
    } else {
      Write(key, value);
    }
  }
  if (run.LastInBlock()) {
    machine.Apply(BlockEvent::kBlockEnd);
    if (machine.state() == BlockState::kUnchanged) Unchanged();
  }
}

void CompactionPlanner::Dropped() {
  assert(!input_->run().Unread());
  EnterBlock();
  BlockStateMachine &machine = machines_[traversed_run_];
  machine.Apply(BlockEvent::kKvDropped);
  Release();
  if (input_->run().LastInBlock()) machine.Apply(BlockEvent::kBlockEnd);
}

// In base mode a block that would not start on a page boundary is not worth holding back.
bool CompactionPlanner::MayKeep(const Slice &key, const Slice &value) const {
  if (!input_->run().block().PageAligned()) return false;  // a table that stock LevelDB wrote
  if (input_->OthersFallIn()) return false;
  return options_.remap.mode != RemapMode::kBase || builder_->BeginsBlock(key, value);
}

void CompactionPlanner::Unchanged() {
  const SortedRun &run = input_->run();
  counters_.unchanged_blocks++;
  if (run.Unread()) {
    counters_.skipped_blocks++;
  } else if (!hold_) {
    return;
  }
  Waiting waiting;
  waiting.block = run.block();
  if (run.Unread()) {
    waiting.known = &run.known();
    waiting.metadata = run.metadata();
    waiting.table = &run.opened();
    waiting.pin = run.pin();
  } else {
    waiting.entries = std::move(held_);
    waiting.pin = run.entries();
    held_.Clear();
  }
  waiting_.push_back(std::move(waiting));
  Decide(/*table_ends=*/false);
}

void CompactionPlanner::Write(const Slice &key, const Slice &value) {
  while (!waiting_.empty()) RewriteFirstWaiting();
  builder_->PagedTableBuilder::Add(key, value);
}

void CompactionPlanner::Release() {
  hold_ = false;
  // A damaged block has let go of the values, and this compaction has failed.
  if (traversed_run_ < runs_.size() && !runs_[traversed_run_].status().ok()) held_.Clear();
  for (size_t i = 0; i < held_.size(); i++) Write(held_.key(i), held_.value(i));
  held_.Clear();
}

// Either all that wait are kept, or as many of the first are written as it takes for the rest to be few.
void CompactionPlanner::Decide(bool table_ends) {
  while (!waiting_.empty()) {
    if (Pays(table_ends)) {
      KeepWaiting();
    } else if (table_ends || waiting_.size() > kMostWaiting) {
      RewriteFirstWaiting();
    } else {
      return;
    }
  }
}

// Compares keeping all that wait with writing them behind the open block. Keeping ends that block early (its pages are
// written in full) and takes all pages of the kept blocks, however full they are; writing takes what the entries fill.
bool CompactionPlanner::Pays(bool table_ends) {
  if (!ByCost(options_.remap.mode, space_)) return true;
  const uint64_t open = builder_->OpenBytes();
  uint64_t bytes = open, kept_pages = 0;
  for (const Waiting &waiting : waiting_) {
    bytes += waiting.block.StoredBytes();
    kept_pages += waiting.block.Pages();
  }
  // At a table's end no entries follow that could fill the last page.
  const double flow = table_ends ? static_cast<double>(PagesFor(bytes)) : Pages(bytes) / builder_->FlowFill(flow_fill_);
  const auto cut = static_cast<double>(PagesFor(open));
  const double space = cut + static_cast<double>(kept_pages) - flow;
  if (!budget_.Worth(flow - cut, space, Pages(finished_bytes_ + builder_->FileSize()))) return false;
  budget_.Spend(space);
  return true;
}

void CompactionPlanner::KeepWaiting() {
  for (; !waiting_.empty(); waiting_.pop_front()) {
    const Waiting &waiting = waiting_.front();
    bool remapped = false;
    if (waiting.known != nullptr) {
      builder_->AppendUnread(waiting.block, *waiting.known, &kept_writer_, &remapped);
    } else {
      builder_->AppendKept(waiting.block, waiting.entries, &kept_writer_, &remapped);
    }
    if (!builder_->status().ok()) continue;
    (remapped ? counters_.remapped_blocks : counters_.copied_blocks)++;
    counters_.kept_pages += waiting.block.Pages();
  }
}

void CompactionPlanner::RewriteFirstWaiting() {
  const Waiting waiting = std::move(waiting_.front());
  waiting_.pop_front();
  if (waiting.known != nullptr) {
    RewriteUnread(waiting);
    return;
  }
  const LazyBuffer &entries = waiting.entries;
  for (size_t i = 0; i < entries.size(); i++) builder_->PagedTableBuilder::Add(entries.key(i), entries.value(i));
}

void CompactionPlanner::RewriteUnread(const Waiting &waiting) {
  const std::unique_ptr<leveldb::Iterator> entries(
      waiting.table->NewBlockIterator(read_, waiting.known->EncodedHandle()));
  uint64_t found = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next(), found++) {
    builder_->PagedTableBuilder::Add(entries->key(), entries->value());
  }
  if (status_.ok()) status_ = entries->status();
  if (status_.ok() && found != waiting.known->entries) {
    status_ = Status::Corruption("data block has other entries than its metadata says");
  }
}

// The rest of a block that is cut here goes to the next table, so it cannot stay as it is.
void CompactionPlanner::TableEnds() {
  if (traversed_run_ < machines_.size() && machines_[traversed_run_].undecided()) {
    machines_[traversed_run_].Apply(BlockEvent::kBlockSwitch);
  }
  Release();
  Decide(/*table_ends=*/true);
  finished_ = Attaches(open_segment_) ? &segments_[open_segment_].attached : nullptr;
  if (finished_ != nullptr) AppendAttached(*finished_, builder_);
  flow_fill_ = builder_->FlowFill(flow_fill_);
  finished_bytes_ += builder_->FileSize();
  builder_ = nullptr;
}

}  // namespace openremap
