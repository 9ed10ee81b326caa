/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/read_only.h"

#include <string.h>

#include "core/superblock.h"
#include "fw.h"
#include "media/media_init.h"

#define RESULTS_PER_POLL 32u
#define SEGMENTS_PER_POLL 64u

void read_only_enter(struct fw *fw, uint32_t cause) { fw->read_only.cause = cause; }

void read_only_leave(struct fw *fw) { fw->read_only.cause = 0; }

static bool pointer(const struct fw *fw, uint32_t addr, struct orm_pointer_word *out) {
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  hal_nv_read(fw->p, addr, raw, sizeof raw);
  return orm_pointer_word_open(out, raw) && out->reserved == 0;
}

static bool block(const struct fw *fw, uint32_t sb, struct orm_block_record *out) {
  uint8_t raw[ORM_BLOCK_RECORD_BYTES];
  hal_nv_read(fw->p, fw->dev.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
  return orm_block_record_open(out, raw, (uint16_t)sb) && out->set <= 2;
}

static bool never_written(const struct fw *fw, uint32_t sb) {
  uint8_t raw[ORM_BLOCK_RECORD_BYTES];
  hal_nv_read(fw->p, fw->dev.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
  uint64_t word = orm_get_le(raw, sizeof raw);
  return word == 0 || word == UINT64_MAX;
}

fw_result_t read_only_without_header(const struct fw *fw) {
  struct orm_pointer_word w;
  struct orm_block_record b;
  uint32_t sb = 0;
  while (sb < fw->dev.superblocks && block(fw, sb, &b)) sb++;
  bool good = pointer(fw, fw->dev.nv_commit, &w) && pointer(fw, fw->dev.nv_checkpoint, &w);
  /* The device may use fewer superblocks than there are, and only the header says how many: nothing was ever written
   * where the records of the others would be. */
  good = good && sb > FW_SPARE_SUPERBLOCKS;
  for (; good && sb < fw->dev.superblocks; sb++) good = never_written(fw, sb);
  return good ? FW_BAD_HEADER : FW_LOST;
}

/* ---- blank NVRAM */

static bool is_ours(const struct nand_result *res) {
  struct orm_oob_record oob;
  return res->status == ORM_FW_NAND_STATUS_OK && orm_oob_record_open(&oob, res->oob) && oob.slot == res->slot;
}

/* Pages of a block are programmed in order, so one probe a block is enough where there is nothing. */
fw_result_t read_only_look(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  struct nand_result res;
  for (uint32_t n = 0; n < RESULTS_PER_POLL && nand_take(&fw->nand, d, fw->p, &res); n++) {
    uint32_t die = nand_die_of(d, res.slot);
    r->doubt = r->doubt || is_ours(&res);
    bool nothing = res.status == ORM_FW_NAND_STATUS_ERASED || nand_marked_bad(&res);
    r->next[die] = nothing || r->doubt ? device_slots_per_block(d) : r->next[die] + 1u;
  }
  bool busy = false;
  for (uint32_t die = 0; die < d->dies; die++) {
    busy = busy || fw->nand.busy[die];
    if (r->next[die] >= device_slots_per_block(d) || r->doubt) continue;
    busy = true;
    if (!fw->nand.busy[die])
      (void)nand_start(&fw->nand, d, fw->p, ORM_FW_NAND_OP_PROBE, device_slot_of(d, r->at, die, r->next[die]));
  }
  if (busy) return FW_PENDING;
  if (r->doubt) return FW_LOST;
  memset(r->next, 0, sizeof r->next);
  if (++r->at == d->superblocks) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}

/* ---- recovery without writing */

/* As a format would choose it; what spare areas name past it is added when they have been seen. */
static fw_result_t guess_geometry(struct fw *fw) {
  bad_none(fw); /* the marks will be seen; what did not erase later will not erase again */
  fw_result_t r = media_init_geometry(fw);
  if (r == FW_OK && fw->read_only.cause == ORM_READ_ONLY_LOST) geometry_forget_formats(fw);
  return r;
}

static bool header_is_known(const struct fw *fw) {
  return fw->read_only.cause != ORM_READ_ONLY_LOST && fw->read_only.cause != ORM_READ_ONLY_HEADER;
}

/* Without the commit pointer all entries count: only the last command's may not have been answered. Without the
 * checkpoint pointer all records of the journal count. Where a pointer is the cause and both pass they contradict what
 * else there is, and nothing says which of them is wrong. */
static void read_pointers(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct orm_pointer_word commit, checkpoint;
  bool commits = pointer(fw, fw->dev.nv_commit, &commit), checks = pointer(fw, fw->dev.nv_checkpoint, &checkpoint);
  bool contradict = fw->read_only.cause == ORM_READ_ONLY_POINTER && commits && checks;
  bool trusted = fw->read_only.cause != ORM_READ_ONLY_LOST && !contradict;
  r->no_bitmap = fw->read_only.cause == ORM_READ_ONLY_LOST;
  r->commit = trusted && commits ? commit.seq : RECOVERY_ALL_SEQS;
  r->trims_before = trusted && checks ? checkpoint.seq : 0;
  if (trusted && commits) recovery_saw(r, commit.seq);
  recovery_saw(r, r->trims_before);
}

static void read_blocks(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t sb = 0; sb < r->superblocks; sb++) {
    struct orm_block_record b;
    bool known = fw->read_only.cause != ORM_READ_ONLY_LOST && block(fw, sb, &b);
    r->sb[sb].vague = !known;
    r->sb[sb].gen = known ? b.gen : FW_FIRST_GENERATION;
    r->sb[sb].epoch = known ? b.epoch : UINT16_MAX;
    r->sb[sb].set = known ? b.set : 0;
  }
}

fw_result_t read_only_begin(struct fw *fw) {
  if (!header_is_known(fw)) {
    fw_result_t g = guess_geometry(fw);
    if (g != FW_OK) return g;
  }
  fw_result_t r = recovery_tables(fw);
  if (r != FW_OK) return r;
  if (!header_is_known(fw))
    fw->recovery.nsze = fw->dev.destage_lpn; /* until the spare areas have said how far it goes */
  read_pointers(fw);
  read_blocks(fw);
  r = state_load(&fw->state, &fw->dev, fw->p);
  state_not_clean(&fw->state); /* nothing is written that would have to take the mark away */
  fw->recovery.doubt = true;
  damage_found(fw, DAMAGE_WORD);
  return r;
}

/* One by one, whether or not their chain is whole. Of a superblock without record all epochs count: what an older
 * one says is true, if nothing newer is known of the page. */
static void read_segment(struct fw *fw, uint32_t i) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t addr = d->nv_segments + i * d->segment_bytes;
  _Alignas(4) uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  struct orm_segment_header h;
  fw_work(fw->p, FW_WORK_SEGMENT, 1u);
  hal_nv_read(fw->p, addr, raw, sizeof raw);
  if (hal_is_zero(raw, sizeof raw)) return;
  fw_work(fw->p, FW_WORK_CHECK, 1u);
  if (!orm_segment_header_open(&h, raw) || h.sb >= r->superblocks) return;
  const struct recovery_sb *s = &r->sb[h.sb];
  if (h.gen != s->gen || (!s->vague && h.epoch != s->epoch)) return;
  for (uint32_t k = 0; k < device_entries_per_segment(d); k++) {
    _Alignas(4) uint8_t one[ORM_REMAP_ENTRY_BYTES];
    struct orm_remap_entry e;
    hal_nv_read(fw->p, addr + (k + 1u) * ORM_REMAP_ENTRY_BYTES, one, sizeof one);
    if (hal_is_zero(one, sizeof one)) continue;
    fw_work(fw->p, FW_WORK_CHECK, 1u);
    if (!orm_remap_entry_open(&e, one, h.sb, h.gen, h.epoch)) continue;
    if (e.seq > r->newest) r->newest = e.seq;
    uint32_t slot = h.sb * d->slots_per_sb + e.offset;
    if (e.seq <= r->commit && e.offset < d->slots_per_sb && recovery_slot_good(fw, slot))
      recovery_event(fw, e.lpn, e.seq, slot);
  }
}

fw_result_t read_only_entries(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < fw->dev.segments; n++, r->at++) read_segment(fw, r->at);
  return r->at < fw->dev.segments ? FW_PENDING : FW_OK;
}

/* None is free, none is open, but some may be bad: what holds nothing may be half erased. */
fw_result_t read_only_settle(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  geometry_reach(fw, r->pages_seen);
  r->nsze = fw->geometry.nsze;
  if (!header_is_known(fw)) bad_set_at_format(fw, fw->bad.count); /* the marks were there */
  for (uint32_t sb = 0; sb < r->superblocks; sb++) {
    r->sb[sb].state = bad_has(fw, sb) ? ORM_SB_STATE_BAD : ORM_SB_STATE_CLOSED;
    r->sb[sb].segments = 0;
    r->sb[sb].set = 0;
  }
  return FW_OK;
}

/* The table is empty: nothing appends to it, and Format NVM begins with it. */
fw_result_t read_only_segments(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t n = 0; n < SEGMENTS_PER_POLL && r->at < fw->dev.segments; n++, r->at++)
    hal_write(fw->p, ORM_FW_SEG_FREE, r->at);
  return r->at < fw->dev.segments ? FW_PENDING : FW_OK;
}
