/* SPDX-License-Identifier: Apache-2.0 */
#include "trim/checkpoint.h"

#include <string.h>

#include "fw.h"
#include "fw_mutant.h"
#include "trim/trim_bitmap.h"

#define LPNS_PER_POLL (128u * ORM_TRIM_WORD_LPNS) /* a multiple of 16, too: lines of L2P */

/* How long to leave a journal alone whose only records are still taking effect. */
#define RETRY_NS 100000u

void checkpoint_begin(struct fw *fw, uint32_t bitmap, uint64_t trims_before) {
  struct checkpoint *c = &fw->checkpoint;
  memset(c, 0, sizeof *c);
  c->bitmap = bitmap;
  c->trims_before = trims_before;
  /* Half a ring: the other half keeps trims and remaps going while the checkpoint is made. */
  hal_write(fw->p, ORM_FW_JOURNAL_HIGH, fw->dev.journal_records / 2u);
}

/* Records of remap commands and Copies with a smaller seq have taken effect. Hardware begins Copies by itself. */
static uint64_t settled_seq(const struct fw *fw) {
  uint64_t low = hal_read(fw->p, ORM_FW_REMAP_SEQ_LO); /* latches the high half */
  return low | (uint64_t)ORM_GET(hal_read(fw->p, ORM_FW_REMAP_SEQ_HI), ORM_FW_REMAP_SEQ_HI_VALUE) << 32;
}

/* Chooses C and the new tail. A record read while it is being written, or not written yet, is an old one with a smaller
 * seq. */
static bool choose(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  const struct device *d = &fw->dev;
  uint32_t journal = hal_read(fw->p, ORM_FW_JOURNAL_STATE);
  uint32_t used = ORM_GET(journal, ORM_FW_JOURNAL_STATE_USED);
  uint32_t head = ORM_GET(journal, ORM_FW_JOURNAL_STATE_HEAD);
  uint32_t tail = (head + d->journal_records - used) % d->journal_records;
  uint64_t settled = settled_seq(fw);
  c->seq = c->trims_before;
  c->tail = tail;
  for (uint32_t i = 0; i + 1u < used; i++) {
    _Alignas(4) uint8_t raw[ORM_JOURNAL_RECORD_BYTES]; /* NVRAM is read by words then */
    struct orm_journal_record rec;
    hal_nv_read(fw->p, d->nv_journal + c->tail * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
    fw_work(fw->p, FW_WORK_JOURNAL, 1u);
    if (!orm_journal_record_open(&rec, raw) || rec.seq <= c->seq || rec.seq >= settled) break;
    c->seq = rec.seq;
    c->tail = (c->tail + 1u) % d->journal_records;
  }
  return c->tail != tail;
}

static void write_pointer(const struct fw *fw) {
  struct orm_pointer_word w = {.seq = fw->checkpoint.seq, .tag = (uint8_t)(1u - fw->checkpoint.bitmap)};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&w, raw);
  hal_nv_write(fw->p, fw->dev.nv_checkpoint, raw, sizeof raw);
}

bool checkpoint_request(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  if (c->phase != CHECKPOINT_IDLE) return true;
  if (!choose(fw)) return false;
  c->phase = CHECKPOINT_SCAN;
  c->at = 0;
  if (fw_mutant(FW_MUTANT_CHECKPOINT_EARLY)) write_pointer(fw);
  fw_again_in(fw, 0);
  return true;
}

static void scan(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  uint32_t end = fw->geometry.nsze - c->at < LPNS_PER_POLL ? fw->geometry.nsze : c->at + LPNS_PER_POLL;
  hal_invalidate(fw->p, fw->dev.dram_l2p + 4u * c->at, 4u * (end - c->at));
  for (; c->at < end; c->at += ORM_TRIM_WORD_LPNS)
    trim_bitmap_write(&fw->dev, fw->p, 1u - c->bitmap, c->at, trim_bitmap_unmapped(&fw->dev, fw->p, c->at, end));
  if (c->at >= fw->geometry.nsze) {
    c->ticket = fence_ticket(&fw->fence, fw->p);
    c->phase = CHECKPOINT_FENCE;
  } else {
    fw_again_in(fw, 0);
  }
}

static void finish(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  memory_error_check(fw); /* the bitmap was made of L2P in DRAM */
  write_pointer(fw);
  c->bitmap = 1u - c->bitmap;
  c->trims_before = c->seq;
  hal_write(fw->p, ORM_FW_JOURNAL_TAIL, c->tail);
  state_checkpoint_made(&fw->state);
  state_worked(&fw->state, &fw->dev, fw->p);
  c->phase = CHECKPOINT_IDLE;
}

void checkpoint_poll(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  switch (c->phase) {
    case CHECKPOINT_IDLE:
      if (quiesce_is_shut(fw)) return;
      c->blocked = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_JOURNAL_HIGH) && !checkpoint_request(fw);
      if (c->blocked) fw_again_in(fw, RETRY_NS);
      break;
    case CHECKPOINT_SCAN:
      scan(fw);
      break;
    case CHECKPOINT_FENCE:
      if (fence_passed(&fw->fence, fw->p, c->ticket)) {
        finish(fw);
        fw_again_in(fw, 0);
      }
      break;
  }
}
