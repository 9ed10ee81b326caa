// SPDX-License-Identifier: Apache-2.0
//
// Settings of remapped compaction, a member of leveldb::Options. The defaults are stock LevelDB.
#ifndef OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gen/remap_option_ranges.h"

// Storage class of the member of leveldb::Options. Programs for stock LevelDB allocate Options of stock size, so in
// libleveldb.so (dropin/CMakeLists.txt) the settings are static and belong to the process.
#ifdef OPENREMAP_STOCK_ABI
#define OPENREMAP_OPTIONS_STORAGE static inline
#else
#define OPENREMAP_OPTIONS_STORAGE
#endif

namespace openremap {

class CompactionStatistics;

// What a compaction does with a data block whose entries all survive, in order and with nothing merged in between
// (RemapCom, Micromachines 2025, section 4).
enum class RemapMode : uint8_t {
  kOff,     // stock LevelDB: unaligned blocks, all entries rewritten
  kBase,    // RemapCom-Base: the block is kept if it happens to fall on a page boundary of the output
  kRetain,  // RemapCom: the output block before it is cut early, so that it is always kept
  kFill,    // as kRetain, but only where the pages saved are worth the space that the cut leaves empty
  kSkip,    // as kFill, and unchanged blocks are found in the metadata of the tables, without reading them
  kBlend,   // as kSkip, and a table may hold several sorted runs with blocks of both levels, which are merged later
};

// Mode kBlend: which tables of the output level a compaction leaves unmerged, beside what always has them merged
// (planner/blend_plan.h).
enum class BlendRule : uint8_t {
  kSpace,  // as long as the space that their newer runs may hide is within blend_space_percent, up to blend_runs runs
  kRuns,   // KVSSD's (DATE 2018): as long as their runs and those of the level above are together at most blend_runs
};

// Which of the blocks that are kept are remapped. The others are copied: the tables are the same, for more writes.
enum class RemapBlocks : uint8_t {
  kAll,
  kAttached,  // mode kBlend: those of tables that are left unmerged. A tiered LSM tree that never writes a table again
              // before it is merged would leave them where they are
  kNone,      // what the plan of a mode costs without remapping
};

// How the space of dead values in the value log is freed (docs/design/value-log.md, Collection).
enum class ValueLogCollector : uint8_t {
  kCopy,   // live values are inserted again, and the segment goes
  kRemap,  // live pages are remapped to a new file; no pointer changes
  kPunch,  // dead pages leave the file; nothing is written, and no pointer changes
  kCost,   // of the three what costs least, segment by segment
};

// "off", "base", "retain", "fill", "skip", "blend".
const char *RemapModeName(RemapMode mode);

// All names in that order, with `separator` between them.
std::string RemapModeNames(const std::string &separator);

// All of them, in that order.
std::vector<RemapMode> RemapModes();

// Returns false and leaves *mode unchanged for any other name.
bool ParseRemapMode(const std::string &name, RemapMode *mode);

// The mode of Options that do not set one; kOff unless set here. Not thread-safe: call it before the first DB is
// opened.
void SetDefaultRemapMode(RemapMode mode);
RemapMode DefaultRemapMode();

// The threshold of databases without a value log.
constexpr uint64_t kNoValueLog = std::numeric_limits<uint64_t>::max();

// As SetDefaultRemapMode(), for RemapOptions::value_log_threshold; kNoValueLog unless set here.
void SetDefaultValueLogThreshold(uint64_t bytes);
uint64_t DefaultValueLogThreshold();

struct RemapOptions {
  RemapMode mode = DefaultRemapMode();

  // Size limit of level 1 in bytes, and of each deeper level as a multiple of the one above it. Where sizes follow the
  // data, level_ratio is only what no level exceeds over the one above it.
  uint64_t level1_bytes = kLevel1Bytes.initial;
  int level_ratio = kLevelRatio.initial;

  // Whether level sizes follow the data in the other modes, too. In mode kBlend they do.
  bool dynamic_levels = false;

  // Where level sizes follow the data: size of all data relative to the level above the deepest one; 0: fixed level
  // sizes all the same. Entries above the deepest level mostly hide older entries in it, so a larger ratio saves space
  // and costs writes.
  int last_level_ratio = kLastLevelRatio.initial;

  // Modes from kFill on: space that kept blocks may waste, in percent of a compaction's output. A kept block wastes
  // what it takes beyond the size of its entries if they were rewritten. Less space keeps fewer blocks.
  int fill_space_percent = kFillSpacePercent.initial;

  // Modes that keep blocks: which of them are remapped.
  RemapBlocks remap_blocks = RemapBlocks::kAll;

  // Mode kBlend: which tables are left unmerged.
  BlendRule blend_rule = BlendRule::kSpace;

  // Mode kBlend: maximum number of sorted runs in a table. A compaction that would exceed it merges the table. More
  // runs save writes and cost reads. With the rule kSpace, tables without filters have at most three. With the rule
  // kRuns this is KVSSD's threshold TH, and 1 has every table merged.
  int blend_runs = kBlendRuns.initial;

  // Mode kBlend, rule kSpace: maximum size of a table's newer runs, both in bytes and in entries, in percent of its
  // oldest run and of the data of deeper levels in its key range. That is also how much they can hide. A compaction
  // that would exceed it merges the table.
  int blend_space_percent = kBlendSpacePercent.initial;

  // Mode kBlend: bits per key of the filters (BlockFilter) that tables get if Options::filter_policy is null and the
  // comparator is BytewiseComparator(); 0: no filters. With filters, a get skips the runs that do not have its key.
  int blend_filter_bits = kBlendFilterBits.initial;

  // Minimum of Options::max_file_size in bytes; smaller values are raised to it.
  int min_table_bytes = kMinTableBytes.initial;

  // Size in bytes below which the manifest of an open database is never replaced. Above it, a manifest with four times
  // the bytes of its content is replaced by a new one (manifest_roll.h), in every mode.
  uint64_t min_manifest_bytes = kMinManifestBytes.initial;

  // Size in bytes at which the info log LOG, if the program sets no Options::info_log, becomes LOG.old, in every mode.
  uint64_t max_info_log_bytes = kMaxInfoLogBytes.initial;

  // Whether tables that reads look into in vain too often are compacted, in every mode, as stock LevelDB does. Off:
  // only what is written causes compactions.
  bool seek_compactions = true;

  // Values of at least this many bytes go to the value log instead of the tables; 0: all values. kNoValueLog: none go
  // there. A database is made with a value log or without, by whether this is kNoValueLog, and stays so. One that was
  // made without is refused with a threshold (InvalidArgument); one that has a value log opens with any.
  uint64_t value_log_threshold = DefaultValueLogThreshold();

  // Size in bytes at which a segment of the value log ends and the next one begins.
  uint64_t value_log_segment_bytes = kValueLogSegmentBytes.initial;

  // Share of the value log in percent that is to be dead before values that live are moved to free it; 0: never.
  int value_log_dead_percent = kValueLogDeadPercent.initial;

  // What becomes of the values that live. Where the file layer cannot do it, it is kCopy.
  ValueLogCollector value_log_collector = ValueLogCollector::kCost;

  // Counts what compactions do, if not null. Must outlive the DB.
  CompactionStatistics *statistics = nullptr;

  // Clips each number to its range, as LevelDB does with its own options when a database is opened.
  void ClipToRanges();
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_
