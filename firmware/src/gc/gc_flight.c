/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/gc_flight.h"

#include "core/superblock.h"
#include "fw.h"
#include "fw_mutant.h"

#define SKIP_NS 10000000u

_Static_assert(FW_GC_VICTIMS == 2 && FW_RECOVERY_INTENT == FW_GC_VICTIMS, "an intent for each victim, and recovery's");

static uint64_t program_fails(const struct fw *fw) {
  return state_counter(&fw->state, fw->p, ORM_COUNTER_NAND_PROGRAM_FAILS);
}

bool gc_in_flight(const struct fw *fw, uint32_t sb) {
  const struct gc_flights *g = &fw->gc.flights;
  for (uint32_t i = 0; i < g->count; i++) {
    if (g->list[i].victim == sb) return true;
  }
  return false;
}

bool gc_flight_has_room(const struct fw *fw) {
  return fw->gc.flights.count < FW_GC_VICTIMS && ORM_GET(hal_read(fw->p, ORM_FW_GC_QUEUE), ORM_FW_GC_QUEUE_ROOM);
}

void gc_flight_forget_skips(struct fw *fw) {
  struct gc_flights *g = &fw->gc.flights;
  if (g->skips) sb_set_clear(&g->skip);
  g->skips = false;
}

bool gc_flight_skips_are_over(const struct fw *fw) {
  const struct gc_flights *g = &fw->gc.flights;
  return g->skips && hal_time(fw->p) >= g->skip_until;
}

static void skip(struct fw *fw, uint32_t sb) {
  struct gc_flights *g = &fw->gc.flights;
  sb_set_put(&g->skip, sb, true);
  g->skips = true;
  g->skip_until = hal_time(fw->p) + SKIP_NS;
}

/* ---- starts */

static void add(struct fw *fw, struct gc_flight flight) {
  struct gc_flights *g = &fw->gc.flights;
  FW_ASSERT(fw, g->count < FW_GC_VICTIMS);
  g->list[g->count++] = flight;
}

void gc_flight_add_chain(struct fw *fw, uint32_t sb) {
  add(fw, (struct gc_flight){.victim = sb, .intent = FW_GC_VICTIMS});
}

/* A place that no other victim has. An older intent for the same superblock is written over: two that differ could
 * not be told apart. */
static uint32_t intent_place(const struct fw *fw, uint32_t sb) {
  const struct gc_flights *g = &fw->gc.flights;
  for (uint32_t i = 0; i < FW_GC_VICTIMS; i++) {
    struct orm_gc_intent held;
    if (state_read_intent(&fw->dev, fw->p, i, &held) && held.sb == sb) return i;
  }
  return g->count > 0 && g->list[0].intent == 0 ? 1 : 0;
}

static uint32_t free_superblocks(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
}

/* It comes after that of the other victim, unless it is written once more: its erase may have begun by then. */
static void write_intent(const struct fw *fw, uint32_t place, uint32_t sb) {
  struct orm_gc_intent held, other, now = {.sb = (uint16_t)sb, .good_slots = good_slots_of(fw, sb), .order = 1};
  now.gen = superblock_generation(fw->p, sb);
  if (state_read_intent(&fw->dev, fw->p, place, &held) && held.sb == sb && held.gen == now.gen)
    now.order = held.order;
  else if (state_read_intent(&fw->dev, fw->p, FW_GC_VICTIMS - 1u - place, &other))
    now.order = other.order + 1u;
  state_write_intent(&fw->dev, fw->p, place, &now);
}

void gc_flight_collect(struct fw *fw, uint32_t victim, enum gc_search what) {
  FW_ASSERT(fw, fw->gc.flights.count < FW_GC_VICTIMS);
  uint32_t place = intent_place(fw, victim);
  if (!fw_mutant(FW_MUTANT_NO_INTENT)) write_intent(fw, place, victim);
  uint32_t valid = superblock_look(fw->p, victim).valid; /* 0: which it stays */
  bool retires = !quiesce_format_holds_gc(fw) /* which uses all of them again */ &&
                 program_fail_retires(fw, victim, free_superblocks(fw));
  bool read_reclaim = what == GC_FOR_READ_RECLAIM;
  uint64_t fails = program_fails(fw);
  if (read_reclaim) read_reclaim_begins(fw);
  hal_write(fw->p, ORM_FW_GC_GO, ORM_PUT(ORM_FW_GC_GO_SB, victim) | ORM_PUT(ORM_FW_GC_GO_RETIRE, retires));
  add(fw, (struct gc_flight){.victim = victim,
                             .intent = place,
                             .valid = valid,
                             .retire = retires,
                             .read_reclaim = read_reclaim,
                             .wear = what == GC_FOR_WEAR,
                             .program_fails = fails});
}

bool gc_flight_is_in_doubt(const struct fw *fw, uint32_t sb) {
  const struct gc_flights *g = &fw->gc.flights;
  for (uint32_t i = 0; i < g->doubts; i++) {
    if (g->doubt[i] == sb) return true;
  }
  return false;
}

bool gc_flight_end_doubt(struct fw *fw) {
  struct gc_flights *g = &fw->gc.flights;
  if (g->doubts == 0) return false;
  if (gc_flight_has_room(fw) && !quiesce_summary_holds(fw, g->doubt[g->doubts - 1u])) {
    gc_flight_collect(fw, g->doubt[--g->doubts], GC_NO_SEARCH);
    fw_again_in(fw, 0);
  }
  return true;
}

/* ---- ends */

/* There may be no room for what the host writes from now on. */
static void wear_out(struct fw *fw) {
  hal_log(fw->p, PLATFORM_LOG_ERROR, "%u superblocks are bad, none is to spare: nothing more can be written",
          (unsigned)fw->bad.count);
  namespace_show(fw);
}

/* Either its erase failed: the hardware calls it closed until the next start. It keeps its generation, so that a
 * power cut before the BadWord is written leaves a victim whose erase did not end. Its chain, all stale, goes when
 * chains are compacted. Or programs in it had failed: then it is erased and has its next generation, and such a
 * power cut leaves a superblock that is used again. */
static void retire(struct fw *fw, uint32_t sb) {
  program_fail_gone(fw, sb);
  read_reclaim_gone(fw, sb);
  sb_set_put(&fw->gc.flights.retired, sb, true);
  bad_add(fw, sb);
  if (spare_write_protected(fw) == ORM_READ_ONLY_WORN) wear_out(fw);
}

/* Without valid slots only the erase can have failed, or a copy whose page the host has overwritten since. A second
 * collection has nothing to copy, so its failure is that of the erase. */
static void doubt(struct fw *fw, const struct gc_flight *flight) {
  struct gc_flights *g = &fw->gc.flights;
  FW_ASSERT(fw, g->doubts < FW_GC_VICTIMS);
  if (flight->valid == 0)
    retire(fw, flight->victim);
  else
    g->doubt[g->doubts++] = (uint16_t)flight->victim;
}

/* The victim stays. Only what the medium has lost or does not erase is a media error: a copy whose program failed
 * is still where it was. If a read failed, too, the next collection will tell. */
static void stays(struct fw *fw, const struct gc_flight *flight, uint32_t status) {
  struct gc_flights *g = &fw->gc.flights;
  uint32_t victim = flight->victim;
  bool full = ORM_GET(status, ORM_FW_GC_STATUS_FULL);
  bool refused = ORM_GET(status, ORM_FW_GC_STATUS_REFUSED);
  uint32_t left = superblock_look(fw->p, victim).valid;
  /* No erase begins before all slots are moved. Were its intent left it could lose to a later victim, half erased,
   * whose copies it holds. */
  if (full || refused || left != 0) state_clear_intent(&fw->dev, fw->p, flight->intent);
  if (full || refused) {
    skip(fw, victim);
    if (full) hal_log(fw->p, PLATFORM_LOG_INFO, "collection of superblock %u stopped: no segments", (unsigned)victim);
    return;
  }
  bool programs = flight->valid != 0 && program_fails(fw) != flight->program_fails;
  /* Where only programs failed the copies have cost room and the victim has become cheaper. Another victim would cost
   * more, and a few of them all the room that is left. */
  if (!programs || left >= flight->valid) skip(fw, victim);
  if (programs) {
    hal_log(fw->p, PLATFORM_LOG_INFO, "collection of superblock %u stopped: programs failed", (unsigned)victim);
  } else {
    state_media_error(&fw->state);
    hal_log(fw->p, PLATFORM_LOG_ERROR, "collection of superblock %u failed", (unsigned)victim);
  }
  if (left == 0) doubt(fw, flight);
  sb_set_put(&g->stuck, victim,
             !programs && left != 0 && left == g->left[victim]); /* the next program is another die's */
  g->left[victim] = (uint16_t)left;
}

static void is_free(struct fw *fw, const struct gc_flight *flight) {
  struct gc_flights *g = &fw->gc.flights;
  uint32_t sb = flight->victim;
  good_slots_set(fw, sb, fw->dev.data_slots); /* of its next filling */
  sb_set_put(&g->stuck, sb, false);
  g->left[sb] = 0;
  gc_flight_forget_skips(fw);
  destage_retry(fw);
  wear_collected(fw);
  if (flight->wear) state_wear_moved(&fw->state, flight->valid);
  program_fail_gone(fw, sb);
  read_reclaim_gone(fw, sb);
  if (flight->retire) retire(fw, sb);
}

struct gc_outcome gc_flight_finish(struct fw *fw, uint32_t status) {
  struct gc_flights *g = &fw->gc.flights;
  bool ok = ORM_GET(status, ORM_FW_GC_STATUS_OK);
  struct gc_flight flight = g->list[0];
  uint32_t whose = hal_read(fw->p, ORM_FW_GC_QUEUE);
  FW_ASSERT(fw, g->count > 0 && ORM_GET(whose, ORM_FW_GC_QUEUE_SB) == flight.victim);
  hal_write(fw->p, ORM_FW_GC_POP, ORM_PUT(ORM_FW_GC_POP_POP, 1u));
  g->count--;
  for (uint32_t i = 0; i < g->count; i++) g->list[i] = g->list[i + 1u];
  if (fw->gc.destage.running) /* it is alone */
    return (struct gc_outcome){.chain = true, .ok = destage_finish(fw, flight.victim, status)};
  if (ORM_GET(whose, ORM_FW_GC_QUEUE_CHAIN)) return (struct gc_outcome){.chain = true, .ok = ok};
  if (flight.read_reclaim) read_reclaim_ends(fw, ok);
  state_worked(&fw->state, &fw->dev, fw->p);
  if (ok)
    is_free(fw, &flight);
  else
    stays(fw, &flight, status);
  return (struct gc_outcome){.ok = ok};
}
