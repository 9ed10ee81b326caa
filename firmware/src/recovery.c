/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery.h"

#include <string.h>

#include "format.h"
#include "fw.h"

/* Work of one poll: so much that start-up is quick, so little that a poll stays well under a millisecond of CPU. */
#define LPNS_PER_POLL RECOVERY_REGION_LPNS
#define RECORDS_PER_POLL 256u
#define PROBES_PER_POLL 32u

static uint32_t l2p_addr(const struct fw *fw, uint32_t lpn) { return fw->dev.dram_l2p + 4u * lpn; }

uint64_t recovery_seq(const struct fw *fw, uint32_t lpn) {
  return orm_get_le(hal_dram(fw->p, fw->recovery.seqs + 8u * lpn), 8);
}

static void put_seq(const struct fw *fw, uint32_t lpn, uint64_t seq) {
  orm_put_le(hal_dram(fw->p, fw->recovery.seqs + 8u * lpn), seq, 8);
}

static void saw(struct recovery *r, uint64_t seq) {
  if (seq > r->newest) r->newest = seq;
}

bool recovery_slot_good(const struct fw *fw, uint32_t slot) {
  return ((unsigned)*hal_dram(fw->p, fw->recovery.good_map + slot / 8u) >> (slot % 8u)) & 1u;
}

/* The intent for a superblock, or NULL. There is one at most, as intents are written (gc.c). */
static struct recovery_intent *intent_of(struct recovery *r, uint32_t sb) {
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    if (r->intent[i].valid && r->intent[i].is.sb == sb) return &r->intent[i];
  }
  return NULL;
}

bool recovery_erase_begun(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    if (r->intent[i].valid && r->intent[i].is.sb == sb) return r->intent[i].rank == RECOVERY_CUT;
  }
  return false;
}

static enum recovery_rank rank_of(struct fw *fw, uint32_t slot) {
  const struct recovery_intent *i = intent_of(&fw->recovery, slot / fw->dev.slots_per_sb);
  return i == NULL ? RECOVERY_PLAIN : i->rank;
}

/* Two copies of one event have the same data. Which is taken matters for erased blocks only: while a victim of GC is
 * intact its own slots win, so that an unfinished collection leaves no live slot in its target; once its erase may have
 * begun the copies win. Victims are erased one after the other, so of two the second one is intact, and may be the target of the
 * first one: its slots win over those of a first one that is not. Between two that are intact either is right. */
static bool copy_wins(struct fw *fw, uint32_t slot, uint32_t held) {
  if (slot == ORM_UNMAPPED || held == ORM_UNMAPPED) return false;
  return rank_of(fw, slot) > rank_of(fw, held);
}

void recovery_elect(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  if (fw->recovery.by_snapshot) return;
  uint64_t held_seq = recovery_seq(fw, lpn);
  uint32_t held = hal_dram_get32(fw->p, l2p_addr(fw, lpn));
  if (seq < held_seq || (seq == held_seq && !copy_wins(fw, slot, held))) return;
  put_seq(fw, lpn, seq);
  hal_dram_put32(fw->p, l2p_addr(fw, lpn), slot);
}

void recovery_touch(struct recovery *r, uint32_t lpn) {
  r->touched[lpn / RECOVERY_REGION_LPNS / 32u] |= 1u << (lpn / RECOVERY_REGION_LPNS % 32u);
}

static bool touched(const struct recovery *r, uint32_t lpn) {
  uint32_t region = lpn / RECOVERY_REGION_LPNS;
  return (r->touched[region / 32u] >> (region % 32u)) & 1u;
}

/* First LPN of the namespace behind the region. */
static uint32_t end_of_region(const struct recovery *r, uint32_t lpn) {
  uint32_t left = r->nsze - lpn, region = RECOVERY_REGION_LPNS - lpn % RECOVERY_REGION_LPNS;
  return lpn + (left < region ? left : region);
}

/* Trimmed at or before the checkpoint's seq, or not written until then. */
static bool in_bitmap(const struct fw *fw, uint32_t lpn) {
  const struct recovery *r = &fw->recovery;
  uint8_t raw[8];
  hal_nv_read(fw->p, fw->dev.nv_bitmap + r->bitmap * fw->dev.nv_bitmap_bytes + lpn / 64u * 8u, raw, sizeof raw);
  return (orm_get_le(raw, sizeof raw) >> (lpn % 64u)) & 1u;
}

void recovery_event(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  struct recovery *r = &fw->recovery;
  if (lpn >= r->nsze || r->by_snapshot) return;
  if (lpn >= r->pages_seen) r->pages_seen = lpn + 1u;
  recovery_touch(r, lpn);
  if (seq <= r->trims_before && in_bitmap(fw, lpn)) return;
  recovery_elect(fw, lpn, seq, slot);
}

static bool read_pointer(const struct fw *fw, uint32_t addr, struct orm_pointer_word *out) {
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  hal_nv_read(fw->p, addr, raw, sizeof raw);
  return orm_pointer_word_open(out, raw);
}

fw_result_t recovery_tables(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  memset(r, 0, sizeof *r);
  r->superblocks = fw->superblocks;
  r->nsze = fw->nsze;
  r->seqs = d->dram_fw;
  r->good_map = r->seqs + 8u * d->lpns;
  r->segs = r->good_map + (d->slots + 63u) / 64u * 8u;
  if ((uint64_t)r->segs + 8u * d->segments > d->dram_bytes) return FW_GEOMETRY;
  return d->lpns > (uint64_t)RECOVERY_MAX_REGIONS * RECOVERY_REGION_LPNS ? FW_GEOMETRY : FW_OK;
}

/* An intent that does not pass says nothing: any superblock that looks erased may be half erased. */
static void read_intents(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    struct recovery_intent in = {.rank = RECOVERY_PLAIN};
    bool good = state_read_intent(&fw->dev, fw->p, i, &in.is);
    in.valid = good && in.is.sb < r->superblocks && r->sb[in.is.sb].gen == in.is.gen && intent_of(r, in.is.sb) == NULL;
    r->intent[i] = in;
    r->bad_intent = r->bad_intent || (!good && state_has_intent(&fw->dev, fw->p, i));
  }
}

fw_result_t recovery_pointers(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  fw_result_t tables = recovery_tables(fw);
  if (tables != FW_OK) return tables;
  struct orm_pointer_word commit, checkpoint;
  if (!read_pointer(fw, d->nv_commit, &commit) || commit.tag != 0 || !read_pointer(fw, d->nv_checkpoint, &checkpoint) ||
      checkpoint.tag > 1)
    return startup_read_only(fw, ORM_READ_ONLY_POINTER);
  r->commit = commit.seq;
  r->trims_before = checkpoint.seq;
  r->bitmap = checkpoint.tag;
  saw(r, commit.seq);
  saw(r, checkpoint.seq);

  for (uint32_t i = 0; i < r->superblocks; i++) {
    uint8_t raw[ORM_BLOCK_RECORD_BYTES];
    struct orm_block_record b;
    hal_nv_read(fw->p, d->nv_blocks + i * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
    if (!orm_block_record_open(&b, raw, (uint16_t)i) || b.set > 2) return startup_read_only(fw, ORM_READ_ONLY_BLOCK);
    if (b.set != 0 && d->destage_slots == 0) return FW_FORMAT_MISMATCH;
    r->sb[i].gen = b.gen;
    r->sb[i].epoch = b.epoch;
    r->sb[i].set = b.set;
  }
  fw_result_t state = state_load(&fw->state, d, fw->p);
  if (state != FW_OK) return state;
  for (uint32_t i = 0; i < fw->bad.damaged; i++) damage_found(fw, DAMAGE_WORD);
  if (reformat_word_is_damaged(fw)) return startup_read_only(fw, ORM_READ_ONLY_FORMAT);
  r->formatting = reformat_was_cut(fw);
  r->resume = fw->state.clean && !r->formatting;
  read_intents(fw);
  return FW_OK;
}

fw_result_t recovery_clear(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  if (r->at == 0) {
    hal_dram_fill(fw->p, d->dram_ref, 0, d->slots);
    hal_dram_fill(fw->p, r->good_map, 0, r->segs - r->good_map);
    hal_dram_fill(fw->p, r->segs, 0, 8u * d->segments);
  }
  uint32_t n = d->lpns - r->at < LPNS_PER_POLL ? d->lpns - r->at : LPNS_PER_POLL;
  hal_dram_fill(fw->p, l2p_addr(fw, r->at), 0xFF, 4u * n);
  hal_dram_fill(fw->p, r->seqs + 8u * r->at, 0, 8u * n);
  r->at += n;
  return r->at < d->lpns ? FW_PENDING : FW_OK;
}

fw_result_t recovery_journal(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t pages = LPNS_PER_POLL; /* a record may cover as many as that */
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < fw->dev.journal_records; n++, r->at++, r->done = 0) {
    uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
    struct orm_journal_record rec;
    hal_nv_read(fw->p, fw->dev.nv_journal + r->at * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
    if (!orm_journal_record_open(&rec, raw)) continue;
    /* Seen, even if it does not count: the next checkpoint must cover it, so that it never will. */
    saw(r, rec.seq);
    if (rec.seq > r->commit || rec.seq <= r->trims_before) continue;
    for (; r->done < rec.pages; r->done++, pages--) {
      if (pages == 0) return FW_PENDING;
      recovery_event(fw, rec.lpn + r->done, rec.seq, ORM_UNMAPPED);
    }
  }
  return r->at < fw->dev.journal_records ? FW_PENDING : FW_OK;
}

/* Slots that only complete a page are good ones that name no LPN. */
static fw_result_t take_probe(struct fw *fw, const struct nand_result *res) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t sb = res->slot / d->slots_per_sb;
  uint32_t die = nand_die_of(d, res->slot);
  FW_ASSERT(fw, sb < r->superblocks && r->next[die] < device_slots_per_block(d)); /* what was asked for */
  struct recovery_sb *s = &r->sb[sb];
  if (res->status == ORM_FW_NAND_STATUS_ERASED ||
      nand_marked_bad(res)) { /* pages are programmed in order: nothing follows */
    if (nand_marked_bad(res) && (fw->read_only != 0 || bad_is_unknown(fw, sb)))
      bad_note(fw, sb); /* its BadWord is damaged or lost */
    r->next[die] = device_slots_per_block(d);
    return FW_OK;
  }
  r->next[die]++;
  s->programmed++;
  struct orm_oob_record oob;
  /* Data that is lost is still the newest that its LPN has: reads of it fail, older data does not come back. */
  bool known = res->status == ORM_FW_NAND_STATUS_OK || res->status == ORM_FW_NAND_STATUS_FAILED;
  if (!known || !orm_oob_record_open(&oob, res->oob)) { /* torn */
    r->doubt = true;
    return FW_OK;
  }
  if (oob.slot != res->slot) return FW_OK;
  if (fw->read_only != 0 && s->good == 0) s->gen = oob.gen;
  if (oob.gen != s->gen) {
    s->foreign = true;
    return FW_OK;
  }
  /* Data that this firmware cannot tell from rubbish: it must not be erased as such. */
  if (oob.version != ORM_FORMAT_VERSION) return FW_FORMAT_VERSION;
  s->good++;
  s->stream = oob.stream;
  *hal_dram(fw->p, r->good_map + res->slot / 8u) |= (uint8_t)(1u << (res->slot % 8u));
  saw(r, oob.seq);
  if (!recovery_destaged_event(fw, oob.lpn, oob.seq, res->slot)) recovery_event(fw, oob.lpn, oob.seq, res->slot);
  return FW_OK;
}

/* A superblock can be filled on where it stopped if its slots 0..n-1 are good and no other was touched. */
static bool is_even(const struct fw *fw, uint32_t sb) {
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  if (s->good != s->programmed) return false;
  for (uint32_t i = 0; i < s->programmed; i++) {
    if (!recovery_slot_good(fw, sb * fw->dev.slots_per_sb + i)) return false;
  }
  return true;
}

/* Superblocks with an intent are probed first: which of two copies wins depends on them. `at` counts in that order: theirs
 * in the order of their places, then the others. */
static uint32_t probe_order(const struct recovery *r, uint32_t at) {
  uint32_t first[ORM_NV_INTENTS], n = 0; /* sorted */
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    if (!r->intent[i].valid) continue;
    uint32_t sb = r->intent[i].is.sb, k = n++;
    if (at == k) return sb;
    for (; k > 0 && first[k - 1u] > sb; k--) first[k] = first[k - 1u];
    first[k] = sb;
  }
  uint32_t sb = at - n;
  for (uint32_t i = 0; i < n && first[i] <= sb; i++) sb++;
  return sb;
}

fw_result_t recovery_spare(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  struct nand_result res;
  for (uint32_t n = 0; n < PROBES_PER_POLL && nand_take(&fw->nand, d, fw->p, &res); n++) {
    fw_result_t taken = take_probe(fw, &res);
    if (taken != FW_OK) return taken;
  }
  uint32_t sb = probe_order(r, r->at);
  bool busy = false;
  if (bad_has(fw, sb) || r->sb[sb].known) /* it holds nothing; a probe of a block whose mark was lost says anything */
    for (uint32_t die = 0; die < d->dies; die++) r->next[die] = device_slots_per_block(d);
  for (uint32_t die = 0; die < d->dies; die++) {
    if (r->next[die] >= device_slots_per_block(d)) continue;
    busy = true;
    if (!fw->nand.busy[die])
      (void)nand_start(&fw->nand, d, fw->p, ORM_FW_NAND_OP_PROBE, device_slot_of(d, sb, die, r->next[die]));
  }
  if (busy) return FW_PENDING;
  /* The record of an erase follows it: what is of another generation, and all there is, was not erased. Only what was bad at
   * the format may look like that. */
  bool was_bad = bad_is_unknown(fw, sb) && r->sb[sb].gen == FW_BAD_GENERATION;
  if (r->sb[sb].foreign && r->sb[sb].good == 0 && !was_bad) return startup_read_only(fw, ORM_READ_ONLY_BLOCK);
  r->sb[sb].even = !r->sb[sb].known && is_even(fw, sb);
  struct recovery_intent *in = intent_of(r, sb);
  if (in != NULL) in->rank = r->sb[sb].good == in->is.good_slots ? RECOVERY_INTACT : RECOVERY_CUT;
  memset(r->next, 0, sizeof r->next);
  r->at++;
  if (r->at == r->superblocks) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}

fw_result_t recovery_sharers(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t all = r->nsze + (d->lpns - d->destage_lpn); /* those of the namespace, then those of destaged chains */
  /* More than the hardware ever grants, in a device that lost what it knew: some were trimmed, which nothing says any more. */
  uint32_t most = fw->read_only != 0 ? d->sharers : UINT8_MAX;
  for (uint32_t n = 0; n < LPNS_PER_POLL && r->at < all; n++, r->at++) {
    uint32_t lpn = r->at < r->nsze ? r->at : d->destage_lpn + (r->at - r->nsze);
    if (lpn < r->nsze && !touched(r, lpn)) {
      r->at = end_of_region(r, lpn) - 1u;
      continue;
    }
    uint32_t slot = hal_dram_get32(fw->p, l2p_addr(fw, lpn));
    if (slot == ORM_UNMAPPED) continue;
    uint8_t *ref = hal_dram(fw->p, d->dram_ref + slot);
    if (*ref >= most) {
      if (fw->read_only == 0) return startup_read_only(fw, ORM_READ_ONLY_POINTER);
      hal_dram_put32(fw->p, l2p_addr(fw, lpn), ORM_UNMAPPED);
      continue;
    }
    if (*ref == 0) r->sb[slot / d->slots_per_sb].valid++;
    (*ref)++;
  }
  return r->at < all ? FW_PENDING : FW_OK;
}

static void settle(struct fw *fw, uint32_t sb, enum orm_sb_state state) {
  struct recovery_sb *s = &fw->recovery.sb[sb];
  s->state = (uint8_t)state;
  /* From here on `good` is what a later intent says: all slots, once the superblock is full of new data. */
  if (state == ORM_SB_STATE_FREE || state == ORM_SB_STATE_OPEN) s->good = (uint16_t)fw->dev.slots_per_sb;
  fw->recovery.at++;
}

static bool was_open(const struct fw *fw, uint32_t sb) {
  for (uint32_t i = 0; i < FW_MAX_STREAMS; i++) {
    if (fw->state.open_sb[i] == sb) return true;
  }
  return false;
}

/* The stream is one that the device has, and fills none yet. */
static bool stream_is_free(const struct fw *fw, uint32_t stream) {
  bool exists = stream == ORM_STREAM_GC ||
                (stream % ORM_STREAM_HANDLE == ORM_STREAM_HOST && stream / ORM_STREAM_HANDLE < fw->handles);
  return exists && !((fw->recovery.resumed >> stream) & 1u);
}

static bool may_resume(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  const struct recovery_sb *s = &r->sb[sb];
  return r->resume && was_open(fw, sb) && s->even && s->programmed > 0 && s->programmed < fw->dev.slots_per_sb &&
         s->programmed % fw->dev.slots_per_page == 0 && stream_is_free(fw, s->stream);
}

/* The erase is durable, then the new generation is: a cut between the two only repeats the erase. */
static void next_generation(struct fw *fw, uint32_t sb) {
  struct recovery_sb *s = &fw->recovery.sb[sb];
  struct orm_block_record b = {.gen = s->gen + 1u};
  uint8_t raw[ORM_BLOCK_RECORD_BYTES];
  orm_block_record_seal(&b, (uint16_t)sb, raw);
  hal_nv_write(fw->p, fw->dev.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
  s->gen++;
  s->epoch = 0;
}

static void end_erase(struct fw *fw, uint32_t sb, fw_result_t result) {
  fw->recovery.erasing = false;
  if (result == FW_OK) {
    next_generation(fw, sb);
    settle(fw, sb, ORM_SB_STATE_FREE);
    return;
  }
  fw->state.media_errors++;
  bad_add(fw, sb);
  settle(fw, sb, ORM_SB_STATE_BAD);
}

static bool may_be_half_erased(struct fw *fw, uint32_t sb) {
  struct recovery *r = &fw->recovery;
  const struct recovery_intent *in = intent_of(r, sb);
  if (bad_is_unknown(fw, sb)) return true;
  return in != NULL ? in->rank == RECOVERY_CUT : r->bad_intent;
}

/* The superblocks with intents come first: recovery's own is overwritten by that of the next one to erase. GC's stay, so the
 * slots of a victim that is intact win however often the power goes. */
fw_result_t recovery_settle(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  while (r->at < r->superblocks) {
    uint32_t sb = probe_order(r, r->at);
    struct recovery_sb *s = &r->sb[sb];
    if (r->erasing) {
      fw_result_t e = nand_erase_poll(&r->eraser, &fw->nand, &fw->dev, fw->p);
      if (e == FW_PENDING) return FW_PENDING;
      end_erase(fw, sb, e);
      continue;
    }
    const struct recovery_intent *in = intent_of(r, sb);
    if (bad_has(fw, sb)) {
      settle(fw, sb, ORM_SB_STATE_BAD);
    } else if (may_resume(fw, sb)) {
      r->resumed |= 1u << s->stream;
      settle(fw, sb, ORM_SB_STATE_OPEN);
    } else if (s->valid > 0 || (s->known && s->live)) { /* or GC erases it, as it would have */
      settle(fw, sb, ORM_SB_STATE_CLOSED);
    } else if (s->programmed == 0 && !may_be_half_erased(fw, sb)) {
      settle(fw, sb, ORM_SB_STATE_FREE);
    } else {
      /* The intent of a cut erase stays as it is: it says enough, and rewriting its 16 bytes could lose it to the next cut. */
      if (in == NULL) /* good slots: never "intact" */
        state_write_intent(&fw->dev, fw->p, FW_RECOVERY_INTENT, (uint16_t)sb, s->gen, UINT16_MAX);
      nand_erase_begin(&r->eraser, sb);
      r->erasing = true;
    }
  }
  bad_settled(fw);
  return FW_OK;
}

static uint32_t sb_free(const struct recovery *r) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->superblocks; i++) n += r->sb[i].state == ORM_SB_STATE_FREE;
  return n;
}

static uint64_t unmapped_of(const struct fw *fw, uint32_t first) {
  const struct recovery *r = &fw->recovery;
  uint64_t word = 0;
  for (uint32_t bit = 0; bit < 64 && first + bit < r->nsze; bit++) {
    if (hal_dram_get32(fw->p, l2p_addr(fw, first + bit)) == ORM_UNMAPPED) word |= 1ull << bit;
  }
  return word;
}

/* All trims known so far go into the other bitmap under the newest seq; so the journal starts empty, and records and
 * events that did not count can never count later. Where there is no event there is nothing to be kept from counting; but what
 * could not be read now may be readable the next time. */
fw_result_t recovery_checkpoint(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t other = 1u - r->bitmap;
  uint32_t base = d->nv_bitmap + other * d->nv_bitmap_bytes;
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < r->nsze; n++, r->at += 64) {
    uint8_t raw[8];
    orm_put_le(raw, touched(r, r->at) || r->doubt ? unmapped_of(fw, r->at) : 0, sizeof raw);
    hal_nv_write(fw->p, base + r->at / 8u, raw, sizeof raw);
  }
  if (r->at < r->nsze) return FW_PENDING;
  struct orm_pointer_word k = {.seq = r->newest, .tag = (uint8_t)other};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&k, raw);
  hal_nv_write(fw->p, d->nv_checkpoint, raw, sizeof raw);
  r->bitmap = other;
  r->trims_before = r->newest;
  return FW_OK;
}

static void load_superblock(struct fw *fw, uint32_t sb) {
  const struct platform *p = fw->p;
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  bool in_use = sb < fw->recovery.superblocks;
  hal_write(p, ORM_FW_SB_SELECT, sb);
  hal_write(p, ORM_FW_SB_GEN, in_use ? s->gen : 0);
  hal_write(p, ORM_FW_SB_CHAIN, ORM_PUT(ORM_FW_SB_CHAIN_EPOCH, in_use ? s->epoch : 0u));
  hal_write(p, ORM_FW_SB_STATE,
            ORM_PUT(ORM_FW_SB_STATE_VALID, in_use ? s->valid : 0) |
                ORM_PUT(ORM_FW_SB_STATE_STATE, in_use ? s->state : (uint32_t)ORM_SB_STATE_BAD));
  if (!in_use) return;
  if (s->state == ORM_SB_STATE_FREE) hal_write(p, ORM_FW_ALLOC_FREE, sb);
  if (s->state == ORM_SB_STATE_OPEN) {
    hal_write(p, ORM_FW_ALLOC_RESTORE,
              ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, sb) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, s->programmed) |
                  ORM_PUT(ORM_FW_ALLOC_RESTORE_STREAM, s->stream));
  }
}

fw_result_t recovery_load(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  if (r->at == 0) {
    uint64_t next = r->newest + 1u;
    hal_clean(fw->p, 0, d->dram_fw);
    hal_write(fw->p, ORM_FW_SEQ_LO, (uint32_t)next);
    hal_write(fw->p, ORM_FW_SEQ_HI, (uint32_t)(next >> 32));
    hal_write(fw->p, ORM_FW_JOURNAL_LOAD, 0);
  }
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < d->superblocks; n++, r->at++) load_superblock(fw, r->at);
  if (r->at < d->superblocks) return FW_PENDING;
  /* Nothing can be written or collected then, but everything can be read. */
  if (sb_free(r) == 0) hal_log(fw->p, PLATFORM_LOG_ERROR, "no superblock is free: the device can only be read");
  hal_log(fw->p, PLATFORM_LOG_INFO, "recovered: %u superblocks free, seq %llu", (unsigned)sb_free(r),
          (unsigned long long)r->newest);
  return FW_OK;
}
