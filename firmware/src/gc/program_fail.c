/* SPDX-License-Identifier: Apache-2.0 */
#include "failing.h"

#include "fw.h"

static uint32_t open_superblock(const struct fw *fw, uint32_t handle) {
  hal_write(fw->p, ORM_FW_ALLOC_STREAM, ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle);
  uint32_t open = hal_read(fw->p, ORM_FW_ALLOC_OPEN);
  return ORM_GET(open, ORM_FW_ALLOC_OPEN_OPEN) ? open : 0;
}

/* What the host writes next may need the room in them: pages to save have none elsewhere when nothing is free. So each takes one
 * that nobody needs, beside those that streams without room in their own are about to take. False: some are left. */
static bool end_fillings(struct fw *fw) {
  uint32_t free = ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
  if (free <= FW_ALLOC_RESERVE) return false;
  uint32_t needed = FW_ALLOC_RESERVE;
  for (uint32_t handle = 0; handle < fw->handles; handle++)
    needed += ORM_GET(open_superblock(fw, handle), ORM_FW_ALLOC_OPEN_FULL);
  bool all = true;
  for (uint32_t handle = 0; handle < fw->handles; handle++) {
    uint32_t open = open_superblock(fw, handle);
    if (open == 0 || ORM_GET(open, ORM_FW_ALLOC_OPEN_FULL) || !failing_has(fw, ORM_GET(open, ORM_FW_ALLOC_OPEN_SB)))
      continue;
    if (free > needed) {
      hal_write(fw->p, ORM_FW_ALLOC_CLOSE, ORM_PUT(ORM_FW_ALLOC_CLOSE_HANDLE, handle));
      needed++;
    } else {
      all = false;
    }
  }
  return all;
}

#define WHY "a program has failed"

void failing_add(struct fw *fw, uint32_t sb) { (void)marked_add(fw, &fw->gc.failing.marked, sb, WHY); }

void failing_poll(struct fw *fw) {
  struct failing *f = &fw->gc.failing;
  bool told = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_PROGRAM_FAILED);
  if (marked_poll(fw, &f->marked, told, ORM_FW_SB_STATE_FAILED_MASK, WHY)) f->fills = true;
  if (f->fills) f->fills = !end_fillings(fw);
}

bool failing_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->gc.failing.marked.set, sb); }

/* One after the other: what the first one takes is known when it is gone. */
static bool retires(const struct gc *g) {
  for (uint32_t i = 0; i < g->flights; i++) {
    if (g->flight[i].retire) return true;
  }
  return false;
}

static bool has_room(const struct fw *fw, uint32_t free) { return free > FW_ALLOC_RESERVE && !retires(&fw->gc); }

bool failing_is_meant(const struct fw *fw, uint32_t sb) {
  return failing_has(fw, sb) && (health_to_spare(fw) > 1u || sb_set_has(&fw->gc.failing.again, sb));
}

static bool any_is_meant(const struct fw *fw) {
  const struct failing *f = &fw->gc.failing;
  return health_to_spare(fw) > 1u || sb_set_meet(&f->marked.set, &f->again);
}

bool failing_is_due(struct fw *fw, uint32_t free) {
  return has_room(fw, free) && marked_may_search(fw, &fw->gc.failing.marked) && any_is_meant(fw);
}

bool failing_retires(const struct fw *fw, uint32_t sb, uint32_t free) {
  return has_room(fw, free) && failing_is_meant(fw, sb);
}

void failing_in_vain(struct fw *fw) { marked_in_vain(fw, &fw->gc.failing.marked); }

void failing_gone(struct fw *fw, uint32_t sb) {
  struct failing *f = &fw->gc.failing;
  if (failing_has(fw, sb)) sb_set_put(&f->again, sb, true);
  marked_gone(&f->marked, sb);
}
