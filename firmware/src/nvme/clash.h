/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clash.h - whether the ranges of one remap command get in each other's way.
 *
 * No target page may be a source or a target of another range of the command: the outcome would depend on the order,
 * and a MOVE would lose the page. Sources may repeat.
 *
 * Use: clash_clear(), clash_add() for each range, clash_first() once.
 */
#ifndef OPENREMAP_FW_CLASH_H
#define OPENREMAP_FW_CLASH_H

#include <stdint.h>

#include "orm_formats.h"

struct clash_interval {
  uint32_t begin, end; /* LPNs: the first one, the one behind the last */
  uint32_t range;      /* its index in the command */
};

/* Working memory of one comparison. */
struct clash {
  uint32_t ranges;
  struct clash_interval target[ORM_REMAP_RANGES_MAX];
  struct clash_interval source[ORM_REMAP_RANGES_MAX];
};

void clash_clear(struct clash *c);

/* Adds the next range of the command: not empty, all LPNs below 2^32. At most ORM_REMAP_RANGES_MAX ranges. */
void clash_add(struct clash *c, const struct orm_remap_range *range);

/* Returns the first range, in the order of the command, whose target breaks the rule, or the number of ranges if
 * none does. Sorts the ranges in O(n log n) steps, so it can be called only once. */
uint32_t clash_first(struct clash *c);

#endif /* OPENREMAP_FW_CLASH_H */
