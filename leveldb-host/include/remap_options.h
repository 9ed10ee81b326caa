// SPDX-License-Identifier: Apache-2.0
//
// Settings of remapped compaction, a member of leveldb::Options. The defaults are stock LevelDB.
#ifndef OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gen/remap_option_ranges.h"

// Where leveldb::Options has them. Programs for stock LevelDB make Options of stock size, so in libleveldb.so
// (dropin/CMakeLists.txt) they are the process's.
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
  kBase,    // RemapCom-Base: the block is kept when it falls on a page boundary of the output by itself
  kRetain,  // RemapCom: the output block before it is cut early, so that it is always kept
  kFill,    // as kRetain, but only where the pages saved are worth the space that the cut leaves empty
  kSkip,    // as kFill, and blocks that stay are found from metadata of the tables, neither read nor decoded
  kBlend,   // as kSkip, and a table may hold several sorted runs: blocks of both levels, merged only every so often
};

// "off", "base", "retain", "fill", "skip", "blend".
const char *RemapModeName(RemapMode mode);

// All names in that order, with `separator` between them.
std::string RemapModeNames(const std::string &separator);

// All of them, in that order.
std::vector<RemapMode> RemapModes();

// Returns false, leaving *mode alone, for any other name.
bool ParseRemapMode(const std::string &name, RemapMode *mode);

// The mode of Options that do not name one; kOff until set. Not thread-safe: call it before the first DB is opened.
void SetDefaultRemapMode(RemapMode mode);
RemapMode DefaultRemapMode();

struct RemapOptions {
  RemapMode mode = DefaultRemapMode();

  // Size limit of level 1 in bytes, and of each deeper level as a multiple of the one above it. In mode kBlend, unless
  // last_level_ratio is 0, sizes follow the data, and level_ratio is only what no level exceeds over the one above it.
  uint64_t level1_bytes = kLevel1Bytes.initial;
  int level_ratio = kLevelRatio.initial;

  // Mode kBlend: the level above the deepest one holds that part of all data (a fifteenth; 0: fixed sizes). What lies
  // above the deepest level mostly hides what is in it: more is less space, and more writes.
  int last_level_ratio = kLastLevelRatio.initial;

  // Modes from kFill on: the share of a compaction's output, in percent, that kept blocks may take beyond
  // what their entries would take if they were rewritten. Less space keeps fewer blocks.
  int fill_space_percent = kFillSpacePercent.initial;

  // Mode kBlend: sorted runs that a table may have. A compaction that would add one more merges the table. More
  // runs save writes; they cost reads, so tables without filters have at most three.
  int blend_runs = kBlendRuns.initial;

  // Mode kBlend: what the newer runs of a table may hold, in bytes and in entries, in percent of its oldest run and of
  // what is in deeper levels under it, of which they may hide as much. A compaction that would exceed it merges the table.
  int blend_space_percent = kBlendSpacePercent.initial;

  // Mode kBlend: bits a key of the filters (BlockFilter) that tables get where Options::filter_policy is null and the comparator is
  // BytewiseComparator() (0: none). They spare a get the runs that do not have its key.
  int blend_filter_bits = kBlendFilterBits.initial;

  // Smallest Options::max_file_size that is honoured, bytes.
  int min_table_bytes = kMinTableBytes.initial;

  // Counts what compactions do, if not null. Must outlive the DB.
  CompactionStatistics *statistics = nullptr;

  // Takes each number that is out of its range for the nearest one in it, as LevelDB does with its own when a database is opened.
  void ClipToRanges();
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_REMAP_OPTIONS_H_
