/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/read_reclaim.h"

#include <string.h>

#include "fw.h"

void read_reclaim_begin(struct fw *fw) {
  memset(&fw->gc.read_reclaim, 0, sizeof fw->gc.read_reclaim);
  fw->gc.read_reclaim.programs = state_programmed_slots(&fw->state, fw->p);
}

void read_reclaim_poll(struct fw *fw) {
  bool told = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_WEAK_READ);
  (void)flagged_poll(fw, &fw->gc.read_reclaim.flagged, told, ORM_FW_SB_STATE_WEAK_MASK, "it is read with many errors");
}

bool read_reclaim_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->gc.read_reclaim.flagged.set, sb); }

static bool is_paid_by_writes(const struct fw *fw) {
  uint64_t programs = state_programmed_slots(&fw->state, fw->p) - fw->gc.read_reclaim.programs;
  return programs >= (uint64_t)FW_READ_RECLAIM_WRITES * fw->dev.data_slots;
}

static uint64_t time_for_one(const struct fw *fw) { return FW_READ_RECLAIM_PASS_NS / fw->geometry.superblocks; }

static bool is_paid_by_time(struct fw *fw) {
  uint64_t now = hal_time(fw->p), until = fw->gc.read_reclaim.paid_until;
  if (until <= now + (FW_READ_RECLAIM_BURST - 1u) * time_for_one(fw)) return true;
  fw_again_in(fw, FW_READ_RECLAIM_LOOK_NS);
  return false;
}

bool read_reclaim_is_due(struct fw *fw, uint32_t free) {
  return free > FW_ALLOC_RESERVE && flagged_may_search(fw, &fw->gc.read_reclaim.flagged) &&
         (is_paid_by_writes(fw) || is_paid_by_time(fw));
}

void read_reclaim_in_vain(struct fw *fw) { flagged_in_vain(fw, &fw->gc.read_reclaim.flagged); }

void read_reclaim_begins(struct fw *fw) {
  struct read_reclaim *r = &fw->gc.read_reclaim;
  if (is_paid_by_writes(fw)) return;
  uint64_t now = hal_time(fw->p);
  r->paid_until = (r->paid_until > now ? r->paid_until : now) + time_for_one(fw);
}

/* Its own programs pay for no other one. */
void read_reclaim_ends(struct fw *fw, bool ok) {
  fw->gc.read_reclaim.programs = state_programmed_slots(&fw->state, fw->p);
  if (ok) state_read_reclaimed(&fw->state);
}

void read_reclaim_gone(struct fw *fw, uint32_t sb) { flagged_gone(&fw->gc.read_reclaim.flagged, sb); }
