/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recovery does with the intents to erase superblocks: which of these have been erased, or may have been in part.
 */
#include "fw.h"

/* The place of the intent for a superblock, or ORM_NV_INTENTS. There is one at most, as intents are written (gc.c). */
static uint32_t intent_of(const struct recovery *r, uint32_t sb) {
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    if (r->intent[i].valid && r->intent[i].is.sb == sb) return i;
  }
  return ORM_NV_INTENTS;
}

static enum recovery_rank rank_at(const struct recovery *r, uint32_t place) {
  return place == ORM_NV_INTENTS ? RECOVERY_PLAIN : r->intent[place].rank;
}

/* Of the intents at two places: how much later the first one was written. The erase of the later victim does not begin
 * before that of the earlier one has ended; so its slots win where both look as if theirs had begun. (A slot that
 * cannot be read for another reason makes a whole victim look so.) What recovery was erasing held nothing live. */
static int32_t later_by(const struct recovery *r, uint32_t one, uint32_t other) {
  if (one == FW_RECOVERY_INTENT) return -1;
  return other == FW_RECOVERY_INTENT ? 1 : (int32_t)(r->intent[one].is.order - r->intent[other].is.order);
}

bool recovery_outranks(const struct fw *fw, uint32_t a, uint32_t b) {
  const struct recovery *r = &fw->recovery;
  uint32_t one = intent_of(r, a), other = intent_of(r, b);
  bool victims = a != b && one != ORM_NV_INTENTS && other != ORM_NV_INTENTS;
  int32_t later = victims ? later_by(r, one, other) : 0;
  /* Until both have been probed their order decides, if they have one. After that their ranks do: what is whole may be
   * taken in any case, and only so no superblock outranks one that it loses to by way of a third. */
  if (later != 0 && !(r->intent[one].judged && r->intent[other].judged)) return later > 0;
  return rank_at(r, one) != rank_at(r, other) ? rank_at(r, one) > rank_at(r, other) : later > 0;
}

bool recovery_has_intent(const struct fw *fw, uint32_t sb) { return intent_of(&fw->recovery, sb) != ORM_NV_INTENTS; }

bool recovery_erase_begun(const struct fw *fw, uint32_t sb) {
  return rank_at(&fw->recovery, intent_of(&fw->recovery, sb)) == RECOVERY_CUT;
}

/* An intent that does not pass says nothing: any superblock that looks erased may be half erased. */
void recovery_read_intents(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    struct recovery_intent in = {.rank = RECOVERY_PLAIN};
    bool good = state_read_intent(&fw->dev, fw->p, i, &in.is);
    in.valid =
        good && in.is.sb < r->superblocks && r->sb[in.is.sb].gen == in.is.gen && !recovery_has_intent(fw, in.is.sb);
    r->intent[i] = in;
    r->bad_intent = r->bad_intent || (!good && state_has_intent(&fw->dev, fw->p, i));
  }
}

void recovery_judge_intent(struct fw *fw, uint32_t sb) {
  struct recovery *r = &fw->recovery;
  const struct recovery_sb *s = &r->sb[sb];
  uint32_t i = intent_of(r, sb);
  if (i == ORM_NV_INTENTS) return;
  r->intent[i].judged = true;
  r->intent[i].rank = s->good - s->lost == r->intent[i].is.good_slots ? RECOVERY_INTACT : RECOVERY_CUT;
}

/* What may be half erased has been erased, unless it has the only good slot of something: its intent stays, so that its
 * other slots lose at the next start, too. What is whole and is collected again gets another intent. Those that no
 * longer are of their superblock's generation say nothing, so they stay. One that a power cut has torn, or that is
 * damaged, would make each start erase all that is free. This comes last: until then it is the intents that make every
 * start elect the same copies. */
fw_result_t recovery_forget_intents(struct fw *fw) {
  const struct recovery *r = &fw->recovery;
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    struct orm_gc_intent is;
    bool good = state_read_intent(&fw->dev, fw->p, i, &is);
    bool says = good ? is.sb < r->superblocks && r->sb[is.sb].gen == is.gen && !recovery_erase_begun(fw, is.sb)
                     : state_has_intent(&fw->dev, fw->p, i);
    if (says) state_clear_intent(&fw->dev, fw->p, i);
  }
  return FW_OK;
}

/* Superblocks with an intent are probed first: which of two copies wins depends on them. `at` counts in that order:
 * theirs in the order of their places, then the others. */
uint32_t recovery_order(const struct recovery *r, uint32_t at) {
  uint32_t first[ORM_NV_INTENTS], n = 0; /* sorted */
  for (uint32_t i = 0; i < ORM_NV_INTENTS; i++) {
    if (!r->intent[i].valid) continue;
    uint32_t sb = r->intent[i].is.sb, k = n++;
    if (at == k) return sb;
    for (; k > 0 && first[k - 1u] > sb; k--) first[k] = first[k - 1u];
    first[k] = sb;
  }
  uint32_t sb = at - n;
  for (uint32_t i = 0; i < n && first[i] <= sb; i++) sb++;
  return sb;
}
