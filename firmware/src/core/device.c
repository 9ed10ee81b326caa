/* SPDX-License-Identifier: Apache-2.0 */
#include "core/device.h"

#include "core/hal.h"

#define FITS(most, field) _Static_assert((most)-1u <= field##_MASK >> field##_SHIFT, #field " is too narrow")
FITS(FW_MAX_SUPERBLOCKS, ORM_FW_ALLOC_RESTORE_SB);
FITS(FW_MAX_SUPERBLOCKS, ORM_FW_ALLOC_OPEN_SB);
FITS(FW_MAX_SUPERBLOCKS, ORM_FW_SB_SELECT_SB);
FITS(FW_MAX_SLOTS_PER_SB, ORM_FW_ALLOC_RESTORE_NEXT);
FITS(FW_MAX_SLOTS_PER_SB, ORM_FW_ALLOC_OPEN_NEXT);
FITS((uint64_t)FW_MAX_SUPERBLOCKS *FW_MAX_SLOTS_PER_SB, ORM_FW_NAND_STATUS_SLOT);

static bool in_range(uint32_t v, uint32_t low, uint32_t high) { return v >= low && v <= high; }

/* No register says it: what a superblock has more of than pages. 0: that cannot be. */
static uint32_t slots_per_page(const struct device *d) {
  uint64_t pages = (uint64_t)d->dies * d->pages_per_block;
  if (pages == 0 || d->slots_per_sb % pages != 0) return 0;
  uint32_t slots = (uint32_t)(d->slots_per_sb / pages);
  return in_range(slots, 1, FW_MAX_SLOTS_PER_PAGE) ? slots : 0;
}

/* Identify Namespace can name them, and firmware's buffer holds a list of the longer descriptor format. */
static bool good_copy(const struct device *d) {
  return in_range(d->copy_ranges, 1, ORM_REMAP_RANGES_MAX) && in_range(d->copy_pages, 1, ORM_REMAP_PAGES_MAX) &&
         d->copy_ranges * NVME_COPY_RANGE1_BYTES <= device_buffer_bytes(d);
}

/* Their LPNs are the last ones, two sets for each superblock. */
static bool good_destage(const struct device *d) {
  uint32_t slots = d->destage_slots;
  return slots <= FW_MAX_DESTAGE_SLOTS && (slots & (slots - 1u)) == 0 && d->destage_lpn > 0 &&
         (uint64_t)d->destage_lpn + 2u * slots * d->superblocks == d->lpns;
}

/* Whole pages, which leave most of the superblock, with room for all records and the trailer; and DRAM has room
 * for the logs. */
static bool good_summary(const struct device *d, uint32_t logs) {
  if (d->summary_slots == 0) return true;
  uint32_t records = (d->slots_per_sb - d->summary_slots) * ORM_SLOT_RECORD_BYTES;
  return d->summary_slots % d->slots_per_page == 0 && d->summary_slots <= d->slots_per_sb / 4u &&
         records + ORM_SUMMARY_TRAILER_BYTES <= device_summary_bytes(d) && d->dram_log <= d->dram_fw && logs != 0 &&
         d->dram_fw - d->dram_log >= (uint64_t)logs * device_summary_bytes(d);
}

fw_result_t device_probe(struct device *d, const struct platform *p) {
  if (hal_read(p, ORM_FW_ID) != ORM_FW_ID_RESET) return FW_HARDWARE_ID;
  if (hal_read(p, ORM_FW_VERSION) != ORM_FW_VERSION_RESET) return FW_HARDWARE_VERSION;

  uint32_t flash = hal_read(p, ORM_FW_CAP_FLASH);
  d->flash = flash;
  d->channels = ORM_GET(flash, ORM_FW_CAP_FLASH_CHANNELS);
  d->dies_per_channel = ORM_GET(flash, ORM_FW_CAP_FLASH_DIES_PER_CHANNEL);
  d->pages_per_block = ORM_GET(flash, ORM_FW_CAP_FLASH_PAGES_PER_BLOCK);
  d->dies = d->channels * d->dies_per_channel;
  d->superblocks = hal_read(p, ORM_FW_CAP_SUPERBLOCKS);
  d->slots_per_sb = hal_read(p, ORM_FW_CAP_SLOTS_PER_SB);
  d->slots_per_page = slots_per_page(d);
  d->lpns = hal_read(p, ORM_FW_CAP_LPNS);
  uint32_t queues = hal_read(p, ORM_FW_CAP_QUEUES);
  d->io_queues = ORM_GET(queues, ORM_FW_CAP_QUEUES_IO_PAIRS);
  d->queue_entries = ORM_GET(queues, ORM_FW_CAP_QUEUES_ENTRIES);
  uint32_t segments = hal_read(p, ORM_FW_CAP_SEGMENTS);
  d->segments = ORM_GET(segments, ORM_FW_CAP_SEGMENTS_SEGMENTS);
  d->segments_per_chain = ORM_GET(segments, ORM_FW_CAP_SEGMENTS_PER_CHAIN);
  uint32_t reserve = hal_read(p, ORM_FW_CAP_SEG_RESERVE);
  d->gc_reserve_segments = ORM_GET(reserve, ORM_FW_CAP_SEG_RESERVE_COUNT);
  d->segment_bytes = ORM_GET(reserve, ORM_FW_CAP_SEG_RESERVE_SEG_BYTES);
  uint32_t limits = hal_read(p, ORM_FW_CAP_LIMITS);
  d->sharers = ORM_GET(limits, ORM_FW_CAP_LIMITS_SHARERS);
  d->mdts_bytes = ORM_GET(limits, ORM_FW_CAP_LIMITS_MDTS_PAGES) * ORM_SLOT_BYTES;
  d->journal_records = ORM_GET(limits, ORM_FW_CAP_LIMITS_JOURNAL_RECORDS);
  d->handles = ORM_GET(hal_read(p, ORM_FW_CAP_PLACEMENT), ORM_FW_CAP_PLACEMENT_HANDLES);
  d->destage_slots = ORM_GET(hal_read(p, ORM_FW_CAP_DESTAGE), ORM_FW_CAP_DESTAGE_SLOTS);
  d->destage_lpn = hal_read(p, ORM_FW_CAP_DESTAGE_LPN);
  d->buffers = ORM_GET(hal_read(p, ORM_FW_CAP_BUFFERS), ORM_FW_CAP_BUFFERS_COUNT);
  uint32_t summary = hal_read(p, ORM_FW_CAP_SUMMARY);
  d->summary_slots = ORM_GET(summary, ORM_FW_CAP_SUMMARY_SLOTS);
  uint32_t copy = hal_read(p, ORM_FW_CAP_COPY);
  d->copy_ranges = ORM_GET(copy, ORM_FW_CAP_COPY_RANGES);
  d->copy_pages = ORM_GET(copy, ORM_FW_CAP_COPY_PAGES);
  d->dram_l2p = hal_read(p, ORM_FW_DRAM_L2P);
  d->dram_ref = hal_read(p, ORM_FW_DRAM_REF);
  d->dram_log = hal_read(p, ORM_FW_DRAM_LOG);
  d->dram_fw = hal_read(p, ORM_FW_DRAM_FW);
  d->dram_bytes = hal_read(p, ORM_FW_DRAM_BYTES);
  d->nv_header = hal_read(p, ORM_FW_NV_HEADER);
  d->nv_commit = hal_read(p, ORM_FW_NV_COMMIT);
  d->nv_checkpoint = hal_read(p, ORM_FW_NV_CHECKPOINT);
  d->nv_counters = hal_read(p, ORM_FW_NV_COUNTERS);
  d->nv_blocks = hal_read(p, ORM_FW_NV_BLOCKS);
  d->nv_journal = hal_read(p, ORM_FW_NV_JOURNAL);
  d->nv_bitmap = hal_read(p, ORM_FW_NV_BITMAP);
  d->nv_bitmap_bytes = hal_read(p, ORM_FW_NV_BITMAP_BYTES);
  d->nv_trim_pointers = hal_read(p, ORM_FW_NV_TRIM_POINTERS);
  d->nv_segments = hal_read(p, ORM_FW_NV_SEGMENTS);
  d->nv_bytes = hal_read(p, ORM_FW_NV_BYTES);

  bool good = in_range(d->dies, 1, FW_MAX_DIES) && in_range(d->superblocks, FW_MIN_SUPERBLOCKS, FW_MAX_SUPERBLOCKS) &&
              in_range(d->slots_per_sb, d->dies, FW_MAX_SLOTS_PER_SB) && d->slots_per_page != 0 && d->lpns > 0 &&
              in_range(d->io_queues, 1, FW_MAX_IO_QUEUES) && d->queue_entries >= 2 &&
              in_range(d->handles, 1, FW_MAX_HANDLES) && d->buffers >= d->slots_per_page &&
              d->segment_bytes >= 2u * ORM_REMAP_ENTRY_BYTES && d->segments > d->gc_reserve_segments &&
              d->journal_records >= 4 && d->mdts_bytes >= ORM_SLOT_BYTES && d->dram_fw <= d->dram_bytes &&
              d->dram_bytes - d->dram_fw >= ORM_SLOT_BYTES && d->nv_bitmap_bytes >= device_bitmap_bytes(d->lpns) &&
              (d->nv_segments - d->nv_trim_pointers) / ORM_TRIM_POINTER_BYTES >= device_trim_regions(d->lpns) &&
              good_destage(d) && good_copy(d) && good_summary(d, ORM_GET(summary, ORM_FW_CAP_SUMMARY_LOGS));
  if (!good) return FW_GEOMETRY;
  d->data_slots = d->slots_per_sb - d->summary_slots;
  d->slots = d->superblocks * d->slots_per_sb;
  return FW_OK;
}

void device_use_segments(struct device *d, uint32_t segments) { d->segments = segments; }

uint32_t fw_namespace_pages(const struct fw_namespace_room *room, uint32_t op_pct) {
  if (room->superblocks <= FW_SPARE_SUPERBLOCKS) return 0;
  if (op_pct == 0) op_pct = FW_DEFAULT_OVER_PROVISION_PCT;
  if (op_pct >= 100) return 0;
  uint64_t in_sb = room->sure_slots;
  uint64_t usable = (room->superblocks - FW_SPARE_SUPERBLOCKS) * in_sb;
  uint64_t nsze = usable * (100u - op_pct) / 100u;
  uint64_t idle = (room->handles - 1u) * in_sb;
  if (idle >= usable) return 0;
  uint64_t half_kept = (usable - idle) * (200u - op_pct) / 200u;
  if (nsze > half_kept) nsze = half_kept;
  return nsze > room->most_pages ? room->most_pages : (uint32_t)nsze;
}

uint32_t device_nsze(const struct device *d, uint32_t superblocks, uint32_t handles, uint32_t op_pct) {
  struct fw_namespace_room room = {superblocks, device_sure_slots(d), handles, d->destage_lpn};
  return fw_namespace_pages(&room, op_pct);
}

uint32_t device_handles(const struct device *d, uint32_t superblocks, uint32_t op_pct) {
  uint32_t handles = 1;
  while (handles < d->handles &&
         device_nsze(d, superblocks, handles + 1u, op_pct) == device_nsze(d, superblocks, 1, op_pct))
    handles++;
  return handles;
}
