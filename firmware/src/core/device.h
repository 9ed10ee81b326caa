/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - the capabilities and the memory layout that the hardware reports (CAP, DRAM and NVRAM address
 * registers), and what follows from them. Everything is in slots of 4 KiB unless its name says otherwise.
 */
#ifndef OPENREMAP_FW_DEVICE_H
#define OPENREMAP_FW_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "firmware_limits.h"
#include "namespace_pages.h"
#include "platform.h"

#define FW_DEFAULT_OVER_PROVISION_PCT 12u

/* Remap entries that a slot of a destaged chain holds behind its header. */
#define FW_ENTRIES_PER_DESTAGED_SLOT (ORM_SLOT_BYTES / ORM_REMAP_ENTRY_BYTES - 1u)

struct device {
  uint32_t channels, dies_per_channel, dies, pages_per_block;
  uint32_t superblocks;    /* superblocks that the hardware addresses */
  uint32_t slots_per_page; /* slots that are programmed together */
  uint32_t slots_per_sb, slots, lpns;
  uint32_t data_slots;    /* slots of a superblock that the allocator hands out: all but its summary */
  uint32_t summary_slots; /* the last slots of a superblock, whole pages; 0: there are no summaries */
  uint32_t io_queues, queue_entries;
  uint32_t segments, segments_per_chain, gc_reserve_segments, segment_bytes;
  uint32_t sharers, mdts_bytes, journal_records;
  uint32_t copy_ranges, copy_pages; /* limits of one Copy command */
  uint32_t handles;                 /* host streams that the allocator keeps apart */
  uint32_t buffers;                 /* page buffers of firmware */
  uint32_t destage_slots;           /* slots that a destaged chain takes at most; 0: there is no destaging */
  uint32_t destage_lpn;             /* first LPN of destaged chains; they reach to `lpns` */
  uint32_t flash;                   /* value of CAP_FLASH */
  uint32_t dram_l2p, dram_ref, dram_log, dram_fw, dram_bytes;
  uint32_t nv_header, nv_commit, nv_checkpoint, nv_counters, nv_blocks, nv_journal, nv_bitmap, nv_bitmap_bytes,
      nv_trim_pointers, nv_segments, nv_bytes;
};

/* Reads and checks everything. HARDWARE_ID, HARDWARE_VERSION: not a controller that this firmware knows. GEOMETRY:
 * out of the bounds of firmware_limits.h, or contradictory. */
FW_MUST_USE fw_result_t device_probe(struct device *d, const struct platform *p);

/* Uses only `segments` segments of the remap table; device_segments_fit() must hold. */
void device_use_segments(struct device *d, uint32_t segments);

/* fw_namespace_pages() of `superblocks` good superblocks of this device with `handles` placement handles. The namespace
 * never reaches the LPNs of destaged chains. */
uint32_t device_nsze(const struct device *d, uint32_t superblocks, uint32_t handles, uint32_t op_pct);

/* LPN of slot `k` in set `set` (1 or 2) of the destaged chain of superblock `sb`. */
static inline uint32_t device_destage_lpn(const struct device *d, uint32_t sb, uint32_t set, uint32_t k) {
  return d->destage_lpn + (2u * sb + set - 1u) * d->destage_slots + k;
}

/* The most placement handles with which the namespace is as large as with one. */
uint32_t device_handles(const struct device *d, uint32_t superblocks, uint32_t op_pct);

/* fw_sure_slots() of this device. Only a victim with fewer valid slots than this gives back more than it costs. */
static inline uint32_t device_sure_slots(const struct device *d) {
  return fw_sure_slots(d->data_slots, d->slots_per_page);
}

/* Slot `i` of the block of `die` in superblock `sb`, in the order of programming. */
static inline uint32_t device_slot_of(const struct device *d, uint32_t sb, uint32_t die, uint32_t i) {
  uint32_t page = i / d->slots_per_page, sub = i % d->slots_per_page;
  return sb * d->slots_per_sb + (page * d->dies + die) * d->slots_per_page + sub;
}

/* Slots of a block. Slot numbers run through a page, then through the dies, then through the pages. */
static inline uint32_t device_slots_per_block(const struct device *d) { return d->pages_per_block * d->slots_per_page; }

/* How many of these the allocator hands out: the last pages of some dies are those of the summary. */
static inline uint32_t device_data_slots_of(const struct device *d, uint32_t die) {
  uint32_t pages = d->data_slots / d->slots_per_page;
  return (pages + d->dies - 1u - die) / d->dies * d->slots_per_page;
}

/* Bytes of a summary, and of a log of the hardware. */
static inline uint32_t device_summary_bytes(const struct device *d) { return d->summary_slots * ORM_SLOT_BYTES; }

/* Bytes that one trim bitmap takes for `lpns` LPNs. */
static inline uint32_t device_bitmap_bytes(uint32_t lpns) {
  return (lpns + ORM_TRIM_WORD_LPNS - 1u) / ORM_TRIM_WORD_LPNS * ORM_TRIM_WORD_BYTES;
}

/* Regions that the trim bitmap has for `lpns` LPNs, each with a TrimPointer. */
static inline uint32_t device_trim_regions(uint32_t lpns) {
  uint32_t words = device_bitmap_bytes(lpns) / ORM_TRIM_WORD_BYTES;
  return (words + ORM_TRIM_REGION_WORDS - 1u) / ORM_TRIM_REGION_WORDS;
}

/* Remap entries that a segment holds behind its header. */
static inline uint32_t device_entries_per_segment(const struct device *d) {
  return d->segment_bytes / ORM_REMAP_ENTRY_BYTES - 1u;
}

/* Whether a remap table may have this many segments: GC's reserve, and at least as many for remaps. */
static inline bool device_segments_fit(const struct device *d, uint32_t segments) {
  return segments <= d->segments && segments >= 2u * d->gc_reserve_segments;
}

/* Bytes at DRAM_FW that commands use as their buffer. A start has its tables there. */
static inline uint32_t device_buffer_bytes(const struct device *d) {
  uint32_t all = d->dram_bytes - d->dram_fw;
  return all < d->mdts_bytes ? all : d->mdts_bytes;
}

#endif /* OPENREMAP_FW_DEVICE_H */
