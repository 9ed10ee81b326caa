/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/clash.h"

#include <stdbool.h>

void clash_clear(struct clash *c) { c->ranges = 0; }

void clash_add(struct clash *c, const struct orm_remap_range *range) {
  uint32_t dst = (uint32_t)range->dst, src = (uint32_t)range->src;
  c->target[c->ranges] = (struct clash_interval){.begin = dst, .end = dst + range->nlb, .range = c->ranges};
  c->source[c->ranges] = (struct clash_interval){.begin = src, .end = src + range->nlb, .range = c->ranges};
  c->ranges++;
}

static void swap(struct clash_interval *a, struct clash_interval *b) {
  struct clash_interval t = *a;
  *a = *b;
  *b = t;
}

/* v[0..n) is a heap but for `at`, which may be too small for its place. */
static void sift_down(struct clash_interval *v, uint32_t n, uint32_t at) {
  for (;;) {
    uint32_t child = 2u * at + 1u;
    if (child >= n) return;
    if (child + 1u < n && v[child + 1u].begin > v[child].begin) child++;
    if (v[child].begin <= v[at].begin) return;
    swap(&v[child], &v[at]);
    at = child;
  }
}

/* By the first page. A heap sort: in place, no recursion, and no list makes it slow. */
static void sort(struct clash_interval *v, uint32_t n) {
  for (uint32_t i = n / 2u; i-- > 0;) sift_down(v, n, i);
  for (uint32_t last = n; last-- > 1u;) {
    swap(&v[0], &v[last]);
    sift_down(v, last, 0);
  }
}

/* Makes each end the largest one so far. */
static void widen(struct clash_interval *v, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    if (v[i].end < v[i - 1u].end) v[i].end = v[i - 1u].end;
  }
}

/* Whether a source has a page of `t`: of the sources that begin before its end (they are sorted) one ends behind its
 * begin (they are widened, so the last of them tells for all). */
static bool meets_source(const struct clash *c, const struct clash_interval *t) {
  uint32_t low = 0, high = c->ranges;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2u;
    if (c->source[middle].begin < t->end)
      low = middle + 1u;
    else
      high = middle;
  }
  return low != 0 && c->source[low - 1u].end > t->begin;
}

uint32_t clash_first(struct clash *c) {
  uint32_t first = c->ranges, reached = 0; /* end of all targets before */
  sort(c->target, c->ranges);
  sort(c->source, c->ranges);
  widen(c->source, c->ranges);
  for (uint32_t i = 0; i < c->ranges; i++) {
    const struct clash_interval *t = &c->target[i];
    bool meets_target = t->begin < reached || (i + 1u < c->ranges && c->target[i + 1u].begin < t->end);
    if ((meets_target || meets_source(c, t)) && t->range < first) first = t->range;
    if (t->end > reached) reached = t->end;
  }
  return first;
}
