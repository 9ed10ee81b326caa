// SPDX-License-Identifier: Apache-2.0
#include "planner/blend_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace openremap {

using leveldb::Slice;

namespace {

size_t BlocksOf(const TableMetadata &metadata) {
  size_t blocks = 0;
  for (size_t run = 0; run < metadata.runs(); run++) blocks += metadata.blocks(run).size();
  return blocks;
}

// What a block of the table takes on average, what is not blocks included.
uint64_t BlockBytes(const TableRef &table, const TableMetadata &metadata) {
  return table.file_size / std::max<size_t>(1, BlocksOf(metadata));
}

uint64_t EntriesOf(const std::vector<BlockMetadata> &blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0},
                         [](uint64_t sum, const BlockMetadata &block) { return sum + block.entries; });
}

}  // namespace

bool BlendPlan::SharesUserKey(const LowerTable &table, const LowerTable &next) const {
  return comparator_->user_comparator()->Compare(leveldb::ExtractUserKey(table.largest),
                                                 leveldb::ExtractUserKey(next.smallest)) == 0;
}

// What of the upper level falls to each lower table: up to its last user key, from behind that of the table before.
std::vector<BlendPlan::Share> BlendPlan::Shares(const std::vector<std::shared_ptr<const TableMetadata>> &upper_metadata,
                                                const std::vector<TableRef> &upper,
                                                const std::vector<LowerTable> &lower) const {
  std::vector<Share> shares(lower.size());
  auto share_of = [&](const Slice &key) -> Share & {
    const auto found = std::lower_bound(lower.begin(), lower.end() - 1, leveldb::ExtractUserKey(key),
                                        [this](const LowerTable &table, const Slice &user) {
                                          return comparator_->user_comparator()->Compare(
                                                     leveldb::ExtractUserKey(table.largest), user) < 0;
                                        });
    return shares[static_cast<size_t>(found - lower.begin())];
  };
  for (size_t i = 0; i < upper.size(); i++) {
    const uint64_t block_bytes = BlockBytes(upper[i], *upper_metadata[i]);
    for (size_t run = 0; run < upper_metadata[i]->runs(); run++) {
      for (const BlockMetadata &block : upper_metadata[i]->blocks(run)) {
        Share &first = share_of(block.first);
        first.bytes += block_bytes;
        first.entries += block.entries;
        for (Share *share : {&first, &share_of(block.last)}) {
          share->runs = std::max(share->runs, upper_metadata[i]->runs());
          share->any = true;
        }
      }
    }
  }
  return shares;
}

bool BlendPlan::HasRoom(const LowerTable &table, const TableMetadata &metadata, const Share &share) const {
  if (metadata.runs() + 1 > most_runs_) return false;
  if (rule_ == BlendRule::kRuns) return metadata.runs() + share.runs <= most_runs_;
  const std::vector<BlockMetadata> &oldest = metadata.blocks(metadata.runs() - 1);
  const uint64_t bytes = oldest.size() * BlockBytes(table.table, metadata);
  const uint64_t entries = EntriesOf(oldest);
  const uint64_t newer_bytes = table.table.file_size - std::min(bytes, table.table.file_size) + share.bytes;
  uint64_t newer_entries = share.entries;
  for (size_t run = 0; run + 1 < metadata.runs(); run++) newer_entries += EntriesOf(metadata.blocks(run));
  // Deeper entries are taken to be as large as those of the oldest run.
  const double all = static_cast<double>(bytes + table.beneath);
  const double all_entries = static_cast<double>(entries) * all / static_cast<double>(std::max<uint64_t>(1, bytes));
  return static_cast<double>(newer_bytes) <= space_share_ * all &&
         static_cast<double>(newer_entries) <= space_share_ * all_entries;
}

std::vector<Segment> BlendPlan::Make(const std::vector<TableRef> &upper, const std::vector<LowerTable> &lower,
                                     const MetadataReader &metadata, std::vector<TableRef> *merged) const {
  std::vector<std::shared_ptr<const TableMetadata>> upper_metadata;
  for (const TableRef &table : upper) upper_metadata.push_back(metadata(table));
  const bool upper_known =
      std::all_of(upper_metadata.begin(), upper_metadata.end(), [](const auto &known) { return known != nullptr; });
  std::vector<Share> shares(lower.size());
  if (upper_known) shares = Shares(upper_metadata, upper, lower);

  std::vector<Segment> segments;
  uint64_t merged_bytes = 0;  // input of the open segment that merges
  auto end_merging = [&] {
    if (segments.empty() || segments.back().attaches) return;
    // Tables of equal size instead of full ones and a rest: an attached table beside it leaves the rest no room to
    // grow.
    const uint64_t tables = std::max<uint64_t>(1, (merged_bytes + max_table_bytes_ / 2) / max_table_bytes_);
    segments.back().table_bytes = merged_bytes / tables + max_table_bytes_ / 16;
    merged_bytes = 0;
  };
  for (size_t i = 0; i < lower.size(); i++) {
    const bool shared_key = (i > 0 && SharesUserKey(lower[i - 1], lower[i])) ||
                            (i + 1 < lower.size() && SharesUserKey(lower[i], lower[i + 1]));
    AttachedTable attached;
    attached.lower = lower[i];
    if (shares[i].any && !shared_key && lower[i].table.file_size + shares[i].bytes <= 2 * max_table_bytes_ &&
        lower[i].next_level <= kWidestTables * max_table_bytes_) {
      attached.metadata = metadata(lower[i].table);
    }
    const bool attaches = attached.metadata != nullptr && HasRoom(lower[i], *attached.metadata, shares[i]);
    if (attaches) end_merging();
    if (attaches || segments.empty() || segments.back().attaches) segments.emplace_back();
    Segment &segment = segments.back();
    segment.attaches = attaches;
    segment.end = leveldb::ExtractUserKey(lower[i].largest).ToString();
    if (attaches) {
      segment.attached = std::move(attached);
    } else {
      merged_bytes += lower[i].table.file_size + shares[i].bytes;
      merged->push_back(lower[i].table);
    }
  }
  end_merging();
  return segments;
}

}  // namespace openremap
