/* SPDX-License-Identifier: Apache-2.0 */
#include "trim/checkpoint.h"

#include <string.h>

#include "fw.h"
#include "fw_mutant.h"
#include "trim/trim_bitmap.h"

/* Work of one poll, in L2P entries that are looked at. */
#define WORK_PER_POLL 7168u
#define RECORD_WORK 28u /* a record of the journal, or a pointer, takes as long as so many of them, */
#define STEP_WORK 2u    /* and a region that the walk remembers as long as so many */

/* How long to leave a journal alone whose only records are still taking effect. */
#define RETRY_NS 100000u

void checkpoint_begin(struct fw *fw, uint64_t trims_before) {
  struct checkpoint *c = &fw->checkpoint;
  memset(c, 0, sizeof *c);
  c->trims_before = trims_before;
  /* Half a ring: the other half keeps trims and remaps going while the checkpoint is made. */
  hal_write(fw->p, ORM_FW_JOURNAL_HIGH, fw->dev.journal_records / 2u);
}

/* Records of remap commands and Copies with a smaller seq have taken effect. Hardware begins Copies by itself. */
static uint64_t settled_seq(const struct fw *fw) {
  uint64_t low = hal_read(fw->p, ORM_FW_REMAP_SEQ_LO); /* latches the high half */
  return low | (uint64_t)ORM_GET(hal_read(fw->p, ORM_FW_REMAP_SEQ_HI), ORM_FW_REMAP_SEQ_HI_VALUE) << 32;
}

static void walk_begin(struct checkpoint *c, uint32_t records) {
  memset(&c->walk, 0, sizeof c->walk);
  c->walk.at = c->tail;
  c->walk.left = records;
}

/* The one `n` places behind the next record of the walk. False: it cannot be read. */
static bool read_record(const struct fw *fw, uint32_t n, struct orm_journal_record *rec) {
  _Alignas(4) uint8_t raw[ORM_JOURNAL_RECORD_BYTES]; /* NVRAM is read by words then */
  uint32_t at = (fw->checkpoint.walk.at + n) % fw->dev.journal_records;
  hal_nv_read(fw->p, fw->dev.nv_journal + at * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
  fw_work(fw->p, FW_WORK_TRIM, 1u);
  return orm_journal_record_open(rec, raw);
}

/* The next record of the walk, if it may be taken. What is not written yet is an old one with a smaller seq. */
static bool record(const struct fw *fw, uint64_t after, struct orm_journal_record *rec) {
  const struct checkpoint *c = &fw->checkpoint;
  return c->walk.left != 0 && read_record(fw, 0, rec) && rec->seq > after && rec->seq < c->settled;
}

/* How many records from the next one on cannot be read but may be taken; `next` becomes the good one behind them, which
 * says up to which seq theirs are. It may be the newest, which the walk leaves out. 0: the next one can be read, or
 * nothing says that they have taken effect. */
static uint32_t damaged_records(const struct fw *fw, struct orm_journal_record *next) {
  const struct checkpoint *c = &fw->checkpoint;
  uint32_t n = 0;
  while (n <= c->walk.left && !read_record(fw, n, next)) n++;
  return n <= c->walk.left && next->seq > c->seq && next->seq <= c->settled ? n : 0;
}

/* Nothing says which pages they trimmed, so all regions are looked at. What they did is in L2P: no trim is lost. The
 * count of damage is durable before they are dropped: afterwards they cannot be found again. */
static void take_damaged(struct fw *fw, uint32_t n, uint64_t next) {
  struct checkpoint *c = &fw->checkpoint;
  hal_log(fw->p, PLATFORM_LOG_ERROR, "%u records of the trim journal are damaged: all trims are looked for",
          (unsigned)n);
  for (uint32_t i = 0; i < n; i++) state_damaged(&fw->state, DAMAGE_JOURNAL);
  state_save(&fw->state, &fw->dev, fw->p, false);
  c->walk.at = (c->walk.at + n) % fw->dev.journal_records;
  c->walk.left -= n;
  c->walk.lpn = 0;
  c->walk.end = c->all ? 0 : fw->geometry.nsze;
  c->all = true;
  c->seq = next - 1u;
}

static void take(struct fw *fw, const struct orm_journal_record *rec) {
  struct checkpoint_walk *w = &fw->checkpoint.walk;
  uint32_t nsze = fw->geometry.nsze;
  w->at = (w->at + 1u) % fw->dev.journal_records;
  w->left--;
  w->lpn = rec->lpn < nsze ? rec->lpn : nsze;
  w->end = rec->pages < nsze - w->lpn ? w->lpn + rec->pages : nsze;
}

/* The region that the walk has come to, unless it remembers it. */
static bool next_region(struct checkpoint_walk *w, uint32_t *region) {
  *region = w->lpn / TRIM_REGION_LPNS;
  uint32_t *seen = &w->seen[*region % CHECKPOINT_SEEN], left = TRIM_REGION_LPNS - w->lpn % TRIM_REGION_LPNS;
  bool fresh = *seen != *region + 1u;
  *seen = *region + 1u;
  w->lpn = w->end - w->lpn < left ? w->end : w->lpn + left;
  return fresh;
}

static void write_pointer(const struct fw *fw, uint64_t seq) {
  struct orm_pointer_word w = {.seq = seq};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&w, raw);
  hal_nv_write(fw->p, fw->dev.nv_checkpoint, raw, sizeof raw);
}

bool checkpoint_request(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  if (c->phase != CHECKPOINT_IDLE) return true;
  uint32_t journal = hal_read(fw->p, ORM_FW_JOURNAL_STATE);
  uint32_t used = ORM_GET(journal, ORM_FW_JOURNAL_STATE_USED), records = fw->dev.journal_records;
  struct orm_journal_record first;
  c->all = false;
  c->tail = (ORM_GET(journal, ORM_FW_JOURNAL_STATE_HEAD) + records - used) % records;
  c->seq = c->trims_before;
  c->settled = settled_seq(fw);
  walk_begin(c, used > 0 ? used - 1u : 0);
  if (!record(fw, c->seq, &first) && damaged_records(fw, &first) == 0) return false;
  c->phase = CHECKPOINT_SCAN;
  fw_again_in(fw, 0);
  return true;
}

/* A damaged pointer says nothing. It is replaced by one that says so, as the next walk must find the one that this scan
 * went by. The count of damage is durable before that: what has been overwritten cannot be found again. */
static uint32_t scan_region(struct fw *fw, uint32_t region) {
  struct trim_pointer now;
  struct trim_region words;
  uint32_t first = region * TRIM_REGION_LPNS, left = fw->geometry.nsze - first;
  if (!trim_pointer_read(&fw->dev, fw->p, region, &now)) {
    hal_log(fw->p, PLATFORM_LOG_ERROR, "the trim pointer of the pages from %u on is damaged", (unsigned)first);
    state_damaged(&fw->state, DAMAGE_WORD);
    state_save(&fw->state, &fw->dev, fw->p, false);
    trim_pointer_write(&fw->dev, fw->p, region, &now);
  }
  hal_invalidate(fw->p, fw->dev.dram_l2p + 4u * first, 4u * (left < TRIM_REGION_LPNS ? left : TRIM_REGION_LPNS));
  trim_region_scan(&fw->dev, fw->p, region, fw->geometry.nsze, &words);
  trim_region_write(&fw->dev, fw->p, 1u - now.bitmap, region, &words);
  return TRIM_REGION_LPNS;
}

/* The seq tells which pointers this checkpoint has written already: more than one record may touch the region. False:
 * the pointer was damaged since the scan, and nothing says which bitmap that wrote. */
static bool point_region(struct fw *fw, uint32_t region) {
  struct checkpoint *c = &fw->checkpoint;
  struct trim_pointer now;
  if (!trim_pointer_read(&fw->dev, fw->p, region, &now)) return false;
  if (now.seq == c->seq || fw_mutant(FW_MUTANT_TRIM_UNPOINTED)) return true;
  trim_pointer_write(&fw->dev, fw->p, region, &(struct trim_pointer){.seq = c->seq, .bitmap = 1u - now.bitmap});
  return true;
}

/* Goes on with the scan. True: it has come to its last record. */
static bool scan(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  for (uint32_t work = 0, region; work < WORK_PER_POLL;) {
    if (c->walk.lpn != c->walk.end) {
      work += next_region(&c->walk, &region) ? scan_region(fw, region) : STEP_WORK;
      continue;
    }
    struct orm_journal_record rec;
    if (!record(fw, c->seq, &rec)) {
      uint32_t damaged = damaged_records(fw, &rec);
      if (damaged == 0) return true;
      take_damaged(fw, damaged, rec.seq);
      work += (damaged + 1u) * RECORD_WORK;
      continue;
    }
    take(fw, &rec);
    if (c->all) c->walk.lpn = c->walk.end; /* its regions have been looked at */
    c->seq = rec.seq;
    work += RECORD_WORK;
    if (fw_mutant(FW_MUTANT_CHECKPOINT_EARLY)) write_pointer(fw, c->seq);
  }
  return false;
}

/* The walk through the same records, for their pointers. */
static void point_begin(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  uint32_t taken = (c->walk.at + fw->dev.journal_records - c->tail) % fw->dev.journal_records;
  walk_begin(c, taken);
  if (!c->all) return;
  c->walk.at = (c->tail + taken) % fw->dev.journal_records;
  c->walk.left = 0;
  c->walk.lpn = 0;
  c->walk.end = fw->geometry.nsze;
  c->pointed = c->seq;
}

/* The same with the pointers of the regions. A record that has become unreadable meanwhile ends it: what is behind it
 * stays in the journal. After a pointer that has become so all records stay: the next checkpoint scans anew. */
static bool point(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  for (uint32_t work = 0, region; work < WORK_PER_POLL;) {
    if (c->walk.lpn != c->walk.end) {
      bool fresh = next_region(&c->walk, &region);
      work += fresh ? 2u * RECORD_WORK : STEP_WORK;
      if (!fresh || point_region(fw, region)) continue;
      c->walk.at = c->tail;
      return true;
    }
    struct orm_journal_record rec;
    if (!record(fw, c->trims_before, &rec)) return true;
    take(fw, &rec);
    c->pointed = rec.seq;
    work += RECORD_WORK;
  }
  return false;
}

/* Records whose trims the bitmap has now: a start would count what cannot be read among them as a lost trim. */
static void wipe_damaged(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  uint32_t end = c->walk.at;
  for (c->walk.at = c->tail; c->walk.at != end; c->walk.at = (c->walk.at + 1u) % fw->dev.journal_records) {
    struct orm_journal_record rec;
    if (!read_record(fw, 0, &rec))
      hal_nv_zero(fw->p, fw->dev.nv_journal + c->walk.at * ORM_JOURNAL_RECORD_BYTES, ORM_JOURNAL_RECORD_BYTES);
  }
}

static void finish(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  c->phase = CHECKPOINT_IDLE;
  if (c->walk.at == c->tail) return;
  write_pointer(fw, c->pointed);
  c->trims_before = c->pointed;
  if (c->all) wipe_damaged(fw);
  hal_write(fw->p, ORM_FW_JOURNAL_TAIL, c->walk.at);
  state_checkpoint_made(&fw->state);
  state_worked(&fw->state, &fw->dev, fw->p);
}

void checkpoint_poll(struct fw *fw) {
  struct checkpoint *c = &fw->checkpoint;
  switch (c->phase) {
    case CHECKPOINT_IDLE:
      if (quiesce_is_shut(fw)) return;
      c->blocked = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_JOURNAL_HIGH) && !checkpoint_request(fw);
      if (c->blocked) fw_again_in(fw, RETRY_NS);
      return;
    case CHECKPOINT_SCAN:
      if (!scan(fw)) break;
      c->ticket = fence_ticket(&fw->fence, fw->p);
      c->phase = CHECKPOINT_FENCE;
      if (fw_mutant(FW_MUTANT_TRIM_UNFENCED)) break;
      return;
    case CHECKPOINT_FENCE:
      if (!fence_passed(&fw->fence, fw->p, c->ticket) && !fw_mutant(FW_MUTANT_TRIM_UNFENCED)) return;
      memory_error_check(fw); /* the bitmap was made of L2P in DRAM */
      point_begin(fw);
      c->phase = CHECKPOINT_POINTERS;
      break;
    case CHECKPOINT_POINTERS:
      if (point(fw)) finish(fw);
      break;
  }
  fw_again_in(fw, 0);
}
