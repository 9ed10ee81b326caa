/* SPDX-License-Identifier: Apache-2.0 */
/* The election of recovery: of all events for an LPN the newest one wins. And the bits that it leaves for each slot. */
#include "fw.h"
#include "trim/trim_bitmap.h"

#define FETCHED_AT_ONCE 16u /* records: with what they lead to they have room in a cache of 4 KiB */

static uint32_t l2p_addr(const struct fw *fw, uint32_t lpn) { return fw->dev.dram_l2p + 4u * lpn; }

uint64_t recovery_seq(const struct fw *fw, uint32_t lpn) {
  return orm_get_le(hal_dram_words(fw->p, fw->recovery.seqs + 8u * lpn), 8);
}

static void put_seq(const struct fw *fw, uint32_t lpn, uint64_t seq) {
  orm_put_le(hal_dram_words(fw->p, fw->recovery.seqs + 8u * lpn), seq, 8);
}

static bool bit_of(const struct fw *fw, uint32_t map, uint32_t slot) {
  return ((unsigned)*hal_dram(fw->p, map + slot / 8u) >> (slot % 8u)) & 1u;
}

void recovery_mark_slot(const struct fw *fw, uint32_t map, uint32_t slot) {
  fw_work(fw->p, FW_WORK_MARK, 1u);
  *hal_dram(fw->p, map + slot / 8u) |= (uint8_t)(1u << (slot % 8u));
}

/* Of up to 32 slots from `slot` on: bit i of `marks` is `slot` + i. */
static void mark_slots(const struct fw *fw, uint32_t map, uint32_t slot, uint32_t marks) {
  fw_work(fw->p, FW_WORK_MARK, 1u);
  if (slot % 32u == 0) {
    uint8_t *word = hal_dram_words(fw->p, map + slot / 8u);
    orm_put_le(word, orm_get_le(word, 4) | marks, 4);
    return;
  }
  uint8_t *bytes = hal_dram(fw->p, map + slot / 8u);
  for (uint32_t bit = slot % 8u; marks != 0; bit++, marks >>= 1) {
    if (marks & 1u) bytes[bit / 8u] |= (uint8_t)(1u << bit % 8u);
  }
}

bool recovery_slot_good(const struct fw *fw, uint32_t slot) { return bit_of(fw, fw->recovery.good_map, slot); }

/* Two copies of one event have the same data, if it can be read. Which is taken matters for erased blocks only:
 * while a victim of GC is intact its own slots win, so that an unfinished collection leaves no live slot in its
 * target; once its erase may have begun the copies win. Victims are erased one after the other, so of two the
 * second one is whole, and may be the target of the first one: its slots win. */
static bool copy_wins(struct fw *fw, uint32_t slot, uint32_t held) {
  if (slot == ORM_UNMAPPED || held == ORM_UNMAPPED) return false;
  bool lost = bit_of(fw, fw->recovery.lost_map, slot), held_lost = bit_of(fw, fw->recovery.lost_map, held);
  if (lost != held_lost) return held_lost;
  return recovery_outranks(fw, slot / fw->dev.slots_per_sb, held / fw->dev.slots_per_sb);
}

static inline void elect(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  uint64_t held_seq = recovery_seq(fw, lpn);
  if (seq < held_seq) return;
  if (seq == held_seq && !copy_wins(fw, slot, hal_dram_get32(fw->p, l2p_addr(fw, lpn)))) return;
  put_seq(fw, lpn, seq);
  hal_dram_put32(fw->p, l2p_addr(fw, lpn), slot);
}

void recovery_elect(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  if (fw->recovery.by_snapshot) return;
  fw_work(fw->p, FW_WORK_EVENT, 1u);
  elect(fw, lpn, seq, slot);
}

bool recovery_destaged_event(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  const struct device *d = &fw->dev;
  uint32_t end = d->destage_lpn + 2u * d->destage_slots * fw->recovery.superblocks;
  if (lpn < d->destage_lpn || lpn >= end) return false;
  recovery_elect(fw, lpn, seq, slot);
  return true;
}

void recovery_touch(struct recovery *r, uint32_t lpn) {
  r->touched[lpn / RECOVERY_REGION_LPNS / 32u] |= 1u << (lpn / RECOVERY_REGION_LPNS % 32u);
}

static void read_word(struct fw *fw, uint32_t lpn) {
  struct recovery *r = &fw->recovery;
  struct trim_pointer now; /* recovery_trims counts what is damaged */
  uint64_t trimmed = 0;
  (void)trim_pointer_read(&fw->dev, fw->p, lpn / TRIM_REGION_LPNS, &now);
  if (now.seq != 0) (void)trim_bitmap_read(&fw->dev, fw->p, now.bitmap, lpn, &trimmed);
  r->trimmed_at = now.seq;
  r->trimmed[0] = (uint32_t)trimmed;
  r->trimmed[1] = (uint32_t)(trimmed >> 32);
  r->trim_end = lpn - lpn % ORM_TRIM_WORD_LPNS + ORM_TRIM_WORD_LPNS;
}

/* An event of `lpn` with this seq does not count: the LPN had no data at the seq of its trim pointer, which is later.
 * What was written in order has one word of the bitmap for many LPNs. */
static bool in_bitmap(struct fw *fw, uint32_t lpn, uint64_t seq) {
  const struct recovery *r = &fw->recovery;
  if (r->trim_end - 1u - lpn >= ORM_TRIM_WORD_LPNS) read_word(fw, lpn);
  if (seq > r->trimmed_at) return false;
  uint32_t bit = lpn + ORM_TRIM_WORD_LPNS - r->trim_end;
  return r->trimmed[bit / 32u] >> (bit % 32u) & 1u;
}

void recovery_event(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  struct recovery *r = &fw->recovery;
  if (lpn >= r->nsze || r->by_snapshot) return;
  if (lpn >= r->pages_seen) r->pages_seen = lpn + 1u;
  recovery_touch(r, lpn);
  if (seq <= r->trims_most && in_bitmap(fw, lpn, seq)) return;
  recovery_elect(fw, lpn, seq, slot);
}

/* Loads what the election will load, before it stores anything. On a small processor with a write-through cache a load
 * that misses the cache waits for all stores before it. */
static void fetch(const struct fw *fw, const uint8_t *records, uint32_t count) {
  const uint8_t *seqs = hal_dram_words(fw->p, fw->recovery.seqs);
  uint32_t nsze = fw->recovery.nsze;
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *record = (const uint8_t *)__builtin_assume_aligned(records + i * ORM_SLOT_RECORD_BYTES, 4);
    uint32_t lpn = (uint32_t)orm_get_le(record + ORM_SLOT_RECORD_LPN_OFFSET, 4);
    if (lpn < nsze) (void)*(const volatile uint8_t *)(seqs + 8u * lpn);
  }
}

void recovery_records(struct fw *fw, uint32_t sb, uint32_t slot, const uint8_t *records, uint32_t count) {
  struct recovery *r = &fw->recovery;
  const uint32_t gen = r->sb[sb].gen, nsze = r->nsze;
  const uint64_t trims_most = r->trims_most;
  uint32_t good = 0, elected = 0, pages_seen = r->pages_seen, region = UINT32_MAX;
  uint64_t newest = 0;
  fw_work(fw->p, FW_WORK_RECORD, count);
  for (uint32_t i = 0; i < count; i++) {
    if (i % FETCHED_AT_ONCE == 0)
      fetch(fw, records + i * ORM_SLOT_RECORD_BYTES, count - i < FETCHED_AT_ONCE ? count - i : FETCHED_AT_ONCE);
    struct orm_slot_record rec;
    orm_slot_record_unpack(&rec, (const uint8_t *)__builtin_assume_aligned(records + i * ORM_SLOT_RECORD_BYTES, 4));
    if (rec.gen != gen || rec.sb != sb) continue;
    good |= 1u << i;
    if (rec.seq > newest) newest = rec.seq;
    if (rec.lpn >= nsze) {
      (void)recovery_destaged_event(fw, rec.lpn, rec.seq, slot + i);
      continue;
    }
    if (r->by_snapshot) continue;
    if (rec.lpn >= pages_seen) pages_seen = rec.lpn + 1u;
    if (rec.lpn / RECOVERY_REGION_LPNS != region) {
      region = rec.lpn / RECOVERY_REGION_LPNS;
      recovery_touch(r, rec.lpn);
    }
    if (rec.seq <= trims_most && in_bitmap(fw, rec.lpn, rec.seq)) continue;
    elected++;
    elect(fw, rec.lpn, rec.seq, slot + i);
  }
  fw_work(fw->p, FW_WORK_EVENT, elected);
  r->pages_seen = pages_seen;
  mark_slots(fw, r->good_map, slot, good);
  recovery_saw(r, newest);
}
