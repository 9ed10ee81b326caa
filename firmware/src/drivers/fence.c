/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/fence.h"

#include "core/hal.h"

static void look(struct fence *f, const struct platform *p) {
  if (f->started != f->ended && !ORM_GET(hal_read(p, ORM_FW_FENCE), ORM_FW_FENCE_BUSY)) f->ended = f->started;
}

static void start(struct fence *f, const struct platform *p) {
  hal_write(p, ORM_FW_FENCE, ORM_PUT(ORM_FW_FENCE_GO, 1));
  f->started++;
}

uint32_t fence_ticket(struct fence *f, const struct platform *p) {
  look(f, p);
  if (f->started == f->ended) {
    start(f, p);
    return f->started;
  }
  return f->started + 1u; /* one is under way and may have begun too early */
}

bool fence_passed(struct fence *f, const struct platform *p, uint32_t ticket) {
  look(f, p);
  if ((int32_t)(f->ended - ticket) >= 0) return true;
  if (f->started == f->ended) start(f, p);
  return false;
}
