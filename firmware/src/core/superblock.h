/* SPDX-License-Identifier: Apache-2.0 */
/*
 * superblock.h - what the superblock table of the hardware says. Each call selects the superblock that it asks about (SB_SELECT).
 */
#ifndef OPENREMAP_FW_SUPERBLOCK_H
#define OPENREMAP_FW_SUPERBLOCK_H

#include "core/hal.h"
#include "orm_formats.h"
#include "orm_regs.h"

#define FW_FIRST_GENERATION 1u       /* of a superblock that was formatted; each erase makes the next one */
#define FW_BAD_GENERATION UINT32_MAX /* of one that was bad then; no number of erases comes this far */

/* All of SB_STATE. */
static inline uint32_t superblock_word(const struct platform *p, uint32_t sb) {
  hal_write(p, ORM_FW_SB_SELECT, sb);
  return hal_read(p, ORM_FW_SB_STATE);
}

static inline enum orm_sb_state superblock_state(const struct platform *p, uint32_t sb) {
  return (enum orm_sb_state)ORM_GET(superblock_word(p, sb), ORM_FW_SB_STATE_STATE);
}

/* The one that is being written, or the next one when it is free. */
static inline uint32_t superblock_generation(const struct platform *p, uint32_t sb) {
  hal_write(p, ORM_FW_SB_SELECT, sb);
  return hal_read(p, ORM_FW_SB_GEN);
}

/* Erases of the selected superblock since the device was formatted. */
static inline uint32_t superblock_erases(const struct platform *p) {
  uint32_t gen = hal_read(p, ORM_FW_SB_GEN);
  return gen > FW_FIRST_GENERATION ? gen - FW_FIRST_GENERATION : 0;
}

struct superblock_view {
  uint32_t valid, chain;    /* slots; segments in NVRAM */
  uint32_t slots, in_flash; /* of the chain's destaged part, and the segments that it would fill */
  enum orm_sb_state state;
};

static inline struct superblock_view superblock_look(const struct platform *p, uint32_t sb) {
  uint32_t word = superblock_word(p, sb), destaged = hal_read(p, ORM_FW_SB_DESTAGED);
  return (struct superblock_view){
      .slots = ORM_GET(destaged, ORM_FW_SB_DESTAGED_SLOTS),
      .in_flash = ORM_GET(destaged, ORM_FW_SB_DESTAGED_SEGMENTS),
      .valid = ORM_GET(word, ORM_FW_SB_STATE_VALID),
      .chain = ORM_GET(hal_read(p, ORM_FW_SB_CHAIN), ORM_FW_SB_CHAIN_SEGMENTS),
      .state = (enum orm_sb_state)ORM_GET(word, ORM_FW_SB_STATE_STATE),
  };
}

#endif /* OPENREMAP_FW_SUPERBLOCK_H */
