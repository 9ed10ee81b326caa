/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/program_fail.h"

#include "fw.h"

static uint32_t open_superblock(const struct fw *fw, uint32_t handle) {
  hal_write(fw->p, ORM_FW_ALLOC_STREAM, ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle);
  uint32_t open = hal_read(fw->p, ORM_FW_ALLOC_OPEN);
  return ORM_GET(open, ORM_FW_ALLOC_OPEN_OPEN) ? open : 0;
}

/* Closes those that the host fills. What the host writes next may need the room in them: when no superblock is
 * free, pages to save have no other room. So closing each takes a free superblock beyond those that streams with
 * full superblocks are about to open. False: some are left. */
static bool end_fillings(struct fw *fw) {
  uint32_t free = ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
  if (free <= FW_ALLOC_RESERVE) return false;
  uint32_t needed = FW_ALLOC_RESERVE;
  for (uint32_t handle = 0; handle < fw->geometry.handles; handle++)
    needed += ORM_GET(open_superblock(fw, handle), ORM_FW_ALLOC_OPEN_FULL);
  bool all = true;
  for (uint32_t handle = 0; handle < fw->geometry.handles; handle++) {
    uint32_t open = open_superblock(fw, handle);
    if (open == 0 || ORM_GET(open, ORM_FW_ALLOC_OPEN_FULL) ||
        !program_fail_has(fw, ORM_GET(open, ORM_FW_ALLOC_OPEN_SB)))
      continue;
    if (free > needed) {
      good_slots_end_filling(fw, handle);
      needed++;
    } else {
      all = false;
    }
  }
  return all;
}

#define WHY "a program has failed"

void program_fail_add(struct fw *fw, uint32_t sb) { (void)flagged_add(fw, &fw->gc.program_fail.flagged, sb, WHY); }

void program_fail_poll(struct fw *fw) {
  struct program_fail *f = &fw->gc.program_fail;
  bool told = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_PROGRAM_FAILED);
  if (flagged_poll(fw, &f->flagged, told, ORM_FW_SB_STATE_FAILED_MASK, WHY)) f->fills = true;
  if (f->fills) f->fills = !end_fillings(fw);
}

bool program_fail_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->gc.program_fail.flagged.set, sb); }

/* One after the other: only when the first one is gone is it known what it has cost. */
static bool retires(const struct gc_flights *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    if (g->list[i].retire) return true;
  }
  return false;
}

static bool has_room(const struct fw *fw, uint32_t free) {
  return free > FW_ALLOC_RESERVE && !retires(&fw->gc.flights);
}

bool program_fail_is_meant(const struct fw *fw, uint32_t sb) {
  return program_fail_has(fw, sb) && (spare_superblocks(fw) > 1u || sb_set_has(&fw->gc.program_fail.again, sb));
}

static bool any_is_meant(const struct fw *fw) {
  const struct program_fail *f = &fw->gc.program_fail;
  return spare_superblocks(fw) > 1u || sb_set_meet(&f->flagged.set, &f->again);
}

bool program_fail_is_due(struct fw *fw, uint32_t free) {
  return has_room(fw, free) && flagged_may_search(fw, &fw->gc.program_fail.flagged) && any_is_meant(fw);
}

bool program_fail_retires(const struct fw *fw, uint32_t sb, uint32_t free) {
  return has_room(fw, free) && program_fail_is_meant(fw, sb);
}

void program_fail_in_vain(struct fw *fw) { flagged_in_vain(fw, &fw->gc.program_fail.flagged); }

void program_fail_gone(struct fw *fw, uint32_t sb) {
  struct program_fail *f = &fw->gc.program_fail;
  if (program_fail_has(fw, sb)) sb_set_put(&f->again, sb, true);
  flagged_gone(&f->flagged, sb);
}
