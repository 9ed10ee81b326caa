/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/gc_scan.h"

#include "core/superblock.h"
#include "fw.h"

#define LOOKS_PER_POLL 64u

/* Segments that the victim's sharers fill, or would. */
static uint32_t length(struct superblock_view v) { return v.chain + v.in_flash; }

/* Segments that the victim's sharers can take at most: what they fill now, and one begun in each of two targets. */
static uint32_t most_segments(uint32_t chain) { return chain == 0 ? 0 : chain + 2u; }

void gc_scan_begin(struct fw *fw, enum gc_search what, uint32_t limit) {
  fw->gc.scan =
      (struct gc_scan){.what = what, .best = limit, .victim = GC_NO_VICTIM, .small = UINT32_MAX, .spare = GC_NO_VICTIM};
  if (what == GC_FOR_CHAIN || what == GC_FOR_COLD) destage_survey_begin(fw);
  if (what == GC_FOR_COLD) destage_scan_begin(fw);
  if (what == GC_FOR_WEAR) wear_survey_begin(fw);
}

/* The longest chain that this pass over all chains has not had. */
static void scan_chain(struct gc *g, uint32_t sb, uint32_t chain) {
  struct gc_scan *s = &g->scan;
  if (chain <= s->best || sb_set_has(&g->reclaim.compacted, sb)) return;
  s->best = chain;
  s->victim = sb;
}

static void scan_cold(struct fw *fw, uint32_t sb, struct superblock_view v) {
  struct destage_chain c = {
      .segments = v.chain,
      .slots = v.slots,
      .in_flash = v.in_flash,
      .in_use =
          (v.state == ORM_SB_STATE_OPEN || v.state == ORM_SB_STATE_CLOSED) && !sb_set_has(&fw->gc.flights.retired, sb),
  };
  if (destage_scan_look(fw, sb, c)) fw->gc.scan.victim = sb;
}

static bool may_collect(const struct fw *fw, uint32_t sb, struct superblock_view v) {
  const struct gc_flights *g = &fw->gc.flights;
  if (v.state != ORM_SB_STATE_CLOSED || sb_set_has(&g->skip, sb) || sb_set_has(&g->retired, sb)) return false;
  return !gc_in_flight(fw, sb) && !quiesce_summary_holds(fw, sb) &&
         !(sb_set_has(&g->stuck, sb) && v.valid == g->left[sb]);
}

/* One superblock. `best` is a number of valid slots, to be undercut, or of segments, to be exceeded. */
static void scan_look(struct fw *fw, uint32_t sb, struct superblock_view v, uint32_t room) {
  struct gc *g = &fw->gc;
  struct gc_scan *s = &g->scan;
  if (s->what == GC_FOR_CHAIN || s->what == GC_FOR_COLD) {
    destage_survey_look(fw, sb, v.chain);
    if (s->what == GC_FOR_CHAIN)
      scan_chain(g, sb, v.chain);
    else
      scan_cold(fw, sb, v);
    return;
  }
  bool may = may_collect(fw, sb, v);
  if (s->what == GC_FOR_WEAR) wear_survey_look(fw, sb, may && most_segments(length(v)) <= room);
  if (s->what == GC_FOR_WEAR || !may) return;
  bool by_chain = s->what == GC_FOR_SEGMENTS;
  bool better = by_chain ? v.chain > s->best : v.valid < s->best;
  if (!better) return;
  if (most_segments(length(v)) > room) {
    if (length(v) < s->small) {
      s->small = length(v);
      s->spare = sb;
    }
    return;
  }
  s->best = by_chain ? v.chain : v.valid;
  s->victim = sb;
}

/* Only these can be found. */
static bool concerns(const struct fw *fw, uint32_t sb) {
  enum gc_search what = fw->gc.scan.what;
  return what == GC_FOR_PROGRAM_FAIL ? program_fail_is_meant(fw, sb)
                                     : what != GC_FOR_READ_RECLAIM || read_reclaim_has(fw, sb);
}

void gc_scan_stop(struct fw *fw) { fw->gc.scan.what = GC_NO_SEARCH; }

bool gc_scan_poll(struct fw *fw, uint32_t room) {
  struct gc_scan *s = &fw->gc.scan;
  for (uint32_t n = 0; n < LOOKS_PER_POLL && s->at < fw->geometry.superblocks; n++, s->at++)
    if (concerns(fw, s->at)) scan_look(fw, s->at, superblock_look(fw->p, s->at), room);
  if (s->at == fw->geometry.superblocks) {
    destage_survey_end(fw);
    return true;
  }
  fw_again_in(fw, 0);
  return false;
}
