/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/recovery.h"

#include <string.h>

#include "fw.h"
#include "fw_mutant.h"
#include "media/format_word.h"
#include "trim/trim_bitmap.h"

/* Work of one poll: enough for a quick start-up, and little enough for a poll of well under a millisecond of CPU
 * time. */
#define LPNS_PER_POLL 4096u
#define FILLED_PER_POLL RECOVERY_REGION_LPNS
#define RECORDS_PER_POLL 256u

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

void recovery_mark_slots(const struct fw *fw, uint32_t map, uint32_t slot, uint32_t marks) {
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
 * second one is intact, and may be the target of the first one: its slots win over those of a first one that is
 * not. Between two that are intact either is right. */
static bool copy_wins(struct fw *fw, uint32_t slot, uint32_t held) {
  if (slot == ORM_UNMAPPED || held == ORM_UNMAPPED) return false;
  bool lost = bit_of(fw, fw->recovery.lost_map, slot), held_lost = bit_of(fw, fw->recovery.lost_map, held);
  if (lost != held_lost) return held_lost;
  return recovery_rank_of(fw, slot / fw->dev.slots_per_sb) > recovery_rank_of(fw, held / fw->dev.slots_per_sb);
}

void recovery_elect(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot) {
  if (fw->recovery.by_snapshot) return;
  fw_work(fw->p, FW_WORK_EVENT, 1u);
  uint64_t held_seq = recovery_seq(fw, lpn);
  if (seq < held_seq) return;
  if (seq == held_seq && !copy_wins(fw, slot, hal_dram_get32(fw->p, l2p_addr(fw, lpn)))) return;
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

/* Trimmed at or before the checkpoint's seq, or not written until then. What was written in order has one word of the
 * bitmap for many LPNs. */
static bool in_bitmap(struct fw *fw, uint32_t lpn) {
  struct recovery *r = &fw->recovery;
  uint32_t word = lpn / ORM_TRIM_WORD_LPNS, bit = lpn % ORM_TRIM_WORD_LPNS;
  if (r->trim_word != word + 1u) {
    uint64_t trimmed;
    (void)trim_bitmap_read(&fw->dev, fw->p, r->bitmap, lpn, &trimmed); /* recovery_trims counts what is damaged */
    r->trimmed[0] = (uint32_t)trimmed;
    r->trimmed[1] = (uint32_t)(trimmed >> 32);
    r->trim_word = word + 1u;
  }
  return r->trimmed[bit / 32u] >> (bit % 32u) & 1u;
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
  if (!read_pointer(fw, d->nv_commit, &commit) || commit.tag != 0 || !read_pointer(fw, d->nv_checkpoint, &checkpoint) ||
      checkpoint.tag > 1)
    return FW_BAD_POINTER;
  r->commit = commit.seq;
  r->trims_before = checkpoint.seq;
  r->bitmap = checkpoint.tag;
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
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (!orm_journal_record_open(&rec, raw)) continue;
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

/* A word that is damaged says nothing: pages trimmed before the checkpoint may be back, and none is taken away.
 * Where a snapshot was taken the bitmap is not needed. */
fw_result_t recovery_trims(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (r->by_snapshot || r->trims_before == 0) return FW_OK;
  for (uint32_t n = 0; n < LPNS_PER_POLL / ORM_TRIM_WORD_LPNS && r->at < r->nsze; n++, r->at += ORM_TRIM_WORD_LPNS) {
    uint64_t trimmed;
    if (!trim_bitmap_read(&fw->dev, fw->p, r->bitmap, r->at, &trimmed)) damage_found(fw, DAMAGE_WORD);
  }
  return r->at < r->nsze ? FW_PENDING : FW_OK;
}

/* Of `count` LPNs from `lpn` on. Neighbours in L2P nearly always have slots of one superblock. */
static fw_result_t count_sharers(struct fw *fw, uint32_t lpn, uint32_t count) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  /* A device that lost its NVRAM may find more sharers than the hardware grants: some were trimmed, but nothing
   * says so any more. */
  uint32_t most = fw->read_only.cause != 0 ? d->sharers : UINT8_MAX;
  uint32_t sb = 0, first = 0;
  fw_work(fw->p, FW_WORK_LPN, count);
  for (uint32_t end = lpn + count; lpn < end; lpn++) {
    uint32_t slot = hal_dram_get32(fw->p, l2p_addr(fw, lpn));
    if (slot == ORM_UNMAPPED) continue;
    uint8_t *ref = hal_dram(fw->p, d->dram_ref + slot), sharers = *ref;
    if (sharers >= most) {
      if (fw->read_only.cause == 0) return FW_BAD_POINTER;
      hal_dram_put32(fw->p, l2p_addr(fw, lpn), ORM_UNMAPPED);
      continue;
    }
    fw_work(fw->p, FW_WORK_SHARER, 1u);
    *ref = (uint8_t)(sharers + 1u);
    if (sharers != 0) continue;
    if (slot - first >= d->slots_per_sb) {
      sb = slot / d->slots_per_sb;
      first = sb * d->slots_per_sb;
    }
    r->sb[sb].valid++;
  }
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
  /* From here on `good` is what a later intent says: all slots, once the superblock is full of new data. */
  if (state == ORM_SB_STATE_FREE || state == ORM_SB_STATE_OPEN) s->good = (uint16_t)fw->dev.data_slots;
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
                (stream % ORM_STREAM_HANDLE == ORM_STREAM_HOST && stream / ORM_STREAM_HANDLE < fw->geometry.handles);
  return exists && !((fw->recovery.resumed >> stream) & 1u);
}

static bool may_resume(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  const struct recovery_sb *s = &r->sb[sb];
  return r->resume && was_open(fw, sb) && s->even && s->programmed > 0 && s->programmed < fw->dev.data_slots &&
         s->programmed % fw->dev.slots_per_page == 0 && stream_is_free(fw, s->stream);
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
        state_write_intent(&fw->dev, fw->p, FW_RECOVERY_INTENT, (uint16_t)sb, s->gen, UINT16_MAX);
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

/* All trims known so far go into the other bitmap under the newest seq; so the journal starts empty, and records
 * and events that did not count can never count later. Where there is no event there is nothing to be kept from
 * counting; but what could not be read now may be readable the next time. */
fw_result_t recovery_checkpoint(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  uint32_t other = 1u - r->bitmap;
  for (uint32_t n = 0; n < RECORDS_PER_POLL && r->at < r->nsze; n++, r->at += ORM_TRIM_WORD_LPNS) {
    uint32_t last = r->at + ORM_TRIM_WORD_LPNS <= r->nsze ? r->at + ORM_TRIM_WORD_LPNS - 1u : r->nsze - 1u;
    bool any = r->doubt || touched(r, r->at) || touched(r, last);
    trim_bitmap_write(&fw->dev, fw->p, other, r->at, any ? trim_bitmap_unmapped(&fw->dev, fw->p, r->at, r->nsze) : 0);
  }
  if (r->at < r->nsze) return FW_PENDING;
  struct orm_pointer_word k = {.seq = r->newest, .tag = (uint8_t)other};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&k, raw);
  hal_nv_write(fw->p, fw->dev.nv_checkpoint, raw, sizeof raw);
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
  good_slots_set(fw, sb, s->good);
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
