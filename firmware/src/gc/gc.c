/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/gc.h"

#include <string.h>

#include "fw.h"

#define BLOCKED_NS 1000000u

static uint32_t free_superblocks(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
}

/* The snapshot of a shutdown finds room without a collection, where the namespace leaves as much: twice, as a
 * device that is always at this mark writes one superblock for another. */
static uint32_t low_mark(const struct fw *fw, uint32_t snapshot_sbs) {
  uint32_t used = (fw->geometry.nsze + fw->dev.data_slots - 1u) / fw->dev.data_slots + fw->bad.count;
  uint32_t spare = fw->geometry.superblocks > used ? fw->geometry.superblocks - used : 0;
  return snapshot_sbs > 1u && spare >= 2u * (FW_GC_LOW + snapshot_sbs) ? FW_GC_LOW + snapshot_sbs - 1u : FW_GC_LOW;
}

void gc_set_low(struct fw *fw, uint32_t snapshot_sbs) {
  fw->gc.low = low_mark(fw, snapshot_sbs);
  fw->gc.waits_below = 0;
  hal_write(fw->p, ORM_FW_FREE_LOW, fw->gc.low);
}

void gc_begin(struct fw *fw, uint32_t snapshot_sbs) {
  memset(&fw->gc, 0, sizeof fw->gc);
  wear_begin(fw);
  read_reclaim_begin(fw);
  gc_set_low(fw, snapshot_sbs);
  segment_reclaim_begin(fw);
}

bool gc_idle(const struct fw *fw) { return fw->gc.flights.count == 0 && fw->gc.flights.doubts == 0; }

void gc_collect(struct fw *fw, uint32_t sb) { gc_flight_collect(fw, sb, GC_NO_SEARCH); }

bool gc_wants_free_low(const struct fw *fw) {
  const struct gc *g = &fw->gc;
  return gc_idle(fw) && (!g->wanted || g->waits_below != 0) && !quiesce_is_shut(fw) && !quiesce_format_holds_gc(fw) &&
         fw->read_only.cause == 0;
}

/* ---- waiting for a better victim */

/* No victim is worth it. While the host can still open a superblock, that is the event to wait for (dear victims are
 * taken only then); when it cannot, something that is being written now must make a victim cheaper. */
static void wait_for_cheaper_victim(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  if (g->flights.count > 0) return; /* the end of that one is the event to wait for */
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
    hal_write(fw->p, ORM_FW_FREE_LOW, fw->gc.low);
  }
  return fw_waits_until(fw, g->blocked_until);
}

static uint64_t host_changes(const struct fw *fw) {
  return state_counter(&fw->state, fw->p, ORM_COUNTER_HOST_WRITE_PAGES) +
         state_counter(&fw->state, fw->p, ORM_COUNTER_HOST_TRIM_PAGES) + state_remap_commands(&fw->state, fw->p);
}

/* A collection for room begins. */
static void count_in_vain(struct fw *fw) {
  struct gc *g = &fw->gc;
  uint32_t free = free_superblocks(fw) + g->flights.count;
  uint64_t changes = host_changes(fw);
  bool news = free > g->most_free || changes != g->changes;
  g->in_vain = news ? 0 : g->in_vain + 1u;
  if (news) g->most_free = free;
  g->changes = changes;
}

/* Not while the host waits for room: then there is nothing else to try. */
static bool is_in_vain(const struct fw *fw, uint32_t free) {
  const struct gc *g = &fw->gc;
  return g->in_vain >= FW_GC_IN_VAIN && free > FW_ALLOC_RESERVE && free <= g->most_free &&
         host_changes(fw) == g->changes;
}

/* ---- what to look for */

/* A victim must give back more than it costs: one that is valid throughout, but for less than a page, is only
 * moved. While the host still has a superblock to open, only cheap ones are taken; dear ones may become cheaper,
 * and every page moved too early counts as write amplification. */
static uint32_t most_valid(const struct fw *fw, uint32_t free) {
  uint32_t slots = fw->dev.data_slots;
  return free > FW_ALLOC_RESERVE ? slots - slots / 4u : device_sure_slots(&fw->dev);
}

/* Wear levelling frees no space, so it runs only while the host still has a superblock to open and GC's reserve of
 * segments is whole. */
static bool wear_has_turn(const struct fw *fw, uint32_t free) {
  return fw->gc.flights.count == 0 && free > 0 && wear_is_due(fw) && !segment_reclaim_reserve_is_short(fw);
}

/* What goes before room, with the reserve of segments whole, and in superblocks that are free now. */
static enum gc_search flagged_due(struct fw *fw, uint32_t free) {
  if (segment_reclaim_reserve_is_short(fw)) return GC_NO_SEARCH;
  if (program_fail_is_due(fw, free)) return GC_FOR_PROGRAM_FAIL;
  return read_reclaim_is_due(fw, free) ? GC_FOR_READ_RECLAIM : GC_NO_SEARCH;
}

/* A single segment may be needed again by the superblock that its entries move to. */
static void search_for_space(struct fw *fw, uint32_t free) {
  if (is_in_vain(fw, free))
    wait_for_cheaper_victim(fw, free);
  else if (segment_reclaim_for_reserve(fw))
    segment_reclaim_search(fw, free);
  else
    gc_scan_begin(fw, GC_FOR_SPACE, most_valid(fw, free));
}

/* Whether a search is under way; begins one if there is something to look for. */
static bool search(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  enum gc_search due;
  if (g->scan.what != GC_NO_SEARCH) return true;
  if (g->reclaim.runs)
    segment_reclaim_search(fw, free);
  else if ((due = flagged_due(fw, free - g->flights.count)) != GC_NO_SEARCH)
    gc_scan_begin(fw, due, fw->dev.slots_per_sb + 1u);
  else if (wear_has_turn(fw, free))
    gc_scan_begin(fw, GC_FOR_WEAR, 0);
  else if (g->wanted && !must_wait(fw, free))
    search_for_space(fw, free);
  return g->scan.what != GC_NO_SEARCH;
}

/* ---- what was found */

/* When the host is out of room and no victim is certain to find its segments, the shortest chain is tried: most of
 * it may be stale, and the engine stops by itself where it does not fit. Not beside an erase, which may give
 * segments back. */
static uint32_t chosen(const struct gc *g, uint32_t free) {
  const struct gc_scan *s = &g->scan;
  bool must = s->what == GC_FOR_SPACE && free <= FW_ALLOC_RESERVE && g->flights.count == 0;
  return s->victim == GC_NO_VICTIM && must ? s->spare : s->victim;
}

/* The scan has taken some time: what was free when it began may be in use now. */
static uint32_t flagged_victim(struct fw *fw, enum gc_search what, uint32_t sb) {
  bool fails = what == GC_FOR_PROGRAM_FAIL;
  if (sb == GC_NO_VICTIM) {
    if (fails)
      program_fail_in_vain(fw);
    else
      read_reclaim_in_vain(fw);
    return GC_NO_VICTIM;
  }
  uint32_t free = free_superblocks(fw);
  bool may = fails ? program_fail_retires(fw, sb, free) : free > FW_ALLOC_RESERVE;
  return may && !segment_reclaim_reserve_is_short(fw) ? sb : GC_NO_VICTIM;
}

static void found_superblock(struct fw *fw, enum gc_search what, uint32_t victim, uint32_t free) {
  if (what == GC_FOR_WEAR) {
    victim = wear_survey_end(fw);
    fw_again_in(fw, 0); /* a victim for room may be due */
  }
  if (what == GC_FOR_PROGRAM_FAIL || what == GC_FOR_READ_RECLAIM) {
    victim = flagged_victim(fw, what, victim);
    fw_again_in(fw, 0);
  }
  if (what == GC_FOR_SEGMENTS) segment_reclaim_found_superblock(fw, victim != GC_NO_VICTIM);
  if (victim != GC_NO_VICTIM && what == GC_FOR_SPACE) count_in_vain(fw);
  if (victim != GC_NO_VICTIM)
    gc_flight_collect(fw, victim, what);
  else if (what == GC_FOR_SPACE)
    wait_for_cheaper_victim(fw, free);
  if (fw->gc.reclaim.runs && fw->gc.flights.count == 0) fw_again_in(fw, 0); /* asked for meanwhile */
}

static void found(struct fw *fw, uint32_t free) {
  uint32_t victim = chosen(&fw->gc, free);
  enum gc_search what = fw->gc.scan.what;
  gc_scan_stop(fw);
  if (what == GC_FOR_CHAIN)
    segment_reclaim_found_chain(fw, victim);
  else if (what == GC_FOR_COLD)
    segment_reclaim_found_cold(fw, victim, free);
  else
    found_superblock(fw, what, victim, free);
}

/* ---- a poll */

/* A superblock that is free now is enough for the copies of one more victim, even if none comes back (its erase may
 * fail): that is what a single collection may find, too. And GC's reserve of segments, with the first one's chain
 * still in it. Not while a remap waits for the end of all: with two side by side there might never be one. */
static bool may_join(const struct fw *fw, uint32_t free) {
  const struct segment_reclaim *r = &fw->gc.reclaim;
  return !r->runs && !(r->asked && !mailbox_idle(fw)) && free > 0 && !segment_reclaim_reserve_is_short(fw) &&
         gc_flight_has_room(fw);
}

/* False: no flight has ended. */
static bool finish(struct fw *fw) {
  if (fw->gc.flights.count == 0) return false;
  uint32_t status = hal_read(fw->p, ORM_FW_GC_STATUS);
  if (!ORM_GET(status, ORM_FW_GC_STATUS_VALID)) return false;
  struct gc_outcome outcome = gc_flight_finish(fw, status);
  if (outcome.chain)
    segment_reclaim_chain_done(fw, outcome.ok);
  else if (outcome.ok)
    segment_reclaim_retry_reserve(fw);
  return true;
}

void gc_poll(struct fw *fw) {
  struct gc *g = &fw->gc;
  program_fail_poll(fw);
  read_reclaim_poll(fw);
  if (finish(fw)) {
    fw_again_in(fw, 0); /* the others' turn */
    return;
  }
  if (gc_flight_end_doubt(fw)) return;
  if (quiesce_is_shut(fw) || quiesce_format_holds_gc(fw) || fw->read_only.cause != 0) {
    gc_scan_stop(fw);
    segment_reclaim_stop(fw);
    return;
  }
  if (gc_flight_skips_are_over(fw)) {
    gc_flight_forget_skips(fw);
    segment_reclaim_retry_reserve(fw);
  }
  uint32_t free = free_superblocks(fw);
  if (g->flights.count > 0 && !may_join(fw, free)) return;
  free += g->flights.count; /* what is being erased comes back */
  if (free < g->low) g->wanted = true;
  if (free > g->low) g->wanted = false;
  if (!g->wanted) segment_reclaim_early(fw);
  if (search(fw, free) && gc_scan_poll(fw, segment_reclaim_free(fw))) found(fw, free);
}
