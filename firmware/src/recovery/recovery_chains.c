/* SPDX-License-Identifier: Apache-2.0 */
/* The remap table's part of recovery: which segment belongs to whose chain, and which entries count. */
#include <string.h>

#include "fw.h"
#include "fw_mutant.h"
#include "recovery/recovery_segments.h"

#define SEGMENTS_PER_POLL 64u
#define STRAYS_BYTES (4u * ORM_REMAP_ENTRY_BYTES) /* of a segment, read at once */

_Static_assert(ORM_SEGMENT_HEADER_BYTES == ORM_REMAP_ENTRY_BYTES, "a segment is an array of records of one size");

/* The table of segments is all zeroes. */
static void read_header(struct fw *fw, uint32_t i) {
  struct recovery *r = &fw->recovery;
  _Alignas(4) uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  struct orm_segment_header h;
  struct seg s = {0};
  fw_work(fw->p, FW_WORK_SEGMENT, 1u);
  hal_nv_read(fw->p, seg_addr(fw, i), raw, sizeof raw);
  if (hal_is_zero(raw, sizeof raw)) return;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  bool good = orm_segment_header_open(&h, raw);
  if (!good) s.flags = SEG_BAD;
  if (good && h.sb < r->superblocks && h.gen == r->sb[h.sb].gen) {
    bool in_place = h.prev < fw->dev.segments && h.index < fw->dev.segments_per_chain;
    if (h.epoch != r->sb[h.sb].epoch)
      s.flags = SEG_OTHER;
    else if (in_place)
      s = (struct seg){.sb = h.sb, .index = h.index, .prev = h.prev, .flags = SEG_HEADER};
  }
  if (s.flags & SEG_BAD) r->bad_headers = true;
  if (s.flags & (SEG_BAD | SEG_HEADER)) r->headers = true;
  seg_put(fw, i, s);
}

/* Whether the way back from segment `i` reaches a first one. */
static bool rooted(const struct fw *fw, uint32_t i) {
  struct seg s = seg_get(fw, i);
  for (uint32_t steps = 0; steps < fw->dev.segments_per_chain; steps++) {
    if (s.index == 0) return true;
    struct seg before = seg_get(fw, s.prev);
    if (!(before.flags & SEG_HEADER) || before.sb != s.sb || before.index + 1u != s.index) return false;
    s = before;
  }
  return false;
}

/* The longest rooted chain of each superblock is the chain. */
static void find_tail(struct fw *fw, uint32_t i) {
  struct seg s = seg_get(fw, i);
  if (!(s.flags & SEG_HEADER) || !rooted(fw, i)) return;
  struct recovery_sb *sb = &fw->recovery.sb[s.sb];
  if (s.index + 1u > sb->segments) {
    sb->segments = (uint16_t)(s.index + 1u);
    sb->tail = (uint16_t)i;
  }
}

static void link_chain(struct fw *fw, uint32_t sb) {
  uint32_t i = fw->recovery.sb[sb].tail;
  for (uint32_t n = 0; n < fw->recovery.sb[sb].segments; n++) {
    struct seg s = seg_get(fw, i);
    s.flags |= SEG_LINKED;
    seg_put(fw, i, s);
    i = s.prev;
  }
}

fw_result_t recovery_chains(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t segments = fw->dev.segments;
  /* `at` runs over the segments twice (headers, tails), then over the superblocks. */
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < 2u * segments + r->superblocks; n++, r->at++) {
    if (r->at == segments && r->bad_headers) {
      if (recovery_find_places(fw) != FW_OK) return FW_PENDING;
      r->bad_headers = false;
    }
    if (r->at == segments && !r->headers) r->at = 2u * segments;
    if (r->at < segments)
      read_header(fw, r->at);
    else if (r->at < 2u * segments)
      find_tail(fw, r->at - segments);
    else if (r->sb[r->at - 2u * segments].segments > 0)
      link_chain(fw, r->at - 2u * segments);
  }
  return r->at < 2u * segments + r->superblocks ? FW_PENDING : FW_OK;
}

static bool is_due(const struct fw *fw, const struct seg *s, const struct orm_remap_entry *e) {
  const struct device *d = &fw->dev;
  return e->seq <= fw->recovery.commit && e->offset < d->slots_per_sb &&
         recovery_slot_good(fw, s->sb * d->slots_per_sb + e->offset);
}

/* Entries that count take part in the election. Good ones that do not are wiped later (recovery_wipe_entries()). */
static fw_result_t read_entries(struct fw *fw, uint32_t i, struct seg *s) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  for (uint32_t k = 0; k < device_entries_per_segment(d); k++) {
    uint32_t addr = seg_addr(fw, i) + (k + 1u) * ORM_REMAP_ENTRY_BYTES;
    uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, addr, raw, sizeof raw);
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (!orm_remap_entry_open(&e, raw, s->sb, r->sb[s->sb].gen, r->sb[s->sb].epoch)) {
      if ((orm_get_le(raw, 8) | orm_get_le(raw + 8, 8)) != 0) s->flags |= SEG_FRAYED;
      continue;
    }
    /* What did not count when that checkpoint was made was wiped first. */
    if (e.seq > r->commit && e.seq <= r->trims_before) return FW_BAD_POINTER;
    if (!is_due(fw, s, &e)) {
      if (e.seq > r->newest) r->newest = e.seq;
      s->flags |= SEG_UNDUE;
      continue;
    }
    uint32_t slot = s->sb * d->slots_per_sb + e.offset;
    s->used = (uint8_t)(k + 1u);
    if (s->flags & SEG_FRAYED) s->flags = (uint8_t)((s->flags & ~SEG_FRAYED) | SEG_ROUGH);
    recovery_event(fw, e.lpn, e.seq, slot);
  }
  return FW_OK;
}

fw_result_t recovery_entries(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (!r->headers) return FW_OK; /* there is no chain */
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < fw->dev.segments; n++, r->at++) {
    struct seg s = seg_get(fw, r->at);
    if (!(s.flags & SEG_LINKED)) continue;
    fw_result_t read = read_entries(fw, r->at, &s);
    if (read != FW_OK) return read;
    seg_put(fw, r->at, s);
  }
  return r->at < fw->dev.segments ? FW_PENDING : FW_OK;
}

static void wipe_undue(const struct fw *fw, uint32_t i, struct seg s) {
  const struct recovery_sb *b = &fw->recovery.sb[s.sb];
  for (uint32_t k = 0; k < device_entries_per_segment(&fw->dev); k++) {
    uint32_t addr = seg_addr(fw, i) + (k + 1u) * ORM_REMAP_ENTRY_BYTES;
    uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, addr, raw, sizeof raw);
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (orm_remap_entry_open(&e, raw, s.sb, b->gen, b->epoch) && !is_due(fw, &s, &e))
      hal_nv_zero(fw->p, addr, ORM_REMAP_ENTRY_BYTES);
  }
}

/* They would count once the commit pointer has passed their seq, or once their slot has been programmed. Not before
 * all entries and sharers have been seen: these may show that the commit pointer is wrong, and then all of them
 * count. */
fw_result_t recovery_wipe_entries(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (!r->headers) return FW_OK;
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < fw->dev.segments; n++, r->at++) {
    struct seg s = seg_get(fw, r->at);
    if ((s.flags & SEG_LINKED) && (s.flags & SEG_UNDUE)) wipe_undue(fw, r->at, s);
  }
  return r->at < fw->dev.segments ? FW_PENDING : FW_OK;
}

/* Whether an entry leads to a live mapping. `seqs` decides between an old and a new link of an LPN to the same
 * slot; a snapshot has none, and either will do: collections sort them out. */
static bool is_live(const struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  return lpn < fw->recovery.nsze && hal_dram_get32(fw->p, fw->dev.dram_l2p + 4u * lpn) == slot &&
         (fw->recovery.by_snapshot || recovery_seq(fw, lpn) == seq);
}

/* Entries behind the last live one are wiped, from the newest segment back. */
static bool tail_is_live(struct fw *fw, uint32_t sb, uint32_t i, struct seg *s) {
  for (; s->used > 0; s->used--) {
    uint32_t addr = seg_addr(fw, i) + s->used * (uint32_t)ORM_REMAP_ENTRY_BYTES;
    uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, addr, raw, sizeof raw);
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (!orm_remap_entry_open(&e, raw, (uint16_t)sb, fw->recovery.sb[sb].gen, fw->recovery.sb[sb].epoch)) continue;
    if (is_live(fw, e.lpn, e.seq, sb * fw->dev.slots_per_sb + e.offset)) return true;
    hal_nv_zero(fw->p, addr, ORM_REMAP_ENTRY_BYTES);
  }
  return false;
}

/* Collections that a power cut ended leave entries in their target's chain that lost to the victim's. They are its
 * newest ones; were they kept, a few cuts would use up the segments that are GC's. Whatever beat an entry is
 * durable. */
fw_result_t recovery_trim_chains(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < r->superblocks; n++) {
    struct recovery_sb *b = &r->sb[r->at];
    bool erased = b->state != ORM_SB_STATE_OPEN && b->state != ORM_SB_STATE_CLOSED; /* its whole chain goes anyway */
    if (erased || b->segments == 0) {
      r->at++;
      continue;
    }
    struct seg s = seg_get(fw, b->tail);
    bool live = tail_is_live(fw, r->at, b->tail, &s);
    if (!live) s.flags &= (uint8_t)~SEG_LINKED;
    seg_put(fw, b->tail, s);
    if (live) {
      r->at++;
    } else {
      b->tail = s.prev;
      b->segments--;
    }
  }
  return r->at < r->superblocks ? FW_PENDING : FW_OK;
}

/* A segment's header and its first entries are written together, and a power cut may leave these alone. Had the
 * segment the same owner again they would count once the commit pointer has passed them. All that is not of the
 * header's own time is wiped. */
static void wipe_strays(const struct fw *fw, uint32_t i) {
  _Alignas(4) uint8_t raw[STRAYS_BYTES];
  struct orm_segment_header h;
  struct orm_remap_entry e;
  bool headed = false;
  for (uint32_t at = 0, bytes; at < fw->dev.segment_bytes; at += bytes) {
    bytes = fw->dev.segment_bytes - at < sizeof raw ? fw->dev.segment_bytes - at : (uint32_t)sizeof raw;
    fw_work(fw->p, FW_WORK_SEGMENT, 1u);
    hal_nv_read(fw->p, seg_addr(fw, i) + at, raw, bytes);
    if (hal_is_zero(raw, bytes)) continue;
    if (at == 0) headed = orm_segment_header_open(&h, raw);
    for (uint32_t k = at == 0 ? ORM_REMAP_ENTRY_BYTES : 0; k < bytes; k += ORM_REMAP_ENTRY_BYTES) {
      if (hal_is_zero(raw + k, ORM_REMAP_ENTRY_BYTES)) continue;
      if (headed && orm_remap_entry_open(&e, raw + k, h.sb, h.gen, h.epoch)) continue;
      hal_nv_zero(fw->p, seg_addr(fw, i) + at + k, ORM_REMAP_ENTRY_BYTES);
    }
  }
}

/* Free again: a stale header of the owner's generation would be taken for a chain at the next start, one of a
 * compaction that did not come to its end after the next one, which has the same epoch. So would its entries. The
 * header goes last: while it is there a power cut only repeats this. */
static void release(struct fw *fw, uint32_t i, struct seg s) {
  if (s.flags == 0 && !fw->state.clean && !fw_mutant(FW_MUTANT_STRAYS_LEFT)) wipe_strays(fw, i);
  if (s.flags & (SEG_HEADER | SEG_OTHER | SEG_BAD)) {
    hal_nv_zero(fw->p, seg_addr(fw, i) + ORM_SEGMENT_HEADER_BYTES, fw->dev.segment_bytes - ORM_SEGMENT_HEADER_BYTES);
    hal_nv_zero(fw->p, seg_addr(fw, i), ORM_SEGMENT_HEADER_BYTES);
  }
  hal_write(fw->p, ORM_FW_SEG_FREE, i);
}

static void load_segments(struct fw *fw, uint32_t sb) {
  const struct recovery_sb *b = &fw->recovery.sb[sb];
  uint32_t i = b->tail;
  for (uint32_t n = b->segments; n > 1; n--) {
    struct seg s = seg_get(fw, i);
    hal_write(fw->p, ORM_FW_CHAIN_LINK, ORM_PUT(ORM_FW_CHAIN_LINK_SEG, i) | ORM_PUT(ORM_FW_CHAIN_LINK_PREV, s.prev));
    i = s.prev;
  }
  hal_write(fw->p, ORM_FW_CHAIN_SB, ORM_PUT(ORM_FW_CHAIN_SB_SB, sb) | ORM_PUT(ORM_FW_CHAIN_SB_COUNT, b->segments));
  hal_write(fw->p, ORM_FW_CHAIN_GO,
            ORM_PUT(ORM_FW_CHAIN_GO_TAIL, b->tail) | ORM_PUT(ORM_FW_CHAIN_GO_FILL, seg_get(fw, b->tail).used));
}

static void load_chain(struct fw *fw, uint32_t sb) {
  struct recovery_sb *b = &fw->recovery.sb[sb];
  bool alive = b->state == ORM_SB_STATE_OPEN || b->state == ORM_SB_STATE_CLOSED;
  while (!alive && b->segments > 0) { /* it was erased, or is out of use */
    struct seg s = seg_get(fw, b->tail);
    s.flags &= (uint8_t)~SEG_LINKED;
    seg_put(fw, b->tail, s);
    b->tail = s.prev;
    b->segments--;
  }
  if (b->segments > 0) load_segments(fw, sb);
  if (alive) recovery_load_destaged(fw, sb);
}

fw_result_t recovery_load_chains(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t all = r->superblocks + fw->dev.segments;
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < all; n++, r->at++) {
    if (r->at < r->superblocks) {
      load_chain(fw, r->at);
      continue;
    }
    struct seg s = seg_get(fw, r->at - r->superblocks);
    if (!(s.flags & SEG_LINKED)) release(fw, r->at - r->superblocks, s);
  }
  return r->at < all ? FW_PENDING : FW_OK;
}
