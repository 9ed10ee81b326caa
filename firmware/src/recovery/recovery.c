/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/recovery.h"

#include <string.h>

#include "fw.h"
#include "fw_mutant.h"
#include "media/format_word.h"
#include "trim/trim_bitmap.h"

/* Work of one poll: enough for a quick start-up, and little enough for a poll of a few milliseconds on a small
 * processor. */
#define LPNS_PER_POLL 4096u
#define FILLED_PER_POLL RECOVERY_REGION_LPNS
#define RECORDS_PER_POLL 256u

static uint32_t l2p_addr(const struct fw *fw, uint32_t lpn) { return fw->dev.dram_l2p + 4u * lpn; }

static bool touched(const struct recovery *r, uint32_t lpn) {
  uint32_t region = lpn / RECOVERY_REGION_LPNS;
  return (r->touched[region / 32u] >> (region % 32u)) & 1u;
}

/* First LPN of the namespace behind the region. */
static uint32_t end_of_region(const struct recovery *r, uint32_t lpn) {
  uint32_t left = r->nsze - lpn, region = RECOVERY_REGION_LPNS - lpn % RECOVERY_REGION_LPNS;
  return lpn + (left < region ? left : region);
}

static bool read_pointer(const struct fw *fw, uint32_t addr, struct orm_pointer_word *out) {
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  hal_nv_read(fw->p, addr, raw, sizeof raw);
  return orm_pointer_word_open(out, raw) && out->reserved == 0;
}

fw_result_t recovery_tables(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  memset(r, 0, offsetof(struct recovery, sb));
  memset(r->sb, 0, fw->geometry.superblocks * sizeof *r->sb);
  r->superblocks = fw->geometry.superblocks;
  r->nsze = fw->geometry.nsze;
  r->seqs = d->dram_fw;
  r->good_map = r->seqs + 8u * d->lpns;
  r->lost_map = r->good_map + (d->slots + 63u) / 64u * 8u;
  r->segs = r->lost_map + (d->slots + 63u) / 64u * 8u;
  if ((uint64_t)r->segs + 8u * d->segments > d->dram_bytes) return FW_GEOMETRY;
  return d->lpns > (uint64_t)RECOVERY_MAX_REGIONS * RECOVERY_REGION_LPNS ? FW_GEOMETRY : FW_OK;
}

void recovery_step_begins(struct fw *fw) { fw->recovery.at = 0; }

fw_result_t recovery_pointers(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  fw_result_t tables = recovery_tables(fw);
  if (tables != FW_OK) return tables;
  struct orm_pointer_word commit, checkpoint;
  if (!read_pointer(fw, d->nv_commit, &commit) || !read_pointer(fw, d->nv_checkpoint, &checkpoint))
    return FW_BAD_POINTER;
  r->commit = commit.seq;
  r->trims_before = checkpoint.seq;
  recovery_saw(r, commit.seq);
  recovery_saw(r, checkpoint.seq);

  for (uint32_t i = 0; i < r->superblocks; i++) {
    uint8_t raw[ORM_BLOCK_RECORD_BYTES];
    struct orm_block_record b;
    hal_nv_read(fw->p, d->nv_blocks + i * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
    if (!orm_block_record_open(&b, raw, (uint16_t)i) || b.set > 2) return FW_BAD_BLOCK;
    if (b.set != 0 && d->destage_slots == 0) return FW_FORMAT_MISMATCH;
    r->sb[i].gen = b.gen;
    r->sb[i].epoch = b.epoch;
    r->sb[i].set = b.set;
  }
  fw_result_t state = state_load(&fw->state, d, fw->p);
  if (state != FW_OK) return state;
  for (uint32_t i = 0; i < fw->bad.damaged; i++) damage_found(fw, DAMAGE_WORD);
  if (format_word_is_damaged(fw)) return FW_BAD_FORMAT_WORD;
  r->formatting = format_word_stands(fw);
  r->resume = fw->state.clean && !r->formatting;
  recovery_read_intents(fw);
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
  uint32_t n = d->lpns - r->at < FILLED_PER_POLL ? d->lpns - r->at : FILLED_PER_POLL;
  hal_dram_fill(fw->p, l2p_addr(fw, r->at), 0xFF, 4u * n);
  hal_dram_fill(fw->p, r->seqs + 8u * r->at, 0, 8u * n);
  r->at += n;
  return r->at < d->lpns ? FW_PENDING : FW_OK;
}

fw_result_t recovery_journal(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t pages = LPNS_PER_POLL; /* a record may cover as many as that */
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < fw->dev.journal_records; n++, r->at++, r->done = 0) {
    _Alignas(4) uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
    struct orm_journal_record rec;
    hal_nv_read(fw->p, fw->dev.nv_journal + r->at * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
    if (hal_is_zero(raw, sizeof raw)) continue;
    fw_work(fw->p, FW_WORK_TRIM, 1u);
    if (!orm_journal_record_open(&rec, raw)) {
      r->journal_halves = true;
      continue;
    }
    /* Seen, even if it does not count: the next checkpoint must cover it, so that it never will. */
    recovery_saw(r, rec.seq);
    if (rec.seq <= r->commit) r->journal_counts = true;
    if (rec.seq > r->commit || rec.seq <= r->trims_before) continue;
    for (; r->done < rec.pages; r->done++, pages--) {
      if (pages == 0) return FW_PENDING;
      recovery_event(fw, rec.lpn + r->done, rec.seq, ORM_UNMAPPED);
    }
  }
  return r->at < fw->dev.journal_records ? FW_PENDING : FW_OK;
}

/* What is damaged says nothing: pages trimmed before the checkpoint may be back, and none is taken away. Where a
 * snapshot was taken the bitmap is not needed. */
fw_result_t recovery_trims(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (r->by_snapshot || r->no_bitmap) return FW_OK;
  for (uint32_t n = 0; n < LPNS_PER_POLL / ORM_TRIM_WORD_LPNS && r->at < r->nsze; n++, r->at += TRIM_REGION_LPNS) {
    struct trim_pointer now;
    if (!trim_pointer_read(&fw->dev, fw->p, r->at / TRIM_REGION_LPNS, &now)) damage_found(fw, DAMAGE_WORD);
    if (now.seq == 0) continue;
    recovery_saw(r, now.seq);
    if (now.seq > r->trims_most) r->trims_most = now.seq;
    uint32_t left = r->nsze - r->at;
    for (uint32_t at = 0; at < TRIM_REGION_LPNS && at < left; at += ORM_TRIM_WORD_LPNS, n++) {
      uint64_t trimmed;
      if (!trim_bitmap_read(&fw->dev, fw->p, now.bitmap, r->at + at, &trimmed)) damage_found(fw, DAMAGE_WORD);
    }
  }
  return r->at < r->nsze ? FW_PENDING : FW_OK;
}

/* Of `count` LPNs from `lpn` on. Neighbours in L2P nearly always have slots of one superblock. What the loop needs of
 * the context is in variables of its own: stores to REF, which has bytes, might change it otherwise. */
static fw_result_t count_sharers(struct fw *fw, uint32_t lpn, uint32_t count) {
  struct recovery *r = &fw->recovery;
  bool is_read_only = fw->read_only.cause != 0;
  /* A device that lost its NVRAM may find more sharers than the hardware grants: some were trimmed, but nothing
   * says so any more. */
  const uint32_t most = is_read_only ? fw->dev.sharers : UINT8_MAX, slots_per_sb = fw->dev.slots_per_sb;
  uint8_t *const ref = hal_dram(fw->p, fw->dev.dram_ref), *at = hal_dram_words(fw->p, l2p_addr(fw, lpn));
  uint32_t sb = 0, first = 0, fresh = 0, counted = 0;
  fw_work(fw->p, FW_WORK_LPN, count);
  for (const uint8_t *end = at + 4u * count; at != end; at += 4) {
    uint32_t slot = (uint32_t)orm_get_le((const uint8_t *)__builtin_assume_aligned(at, 4), 4);
    if (slot == ORM_UNMAPPED) continue;
    uint32_t sharers = ref[slot];
    if (sharers >= most) {
      if (!is_read_only) return FW_BAD_POINTER;
      orm_put_le((uint8_t *)__builtin_assume_aligned(at, 4), ORM_UNMAPPED, 4);
      continue;
    }
    counted++;
    ref[slot] = (uint8_t)(sharers + 1u);
    if (sharers != 0) continue;
    if (slot - first >= slots_per_sb) {
      r->sb[sb].valid += fresh;
      fresh = 0;
      sb = slot / slots_per_sb;
      first = sb * slots_per_sb;
    }
    fresh++;
  }
  r->sb[sb].valid += fresh;
  fw_work(fw->p, FW_WORK_SHARER, counted);
  return FW_OK;
}

fw_result_t recovery_sharers(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t all = r->nsze + (d->lpns - d->destage_lpn); /* those of the namespace, then those of destaged chains */
  for (uint32_t n = 0, count; n < LPNS_PER_POLL && r->at < all; n += count, r->at += count) {
    bool in_namespace = r->at < r->nsze;
    uint32_t lpn = in_namespace ? r->at : d->destage_lpn + (r->at - r->nsze);
    count = (in_namespace ? end_of_region(r, lpn) : d->lpns) - lpn;
    if (in_namespace && !touched(r, lpn)) {
      r->at += count;
      count = 0;
      continue;
    }
    if (count > LPNS_PER_POLL - n) count = LPNS_PER_POLL - n;
    fw_result_t counted = count_sharers(fw, lpn, count);
    if (counted != FW_OK) return counted;
  }
  return r->at < all ? FW_PENDING : FW_OK;
}

static void settle(struct fw *fw, uint32_t sb, enum orm_sb_state state) {
  struct recovery_sb *s = &fw->recovery.sb[sb];
  s->state = (uint8_t)state;
  /* From here on `good` and `lost` are what a later intent says: all slots, once the superblock is full of new data. */
  if (state == ORM_SB_STATE_FREE || state == ORM_SB_STATE_OPEN) s->good = (uint16_t)fw->dev.data_slots;
  if (state == ORM_SB_STATE_FREE) s->lost = 0;
  fw->recovery.at++;
}

/* The stream is one that the device has, and fills none yet. */
static bool stream_is_free(const struct fw *fw, uint32_t stream) {
  bool exists = stream == ORM_STREAM_GC ||
                (stream % ORM_STREAM_HANDLE == ORM_STREAM_HOST && stream / ORM_STREAM_HANDLE < fw->geometry.handles);
  return exists && !((fw->recovery.resumed >> stream) & 1u);
}

static bool may_resume(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  const struct recovery_sb *s = &r->sb[sb];
  return r->resume && state_was_open(&fw->state, sb) && s->even && s->programmed > 0 &&
         s->programmed < fw->dev.data_slots && s->programmed % fw->dev.slots_per_page == 0 &&
         stream_is_free(fw, s->stream);
}

/* The erase is durable, then the new generation is: a cut between the two only repeats the erase. */
static void next_generation(struct fw *fw, uint32_t sb) {
  struct recovery_sb *s = &fw->recovery.sb[sb];
  struct orm_block_record b = {.gen = s->gen + 1u};
  state_write_block(&fw->dev, fw->p, sb, &b);
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
  state_media_error(&fw->state);
  bad_add(fw, sb);
  settle(fw, sb, ORM_SB_STATE_BAD);
}

static bool may_be_half_erased(const struct fw *fw, uint32_t sb) {
  if (bad_is_unknown(fw, sb)) return true;
  return recovery_has_intent(fw, sb) ? recovery_erase_begun(fw, sb) : fw->recovery.bad_intent;
}

/* The superblocks with intents come first: recovery's own is overwritten by that of the next one to erase. GC's
 * stay, so the slots of a victim that is intact win however often the power goes. */
fw_result_t recovery_settle(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  while (r->at < r->superblocks) {
    uint32_t sb = recovery_order(r, r->at);
    struct recovery_sb *s = &r->sb[sb];
    if (r->erasing) {
      fw_result_t e = nand_erase_poll(&r->eraser, &fw->nand, &fw->dev, fw->p);
      if (e == FW_PENDING) return FW_PENDING;
      end_erase(fw, sb, e);
      continue;
    }
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
      /* The intent of a cut erase stays as it is: it says enough, and rewriting its 16 bytes could lose it to the
       * next cut. */
      if (!recovery_has_intent(fw, sb)) /* good slots: never "intact" */
        state_write_intent(
            &fw->dev, fw->p, FW_RECOVERY_INTENT,
            &(struct orm_gc_intent){.gen = s->gen, .sb = (uint16_t)sb, .good_slots = GOOD_SLOTS_UNKNOWN});
      if (fw_mutant(FW_MUTANT_GENERATION_EARLY)) {
        struct orm_block_record early = {.gen = s->gen + 1u};
        state_write_block(&fw->dev, fw->p, sb, &early);
      }
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

/* A page without a spare has a seq that nobody knows, and may be readable at a later start. Were the seq used again,
 * the page could beat what was written since. */
static void go_past_unseen(struct recovery *r) {
  if (r->unseen) r->newest += RECOVERY_SEQ_MARGIN;
  r->unseen = false;
}

/* All trims known so far go into the trim bitmap under the newest seq; so the journal starts empty, and records and
 * events that did not count can never count later. A region without unmapped LPNs needs no pointer as new as that: the
 * one that it has says nothing of what is mapped. Nor does one without events, as there is nothing to be kept from
 * counting; but what could not be read now may be readable the next time. */
fw_result_t recovery_checkpoint(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  bool renew = r->damaged[DAMAGE_WORD] != 0;
  go_past_unseen(r);
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < r->nsze; n++, r->at += TRIM_REGION_LPNS) {
    uint32_t region = r->at / TRIM_REGION_LPNS, left = r->nsze - r->at;
    uint32_t last = r->at + (left < TRIM_REGION_LPNS ? left : TRIM_REGION_LPNS) - 1u;
    struct trim_region words;
    struct trim_pointer now;
    if (!renew && !r->doubt && !touched(r, r->at) && !touched(r, last)) continue;
    trim_region_scan(&fw->dev, fw->p, region, r->nsze, &words);
    n += ORM_TRIM_REGION_WORDS - 1u;
    if (!renew && !words.any) continue;
    (void)trim_pointer_read(&fw->dev, fw->p, region, &now);
    now = (struct trim_pointer){.seq = r->newest, .bitmap = 1u - now.bitmap};
    trim_region_write(&fw->dev, fw->p, now.bitmap, region, &words);
    trim_pointer_write(&fw->dev, fw->p, region, &now);
  }
  if (r->at < r->nsze) return FW_PENDING;
  struct orm_pointer_word k = {.seq = r->newest};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&k, raw);
  hal_nv_write(fw->p, fw->dev.nv_checkpoint, raw, sizeof raw);
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
  /* What is readable of a half erased one is no measure of a whole one. */
  bool half = s->state == ORM_SB_STATE_CLOSED && recovery_erase_begun(fw, sb);
  good_slots_set(fw, sb, half ? GOOD_SLOTS_UNKNOWN : (uint32_t)s->good - s->lost);
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
