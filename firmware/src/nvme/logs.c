/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/logs.h"

#include <string.h>

#include "core/identity.h"
#include "fw.h"
#include "nvme/placement.h"

#define SMART_UNIT 512000u /* bytes */
#define GIGA 1000000000u

static uint64_t counter(const struct fw *fw, enum orm_counter i) { return state_counter(&fw->state, fw->p, i); }

static uint64_t bytes_of(uint64_t slots) { return slots * ORM_SLOT_BYTES; }

static uint64_t rounded_up(uint64_t value, uint64_t unit) { return (value + unit - 1u) / unit; }

static uint64_t programs(const struct fw *fw) { return state_programmed_slots(&fw->state, fw->p); }

static uint64_t reads(const struct fw *fw) {
  return counter(fw, ORM_COUNTER_NAND_READ_HOST) + counter(fw, ORM_COUNTER_NAND_READ_GC) +
         counter(fw, ORM_COUNTER_NAND_READ_FW);
}

/* Data that could not be read, written or moved. */
static uint64_t media_errors(const struct fw *fw) {
  return counter(fw, ORM_COUNTER_READ_ERRORS) + counter(fw, ORM_COUNTER_WRITE_ERRORS) + fw->state.media_errors;
}

/* Bytes that can be written to the flash until each block has had its rated erases. */
static uint64_t endurance(const struct fw *fw) {
  return bytes_of((uint64_t)fw->geometry.superblocks * fw->dev.slots_per_sb) * FW_RATED_ERASES;
}

static uint32_t superblocks_free(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
}

static uint32_t error_information(struct fw *fw, uint8_t *out) {
  for (uint32_t i = 0; i < FW_ERROR_ENTRIES; i++) errorlog_pack(fw, i, out + i * NVME_ERROR_LOG_ENTRY_BYTES);
  return FW_ERROR_ENTRIES * NVME_ERROR_LOG_ENTRY_BYTES;
}

/* Of the one endurance group. A group has no temperature: that bit is reserved for it. */
static uint8_t group_warning(const struct fw *fw) {
  return health_warning(fw) & (uint8_t)~NVME_CRITICAL_WARNING_TEMPERATURE;
}

static uint32_t smart(struct fw *fw, uint8_t *out) {
  uint64_t ns = state_device_ns(&fw->state, fw->p);
  struct nvme_smart_log s = {
      .critical_warning = health_warning(fw),
      .temperature = health_temperature(fw),
      .available_spare = spare_percent(fw),
      .spare_threshold = FW_SPARE_THRESHOLD,
      .percentage_used = health_percentage_used(fw),
      .group_warning = group_warning(fw),
      .data_units_read = rounded_up(bytes_of(counter(fw, ORM_COUNTER_HOST_READ_PAGES)), SMART_UNIT),
      .data_units_written = rounded_up(bytes_of(counter(fw, ORM_COUNTER_HOST_WRITE_PAGES)), SMART_UNIT),
      .host_reads = counter(fw, ORM_COUNTER_HOST_READ_COMMANDS),
      .host_writes = counter(fw, ORM_COUNTER_HOST_WRITE_COMMANDS),
      .power_cycles = fw->state.power_cycles,
      .power_on_hours = ns / (3600ull * GIGA),
      .unsafe_shutdowns = fw->state.unsafe_shutdowns,
      .media_errors = media_errors(fw),
      .error_entries = fw->state.errors,
      .warning_minutes = hot_time_warning_minutes(fw),
      .critical_minutes = hot_time_critical_minutes(fw),
  };
  nvme_smart_log_pack(&s, out);
  return NVME_SMART_LOG_BYTES;
}

static uint32_t firmware_slot(struct fw *fw, uint8_t *out) {
  (void)fw;
  struct nvme_firmware_slot_log s = {.afi = 1};
  uint8_t revision[8] = {0};
  memcpy(revision, FW_REVISION, sizeof FW_REVISION - 1u);
  s.frs1 = orm_get_le(revision, sizeof revision);
  nvme_firmware_slot_log_pack(&s, out);
  return NVME_FIRMWARE_SLOT_LOG_BYTES;
}

static uint32_t effects(struct fw *fw, uint8_t *out) {
  static const uint8_t admin[] = {
      NVME_ADMIN_OPCODE_DELETE_IO_SQ, NVME_ADMIN_OPCODE_CREATE_IO_SQ, NVME_ADMIN_OPCODE_GET_LOG_PAGE,
      NVME_ADMIN_OPCODE_DELETE_IO_CQ, NVME_ADMIN_OPCODE_CREATE_IO_CQ, NVME_ADMIN_OPCODE_IDENTIFY,
      NVME_ADMIN_OPCODE_ABORT,        NVME_ADMIN_OPCODE_SET_FEATURES, NVME_ADMIN_OPCODE_GET_FEATURES,
      NVME_ADMIN_OPCODE_ASYNC_EVENT,
  };
  static const uint8_t writing[] = {
      NVME_IO_OPCODE_WRITE, NVME_IO_OPCODE_WRITE_ZEROES, NVME_IO_OPCODE_DATASET_MANAGEMENT,
      NVME_IO_OPCODE_COPY,  ORM_VENDOR_OPCODES_REMAP,    ORM_VENDOR_OPCODES_REMAP_VECTOR,
  };
  (void)fw;
  uint8_t *io = out + 4u * 256u;
  for (size_t i = 0; i < sizeof admin; i++) orm_put_le(out + 4u * admin[i], NVME_EFFECT_SUPPORTED, 4);
  for (size_t i = 0; i < sizeof writing; i++)
    orm_put_le(io + 4u * writing[i], NVME_EFFECT_SUPPORTED | NVME_EFFECT_WRITES, 4);
  orm_put_le(out + 4u * NVME_ADMIN_OPCODE_FORMAT_NVM, NVME_EFFECT_SUPPORTED | NVME_EFFECT_WRITES | NVME_EFFECT_ALONE,
             4);
  orm_put_le(io + 4u * NVME_IO_OPCODE_READ, NVME_EFFECT_SUPPORTED, 4);
  orm_put_le(io + 4u * NVME_IO_OPCODE_FLUSH, NVME_EFFECT_SUPPORTED, 4);
  orm_put_le(io + 4u * NVME_IO_OPCODE_IO_MGMT_RECEIVE, NVME_EFFECT_SUPPORTED, 4);
  orm_put_le(io + 4u * NVME_IO_OPCODE_IO_MGMT_SEND, NVME_EFFECT_SUPPORTED, 4);
  return LOG_PAGE_MAX_BYTES;
}

static uint32_t endurance_group(struct fw *fw, uint8_t *out) {
  struct nvme_endurance_group_log e = {
      .critical_warning = group_warning(fw),
      .available_spare = spare_percent(fw),
      .spare_threshold = FW_SPARE_THRESHOLD,
      .percentage_used = health_percentage_used(fw),
      .endurance_estimate = rounded_up(endurance(fw), GIGA),
      .data_units_read = rounded_up(bytes_of(counter(fw, ORM_COUNTER_HOST_READ_PAGES)), GIGA),
      .data_units_written = rounded_up(bytes_of(counter(fw, ORM_COUNTER_HOST_WRITE_PAGES)), GIGA),
      .media_units_written = rounded_up(bytes_of(programs(fw)), GIGA),
      .host_reads = counter(fw, ORM_COUNTER_HOST_READ_COMMANDS),
      .host_writes = counter(fw, ORM_COUNTER_HOST_WRITE_COMMANDS),
      .media_errors = media_errors(fw),
      .error_entries = fw->state.errors,
  };
  nvme_endurance_group_log_pack(&e, out);
  return NVME_ENDURANCE_GROUP_LOG_BYTES;
}

static uint32_t ocp_smart(struct fw *fw, uint8_t *out) {
  static const uint8_t guid[16] = {0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4,
                                   0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF};
  struct nvme_ocp_smart_log o = {
      .media_written = bytes_of(programs(fw)),
      .media_read = bytes_of(reads(fw)),
      .bad_user_blocks = (uint64_t)fw->bad.count * fw->dev.dies, /* a superblock goes as a whole */
      .bad_user_normalized = spare_percent(fw),
      .bad_system_normalized = 100, /* metadata lives in NVRAM and among the data: there are no system blocks */
      .uncorrectable_reads = counter(fw, ORM_COUNTER_READ_ERRORS),
      .refresh_count = fw->state.read_reclaims * fw->dev.dies, /* blocks, as above */
      .max_erase_count = fw->health.most_erases,
      .min_erase_count = fw->health.fewest_erases,
      .avg_erase_count = health_average_erases(fw),
      .incomplete_shutdowns = (uint32_t)fw->state.unsafe_shutdowns,
      .percent_free_blocks = (uint8_t)(100u * superblocks_free(fw) / fw->geometry.superblocks),
      .capacitor_health = 0xFFFF, /* there is none: what must survive is in NVRAM */
      .total_nuse = health_used(fw),
      .endurance_estimate = endurance(fw),
      .version = 3,
  };
  memcpy(o.guid, guid, sizeof guid);
  nvme_ocp_smart_log_pack(&o, out);
  return NVME_OCP_SMART_LOG_BYTES;
}

static uint32_t remap_log(struct fw *fw, uint8_t *out) {
  const struct state *s = &fw->state;
  uint32_t journal = hal_read(fw->p, ORM_FW_JOURNAL_STATE);
  struct orm_remap_log l = {
      .version = 1,
      .superblocks_free = superblocks_free(fw),
      .segments_free = ORM_GET(hal_read(fw->p, ORM_FW_SEG_COUNT), ORM_FW_SEG_COUNT_VALUE),
      .segments_total = fw->dev.segments,
      .host_read_pages = counter(fw, ORM_COUNTER_HOST_READ_PAGES),
      .host_write_pages = counter(fw, ORM_COUNTER_HOST_WRITE_PAGES),
      .host_trim_pages = counter(fw, ORM_COUNTER_HOST_TRIM_PAGES),
      .remap_pages = counter(fw, ORM_COUNTER_REMAP_PAGES),
      .remap_commands = state_remap_commands(s, fw->p),
      .remap_refused_sharers = s->remap_refused_sharers,
      .remap_refused_nvram = s->remap_refused_nvram,
      .remap_refused_other = state_remap_refused_other(s, fw->p),
      .nand_program_host = counter(fw, ORM_COUNTER_NAND_PROGRAM_HOST),
      .nand_program_gc = counter(fw, ORM_COUNTER_NAND_PROGRAM_GC),
      .nand_program_pad = counter(fw, ORM_COUNTER_NAND_PROGRAM_PAD),
      .nand_program_meta = counter(fw, ORM_COUNTER_NAND_PROGRAM_META),
      .nand_read_host = counter(fw, ORM_COUNTER_NAND_READ_HOST),
      .nand_read_gc = counter(fw, ORM_COUNTER_NAND_READ_GC),
      .nand_read_meta = counter(fw, ORM_COUNTER_NAND_READ_FW),
      .nand_erase = counter(fw, ORM_COUNTER_NAND_ERASE),
      .gc_victims = counter(fw, ORM_COUNTER_GC_VICTIMS),
      .gc_moved_pages = counter(fw, ORM_COUNTER_GC_MOVED_PAGES),
      .gc_moved_shared = counter(fw, ORM_COUNTER_GC_MOVED_SHARED),
      .gc_lost_races = counter(fw, ORM_COUNTER_GC_LOST_RACES),
      .remap_entries = counter(fw, ORM_COUNTER_REMAP_ENTRIES),
      .segments_freed = counter(fw, ORM_COUNTER_SEGMENTS_FREED),
      .bad_entries = counter(fw, ORM_COUNTER_BAD_ENTRIES),
      .chain_compactions = counter(fw, ORM_COUNTER_CHAIN_COMPACTIONS),
      .stale_dropped = counter(fw, ORM_COUNTER_STALE_DROPPED),
      .chains_destaged = counter(fw, ORM_COUNTER_CHAINS_DESTAGED),
      .entries_destaged = counter(fw, ORM_COUNTER_ENTRIES_DESTAGED),
      .stall_write_buffer = counter(fw, ORM_COUNTER_STALL_WRITE_BUFFER),
      .stall_alloc = counter(fw, ORM_COUNTER_STALL_ALLOC),
      .stall_map_lock = counter(fw, ORM_COUNTER_STALL_MAP_LOCK),
      .stall_share_lock = counter(fw, ORM_COUNTER_STALL_SHARE_LOCK),
      .stall_fence = counter(fw, ORM_COUNTER_STALL_FENCE),
      .stall_journal = counter(fw, ORM_COUNTER_STALL_JOURNAL),
      .map_lookups = counter(fw, ORM_COUNTER_MAP_LOOKUPS),
      .map_updates = counter(fw, ORM_COUNTER_MAP_UPDATES),
      .device_ns = state_device_ns(s, fw->p),
      .trim_checkpoints = s->trim_checkpoints,
      .journal_used = ORM_GET(journal, ORM_FW_JOURNAL_STATE_USED),
      .sharer_limit = fw->dev.sharers,
      .crashes = fw->crash.count,
      .read_only = spare_write_protected(fw),
      .damaged_entries = s->damaged[DAMAGE_ENTRY],
      .damaged_segments = s->damaged[DAMAGE_SEGMENT],
      .damaged_journal = s->damaged[DAMAGE_JOURNAL],
      .damaged_words = s->damaged[DAMAGE_WORD],
      .l2p_hits = counter(fw, ORM_COUNTER_L2P_HITS),
      .l2p_misses = counter(fw, ORM_COUNTER_L2P_MISSES),
      .remap_sharers_2 = counter(fw, ORM_COUNTER_REMAP_SHARERS_2),
      .remap_sharers_4 = counter(fw, ORM_COUNTER_REMAP_SHARERS_4),
      .remap_sharers_8 = counter(fw, ORM_COUNTER_REMAP_SHARERS_8),
      .remap_sharers_more = counter(fw, ORM_COUNTER_REMAP_SHARERS_MORE),
      .segments_most = state_segments_most(s, &fw->dev, fw->p),
      .superblock_slots = fw->dev.data_slots,
      .nand_program_fails = counter(fw, ORM_COUNTER_NAND_PROGRAM_FAILS),
      .host_saved_pages = counter(fw, ORM_COUNTER_HOST_SAVED_PAGES),
      .nand_read_retries = counter(fw, ORM_COUNTER_NAND_READ_RETRIES),
      .read_reclaims = s->read_reclaims,
      .wear_moved_pages = s->wear_moved_pages,
      .board = fw->p->board,
  };
  orm_remap_log_pack(&l, out);
  return ORM_REMAP_LOG_BYTES;
}

static uint32_t changed_namespaces(struct fw *fw, uint8_t *out) {
  if (async_event_stands(fw, NVME_ASYNC_EVENT_NAMESPACE_CHANGED)) orm_put_le(out, FW_NSID, 4);
  return LOG_PAGE_MAX_BYTES;
}

/* No event is ever recorded: the page is its header, whose number of events is 0. */
static uint32_t placement_events(struct fw *fw, uint8_t *out) {
  (void)fw;
  (void)out;
  return PLACEMENT_EVENTS_HEADER_BYTES;
}

static uint32_t crash(struct fw *fw, uint8_t *out) {
  crash_log_page(fw, out);
  return ORM_CRASH_LOG_BYTES;
}

static const struct log_page pages[] = {
    {NVME_LOG_PAGE_ERROR_INFORMATION, LOG_OF_CONTROLLER, false, error_information},
    {NVME_LOG_PAGE_SMART, LOG_OF_CONTROLLER, true, smart},
    {NVME_LOG_PAGE_FIRMWARE_SLOT, LOG_OF_CONTROLLER, false, firmware_slot},
    {NVME_LOG_PAGE_CHANGED_NAMESPACES, LOG_OF_CONTROLLER, false, changed_namespaces},
    {NVME_LOG_PAGE_COMMANDS_SUPPORTED, LOG_OF_COMMAND_SET, false, effects},
    {NVME_LOG_PAGE_ENDURANCE_GROUP, LOG_OF_GROUP, true, endurance_group},
    {NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, LOG_OF_GROUP, false, placement_configurations},
    {NVME_LOG_PAGE_PLACEMENT_USAGE, LOG_OF_GROUP, false, placement_usage},
    {NVME_LOG_PAGE_PLACEMENT_STATISTICS, LOG_OF_GROUP, false, placement_statistics},
    {NVME_LOG_PAGE_PLACEMENT_EVENTS, LOG_OF_GROUP, false, placement_events},
    {ORM_VENDOR_LOG_PAGES_OCP_SMART, LOG_OF_CONTROLLER, true, ocp_smart},
    {ORM_VENDOR_LOG_PAGES_REMAP_LOG, LOG_OF_CONTROLLER, false, remap_log},
    {ORM_VENDOR_LOG_PAGES_CRASH_LOG, LOG_OF_CONTROLLER, false, crash},
};

const struct log_page *logs_page(uint8_t id) {
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    if (pages[i].id == id) return &pages[i];
  }
  return NULL;
}

uint32_t logs_build(struct fw *fw, const struct log_page *page, uint8_t *out) { return page->build(fw, out); }
