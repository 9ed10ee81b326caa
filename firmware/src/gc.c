/* SPDX-License-Identifier: Apache-2.0 */
#include "gc.h"

#include <string.h>

#include "fw.h"

#define BLOCKED_NS 1000000u

struct sb_view {
  uint32_t valid;
  enum orm_sb_state state;
};

static struct sb_view look(const struct fw *fw, uint32_t sb) {
  hal_write(fw->p, ORM_FW_SB_SELECT, sb);
  uint32_t word = hal_read(fw->p, ORM_FW_SB_STATE);
  return (struct sb_view){
      .valid = ORM_GET(word, ORM_FW_SB_STATE_VALID),
      .state = (enum orm_sb_state)ORM_GET(word, ORM_FW_SB_STATE_STATE),
  };
}

static uint32_t generation(const struct fw *fw, uint32_t sb) {
  hal_write(fw->p, ORM_FW_SB_SELECT, sb);
  return hal_read(fw->p, ORM_FW_SB_GEN);
}

static bool skipped(const struct gc *g, uint32_t sb) { return ((unsigned)g->skip[sb / 8u] >> (sb % 8u)) & 1u; }

void gc_begin(struct fw *fw) {
  memset(&fw->gc, 0, sizeof fw->gc);
  fw->gc.squeezed_at = fw->state.remap_commands;
  hal_write(fw->p, ORM_FW_FREE_LOW, FW_GC_LOW);
}

bool gc_idle(const struct fw *fw) { return !fw->gc.running; }

/* A victim must give back more than it costs: one that is valid throughout is only moved. While the host still has a
 * superblock to open, only cheap ones are taken; dear ones may become cheaper, and every page moved too early counts as
 * write amplification. */
static uint32_t most_valid(const struct fw *fw, uint32_t free) {
  uint32_t slots = fw->dev.slots_per_sb;
  return free > FW_ALLOC_RESERVE ? slots - slots / 4u : slots;
}

static bool greedy(const struct fw *fw, uint32_t limit, uint32_t *victim) {
  uint32_t best = limit;
  for (uint32_t sb = 0; sb < fw->superblocks && best > 0; sb++) {
    if (skipped(&fw->gc, sb)) continue;
    struct sb_view v = look(fw, sb);
    if (v.state != ORM_SB_STATE_CLOSED || v.valid >= best) continue;
    best = v.valid;
    *victim = sb;
  }
  return best < limit;
}

static void start(struct fw *fw, uint32_t victim) {
  struct gc *g = &fw->gc;
  state_write_intent(&fw->dev, fw->p, (uint16_t)victim, generation(fw, victim), fw->recovery.sb[victim].good);
  hal_write(fw->p, ORM_FW_GC_GO, ORM_PUT(ORM_FW_GC_GO_SB, victim));
  g->victim = victim;
  g->running = true;
}

static void finish(struct fw *fw, uint32_t status) {
  struct gc *g = &fw->gc;
  g->running = false;
  g->victims++;
  fw_again_in(fw, 0); /* a remap or a shutdown may wait for it */
  state_worked(&fw->state, &fw->dev, fw->p);
  if (ORM_GET(status, ORM_FW_GC_STATUS_OK)) {
    fw->recovery.sb[g->victim].good = (uint16_t)fw->dev.slots_per_sb; /* of its next filling */
    return;
  }
  g->skip[g->victim / 8u] |= (uint8_t)(1u << (g->victim % 8u));
  fw->state.media_errors++;
  hal_log(fw->p, PLATFORM_LOG_ERROR, "collection of superblock %u failed, left alone", (unsigned)g->victim);
}

/* No victim is worth it. While the host can still open a superblock, that is the event to wait for (dear victims are
 * taken only then); when it cannot, something that is being written now must make a victim cheaper. */
static void wait_for_worse(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  if (free > FW_ALLOC_RESERVE) {
    g->waits_below = free;
    hal_write(fw->p, ORM_FW_FREE_LOW, free);
  } else {
    g->blocked_until = hal_time(fw->p) + BLOCKED_NS;
    fw_again_in(fw, BLOCKED_NS);
  }
}

static bool must_wait(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  if (g->waits_below != 0) {
    if (free == g->waits_below) return true;
    g->waits_below = 0;
    hal_write(fw->p, ORM_FW_FREE_LOW, FW_GC_LOW);
  }
  uint64_t now = hal_time(fw->p);
  if (now >= g->blocked_until) return false;
  fw_again_in(fw, g->blocked_until - now);
  return true;
}

bool gc_wants_free_low(const struct fw *fw) {
  const struct gc *g = &fw->gc;
  return !g->running && (!g->wanted || g->waits_below != 0) && !controller_is_shut(fw);
}

/* Before remaps have to be refused: when an eighth of the segments is left, once for each further remap command. */
static void squeeze_early(struct fw *fw) {
  struct gc *g = &fw->gc;
  uint32_t usable = fw->dev.segments - fw->dev.gc_reserve_segments;
  if (g->squeezed_at == fw->state.remap_commands) return;
  uint32_t left = ORM_GET(hal_read(fw->p, ORM_FW_SEG_COUNT), ORM_FW_SEG_COUNT_VALUE);
  if (left >= fw->dev.gc_reserve_segments + usable / 8u) return;
  g->squeezed_at = fw->state.remap_commands;
  (void)gc_squeeze(fw);
}

void gc_poll(struct fw *fw) {
  struct gc *g = &fw->gc;
  if (g->running) {
    uint32_t status = hal_read(fw->p, ORM_FW_GC_STATUS);
    if (ORM_GET(status, ORM_FW_GC_STATUS_BUSY)) return;
    finish(fw, status);
  }
  if (controller_is_shut(fw)) return;
  uint32_t free = ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
  if (free < FW_GC_LOW) g->wanted = true;
  if (free > FW_GC_LOW) g->wanted = false;
  if (!g->wanted) squeeze_early(fw);
  uint32_t victim = 0;
  if (g->squeeze) {
    g->squeeze = false;
    if (look(fw, g->squeeze_victim).state == ORM_SB_STATE_CLOSED) start(fw, g->squeeze_victim);
  } else if (!g->wanted || must_wait(fw, free)) {
    return;
  } else if (greedy(fw, most_valid(fw, free), &victim)) {
    start(fw, victim);
  } else {
    wait_for_worse(fw, free);
  }
}

/* Chains are counted from the segment headers in NVRAM: a header of its owner's present generation belongs to it. The
 * counts use recovery's per-superblock record, which has no other use by now. */
bool gc_squeeze(struct fw *fw) {
  struct gc *g = &fw->gc;
  struct recovery *r = &fw->recovery;
  if (g->squeeze) return true;
  for (uint32_t sb = 0; sb < fw->superblocks; sb++) {
    r->sb[sb].segments = 0;
    r->sb[sb].gen = generation(fw, sb);
  }
  for (uint32_t i = 0; i < fw->dev.segments; i++) {
    uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
    struct orm_segment_header h;
    hal_nv_read(fw->p, fw->dev.nv_segments + i * fw->dev.segment_bytes, raw, sizeof raw);
    if (orm_segment_header_open(&h, raw) && h.sb < fw->superblocks && h.gen == r->sb[h.sb].gen) r->sb[h.sb].segments++;
  }
  uint32_t best = 1; /* a single segment may be needed again by the superblock that its entries move to */
  for (uint32_t sb = 0; sb < fw->superblocks; sb++) {
    if (g->running && sb == g->victim) continue; /* its chain goes anyway */
    if (r->sb[sb].segments <= best || skipped(g, sb) || look(fw, sb).state != ORM_SB_STATE_CLOSED) continue;
    best = r->sb[sb].segments;
    g->squeeze_victim = sb;
    g->squeeze = true;
  }
  return g->squeeze;
}
