/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage to the remap table and the journal (docs/design/recovery.md, "Damaged NVRAM"): what of it is damage, and not
 * what a power cut leaves; which segments are still of use; and making whole what is, when the damage has been told
 * of.
 *
 * A segment whose header is damaged belongs before the one whose header names it, or, at the end of a chain, to the
 * superblock for which its entries pass. Its place then follows from the other headers of that chain.
 *
 * However much is damaged, a poll does little.
 */
#include "recovery/recovery_segments.h"

#define CHAINS_PER_POLL 32u
#define SEGMENTS_PER_POLL 64u /* of chains, whose entries are checked or which are mended */

/* Work of a poll that seeks places, and parts of it; the unit is a look at a segment, about half a microsecond of a
 * small CPU. */
#define LOOKS_PER_POLL 4096u
#define LOOKS_OF_A_CHECK 16u
#define LOOKS_OF_AN_ENTRY 20u

/* ---- places of segments */

/* A CRC is linear: that of an entry is what the entry's bytes make of it, xor what superblock, generation and epoch
 * do, its salt. So with the salts at hand it is a comparison whether an entry passes for a superblock. */
static const uint8_t no_entry[ORM_REMAP_ENTRY_BYTES];

static uint32_t salt_of(uint16_t sb, uint32_t gen, uint16_t epoch) {
  return orm_remap_entry_crc(no_entry, sb, gen, epoch);
}

static void next_phase(struct recovery_places *p, uint32_t phase) {
  p->phase = phase;
  p->at = 0;
}

/* Of all that name it the first one counts. */
static uint32_t name_the_one_before(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->at == fw->dev.segments) {
    next_phase(p, PLACES_SALTS);
    return 1;
  }
  struct seg s = seg_get(fw, p->at++);
  if (!(s.flags & SEG_HEADER) || s.index == 0) return 1;
  struct seg before = seg_get(fw, s.prev);
  if ((before.flags & (SEG_BAD | SEG_NAMED)) == SEG_BAD) {
    before.sb = s.sb;
    before.index = (uint16_t)(s.index - 1u);
    before.flags |= SEG_NAMED;
    seg_put(fw, s.prev, before);
  }
  return 2;
}

static uint32_t make_salt(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct recovery_places *p = &r->places;
  if (p->at == r->superblocks) {
    next_phase(p, PLACES_NEXT);
    return 1;
  }
  struct recovery_sb *sb = &r->sb[p->at];
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  sb->salt = salt_of((uint16_t)p->at, sb->gen, sb->epoch);
  p->at++;
  return LOOKS_OF_A_CHECK;
}

static uint32_t clear_salt(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct recovery_places *p = &r->places;
  fw_work(fw->p, FW_WORK_LPN, 1u);
  if (p->at == r->superblocks)
    p->phase = PLACES_OVER;
  else
    r->sb[p->at++].valid = 0;
  return 1;
}

static void next_segment(struct recovery_places *p) {
  p->segment++;
  next_phase(p, PLACES_NEXT);
}

static void found(struct fw *fw, uint32_t prev) {
  struct recovery_places *p = &fw->recovery.places;
  seg_put(fw, p->segment,
          (struct seg){.sb = p->sb, .index = p->index, .prev = (uint16_t)prev, .flags = SEG_HEADER | SEG_MENDED});
  next_segment(p);
}

/* Whether the header may be half of one that a power cut left, of this owner or the last one. Also after a
 * shutdown: an earlier attempt of this start may have been freeing the segment. */
static bool may_be_torn(const struct fw *fw, uint32_t i) {
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  struct orm_segment_header h;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  hal_nv_read(fw->p, seg_addr(fw, i), raw, sizeof raw);
  (void)orm_segment_header_open(&h, raw);
  return h.sb < fw->recovery.superblocks && h.gen <= fw->recovery.sb[h.sb].gen && h.index < fw->dev.segments_per_chain;
}

static void not_found(struct fw *fw, bool owned) {
  struct recovery_places *p = &fw->recovery.places;
  if (owned || !may_be_torn(fw, p->segment)) damage_found(fw, DAMAGE_SEGMENT);
  next_segment(p);
}

static void seek_the_one_before(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->index == 0)
    found(fw, p->segment);
  else
    next_phase(p, PLACES_BEFORE);
}

static uint32_t look_at_next(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->segment == fw->dev.segments) {
    next_phase(p, PLACES_CLEAR);
    return 1;
  }
  struct seg s = seg_get(fw, p->segment);
  if (!(s.flags & SEG_BAD)) {
    p->segment++;
    return 1;
  }
  p->sb = s.sb;
  p->index = s.index;
  p->entry = 0;
  if (s.flags & SEG_NAMED)
    seek_the_one_before(fw);
  else
    next_phase(p, PLACES_ENTRIES);
  return 1;
}

/* Those that are compared now pass for no superblock, or are empty. */
static void go_past_entries(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  p->entry += RECOVERY_ENTRIES_AT_ONCE;
  if (p->entry < device_entries_per_segment(&fw->dev))
    next_phase(p, PLACES_ENTRIES);
  else
    not_found(fw, false);
}

static uint32_t take_entries(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  uint32_t left = device_entries_per_segment(&fw->dev) - p->entry;
  uint32_t n = left < RECOVERY_ENTRIES_AT_ONCE ? left : RECOVERY_ENTRIES_AT_ONCE;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  uint32_t unsalted = salt_of(0, 0, 0);
  p->entries = 0;
  for (uint32_t k = p->entry; k < p->entry + n; k++) {
    _Alignas(4) uint8_t raw[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, seg_addr(fw, p->segment) + (k + 1u) * ORM_REMAP_ENTRY_BYTES, raw, sizeof raw);
    if (hal_is_zero(raw, sizeof raw)) continue;
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    orm_remap_entry_unpack(&e, raw);
    p->crc[p->entries++] = e.crc ^ orm_remap_entry_crc(raw, 0, 0, 0) ^ unsalted;
  }
  if (p->entries > 0)
    next_phase(p, PLACES_OWNER);
  else
    go_past_entries(fw);
  return n * LOOKS_OF_AN_ENTRY + 2u * LOOKS_OF_A_CHECK;
}

static uint32_t try_owner(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->at == fw->recovery.superblocks) {
    go_past_entries(fw);
    return LOOKS_OF_A_CHECK;
  }
  const uint32_t salt = fw->recovery.sb[p->at].salt, n = p->entries;
  uint32_t k = 0;
  fw_work(fw->p, FW_WORK_LPN, 1u + n / 4u); /* takes about as long */
  while (k < n && p->crc[k] != salt) k++;
  if (k == n) {
    p->at++;
  } else {
    p->sb = (uint16_t)p->at;
    p->first = 0;
    memset(p->taken, 0, sizeof p->taken);
    next_phase(p, PLACES_INDEX);
  }
  return 1u + n / 8u;
}

/* All segments have been looked at for the places from `first` on. */
static uint32_t choose_index(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  uint32_t free = 0;
  while (free < RECOVERY_INDEXES_AT_ONCE && p->taken[free / 32u] == UINT32_MAX) free += 32u;
  while (free < RECOVERY_INDEXES_AT_ONCE && (p->taken[free / 32u] >> (free % 32u) & 1u)) free++;
  fw_work(fw->p, FW_WORK_LPN, RECOVERY_INDEXES_AT_ONCE / 32u);
  if (p->first + free >= fw->dev.segments_per_chain) {
    not_found(fw, false);
  } else if (free < RECOVERY_INDEXES_AT_ONCE) {
    p->index = (uint16_t)(p->first + free);
    seek_the_one_before(fw);
  } else {
    p->first += RECOVERY_INDEXES_AT_ONCE;
    memset(p->taken, 0, sizeof p->taken);
    next_phase(p, PLACES_INDEX);
  }
  return RECOVERY_INDEXES_AT_ONCE / 32u;
}

static uint32_t look_for_index(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->at == fw->dev.segments) return choose_index(fw);
  struct seg s = seg_get(fw, p->at++);
  uint32_t bit = s.index - p->first;
  if ((s.flags & SEG_HEADER) && s.sb == p->sb && bit < RECOVERY_INDEXES_AT_ONCE)
    p->taken[bit / 32u] |= 1u << (bit % 32u);
  return 1;
}

static uint32_t look_for_the_one_before(struct fw *fw) {
  struct recovery_places *p = &fw->recovery.places;
  if (p->at == fw->dev.segments) {
    not_found(fw, true);
    return LOOKS_OF_A_CHECK;
  }
  struct seg s = seg_get(fw, p->at);
  if ((s.flags & SEG_HEADER) && s.sb == p->sb && s.index + 1u == p->index)
    found(fw, p->at);
  else
    p->at++;
  return 1;
}

/* A piece of the search; the answer is its work. */
static uint32_t seek(struct fw *fw) {
  switch (fw->recovery.places.phase) {
    case PLACES_NAMED:
      return name_the_one_before(fw);
    case PLACES_SALTS:
      return make_salt(fw);
    case PLACES_NEXT:
      return look_at_next(fw);
    case PLACES_ENTRIES:
      return take_entries(fw);
    case PLACES_OWNER:
      return try_owner(fw);
    case PLACES_INDEX:
      return look_for_index(fw);
    case PLACES_BEFORE:
      return look_for_the_one_before(fw);
    case PLACES_CLEAR:
      return clear_salt(fw);
    case PLACES_OVER:
      break;
  }
  return 1;
}

fw_result_t recovery_find_places(struct fw *fw) {
  const struct recovery_places *p = &fw->recovery.places;
  for (uint32_t looks = 0; looks < LOOKS_PER_POLL && p->phase != PLACES_OVER;) looks += seek(fw);
  return p->phase == PLACES_OVER ? FW_OK : FW_PENDING;
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

/* Begins with the newest segment of a chain, or goes on where the last poll stopped. */
static struct recovery_walk *walk_of(struct fw *fw, uint32_t sb) {
  struct recovery_walk *w = &fw->recovery.walk;
  const struct recovery_sb *b = &fw->recovery.sb[sb];
  if (!w->begun) *w = (struct recovery_walk){.begun = true, .left = b->segments, .segment = b->tail};
  return w;
}

static void walk_back(struct recovery_walk *w, struct seg s) {
  w->later = w->later || s.used > 0;
  w->segment = s.prev;
  w->left--;
}

/* Entries of the segment that had to count end here: behind the last one that counts in the chain is what was never
 * written, or never counted. */
static uint32_t end_of(const struct fw *fw, const struct recovery_walk *w, struct seg s) {
  return w->later ? device_entries_per_segment(&fw->dev) : s.used;
}

static bool has_bad_entries(const struct recovery_walk *w, struct seg s) {
  return (s.flags & SEG_ROUGH) || (w->later && (s.flags & SEG_FRAYED));
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
    if ((orm_get_le(raw, 8) | orm_get_le(raw + 8, 8)) == 0) continue;
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (orm_remap_entry_open(&e, raw, s.sb, sb->gen, sb->epoch)) continue;
    n++;
    if (wipe) hal_nv_zero(fw->p, addr, ORM_REMAP_ENTRY_BYTES);
  }
  return n;
}

/* False: the rest of the chain is for the next poll. `*room`: segments whose entries this one may still check. */
static bool look_at_chain(struct fw *fw, uint32_t sb, uint32_t *room) {
  struct recovery_walk *w = walk_of(fw, sb);
  /* An erase takes the slots of entries one by one; a start wipes such entries, and power may go while it does. */
  bool torn = gc_may_have_torn(fw, sb) || recovery_erase_begun(fw, sb);
  while (w->left > 0) {
    struct seg s = seg_get(fw, w->segment);
    if (!torn && has_bad_entries(w, s)) {
      if (*room == 0) return false;
      --*room;
      uint32_t lost = bad_entries(fw, w->segment, s, end_of(fw, w, s), false);
      w->lost += lost;
      for (; lost > 0; lost--) damage_found(fw, DAMAGE_ENTRY);
    }
    if ((s.flags & SEG_MENDED) && s.used > 0 && !torn) damage_found(fw, DAMAGE_SEGMENT);
    walk_back(w, s);
  }
  w->begun = false;
  if (w->lost > 0)
    hal_log(fw->p, PLATFORM_LOG_ERROR, "superblock %u: %u entries of its chain are lost", (unsigned)sb,
            (unsigned)w->lost);
  return true;
}

static void write_header(const struct fw *fw, uint32_t i, struct seg s) {
  const struct recovery_sb *sb = &fw->recovery.sb[s.sb];
  struct orm_segment_header h = {.sb = s.sb, .index = s.index, .gen = sb->gen, .prev = s.prev, .epoch = sb->epoch};
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  orm_segment_header_seal(&h, raw);
  hal_nv_write(fw->p, seg_addr(fw, i), raw, sizeof raw);
}

/* Something stands behind the last entry of the chain that counts. It may be half of an entry that a cut tore. Were the
 * next one at that place torn, too, for the same page and with a seq whose low bits are the same, the halves might be
 * an entry that was never written. */
static bool has_halves(const struct fw *fw, const struct recovery_walk *w, struct seg s) {
  return !w->later && (s.flags & SEG_FRAYED) && !fw->state.clean;
}

/* As look_at_chain(). */
static bool mend_chain(struct fw *fw, uint32_t sb, uint32_t *room) {
  struct recovery_walk *w = walk_of(fw, sb);
  while (w->left > 0) {
    struct seg s = seg_get(fw, w->segment);
    if ((s.flags & SEG_MENDED) || has_bad_entries(w, s) || has_halves(fw, w, s)) {
      if (*room == 0) return false;
      --*room;
      uint32_t end = has_halves(fw, w, s) ? device_entries_per_segment(&fw->dev) : end_of(fw, w, s);
      if (has_bad_entries(w, s) || has_halves(fw, w, s)) (void)bad_entries(fw, w->segment, s, end, true);
      if (s.flags & SEG_MENDED) write_header(fw, w->segment, s);
    }
    walk_back(w, s);
  }
  w->begun = false;
  return true;
}

/* As with entries: half of a record may be torn, and the other half of the next one at that place. */
static void wipe_half(const struct fw *fw, uint32_t i) {
  _Alignas(4) uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
  struct orm_journal_record j;
  uint32_t addr = fw->dev.nv_journal + i * ORM_JOURNAL_RECORD_BYTES;
  hal_nv_read(fw->p, addr, raw, sizeof raw);
  if (hal_is_zero(raw, sizeof raw)) return;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  if (!orm_journal_record_open(&j, raw)) hal_nv_zero(fw->p, addr, sizeof raw);
}

fw_result_t recovery_mend_chains(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t all = r->superblocks + (r->journal_halves ? fw->dev.journal_records : 0);
  uint32_t room = SEGMENTS_PER_POLL;
  for (uint32_t n = 0; n < CHAINS_PER_POLL && r->at < all; n++, r->at++) {
    if (r->at >= r->superblocks)
      wipe_half(fw, r->at - r->superblocks);
    else if (!mend_chain(fw, r->at, &room))
      return FW_PENDING;
  }
  return r->at < all ? FW_PENDING : FW_OK;
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
  uint32_t room = SEGMENTS_PER_POLL;
  for (uint32_t n = 0; n < CHAINS_PER_POLL && r->at < all; n++, r->at++) {
    if (r->at >= r->superblocks) {
      if (had_to_count(fw, r->at - r->superblocks)) damage_found(fw, DAMAGE_JOURNAL);
    } else if (!look_at_chain(fw, r->at, &room)) {
      return FW_PENDING;
    }
  }
  return r->at < all ? FW_PENDING : FW_OK;
}
