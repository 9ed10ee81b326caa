/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/gc.h"

#include <string.h>

#include "core/fw.h"
#include "core/superblock.h"
#include "fw_mutant.h"

#define BLOCKED_NS 1000000u
#define SKIP_NS 10000000u

_Static_assert(FW_GC_VICTIMS == 2 && FW_RECOVERY_INTENT == FW_GC_VICTIMS, "an intent for each victim, and recovery's");

static uint32_t free_superblocks(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
}

static uint64_t program_fails(const struct fw *fw) {
  return state_counter(&fw->state, fw->p, ORM_COUNTER_NAND_PROGRAM_FAILS);
}

static uint32_t free_segments(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_SEG_COUNT), ORM_FW_SEG_COUNT_VALUE);
}

static uint64_t remap_commands(const struct fw *fw) { return state_remap_commands(&fw->state, fw->p); }

/* With fewer free ones an eighth of what remaps may take is left, or less. */
static uint32_t low_segments(const struct fw *fw) {
  uint32_t usable = fw->dev.segments - fw->dev.gc_reserve_segments;
  return fw->dev.gc_reserve_segments + usable / 8u;
}

static bool short_of_segments(const struct fw *fw) { return free_segments(fw) < low_segments(fw); }

/* Less than any one victim's sharers may need. */
static bool reserve_is_short(const struct fw *fw) { return free_segments(fw) < fw->dev.gc_reserve_segments; }

static void forget_skips(struct gc *g) {
  if (g->skips) sb_set_clear(&g->skip);
  g->skips = false;
  g->reserve_tried = false;
}

static void skip(struct fw *fw, uint32_t sb) {
  struct gc *g = &fw->gc;
  sb_set_put(&g->skip, sb, true);
  g->skips = true;
  g->skip_until = hal_time(fw->p) + SKIP_NS;
}

/* The snapshot of a shutdown finds room without a collection, where the namespace leaves as much: twice, as a device that is always
 * at this mark writes one superblock for another. */
static uint32_t low_mark(const struct fw *fw) {
  uint32_t used = (fw->nsze + fw->dev.data_slots - 1u) / fw->dev.data_slots + fw->bad.count;
  uint32_t spare = fw->superblocks > used ? fw->superblocks - used : 0, sbs = snapshot_most_sbs(fw);
  return sbs > 1u && spare >= 2u * (FW_GC_LOW + sbs) ? FW_GC_LOW + sbs - 1u : FW_GC_LOW;
}

void gc_begin(struct fw *fw) {
  memset(&fw->gc, 0, sizeof fw->gc);
  fw->gc.low = low_mark(fw);
  fw->gc.reclaim_from = remap_commands(fw) + 1u;
  wear_begin(fw);
  read_reclaim_begin(fw);
  hal_write(fw->p, ORM_FW_FREE_LOW, fw->gc.low);
  hal_write(fw->p, ORM_FW_SEG_LOW, low_segments(fw)); /* of remaps it knows, but for Copies */
}

bool gc_idle(const struct fw *fw) { return fw->gc.flights == 0 && fw->gc.doubts == 0; }

/* A victim must give back more than it costs: one that is valid throughout, but for less than a page, is only moved.
 * While the host still has a superblock to open, only cheap ones are taken; dear ones may become cheaper, and every page
 * moved too early counts as write amplification. */
static uint32_t most_valid(const struct fw *fw, uint32_t free) {
  uint32_t slots = fw->dev.data_slots;
  return free > FW_ALLOC_RESERVE ? slots - slots / 4u : device_sure_slots(&fw->dev);
}

static void compact(struct fw *fw, uint32_t sb) {
  struct gc *g = &fw->gc;
  hal_write(fw->p, ORM_FW_GC_GO, ORM_PUT(ORM_FW_GC_GO_SB, sb) | ORM_PUT(ORM_FW_GC_GO_CHAIN, 1u));
  sb_set_put(&g->compacted, sb, true);
  g->compactions--;
  FW_ASSERT(fw, g->flights < FW_GC_VICTIMS);
  g->flight[g->flights++] = (struct gc_flight){.victim = sb, .intent = FW_GC_VICTIMS};
}

/* One that no other victim has. An older intent for the same superblock is written over: two that differ could not be told
 * apart. */
static uint32_t intent_place(const struct fw *fw, uint32_t sb) {
  const struct gc *g = &fw->gc;
  for (uint32_t i = 0; i < FW_GC_VICTIMS; i++) {
    struct orm_gc_intent held;
    if (state_read_intent(&fw->dev, fw->p, i, &held) && held.sb == sb) return i;
  }
  return g->flights > 0 && g->flight[0].intent == 0 ? 1 : 0;
}

static void start(struct fw *fw, uint32_t victim, enum gc_search what) {
  struct gc *g = &fw->gc;
  FW_ASSERT(fw, g->flights < FW_GC_VICTIMS);
  uint32_t place = intent_place(fw, victim);
  if (!fw_mutant(FW_MUTANT_NO_INTENT))
    state_write_intent(&fw->dev, fw->p, place, (uint16_t)victim, superblock_generation(fw->p, victim),
                       fw->recovery.sb[victim].good);
  uint32_t valid = superblock_look(fw->p, victim).valid; /* 0: which it stays */
  bool retires = !format_nvm_holds_gc(fw) /* which uses all of them again */ &&
                 program_fail_retires(fw, victim, free_superblocks(fw));
  bool read_reclaim = what == GC_FOR_READ_RECLAIM;
  uint64_t fails = program_fails(fw);
  if (read_reclaim) read_reclaim_begins(fw);
  hal_write(fw->p, ORM_FW_GC_GO, ORM_PUT(ORM_FW_GC_GO_SB, victim) | ORM_PUT(ORM_FW_GC_GO_RETIRE, retires));
  g->flight[g->flights++] = (struct gc_flight){.victim = victim,
                                               .intent = place,
                                               .valid = valid,
                                               .retire = retires,
                                               .read_reclaim = read_reclaim,
                                               .program_fails = fails};
}

void gc_collect(struct fw *fw, uint32_t sb) { start(fw, sb, GC_NO_SEARCH); }

/* There may be no room for what the host writes from now on. */
static void wear_out(struct fw *fw) {
  hal_log(fw->p, PLATFORM_LOG_ERROR, "%u superblocks are bad, none is to spare: nothing more can be written",
          (unsigned)fw->bad.count);
  controller_show_namespace(fw);
  fw->commands.damage_told = false; /* once more */
}

/* Its erase failed: the hardware calls it closed until the next start, and it keeps its generation, so that a power cut before it
 * is written down leaves a victim whose erase did not end. Its chain, all stale, goes when chains are compacted. Or programs in it
 * had failed: then it is erased and has its next generation, and such a power cut leaves one that is used again. */
static void retire(struct fw *fw, uint32_t sb) {
  program_fail_gone(fw, sb);
  read_reclaim_gone(fw, sb);
  sb_set_put(&fw->gc.retired, sb, true);
  bad_add(fw, sb);
  if (health_write_protected(fw) == ORM_READ_ONLY_WORN) wear_out(fw);
}

static bool engine_has_room(const struct fw *fw) {
  return fw->gc.flights < FW_GC_VICTIMS && ORM_GET(hal_read(fw->p, ORM_FW_GC_QUEUE), ORM_FW_GC_QUEUE_ROOM);
}

/* True while there are some: they come before any other victim, whose intent might take the place of theirs. */
static bool end_doubt(struct fw *fw) {
  struct gc *g = &fw->gc;
  if (g->doubts == 0) return false;
  if (engine_has_room(fw)) {
    start(fw, g->doubt[--g->doubts], GC_NO_SEARCH);
    fw_again_in(fw, 0);
  }
  return true;
}

/* The victim stays. Only what the medium has lost or does not erase is a media error: a copy whose program failed is still where
 * it was. If a read failed, too, the next collection will tell. */
static void stays(struct fw *fw, struct gc_flight flight, uint32_t status) {
  struct gc *g = &fw->gc;
  uint32_t victim = flight.victim;
  bool full = ORM_GET(status, ORM_FW_GC_STATUS_FULL);
  if (full || ORM_GET(status, ORM_FW_GC_STATUS_REFUSED)) {
    skip(fw, victim);
    if (full) hal_log(fw->p, PLATFORM_LOG_INFO, "collection of superblock %u stopped: no segments", (unsigned)victim);
    return;
  }
  uint32_t left = superblock_look(fw->p, victim).valid;
  bool programs = flight.valid != 0 && program_fails(fw) != flight.program_fails;
  /* Where only programs failed its copies have cost room and it has become cheaper: another victim would cost more, and a few of them
   * all that is left. */
  if (!programs || left >= flight.valid) skip(fw, victim);
  if (programs) {
    hal_log(fw->p, PLATFORM_LOG_INFO, "collection of superblock %u stopped: programs failed", (unsigned)victim);
  } else {
    fw->state.media_errors++;
    hal_log(fw->p, PLATFORM_LOG_ERROR, "collection of superblock %u failed", (unsigned)victim);
  }
  if (left == 0) {
    /* Of one that had data a copy may have failed, too, and the host have overwritten the page since. The second time there is
     * nothing to copy, and only its erase can fail. */
    FW_ASSERT(fw, g->doubts < FW_GC_VICTIMS);
    if (flight.valid == 0)
      retire(fw, victim);
    else
      g->doubt[g->doubts++] = (uint16_t)victim;
  }
  sb_set_put(&g->stuck, victim,
             !programs && left != 0 && left == g->left[victim]); /* the next program is another die's */
  g->left[victim] = (uint16_t)left;
}

/* Outcomes come in the order of the starts. */
static void finish(struct fw *fw, uint32_t status) {
  struct gc *g = &fw->gc;
  bool ok = ORM_GET(status, ORM_FW_GC_STATUS_OK);
  struct gc_flight flight = g->flight[0];
  uint32_t whose = hal_read(fw->p, ORM_FW_GC_QUEUE);
  uint32_t victim = ORM_GET(whose, ORM_FW_GC_QUEUE_SB);
  FW_ASSERT(fw, g->flights > 0 && victim == flight.victim);
  hal_write(fw->p, ORM_FW_GC_POP, ORM_PUT(ORM_FW_GC_POP_POP, 1u));
  g->flights--;
  for (uint32_t i = 0; i < g->flights; i++) g->flight[i] = g->flight[i + 1u];
  if (g->destage.running) { /* it is alone */
    g->reclaimed = destage_finish(fw, victim, status) || g->reclaimed;
    return;
  }
  if (ORM_GET(whose, ORM_FW_GC_QUEUE_CHAIN)) {
    g->reclaimed = g->reclaimed || ok;
    return;
  }
  if (flight.read_reclaim) read_reclaim_ends(fw, ok);
  state_worked(&fw->state, &fw->dev, fw->p);
  if (ok) {
    fw->recovery.sb[victim].good = (uint16_t)fw->dev.data_slots; /* of its next filling */
    sb_set_put(&g->stuck, victim, false);
    g->left[victim] = 0;
    forget_skips(g);
    destage_retry(fw);
    wear_collected(fw);
    program_fail_gone(fw, victim);
    read_reclaim_gone(fw, victim);
    if (flight.retire) retire(fw, victim);
  } else {
    stays(fw, flight, status);
  }
}

/* No victim is worth it. While the host can still open a superblock, that is the event to wait for (dear victims are
 * taken only then); when it cannot, something that is being written now must make a victim cheaper. */
static void wait_for_worse(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  if (g->flights > 0) return; /* the end of that one is the event to wait for */
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

bool gc_wants_free_low(const struct fw *fw) {
  const struct gc *g = &fw->gc;
  return gc_idle(fw) && (!g->wanted || g->waits_below != 0) && !controller_is_shut(fw) && !format_nvm_holds_gc(fw) &&
         fw->read_only == 0;
}

/* `attempt` of one remap; 0: unasked. */
static void reclaim_begin(struct fw *fw, uint32_t attempt) {
  struct gc *g = &fw->gc;
  destage_reclaim_begin(fw, attempt);
  if (!g->reclaiming) {
    g->reclaiming = true;
    g->reclaimed = false;
    g->compactions = FW_GC_COMPACTIONS;
  }
  g->asked = attempt != 0;
  g->for_reserve = false;
}

/* Two attempts by compaction: more would read chains again that have nothing to give. */
#define COMPACTING_ATTEMPTS 2u

void gc_reclaim_segments(struct fw *fw, uint32_t attempt) {
  struct gc *g = &fw->gc;
  reclaim_begin(fw, attempt);
  g->scan.what = GC_NO_SEARCH; /* what is looked for may be another thing by now, and its end none to wake up for */
  if (attempt == 1) sb_set_clear(&g->compacted);
  g->compactions = attempt <= COMPACTING_ATTEMPTS ? FW_GC_COMPACTIONS : 0;
  fw_again_in(fw, 0);
}

void gc_reclaim_seen(struct fw *fw) { fw->gc.asked = false; }

/* A remap could not run beside a compaction. */
static bool command_waits(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_MBOX_STATUS), ORM_FW_MBOX_STATUS_VALID) || !commands_idle(fw);
}

/* Before remaps have to be refused, once for each further remap command. One that already waits goes first: in all
 * likelihood it finds its segments. */
static void reclaim_early(struct fw *fw) {
  struct gc *g = &fw->gc;
  if (g->reclaiming || g->flights > 0 || command_waits(fw) || !short_of_segments(fw) ||
      remap_commands(fw) < g->reclaim_from)
    return;
  g->reclaim_from = remap_commands(fw) + 1u;
  reclaim_begin(fw, 0);
}

/* Before a collection, once for each that succeeds. */
static bool reclaim_for_reserve(struct fw *fw) {
  struct gc *g = &fw->gc;
  if (g->reclaiming || g->flights > 0 || g->reserve_tried || !reserve_is_short(fw)) return false;
  g->reserve_tried = true;
  reclaim_begin(fw, 0);
  g->for_reserve = true;
  return true;
}

static void reclaim_end(struct fw *fw) {
  fw->gc.reclaiming = false;
  fw_again_in(fw, 0); /* who asked for it wants to know */
}

/* What is next of a segment reclaim. Unasked: chains as long as segments are short and nobody waits, a collection if they gave
 * nothing back. A remap that waits may lack room in one chain and not segments, so it has all its compactions. */
static void reclaim_search(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  if (g->for_reserve) {
    bool enough = !reserve_is_short(fw);
    if (!enough && g->compactions > 0)
      gc_scan_begin(fw, GC_FOR_CHAIN, 0);
    else if (!enough && destage_can(fw, free))
      gc_scan_begin(fw, GC_FOR_COLD, 0);
    else
      reclaim_end(fw);
  } else if (!g->asked && command_waits(fw)) {
    reclaim_end(fw);
  } else if (g->compactions > 0 && (g->asked || !g->reclaimed || short_of_segments(fw))) {
    gc_scan_begin(fw, GC_FOR_CHAIN, 0);
  } else if (destage_can(fw, free) && destage_is_due(fw, short_of_segments(fw))) {
    gc_scan_begin(fw, GC_FOR_COLD, 0);
  } else if (!g->reclaimed && summary_is_busy(fw)) {
    return; /* its superblock may be the one that is looked for; its end wakes this up */
  } else if (!g->reclaimed) {
    g->reclaim_from = remap_commands(fw) + FW_GC_FRUITLESS;
    gc_scan_begin(fw, GC_FOR_SEGMENTS, 1);
  } else {
    reclaim_end(fw);
  }
}

/* What levels the wear gains no room: while the host still has a superblock to open, and with the reserve of segments whole. */
static bool wear_has_turn(const struct fw *fw, uint32_t free) {
  return fw->gc.flights == 0 && free > 0 && wear_is_due(fw) && !reserve_is_short(fw);
}

/* What goes before room, with the reserve of segments whole, and in superblocks that are free now. */
static enum gc_search flagged_due(struct fw *fw, uint32_t free) {
  if (reserve_is_short(fw)) return GC_NO_SEARCH;
  if (program_fail_is_due(fw, free)) return GC_FOR_PROGRAM_FAIL;
  return read_reclaim_is_due(fw, free) ? GC_FOR_READ_RECLAIM : GC_NO_SEARCH;
}

static uint64_t host_changes(const struct fw *fw) {
  return state_counter(&fw->state, fw->p, ORM_COUNTER_HOST_WRITE_PAGES) +
         state_counter(&fw->state, fw->p, ORM_COUNTER_HOST_TRIM_PAGES) + remap_commands(fw);
}

/* A collection for room begins. */
static void count_in_vain(struct fw *fw) {
  struct gc *g = &fw->gc;
  uint32_t free = free_superblocks(fw) + g->flights;
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

/* Whether to look for a victim, and for what. A single segment may be needed again by the superblock that its entries
 * move to. */
static bool search(struct fw *fw, uint32_t free) {
  struct gc *g = &fw->gc;
  enum gc_search due;
  if (g->scan.what != GC_NO_SEARCH) return true;
  if (g->reclaiming)
    reclaim_search(fw, free);
  else if ((due = flagged_due(fw, free - g->flights)) != GC_NO_SEARCH)
    gc_scan_begin(fw, due, fw->dev.slots_per_sb + 1u);
  else if (wear_has_turn(fw, free))
    gc_scan_begin(fw, GC_FOR_WEAR, 0);
  else if (g->wanted && !must_wait(fw, free)) {
    if (is_in_vain(fw, free))
      wait_for_worse(fw, free);
    else if (reclaim_for_reserve(fw))
      reclaim_search(fw, free);
    else
      gc_scan_begin(fw, GC_FOR_SPACE, most_valid(fw, free));
  }
  return g->scan.what != GC_NO_SEARCH;
}

/* When the host is out of room and no victim is certain to find its segments, the shortest chain is tried: most of it
 * may be stale, and the engine stops by itself where it does not fit. Not beside an erase, which may give segments back. */
static uint32_t chosen(const struct gc *g, uint32_t free) {
  const struct gc_scan *s = &g->scan;
  bool must = s->what == GC_FOR_SPACE && free <= FW_ALLOC_RESERVE && g->flights == 0;
  return s->victim == GC_NO_VICTIM && must ? s->spare : s->victim;
}

/* When every chain has been looked at a new pass begins: at once if this segment reclaim has had none of them. */
static void found_chain(struct fw *fw, uint32_t sb) {
  struct gc *g = &fw->gc;
  if (sb != GC_NO_VICTIM) {
    compact(fw, sb);
    return;
  }
  sb_set_clear(&g->compacted);
  g->compactions = g->compactions == FW_GC_COMPACTIONS ? FW_GC_COMPACTIONS - 1u : 0;
  fw_again_in(fw, 0);
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
  return may && !reserve_is_short(fw) ? sb : GC_NO_VICTIM;
}

static void found_cold(struct fw *fw, uint32_t sb, uint32_t free) {
  struct gc *g = &fw->gc;
  if (sb != GC_NO_VICTIM && destage_can(fw, free) && destage_fits(fw)) {
    destage_start(fw, sb);
    g->flight[g->flights++] = (struct gc_flight){.victim = sb, .intent = FW_GC_VICTIMS};
    return;
  }
  g->destage.left = 0; /* of this segment reclaim */
  fw_again_in(fw, 0);
}

/* A superblock that is free now is enough for the copies of one more victim, even if none comes back (its erase may fail):
 * that is what a single collection may find, too. And GC's reserve of segments, with the first one's chain still in it. Not while a
 * remap waits for the end of all: with two side by side there might never be one. */
static bool may_join(const struct fw *fw, uint32_t free) {
  const struct gc *g = &fw->gc;
  return !g->reclaiming && !(g->asked && !commands_idle(fw)) && free > 0 && !reserve_is_short(fw) &&
         engine_has_room(fw);
}

void gc_poll(struct fw *fw) {
  struct gc *g = &fw->gc;
  program_fail_poll(fw);
  read_reclaim_poll(fw);
  if (g->flights > 0) {
    uint32_t status = hal_read(fw->p, ORM_FW_GC_STATUS);
    if (ORM_GET(status, ORM_FW_GC_STATUS_VALID)) {
      finish(fw, status);
      fw_again_in(fw, 0); /* the others' turn */
      return;
    }
  }
  if (end_doubt(fw)) return;
  if (controller_is_shut(fw) || format_nvm_holds_gc(fw) || fw->read_only != 0) {
    g->scan.what = GC_NO_SEARCH;
    g->reclaiming = false;
    return;
  }
  if (g->skips && hal_time(fw->p) >= g->skip_until) forget_skips(g);
  uint32_t free = free_superblocks(fw);
  if (g->flights > 0 && !may_join(fw, free)) return;
  free += g->flights; /* what is being erased comes back */
  if (free < g->low) g->wanted = true;
  if (free > g->low) g->wanted = false;
  if (!g->wanted) reclaim_early(fw);
  if (!search(fw, free) || !gc_scan_poll(fw, free_segments(fw))) return;
  uint32_t victim = chosen(g, free);
  enum gc_search what = g->scan.what;
  g->scan.what = GC_NO_SEARCH;
  if (what == GC_FOR_CHAIN) {
    found_chain(fw, victim);
    return;
  }
  if (what == GC_FOR_COLD) {
    found_cold(fw, victim, free);
    return;
  }
  if (what == GC_FOR_WEAR) {
    victim = wear_survey_end(fw);
    fw_again_in(fw, 0); /* a victim for room may be due */
  }
  if (what == GC_FOR_PROGRAM_FAIL || what == GC_FOR_READ_RECLAIM) {
    victim = flagged_victim(fw, what, victim);
    fw_again_in(fw, 0);
  }
  if (what == GC_FOR_SEGMENTS) {
    g->reclaimed = victim != GC_NO_VICTIM;
    reclaim_end(fw);
  }
  if (victim != GC_NO_VICTIM && what == GC_FOR_SPACE) count_in_vain(fw);
  if (victim != GC_NO_VICTIM)
    start(fw, victim, what);
  else if (what == GC_FOR_SPACE)
    wait_for_worse(fw, free);
  if (g->reclaiming && g->flights == 0) fw_again_in(fw, 0); /* asked for meanwhile */
}
