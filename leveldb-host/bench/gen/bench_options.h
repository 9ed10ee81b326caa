// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/options. Do not edit: run python interfaces/generate.py
// clang-format off
//
// The options of db_bench and the first words of an operation trace.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "gen/remap_option_ranges.h"

namespace openremap {

inline constexpr char kTraceName[] = "openremap-operations";
inline constexpr char kTraceVersion[] = "1";

// What all kinds of options have.
struct OptionText {
  const char *name;
  const char *value;      // placeholder of the value in the help
  const char *help;       // a sentence or more
  const char *excludes;   // options that must not be given with this one, joined by |
  const char *workloads;  // workloads that it applies to, joined by |; empty: all
};

// A number. An OptionalOption is absent unless given, so its range's default means nothing.
template <typename T>
struct NumberOption {
  OptionText text;
  OptionRange<T> range;
};
template <typename T>
struct OptionalOption {
  OptionText text;
  OptionRange<T> range;
};

// on or off.
struct SwitchOption {
  OptionText text;
  bool initial;
};

// A name of a list. The order is that of the enumerators.
struct ChoiceName {
  const char *name;
};
inline constexpr std::array<ChoiceName, 3> kKeysNames = { { {"uniform"}, {"zipfian"}, {"latest"}, }};
inline constexpr std::array<ChoiceName, 3> kPlacementsNames = { { {"off"}, {"level"}, {"table"}, }};
inline constexpr std::array<ChoiceName, 2> kAllocationsNames = { { {"first"}, {"next"}, }};
inline constexpr std::array<ChoiceName, 3> kJournalsNames = { { {"off"}, {"metadata"}, {"data"}, }};
inline constexpr std::array<ChoiceName, 3> kSidesNames = { { {"off"}, {"files"}, {"all"}, }};
inline constexpr std::array<ChoiceName, 2> kBlendRulesNames = { { {"space"}, {"runs"}, }};
inline constexpr std::array<ChoiceName, 3> kRemapBlocksNames = { { {"all"}, {"attached"}, {"none"}, }};
inline constexpr std::array<ChoiceName, 2> kCompactionsNames = { { {"eager"}, {"late"}, }};
inline constexpr std::array<ChoiceName, 4> kValueLogCollectorsNames = { { {"copy"}, {"remap"}, {"punch"}, {"cost"}, }};

// One of the names of a list.
struct ChoiceOption {
  OptionText text;
  const char *initial;
};

// Anything.
struct TextOption {
  OptionText text;
  const char *initial;
};

namespace described {

inline constexpr int kOptions = 66;  // that follow
inline constexpr ChoiceOption kWorkload = {{"workload", "WORKLOAD",
    "Workload to run.",
    "", ""}, "fillrandom"};
inline constexpr TextOption kDevice = {{"device", "DEVICE",
    "Where the database lies.",
    "", ""}, ""};
inline constexpr ChoiceOption kMode = {{"mode", "MODE",
    "What compactions do with unchanged blocks.",
    "", ""}, "blend"};
inline constexpr NumberOption<uint64_t> kNum = {{"num", "N",
    "Number of records, which is the size of the key space; also the number of operations, unless --operations is given.",
    "", ""},
    {1u, 1000000000u, 6000u, false}};
inline constexpr NumberOption<uint64_t> kOperations = {{"operations", "N",
    "Number of operations, of utxo with gets and commits; readrandom, readseq and ycsbload ignore it. 0: as many as --num.",
    "", ""},
    {0u, 1000000000u, 0u, false}};
inline constexpr NumberOption<size_t> kValueSize = {{"value-size", "N",
    "Size of a value in bytes. Mixgraph's workloads and utxo have their own value sizes.",
    "", ""},
    {0u, 16777216u, 984u, false}};
inline constexpr NumberOption<size_t> kValueSizeMax = {{"value-size-max", "N",
    "Upper bound of a uniform value-size distribution that starts at --value-size, in bytes. 0: fixed size.",
    "", ""},
    {0u, 16777216u, 0u, false}};
inline constexpr NumberOption<size_t> kKeySize = {{"key-size", "N",
    "Size of a key in bytes. Keys of utxo have 34 or 35.",
    "", ""},
    {8u, 1024u, 16u, false}};
inline constexpr NumberOption<uint64_t> kSeed = {{"seed", "N",
    "Seed of the random keys and values.",
    "", ""},
    {0u, 18446744073709551615u, 1u, false}};
inline constexpr NumberOption<size_t> kWriteBuffer = {{"write-buffer", "N",
    "Memtable size in bytes.",
    "", ""},
    {65536u, 1073741824u, 98304u, false}};
inline constexpr NumberOption<size_t> kMaxFileSize = {{"max-file-size", "N",
    "Table size in bytes.",
    "", ""},
    {16384u, 1073741824u, 262144u, false}};
inline constexpr NumberOption<uint64_t> kLevel1Bytes = {{"level1-bytes", "N",
    "Size limit of level 1 in bytes.",
    "", ""},
    {16384u, 1099511627776u, 524288u, false}};
inline constexpr NumberOption<int> kLevelRatio = {{"level-ratio", "N",
    "Size limit of a level relative to the level above it.",
    "", ""},
    {2, 100, 5, false}};
inline constexpr NumberOption<int> kFillSpace = {{"fill-space", "N",
    "Modes fill, skip and blend: space that kept blocks may waste, in percent of a compaction's output.",
    "", ""},
    {0, 1000, 3, false}};
inline constexpr NumberOption<int> kLastLevelRatio = {{"last-level-ratio", "N",
    "Mode blend, and with --dynamic-levels every mode: size of all data relative to the level above the deepest one; replaces --level1-bytes. 0: level sizes as in the other modes.",
    "", ""},
    {2, 1000, 15, true}};
inline constexpr SwitchOption kDynamicLevels = {{"dynamic-levels", "on|off",
    "Level sizes that follow the data in every mode, as in blend, by --last-level-ratio.",
    "", ""}, false};
inline constexpr NumberOption<int> kBlendRuns = {{"blend-runs", "N",
    "Mode blend: maximum number of sorted runs in a table. A compaction that would exceed it merges the table.",
    "", ""},
    {1, 64, 12, false}};
inline constexpr ChoiceOption kBlendRule = {{"blend-rule", "space|runs",
    "Mode blend: what a table takes over unmerged. space: as --blend-space and --blend-runs allow; runs: KVSSD's rule, as long as the sorted runs of both levels are no more than --blend-runs.",
    "", ""}, "space"};
inline constexpr NumberOption<int> kBlendSpace = {{"blend-space", "N",
    "Mode blend with --blend-rule=space: maximum size of a table's newer runs, in percent of its oldest run and of the data below it.",
    "", ""},
    {0, 1000, 30, false}};
inline constexpr ChoiceOption kRemapBlocks = {{"remap-blocks", "all|attached|none",
    "Which unchanged blocks are remapped; the others are copied, and the tables are the same. attached: in mode blend those of tables that are not merged, in other modes none; none: compactions write everything. Collections of a value log remap all the same.",
    "", ""}, "all"};
inline constexpr NumberOption<int> kBlendFilterBits = {{"blend-filter-bits", "N",
    "Mode blend: bits per key of the tables' Bloom filters when --bloom-bits is 0. 0: no filters, and at most three runs in a table.",
    "", ""},
    {0, 20, 10, false}};
inline constexpr NumberOption<int> kBloomBits = {{"bloom-bits", "N",
    "Bits per key of the tables' Bloom filters, in every mode. 0: no filters, except those of --blend-filter-bits.",
    "", ""},
    {0, 20, 0, false}};
inline constexpr NumberOption<int> kMixInsert = {{"mix-insert", "N",
    "Percent of operations that put a new record. The five shares add up to 100.",
    "", "mix"},
    {0, 100, 25, false}};
inline constexpr NumberOption<int> kMixUpdate = {{"mix-update", "N",
    "Percent of operations that put a record again.",
    "", "mix"},
    {0, 100, 65, false}};
inline constexpr NumberOption<int> kMixRead = {{"mix-read", "N",
    "Percent of operations that get a record.",
    "", "mix"},
    {0, 100, 10, false}};
inline constexpr NumberOption<int> kMixDelete = {{"mix-delete", "N",
    "Percent of operations that delete a record.",
    "", "mix"},
    {0, 100, 0, false}};
inline constexpr NumberOption<int> kMixScan = {{"mix-scan", "N",
    "Percent of operations that read 1 to 100 entries in order.",
    "", "mix"},
    {0, 100, 0, false}};
inline constexpr ChoiceOption kMixKeys = {{"mix-keys", "uniform|zipfian|latest",
    "Which records are put again, got, deleted and scanned from. latest: zipfian, the newest first.",
    "", "mix"}, "zipfian"};
inline constexpr NumberOption<uint64_t> kUtxoOutputs = {{"utxo-outputs", "N",
    "Coins that a block makes, and as many that it spends. Bitcoin's blocks make some thousands.",
    "", "utxo"},
    {1u, 1000000u, 100u, false}};
inline constexpr NumberOption<uint64_t> kUtxoFlush = {{"utxo-flush", "N",
    "Blocks whose changes are written together, as one synced batch. Six are an hour.",
    "", "utxo"},
    {1u, 10000u, 6u, false}};
inline constexpr NumberOption<uint64_t> kUtxoCache = {{"utxo-cache", "N",
    "Age in blocks up to which a coin that is spent need not be read from the database. 144 are a day.",
    "", "utxo"},
    {0u, 1000000u, 144u, false}};
inline constexpr NumberOption<uint32_t> kSuperblocks = {{"superblocks", "N",
    "Flash size in superblocks. 0: the whole device.",
    "", ""},
    {0u, 4294967295u, 0u, false}};
inline constexpr TextOption kGeometry = {{"geometry", "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]",
    "Flash geometry of the model, for example 8x4x512x256 for 16 GiB, or 8x4x512x64x4 for 16 GiB in 16 KiB pages.",
    "", ""}, ""};
inline constexpr NumberOption<uint32_t> kOverProvisioning = {{"over-provisioning", "N",
    "Simulated devices: percent of the usable flash that the namespace does not offer. 0: 12.",
    "", ""},
    {0u, 99u, 0u, false}};
inline constexpr NumberOption<uint32_t> kPlacementHandles = {{"placement-handles", "N",
    "Simulated devices: placement handles of the namespace. 0: as many as do not make it smaller.",
    "", ""},
    {0u, 128u, 0u, false}};
inline constexpr TextOption kCache = {{"cache", "MODE[,line=BYTES]",
    "Simulated devices: data cache between firmware and DRAM. keep: a line stays until firmware moves it; evict: lines also leave at random; none. Lines have 32 bytes.",
    "", ""}, ""};
inline constexpr TextOption kFirmware = {{"firmware", "native|remote[,image=FILE][,patience=SECONDS]",
    "Simulated devices: what runs the firmware. native: this process; remote: QEMU, with the image for a Zynq. Results are those of native with --firmware-cpu none, but remote is slower.",
    "", ""}, ""};
inline constexpr TextOption kFirmwareCpu = {{"firmware-cpu", "none|vexriscv|cortex-a9",
    "Simulated devices but soc: processor whose time the firmware's computing takes; by default vexriscv, with native firmware. none: it takes no time but that of its register accesses.",
    "", ""}, ""};
inline constexpr NumberOption<uint32_t> kMappingUnit = {{"mapping-unit", "N",
    "PageFS: pages that the device maps by one entry. Of a larger unit a part is read, modified and written.",
    "", ""},
    {1u, 8u, 1u, false}};
inline constexpr ChoiceOption kPlacement = {{"placement", "off|level|table",
    "PageFS: give the tables of each level a placement handle of the device, as far as it has them (level), and begin a reclaim unit with each table, too (table).",
    "", ""}, "level"};
inline constexpr SwitchOption kDeallocate = {{"deallocate", "on|off",
    "PageFS: tell the device which pages are free.",
    "", ""}, true};
inline constexpr SwitchOption kMkfsDiscard = {{"mkfs-discard", "on|off",
    "PageFS: with --deallocate=on, tell the device that all pages are free when it gets its file system.",
    "", ""}, true};
inline constexpr ChoiceOption kAllocation = {{"allocation", "first|next",
    "PageFS: take free pages from the lowest on, or behind those that were taken last.",
    "", ""}, "first"};
inline constexpr SwitchOption kAlign = {{"align", "on|off",
    "PageFS: begin files at multiples of what the device likes to be written in.",
    "", ""}, true};
inline constexpr ChoiceOption kJournal = {{"journal", "off|metadata|data",
    "PageFS: write what a journalling file system writes beside the pages themselves: a copy of its metadata, or of all pages, to a ring behind them. Nothing is read from there.",
    "", ""}, "off"};
inline constexpr ChoiceOption kSide = {{"side", "off|files|all",
    "PageFS: keep all files but tables on a device of their own (files), and the metadata of PageFS, too (all). That device is memory and takes no time, and images lack what it has.",
    "", ""}, "off"};
inline constexpr SwitchOption kPrecondition = {{"precondition", "on|off",
    "Bring the device to a steady state first: write all of it twice in order, then single pages at random until write amplification stays the same (SNIA PTS).",
    "check", ""}, false};
inline constexpr NumberOption<size_t> kBlockSize = {{"block-size", "N",
    "Size of a table's data blocks in bytes.",
    "", ""},
    {1024u, 4194304u, 4096u, false}};
inline constexpr SwitchOption kSeekCompactions = {{"seek-compactions", "on|off",
    "Compact tables that reads look into in vain too often.",
    "", ""}, true};
inline constexpr ChoiceOption kCompactions = {{"compactions", "eager|late",
    "When compactions run. eager: before the next operation; late: when level 0 has so many tables that LevelDB slows writers down, which is how a writer leaves them that is as fast as it can be.",
    "", ""}, "eager"};
inline constexpr SwitchOption kSeparate = {{"separate", "on|off",
    "Keep values in a value log, and pointers to them in the tables (WiscKey), in every mode.",
    "", ""}, false};
inline constexpr NumberOption<uint64_t> kValueLogThreshold = {{"value-log-threshold", "N",
    "With --separate: size of a value in bytes from which on it goes to the value log. 0: all values do.",
    "", ""},
    {0u, 1073741824u, 0u, false}};
inline constexpr NumberOption<uint64_t> kValueLogSegment = {{"value-log-segment", "N",
    "With --separate: size in bytes at which a segment of the value log ends.",
    "", ""},
    {65536u, 1073741824u, 1048576u, false}};
inline constexpr NumberOption<int> kValueLogDead = {{"value-log-dead", "N",
    "With --separate: percent of the value log that is to be dead before its live values are moved to free it. 0: never.",
    "", ""},
    {0, 95, 30, false}};
inline constexpr ChoiceOption kValueLogCollector = {{"value-log-collector", "copy|remap|punch|cost",
    "With --separate: copy live values to free a segment of the value log, remap its live pages, punch out its dead pages, or of the three what costs least.",
    "", ""}, "cost"};
inline constexpr NumberOption<uint64_t> kSyncEvery = {{"sync-every", "N",
    "Sync every Nth put, delete or batch and print `synced PUTS` each time. 0: never.",
    "", ""},
    {0u, 1000000000u, 0u, false}};
inline constexpr OptionalOption<uint64_t> kCheck = {{"check", "N",
    "Run nothing; verify that the database of an earlier fill with the same options holds at least this number of its first puts, without gaps.",
    "", "fillrandom|fillseq"},
    {0u, 1000000000u, 0u, false}};
inline constexpr TextOption kJson = {{"json", "FILE",
    "File for the results. -: standard output.",
    "", ""}, "-"};
inline constexpr TextOption kTrace = {{"trace", "FILE",
    "Write the operations to this file, for --replay.",
    "replay", "fillzipfian|ycsbload|ycsba|ycsbb|ycsbc|ycsbd|ycsbe|ycsbf|mixallrandom|mixalldist|mixprefixrandom|mixprefixdist|mix|utxo"}, ""};
inline constexpr TextOption kReplay = {{"replay", "FILE",
    "Run the operations of a file that --trace wrote, with its workload, record count, sizes and seed.",
    "trace", ""}, ""};
inline constexpr TextOption kImageDir = {{"image-dir", "FOLDER",
    "Keep the flash and NVRAM images in this folder. Default: in memory.",
    "", ""}, ""};
inline constexpr SwitchOption kReserveImage = {{"reserve-image", "on|off",
    "Reserve the space of the images in --image-dir first, so that their file system cannot fill up later.",
    "", ""}, false};
inline constexpr TextOption kTraceFile = {{"trace-file", "FILE",
    "Write a waveform to this file (.vcd or .fst).",
    "", ""}, ""};
inline constexpr TextOption kRecordFile = {{"record-file", "FILE",
    "Write the I/O commands to this file, for lockstep --replay; db_bench-record only.",
    "", ""}, ""};
inline constexpr TextOption kTracePages = {{"trace-pages", "FILE",
    "PageFS: write what it sends to the device to this file, for ioreplay.",
    "", ""}, ""};
inline constexpr SwitchOption kTraceVerify = {{"trace-verify", "on|off",
    "Let --trace-pages and --record-file also have what reads everything back after the workload.",
    "", ""}, true};

}  // namespace described
}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_
