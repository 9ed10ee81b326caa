/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/segment_reclaim.h"

#include <string.h>

#include "fw.h"

/* More attempts by compaction would read chains again that have nothing to give. */
#define COMPACTING_ATTEMPTS 2u

static uint64_t remap_commands(const struct fw *fw) { return state_remap_commands(&fw->state, fw->p); }

uint32_t segment_reclaim_free(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_SEG_COUNT), ORM_FW_SEG_COUNT_VALUE);
}

/* With fewer free ones an eighth of what remaps may take is left, or less. */
static uint32_t low_segments(const struct fw *fw) {
  uint32_t usable = fw->dev.segments - fw->dev.gc_reserve_segments;
  return fw->dev.gc_reserve_segments + usable / 8u;
}

static bool short_of_segments(const struct fw *fw) { return segment_reclaim_free(fw) < low_segments(fw); }

bool segment_reclaim_reserve_is_short(const struct fw *fw) {
  return segment_reclaim_free(fw) < fw->dev.gc_reserve_segments;
}

void segment_reclaim_begin(struct fw *fw) {
  memset(&fw->gc.reclaim, 0, sizeof fw->gc.reclaim);
  fw->gc.reclaim.early_from = remap_commands(fw) + 1u;
  hal_write(fw->p, ORM_FW_SEG_LOW, low_segments(fw)); /* remaps are known, but not Copies */
}

/* `attempt` of one remap; 0: unasked. */
static void start(struct fw *fw, uint32_t attempt) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  destage_reclaim_begin(fw, attempt);
  if (!r->runs) {
    r->runs = true;
    r->gave = false;
    r->compactions = FW_GC_COMPACTIONS;
  }
  r->asked = attempt != 0;
  r->for_reserve = false;
}

static void end(struct fw *fw) {
  fw->gc.reclaim.runs = false;
  fw_again_in(fw, 0); /* who asked for it wants to know */
}

void segment_reclaim_request(struct fw *fw, uint32_t attempt) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  start(fw, attempt);
  gc_scan_stop(fw); /* another search may be due now, and the end of this one would wake no one up */
  if (attempt == 1) sb_set_clear(&r->compacted);
  r->compactions = attempt <= COMPACTING_ATTEMPTS ? FW_GC_COMPACTIONS : 0;
  fw_again_in(fw, 0);
}

void segment_reclaim_seen(struct fw *fw) { fw->gc.reclaim.asked = false; }

/* A remap could not run beside a compaction. */
static bool command_waits(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_MBOX_STATUS), ORM_FW_MBOX_STATUS_VALID) || !mailbox_idle(fw);
}

/* Once for each further remap command. One that already waits goes first: in all likelihood it finds its segments. */
void segment_reclaim_early(struct fw *fw) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  if (r->runs || fw->gc.flights.count > 0 || command_waits(fw) || !short_of_segments(fw) ||
      remap_commands(fw) < r->early_from)
    return;
  r->early_from = remap_commands(fw) + 1u;
  start(fw, 0);
}

bool segment_reclaim_for_reserve(struct fw *fw) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  if (r->runs || fw->gc.flights.count > 0 || r->reserve_tried || !segment_reclaim_reserve_is_short(fw)) return false;
  r->reserve_tried = true;
  start(fw, 0);
  r->for_reserve = true;
  return true;
}

void segment_reclaim_retry_reserve(struct fw *fw) { fw->gc.reclaim.reserve_tried = false; }

static void search_for_reserve(struct fw *fw, uint32_t free) {
  bool enough = !segment_reclaim_reserve_is_short(fw);
  if (!enough && fw->gc.reclaim.compactions > 0)
    gc_scan_begin(fw, GC_FOR_CHAIN, 0);
  else if (!enough && destage_can(fw, free))
    gc_scan_begin(fw, GC_FOR_COLD, 0);
  else
    end(fw);
}

/* Unasked: chains as long as segments are short and no command waits, then a collection if they gave nothing back. A
 * remap that waits may lack room in one chain and not segments, so it has all its compactions. */
void segment_reclaim_search(struct fw *fw, uint32_t free) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  if (r->for_reserve) {
    search_for_reserve(fw, free);
  } else if (!r->asked && command_waits(fw)) {
    end(fw);
  } else if (r->compactions > 0 && (r->asked || !r->gave || short_of_segments(fw))) {
    gc_scan_begin(fw, GC_FOR_CHAIN, 0);
  } else if (destage_can(fw, free) && destage_is_due(fw, short_of_segments(fw))) {
    gc_scan_begin(fw, GC_FOR_COLD, 0);
  } else if (!r->gave && quiesce_summary_runs(fw)) {
    return; /* its superblock may be the one that is looked for; its end wakes this up */
  } else if (!r->gave) {
    r->early_from = remap_commands(fw) + FW_GC_FRUITLESS;
    gc_scan_begin(fw, GC_FOR_SEGMENTS, 1);
  } else {
    end(fw);
  }
}

static void compact(struct fw *fw, uint32_t sb) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  hal_write(fw->p, ORM_FW_GC_GO, ORM_PUT(ORM_FW_GC_GO_SB, sb) | ORM_PUT(ORM_FW_GC_GO_CHAIN, 1u));
  sb_set_put(&r->compacted, sb, true);
  r->compactions--;
  gc_flight_add_chain(fw, sb);
}

/* When every chain has been looked at a new pass begins: at once if this segment reclaim has had none of them. */
void segment_reclaim_found_chain(struct fw *fw, uint32_t sb) {
  struct segment_reclaim *r = &fw->gc.reclaim;
  if (sb != GC_NO_VICTIM) {
    compact(fw, sb);
    return;
  }
  sb_set_clear(&r->compacted);
  r->compactions = r->compactions == FW_GC_COMPACTIONS ? FW_GC_COMPACTIONS - 1u : 0;
  fw_again_in(fw, 0);
}

void segment_reclaim_found_cold(struct fw *fw, uint32_t sb, uint32_t free) {
  if (sb != GC_NO_VICTIM && destage_can(fw, free) && destage_fits(fw)) {
    destage_start(fw, sb);
    gc_flight_add_chain(fw, sb);
    return;
  }
  destage_no_more(fw);
  fw_again_in(fw, 0);
}

void segment_reclaim_found_superblock(struct fw *fw, bool found) {
  fw->gc.reclaim.gave = found;
  end(fw);
}

void segment_reclaim_chain_done(struct fw *fw, bool ok) { fw->gc.reclaim.gave = fw->gc.reclaim.gave || ok; }

void segment_reclaim_stop(struct fw *fw) { fw->gc.reclaim.runs = false; }
