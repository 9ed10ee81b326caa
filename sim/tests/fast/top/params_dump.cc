// SPDX-License-Identifier: Apache-2.0
//
// fast_params [FILE]: prints the sizes and codes of the fast model and the firmware as JSON, with the names of
// hw/src/top/Params.scala, for params_check.py. Without FILE: {"params", "limits", "enums"} for the defaults. With
// FILE, for each line, which is a geometry: [{"geometry", "params"} or {"geometry", "refused"}].
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "firmware_limits.h"
#include "nand_types.h"
#include "orm_formats.h"
#include "sim_error.h"
#include "top/params.h"

namespace orm::fast {
namespace {

using Numbers = std::vector<std::pair<const char *, uint64_t>>;

Numbers numbers_of(const Params &p) {
  const Geometry &g = p.g;
  const Knobs &k = p.k;
  return {{"channels", g.channels},
          {"diesPerChannel", g.dies_per_channel},
          {"blocksPerDie", g.blocks_per_die},
          {"pagesPerBlock", g.pages_per_block},
          {"slotsPerPage", g.slots_per_page},
          {"ioQueues", k.io_queues},
          {"maxQueueEntries", k.max_queue_entries},
          {"commandsWaiting", k.commands_waiting},
          {"writeBuffers", k.write_buffers},
          {"readBuffers", k.read_buffers},
          {"gcMoves", k.gc_moves},
          {"gcBuffers", k.gc_buffers},
          {"fwBuffers", k.fw_buffers},
          {"segments", k.segments},
          {"segmentsPerChain", k.segments_per_chain},
          {"gcReserveSegments", k.gc_reserve_segments},
          {"journalRecords", k.journal_records},
          {"refLimit", k.ref_limit},
          {"mdtsPages", k.mdts_pages},
          {"placementHandles", k.placement_handles},
          {"mapCacheSets", k.map_cache_sets},
          {"dieQueueDepth", k.die_queue_depth},
          {"readRetries", k.read_retries},
          {"gcDiePlaces", k.gc_die_places},
          {"gcOneIn", k.gc_one_in},
          {"slotBytes", ORM_SLOT_BYTES},
          {"dies", p.dies},
          {"superblocks", p.superblocks},
          {"slotsPerSb", p.slots_per_sb},
          {"slots", p.slots},
          {"lpns", p.lpns},
          {"subBits", p.sub_bits},
          {"channelBits", p.channel_bits - p.sub_bits},
          {"dieBits", p.die_bits - p.sub_bits},
          {"offsetBits", p.offset_bits},
          {"refMost", p.ref_most()},
          {"buffers", p.buffers},
          {"readBufBase", p.read_buf_base},
          {"gcBufBase", p.gc_buf_base},
          {"fwBuf", p.fw_buf},
          {"summarySlots", p.summary_slots},
          {"dataSlots", p.data_slots},
          {"slotLogs", p.slot_logs},
          {"logBytes", p.log_bytes},
          {"keptSlots", p.kept_slots},
          {"queues", p.queues},
          {"copyRanges", p.copy_ranges()},
          {"copyPages", p.copy_pages()},
          {"l2pBase", p.l2p_base},
          {"refBase", p.ref_base},
          {"logBase", p.log_base},
          {"fwDramBase", p.fw_dram_base},
          {"fwDramBytes", p.fw_dram_bytes},
          {"dramBytes", p.dram_bytes},
          {"nvHeaderBase", p.nv_header},
          {"nvCommitAddr", p.nv_commit},
          {"nvCheckpointAddr", p.nv_checkpoint},
          {"nvCountersBase", p.nv_counters},
          {"nvBlockTableBase", p.nv_blocks},
          {"nvJournalBase", p.nv_journal},
          {"nvBitmapBase", p.nv_bitmap},
          {"nvBitmapBytes", p.nv_bitmap_bytes},
          {"nvTrimPointers", p.nv_trim_pointers},
          {"trimRegions", p.trim_regions},
          {"nvSegBase", p.nv_segments},
          {"nvramBytes", p.nvram_bytes},
          {"segBytes", kSegmentBytes},
          {"entriesPerSeg", p.entries_per_seg},
          {"chainEntries", p.chain_entries},
          {"destageEntries", kDestageEntries},
          {"capDestageSlots", p.destage_slots},
          {"destageLpn", p.destage_lpn}};
}

const Numbers kLimits = {{"maxSuperblocks", FW_MAX_SUPERBLOCKS},     {"maxDies", FW_MAX_DIES},
                         {"maxIoQueues", FW_MAX_IO_QUEUES},          {"maxHandles", FW_MAX_HANDLES},
                         {"maxSlotsPerSb", FW_MAX_SLOTS_PER_SB},     {"maxSlotsPerPage", FW_MAX_SLOTS_PER_PAGE},
                         {"maxDestageSlots", FW_MAX_DESTAGE_SLOTS},  {"allocReserve", FW_ALLOC_RESERVE},
                         {"spareSuperblocks", FW_SPARE_SUPERBLOCKS}, {"minSuperblocks", FW_MIN_SUPERBLOCKS}};

const Numbers kNandOp = {{"read", uint64_t(NandOp::kRead)},
                         {"probe", uint64_t(NandOp::kProbe)},
                         {"transfer", uint64_t(NandOp::kTransfer)},
                         {"program", uint64_t(NandOp::kProgram)},
                         {"erase", uint64_t(NandOp::kErase)}};

const Numbers kNandStatus = {{"ok", uint64_t(NandStatus::kOk)},
                             {"failed", uint64_t(NandStatus::kFailed)},
                             {"uncorrectable", uint64_t(NandStatus::kUncorrectable)},
                             {"erased", uint64_t(NandStatus::kErased)}};

void print(const char *name, const Numbers &numbers) {
  std::printf("\"%s\": {", name);
  const char *between = "";
  for (const auto &[key, value] : numbers) {
    std::printf("%s\"%s\": %" PRIu64, between, key, value);
    between = ", ";
  }
  std::printf("}");
}

void print_facts() {
  std::printf("{");
  print("params", numbers_of(Params(Geometry(), Knobs())));
  std::printf(",\n");
  print("limits", kLimits);
  std::printf(",\n\"enums\": {");
  print("NandOp", kNandOp);
  std::printf(", ");
  print("NandStatus", kNandStatus);
  std::printf("}}\n");
}

bool print_geometries(const char *path) {
  std::ifstream file(path);
  const char *between = "[";
  for (std::string line; std::getline(file, line);) {
    std::printf("%s{\"geometry\": \"%s\", ", between, line.c_str());
    between = ",\n";
    try {
      print("params", numbers_of(Params(parse_geometry(line))));
      std::printf("}");
    } catch (const ConfigError &error) {
      std::printf("\"refused\": \"%s\"}", error.what());
    }
  }
  std::printf("]\n");
  return file.eof();
}

}  // namespace
}  // namespace orm::fast

int main(int argc, char **argv) {
  if (argc == 2) return orm::fast::print_geometries(argv[1]) ? 0 : 1;
  orm::fast::print_facts();
  return 0;
}
