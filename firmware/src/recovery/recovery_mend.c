/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage to the remap table and the journal (docs/design/recovery.md, "Damaged NVRAM"): what of it is damage, and not
 * what a power cut leaves; which segments are still of use; and making whole what is, when the damage has been told
 * of.
 *
 * A segment whose header is damaged belongs before the one whose header names it, or, at the end of a chain, to the
 * superblock for which its entries pass. Its place then follows from the other headers of that chain.
 */
#include "recovery/recovery_segments.h"

#define CHAINS_PER_POLL 32u

static bool passes(const struct fw *fw, uint32_t i, uint32_t sb) {
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  for (uint32_t k = 0; k < device_entries_per_segment(&fw->dev); k++) {
    uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, seg_addr(fw, i) + (k + 1u) * ORM_REMAP_ENTRY_BYTES, raw, sizeof raw);
    if (orm_remap_entry_open(&e, raw, (uint16_t)sb, s->gen, s->epoch)) return true;
  }
  return false;
}

/* The segment of a chain at `index`; `segments`: there is none. */
static uint32_t at_place(const struct fw *fw, uint32_t sb, uint32_t index) {
  for (uint32_t i = 0; i < fw->dev.segments; i++) {
    struct seg s = seg_get(fw, i);
    if ((s.flags & SEG_HEADER) && s.sb == sb && s.index == index) return i;
  }
  return fw->dev.segments;
}

static uint32_t follower_of(const struct fw *fw, uint32_t i) {
  for (uint32_t f = 0; f < fw->dev.segments; f++) {
    struct seg s = seg_get(fw, f);
    if ((s.flags & SEG_HEADER) && s.prev == i && s.index > 0) return f;
  }
  return fw->dev.segments;
}

static bool owner_by_entries(const struct fw *fw, uint32_t i, struct seg *s) {
  for (uint32_t sb = 0; sb < fw->recovery.superblocks; sb++) {
    if (!passes(fw, i, sb)) continue;
    s->sb = (uint16_t)sb;
    s->index = 0;
    while (s->index < fw->dev.segments_per_chain && at_place(fw, sb, s->index) != fw->dev.segments) s->index++;
    return s->index < fw->dev.segments_per_chain;
  }
  return false;
}

/* Whether the header may be half of one that a power cut left, of this owner or the last one. Also after a
 * shutdown: an earlier attempt of this start may have been freeing the segment. */
static bool may_be_torn(const struct fw *fw, uint32_t i) {
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  struct orm_segment_header h;
  hal_nv_read(fw->p, seg_addr(fw, i), raw, sizeof raw);
  (void)orm_segment_header_open(&h, raw);
  return h.sb < fw->recovery.superblocks && h.gen <= fw->recovery.sb[h.sb].gen && h.index < fw->dev.segments_per_chain;
}

void recovery_find_place(struct fw *fw, uint32_t i) {
  struct seg s = seg_get(fw, i);
  if (!(s.flags & SEG_BAD)) return;
  uint32_t none = fw->dev.segments, next = follower_of(fw, i);
  bool owned = next != none;
  if (owned) {
    struct seg f = seg_get(fw, next);
    s.sb = f.sb;
    s.index = (uint16_t)(f.index - 1u);
  } else {
    owned = owner_by_entries(fw, i, &s);
  }
  uint32_t prev = !owned ? none : s.index == 0 ? i : at_place(fw, s.sb, s.index - 1u);
  if (prev != none) {
    s.prev = (uint16_t)prev;
    s.flags = SEG_HEADER | SEG_MENDED;
  } else if (owned || !may_be_torn(fw, i)) {
    damage_found(fw, DAMAGE_SEGMENT);
  }
  seg_put(fw, i, s);
}

/* ---- entries */

/* GC's appends carry seqs that count; of those under way a power cut may leave one torn before one that is whole.
 * Then the victim is still there, and its intent is. */
static bool gc_may_have_torn(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  bool moving = false;
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) moving = moving || r->intent[i].valid;
  return !fw->state.clean && moving && r->sb[sb].stream == ORM_STREAM_GC;
}

/* Entries before position `end` that neither pass nor are empty; `wipe`: they are no more. */
static uint32_t bad_entries(const struct fw *fw, uint32_t i, struct seg s, uint32_t end, bool wipe) {
  const struct recovery_sb *sb = &fw->recovery.sb[s.sb];
  uint32_t n = 0;
  for (uint32_t k = 0; k < end; k++) {
    uint32_t addr = seg_addr(fw, i) + (k + 1u) * ORM_REMAP_ENTRY_BYTES;
    uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, addr, raw, sizeof raw);
    if ((orm_get_le(raw, 8) | orm_get_le(raw + 8, 8)) == 0 || orm_remap_entry_open(&e, raw, s.sb, sb->gen, sb->epoch))
      continue;
    n++;
    if (wipe) hal_nv_zero(fw->p, addr, ORM_REMAP_ENTRY_BYTES);
  }
  return n;
}

/* From the newest segment back: behind the last entry that counts is what was never written, or never counted. */
static void look_at_chain(struct fw *fw, uint32_t sb) {
  uint32_t i = fw->recovery.sb[sb].tail, lost = 0;
  /* An erase takes the slots of entries one by one; a start wipes such entries, and power may go while it does. */
  bool torn = gc_may_have_torn(fw, sb) || recovery_erase_begun(fw, sb), later = false;
  for (uint32_t n = fw->recovery.sb[sb].segments; n > 0; n--) {
    struct seg s = seg_get(fw, i);
    uint32_t end = later ? device_entries_per_segment(&fw->dev) : s.used;
    if (s.flags & SEG_ROUGH) lost += bad_entries(fw, i, s, end, false);
    if ((s.flags & SEG_MENDED) && s.used > 0 && !torn) damage_found(fw, DAMAGE_SEGMENT);
    later = later || s.used > 0;
    i = s.prev;
  }
  if (lost == 0 || torn) return;
  hal_log(fw->p, PLATFORM_LOG_ERROR, "superblock %u: %u entries of its chain are lost", (unsigned)sb, (unsigned)lost);
  for (; lost > 0; lost--) damage_found(fw, DAMAGE_ENTRY);
}

static void write_header(const struct fw *fw, uint32_t i, struct seg s) {
  const struct recovery_sb *sb = &fw->recovery.sb[s.sb];
  struct orm_segment_header h = {.sb = s.sb, .index = s.index, .gen = sb->gen, .prev = s.prev, .epoch = sb->epoch};
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  orm_segment_header_seal(&h, raw);
  hal_nv_write(fw->p, seg_addr(fw, i), raw, sizeof raw);
}

static void mend_chain(const struct fw *fw, uint32_t sb) {
  uint32_t i = fw->recovery.sb[sb].tail;
  bool later = false;
  for (uint32_t n = fw->recovery.sb[sb].segments; n > 0; n--) {
    struct seg s = seg_get(fw, i);
    if (s.flags & SEG_ROUGH) (void)bad_entries(fw, i, s, later ? device_entries_per_segment(&fw->dev) : s.used, true);
    if (s.flags & SEG_MENDED) write_header(fw, i, s);
    later = later || s.used > 0;
    i = s.prev;
  }
}

fw_result_t recovery_mend_chains(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t n = 0; n < CHAINS_PER_POLL && r->at < r->superblocks; n++, r->at++) mend_chain(fw, r->at);
  return r->at < r->superblocks ? FW_PENDING : FW_OK;
}

/* ---- journal */

enum record { EMPTY, GOOD, BAD };

static enum record record(const struct fw *fw, uint32_t i, uint64_t *seq) {
  _Alignas(4) uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
  struct orm_journal_record j;
  *seq = 0;
  hal_nv_read(fw->p, fw->dev.nv_journal + i * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
  if (hal_is_zero(raw, sizeof raw)) return EMPTY;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  bool good = orm_journal_record_open(&j, raw);
  if (good && j.seq > fw->recovery.commit)
    return EMPTY; /* of a command that a cut ended, whose records are written together */
  *seq = good ? j.seq : 0;
  return good ? GOOD : BAD;
}

/* The ring's last good record before place 0. */
static uint64_t last_good(const struct fw *fw) {
  uint64_t seq = 0;
  for (uint32_t i = fw->dev.journal_records - 1u; i > 0; i--)
    if (record(fw, i, &seq) == GOOD) return seq;
  return 0;
}

/* The next good one after place `i`, round the ring: found once for all places before it. */
static uint64_t good_after(struct fw *fw, uint32_t i) {
  struct recovery_ring *g = &fw->recovery.ring;
  if (g->next > i) return g->after;
  uint32_t records = fw->dev.journal_records;
  for (g->next = i + 1u; g->next < records; g->next++)
    if (record(fw, g->next, &g->after) == GOOD) return g->after;
  for (uint32_t k = 0; k < i; k++)
    if (record(fw, k, &g->after) == GOOD) return g->after;
  g->after = 0;
  return 0;
}

/* Records are written one after the other, each when the one before is durable: between two that count all do. A
 * start begins at place 0. What is right behind the newest one may be torn, by this cut or an earlier one. To be
 * asked place by place. */
static bool had_to_count(struct fw *fw, uint32_t i) {
  struct recovery *r = &fw->recovery;
  uint64_t seq;
  enum record what = record(fw, i, &seq);
  uint64_t before = r->ring.before;
  if (i == 0) {
    r->ring = (struct recovery_ring){.before = last_good(fw)};
    (void)record(fw, fw->dev.journal_records - 1u, &before); /* not 0 if the ring has come round */
  }
  if (what == GOOD) {
    r->ring.before = seq;
    return false;
  }
  uint64_t after = good_after(fw, i);
  if (what == EMPTY) return before > r->trims_before && after > before;
  return after > r->trims_before && after > before && (before > r->trims_before || i == 0);
}

fw_result_t recovery_look_for_damage(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t all = r->superblocks + (r->journal_counts ? fw->dev.journal_records : 0);
  for (uint32_t n = 0; n < CHAINS_PER_POLL && r->at < all; n++, r->at++) {
    if (r->at < r->superblocks)
      look_at_chain(fw, r->at);
    else if (had_to_count(fw, r->at - r->superblocks))
      damage_found(fw, DAMAGE_JOURNAL);
  }
  return r->at < all ? FW_PENDING : FW_OK;
}
