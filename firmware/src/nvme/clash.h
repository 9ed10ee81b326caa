/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clash.h - whether the ranges of one remap command get in each other's way.
 *
 * The rule: no target page may be a source or a target of another place in the command: the outcome would depend on the
 * order, and a MOVE would lose it. Sources may repeat.
 */
#ifndef OPENREMAP_FW_CLASH_H
#define OPENREMAP_FW_CLASH_H

#include <stdint.h>

#include "orm_formats.h"

struct clash_interval {
  uint32_t begin, end; /* pages: the first one, the one behind the last */
  uint32_t range;      /* of the command */
};

/* Room for the comparison, and nothing that outlives it. */
struct clash {
  uint32_t ranges;
  struct clash_interval target[ORM_REMAP_RANGES_MAX];
  struct clash_interval source[ORM_REMAP_RANGES_MAX];
};

void clash_clear(struct clash *c);

/* The next range of the command: not empty, its pages below 2^32, ORM_REMAP_RANGES_MAX of them at most. */
void clash_add(struct clash *c, const struct orm_remap_range *range);

/* The first range, in the order of the command, whose target breaks the rule; the number of ranges when none does. To be
 * called once: it sorts, in O(n log n) steps. */
uint32_t clash_first(struct clash *c);

#endif /* OPENREMAP_FW_CLASH_H */
