/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh.h"

#include <string.h>

#include "fw.h"

void refresh_begin(struct fw *fw) {
  memset(&fw->gc.refresh, 0, sizeof fw->gc.refresh);
  fw->gc.refresh.programs = state_programmed_slots(&fw->state, fw->p);
}

void refresh_poll(struct fw *fw) {
  bool told = ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_WEAK_READ);
  (void)marked_poll(fw, &fw->gc.refresh.marked, told, ORM_FW_SB_STATE_WEAK_MASK, "it is read with many errors");
}

bool refresh_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->gc.refresh.marked.set, sb); }

static bool is_paid_by_writes(const struct fw *fw) {
  uint64_t programs = state_programmed_slots(&fw->state, fw->p) - fw->gc.refresh.programs;
  return programs >= (uint64_t)FW_REFRESH_WRITES * fw->dev.data_slots;
}

static uint64_t time_for_one(const struct fw *fw) { return FW_REFRESH_PASS_NS / fw->superblocks; }

static bool is_paid_by_time(struct fw *fw) {
  uint64_t now = hal_time(fw->p), until = fw->gc.refresh.paid_until;
  if (until <= now + (FW_REFRESH_BURST - 1u) * time_for_one(fw)) return true;
  fw_again_in(fw, FW_REFRESH_LOOK_NS);
  return false;
}

bool refresh_is_due(struct fw *fw, uint32_t free) {
  return free > FW_ALLOC_RESERVE && marked_may_search(fw, &fw->gc.refresh.marked) &&
         (is_paid_by_writes(fw) || is_paid_by_time(fw));
}

void refresh_in_vain(struct fw *fw) { marked_in_vain(fw, &fw->gc.refresh.marked); }

void refresh_begins(struct fw *fw) {
  struct refresh *r = &fw->gc.refresh;
  if (is_paid_by_writes(fw)) return;
  uint64_t now = hal_time(fw->p);
  r->paid_until = (r->paid_until > now ? r->paid_until : now) + time_for_one(fw);
}

/* Its own programs pay for no other one. */
void refresh_ends(struct fw *fw, bool ok) {
  fw->gc.refresh.programs = state_programmed_slots(&fw->state, fw->p);
  fw->state.refreshes += ok;
}

void refresh_gone(struct fw *fw, uint32_t sb) { marked_gone(&fw->gc.refresh.marked, sb); }
