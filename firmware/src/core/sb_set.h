/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sb_set.h - a set of superblocks, one bit each. All zero is the empty set.
 */
#ifndef OPENREMAP_FW_SB_SET_H
#define OPENREMAP_FW_SB_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "firmware_limits.h"

struct sb_set {
  uint8_t bits[FW_MAX_SUPERBLOCKS / 8u];
};

static inline bool sb_set_has(const struct sb_set *s, uint32_t sb) {
  return ((unsigned)s->bits[sb / 8u] >> (sb % 8u)) & 1u;
}

/* Adds `sb` (`in`), or removes it. */
static inline void sb_set_put(struct sb_set *s, uint32_t sb, bool in) {
  uint8_t mask = (uint8_t)(1u << (sb % 8u));
  s->bits[sb / 8u] = (uint8_t)(in ? s->bits[sb / 8u] | mask : s->bits[sb / 8u] & ~mask);
}

/* Whether the two sets have a superblock in common. */
static inline bool sb_set_meet(const struct sb_set *a, const struct sb_set *b) {
  for (uint32_t i = 0; i < sizeof a->bits; i++) {
    if ((a->bits[i] & b->bits[i]) != 0) return true;
  }
  return false;
}

static inline void sb_set_clear(struct sb_set *s) { memset(s->bits, 0, sizeof s->bits); }

#endif /* OPENREMAP_FW_SB_SET_H */
