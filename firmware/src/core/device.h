/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - what the hardware says it is (CAP, DRAM and NVRAM address registers) and what follows from it.
 */
#ifndef OPENREMAP_FW_DEVICE_H
#define OPENREMAP_FW_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "firmware_limits.h"
#include "platform.h"

#define FW_DEFAULT_OVER_PROVISION_PCT 12u

/* Remap entries in a slot of a destaged chain, behind its header. */
#define FW_ENTRIES_PER_DESTAGED_SLOT (ORM_SLOT_BYTES / ORM_REMAP_ENTRY_BYTES - 1u)

struct device {
  uint32_t channels, dies_per_channel, dies, pages_per_block;
  uint32_t superblocks;    /* that the hardware can address */
  uint32_t slots_per_page; /* a page is programmed as a whole */
  uint32_t slots_per_sb, slots, lpns;
  uint32_t data_slots;    /* of a superblock that are handed out: all but */
  uint32_t summary_slots; /* the last ones, whole pages, for its summary; 0: there is none */
  uint32_t io_queues, queue_entries;
  uint32_t segments, segments_per_chain, gc_reserve_segments, segment_bytes;
  uint32_t sharers, mdts_bytes, journal_records;
  uint32_t copy_ranges, copy_pages; /* of one Copy command */
  uint32_t handles;                 /* host streams that the allocator keeps apart */
  uint32_t buffers;                 /* page buffers of firmware */
  uint32_t destage_slots;           /* of a destaged chain at most; 0: there is no destaging */
  uint32_t destage_lpn;             /* from here to `lpns` they have their LPNs */
  uint32_t flash;                   /* CAP_FLASH */
  uint32_t dram_l2p, dram_ref, dram_log, dram_fw, dram_bytes;
  uint32_t nv_header, nv_commit, nv_checkpoint, nv_counters, nv_blocks, nv_journal, nv_bitmap, nv_bitmap_bytes,
      nv_segments, nv_bytes;
};

/* Reads and checks everything. HARDWARE_ID, HARDWARE_VERSION, GEOMETRY. */
FW_MUST_USE fw_result_t device_probe(struct device *d, const struct platform *p);

/* Uses only `segments` segments of the remap table; device_segments_fit() must hold. */
void device_use_segments(struct device *d, uint32_t segments);

/* Logical pages of a namespace over `superblocks` superblocks with `handles` placement handles and `op_pct` percent held
 * back (0: default); 0 when there is no room for any. The superblocks that all handles but one may leave standing half
 * filled come out of what is held back, as long as that leaves half of it; the rest makes the namespace smaller. It never
 * reaches the LPNs of destaged chains. */
uint32_t device_nsze(const struct device *d, uint32_t superblocks, uint32_t handles, uint32_t op_pct);

/* LPN of slot `k` of set `set` (1 or 2) of a superblock's destaged chain. */
static inline uint32_t device_destage_lpn(const struct device *d, uint32_t sb, uint32_t set, uint32_t k) {
  return d->destage_lpn + (2u * sb + set - 1u) * d->destage_slots + k;
}

/* Most placement handles, of those the hardware has, that do not make the namespace smaller than one does. */
uint32_t device_handles(const struct device *d, uint32_t superblocks, uint32_t op_pct);

/* Slots of a superblock that hold data for sure: what is collected of it ends inside a page, the rest of which is padding.
 * Only a victim with fewer valid slots gives back more than it costs. */
static inline uint32_t device_sure_slots(const struct device *d) { return d->data_slots - (d->slots_per_page - 1u); }

/* Slot `i` of a die's block, in the order in which they are programmed. */
static inline uint32_t device_slot_of(const struct device *d, uint32_t sb, uint32_t die, uint32_t i) {
  uint32_t page = i / d->slots_per_page, sub = i % d->slots_per_page;
  return sb * d->slots_per_sb + (page * d->dies + die) * d->slots_per_page + sub;
}

/* Slots of a die's block. Those of a page follow each other; then comes the next die's page of the same number. */
static inline uint32_t device_slots_per_block(const struct device *d) { return d->pages_per_block * d->slots_per_page; }

/* Of these the ones that are handed out: the pages of a summary are the last ones of some dies. */
static inline uint32_t device_data_slots_of(const struct device *d, uint32_t die) {
  uint32_t pages = d->data_slots / d->slots_per_page;
  return (pages + d->dies - 1u - die) / d->dies * d->slots_per_page;
}

/* A summary, or a log of the hardware's. */
static inline uint32_t device_summary_bytes(const struct device *d) { return d->summary_slots * ORM_SLOT_BYTES; }

/* Bytes that one trim bitmap takes for `lpns` LPNs. */
static inline uint32_t device_bitmap_bytes(uint32_t lpns) {
  return (lpns + ORM_TRIM_WORD_LPNS - 1u) / ORM_TRIM_WORD_LPNS * ORM_TRIM_WORD_BYTES;
}

static inline uint32_t device_entries_per_segment(const struct device *d) {
  return d->segment_bytes / ORM_REMAP_ENTRY_BYTES - 1u;
}

/* Whether so many segments make a remap table: GC has its reserve, and remaps as much. */
static inline bool device_segments_fit(const struct device *d, uint32_t segments) {
  return segments <= d->segments && segments >= 2u * d->gc_reserve_segments;
}

/* DRAM that firmware owns: a buffer for host data, then (start-up only) tables from the same address. */
static inline uint32_t device_buffer_bytes(const struct device *d) {
  uint32_t all = d->dram_bytes - d->dram_fw;
  return all < d->mdts_bytes ? all : d->mdts_bytes;
}

#endif /* OPENREMAP_FW_DEVICE_H */
