/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/destage.h"

#include "fw.h"

/* A remap that waits may lack room in one chain, which only a collection makes. So the first attempt destages only
 * if segments are short, and the last one not at all. */
void destage_reclaim_begin(struct fw *fw, uint32_t attempt) {
  struct destage *t = &fw->gc.destage;
  t->begun = false;
  t->left = attempt < FW_GC_ATTEMPTS ? FW_DESTAGE_MOST : 0;
  t->always = attempt != 1;
  t->survey_wanted = state_remap_commands(&fw->state, fw->p) >= t->survey_from;
}

void destage_survey_begin(struct fw *fw) {
  struct destage *t = &fw->gc.destage;
  t->surveying = t->survey_wanted;
}

void destage_survey_look(struct fw *fw, uint32_t sb, uint32_t segments) {
  struct destage *t = &fw->gc.destage;
  if (!t->surveying || sb < t->surveyed) return;
  t->surveyed = sb + 1u;
  sb_set_put(&t->cold, sb, segments <= t->seen[sb]);
  t->seen[sb] = (uint16_t)segments;
}

void destage_survey_end(struct fw *fw) {
  struct destage *t = &fw->gc.destage;
  if (!t->surveying) return;
  t->surveying = t->survey_wanted = false;
  t->surveyed = 0;
  t->survey_from = state_remap_commands(&fw->state, fw->p) + FW_DESTAGE_SURVEY;
}

/* After compactions that gave nothing back or, unasked, too little. A remap that waits tries again before. */
bool destage_is_due(const struct fw *fw, bool short_of_segments) {
  const struct segment_reclaim *r = &fw->gc.reclaim;
  const struct destage *t = &fw->gc.destage;
  if (!r->gave) return short_of_segments || t->always;
  return short_of_segments && (!r->asked || t->begun);
}

/* GC's stream has slots for a chain in the superblock that it fills. */
static bool stream_has_room(const struct fw *fw) {
  hal_write(fw->p, ORM_FW_ALLOC_STREAM, ORM_PUT(ORM_FW_ALLOC_STREAM_STREAM, ORM_STREAM_GC));
  uint32_t open = hal_read(fw->p, ORM_FW_ALLOC_OPEN);
  return ORM_GET(open, ORM_FW_ALLOC_OPEN_OPEN) && !ORM_GET(open, ORM_FW_ALLOC_OPEN_FULL) &&
         ORM_GET(open, ORM_FW_ALLOC_OPEN_NEXT) + fw->dev.destage_slots + fw->dev.slots_per_page <= fw->dev.data_slots;
}

/* The destager takes slots of GC's stream; while it waited for one, nothing could be collected. For its own reserve
 * GC gives a superblock, too: the next collection goes on filling it, and has one more. */
bool destage_can(const struct fw *fw, uint32_t free_superblocks) {
  const struct destage *t = &fw->gc.destage;
  if (t->left == 0 || fw->dev.destage_slots == 0) return false;
  if (free_superblocks > FW_ALLOC_RESERVE) return true;
  return fw->gc.reclaim.for_reserve && (free_superblocks == FW_ALLOC_RESERVE || stream_has_room(fw));
}

void destage_scan_begin(struct fw *fw) {
  struct destage *t = &fw->gc.destage;
  t->begun = true;
  t->slots = 0;
  t->best = (struct destage_chain){.segments = FW_DESTAGE_SHORTEST - 1u};
}

bool destage_scan_look(struct fw *fw, uint32_t sb, struct destage_chain chain) {
  struct destage *t = &fw->gc.destage;
  t->slots += chain.slots;
  bool cold = sb_set_has(&t->cold, sb) && chain.segments <= t->seen[sb];
  if (!chain.in_use || sb_set_has(&t->tried, sb) || !(cold || fw->gc.reclaim.asked || fw->gc.reclaim.for_reserve))
    return false;
  if (chain.segments <= t->best.segments) return false;
  t->best = chain;
  return true;
}

/* Slots that the chain takes at most. */
static uint32_t slots_needed(const struct device *d, struct destage_chain c) {
  uint32_t entries = (c.segments + c.in_flash) * device_entries_per_segment(d);
  uint32_t slots = (entries + FW_ENTRIES_PER_DESTAGED_SLOT - 1u) / FW_ENTRIES_PER_DESTAGED_SLOT;
  return slots < d->destage_slots ? slots : d->destage_slots;
}

bool destage_fits(const struct fw *fw) {
  const struct destage *t = &fw->gc.destage;
  uint32_t kept_back = fw->geometry.superblocks * fw->dev.data_slots - fw->geometry.nsze;
  uint32_t afterwards = t->slots - t->best.slots + slots_needed(&fw->dev, t->best);
  uint32_t budget = kept_back / FW_DESTAGE_BUDGET_DIVISOR;
  /* For its reserve GC writes again what collections have just brought back to NVRAM: little more than the budget. */
  return afterwards <= (fw->gc.reclaim.for_reserve ? 2u * budget : budget);
}

void destage_start(struct fw *fw, uint32_t sb) {
  struct destage *t = &fw->gc.destage;
  hal_write(fw->p, ORM_FW_GC_GO,
            ORM_PUT(ORM_FW_GC_GO_SB, sb) | ORM_PUT(ORM_FW_GC_GO_CHAIN, 1u) | ORM_PUT(ORM_FW_GC_GO_DESTAGE, 1u));
  t->left--;
  t->running = true;
}

void destage_no_more(struct fw *fw) { fw->gc.destage.left = 0; }

bool destage_finish(struct fw *fw, uint32_t sb, uint32_t status) {
  struct destage *t = &fw->gc.destage;
  t->running = false;
  if (ORM_GET(status, ORM_FW_GC_STATUS_OK)) return true;
  sb_set_put(&t->tried, sb, true);
  if (ORM_GET(status, ORM_FW_GC_STATUS_REFUSED) || ORM_GET(status, ORM_FW_GC_STATUS_FULL)) return false;
  state_media_error(&fw->state);
  hal_log(fw->p, PLATFORM_LOG_ERROR, "destaging the chain of superblock %u failed", (unsigned)sb);
  return false;
}

void destage_retry(struct fw *fw) { sb_set_clear(&fw->gc.destage.tried); }
