// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/options. Do not edit: run python interfaces/generate.py
// clang-format off
//
// The options of db_bench and the first words of an operation trace.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_

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

inline constexpr int kOptions = 32;  // that follow
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
    "Number of operations; readrandom, readseq and ycsbload ignore it. 0: as many as --num.",
    "", ""},
    {0u, 1000000000u, 0u, false}};
inline constexpr NumberOption<size_t> kValueSize = {{"value-size", "N",
    "Size of a value in bytes. The mix* workloads have their own value sizes.",
    "", ""},
    {0u, 16777216u, 984u, false}};
inline constexpr NumberOption<size_t> kValueSizeMax = {{"value-size-max", "N",
    "Upper bound of a uniform value-size distribution that starts at --value-size, in bytes. 0: fixed size.",
    "", ""},
    {0u, 16777216u, 0u, false}};
inline constexpr NumberOption<size_t> kKeySize = {{"key-size", "N",
    "Size of a key in bytes.",
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
    "Mode blend: size of all data relative to the level above the deepest one; replaces --level1-bytes. 0: level sizes as in the other modes.",
    "", ""},
    {2, 1000, 15, true}};
inline constexpr NumberOption<int> kBlendRuns = {{"blend-runs", "N",
    "Mode blend: maximum number of sorted runs in a table. A compaction that would exceed it merges the table.",
    "", ""},
    {1, 64, 12, false}};
inline constexpr NumberOption<int> kBlendSpace = {{"blend-space", "N",
    "Mode blend: maximum size of a table's newer runs, in percent of its oldest run and of the data below it.",
    "", ""},
    {0, 1000, 30, false}};
inline constexpr NumberOption<int> kBlendFilterBits = {{"blend-filter-bits", "N",
    "Mode blend: bits per key of the tables' Bloom filters when --bloom-bits is 0. 0: no filters, and at most three runs in a table.",
    "", ""},
    {0, 20, 10, false}};
inline constexpr NumberOption<int> kBloomBits = {{"bloom-bits", "N",
    "Bits per key of the tables' Bloom filters, in every mode. 0: no filters, except those of --blend-filter-bits.",
    "", ""},
    {0, 20, 0, false}};
inline constexpr NumberOption<uint32_t> kSuperblocks = {{"superblocks", "N",
    "Flash size in superblocks. 0: the whole device.",
    "", ""},
    {0u, 4294967295u, 0u, false}};
inline constexpr TextOption kGeometry = {{"geometry", "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]",
    "Flash geometry of the model, for example 8x4x512x256 for 16 GiB, or 8x4x512x64x4 for 16 GiB in 16 KiB pages.",
    "", ""}, ""};
inline constexpr SwitchOption kPlacement = {{"placement", "on|off",
    "PageFS: give the tables of each level a placement handle of the device, as far as it has them.",
    "", ""}, true};
inline constexpr NumberOption<uint64_t> kSyncEvery = {{"sync-every", "N",
    "Sync every Nth put and print `synced PUTS` each time. 0: never.",
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
    "replay", "fillzipfian|ycsbload|ycsba|ycsbb|ycsbc|ycsbd|ycsbe|ycsbf|mixallrandom|mixalldist|mixprefixrandom|mixprefixdist"}, ""};
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

}  // namespace described
}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_GEN_BENCH_OPTIONS_H_
