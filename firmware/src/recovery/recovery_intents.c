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

enum recovery_rank recovery_rank_of(const struct fw *fw, uint32_t sb) {
  uint32_t i = intent_of(&fw->recovery, sb);
  return i == ORM_NV_INTENTS ? RECOVERY_PLAIN : fw->recovery.intent[i].rank;
}

bool recovery_has_intent(const struct fw *fw, uint32_t sb) { return intent_of(&fw->recovery, sb) != ORM_NV_INTENTS; }

bool recovery_erase_begun(const struct fw *fw, uint32_t sb) { return recovery_rank_of(fw, sb) == RECOVERY_CUT; }

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
  r->intent[i].rank = s->good - s->lost == r->intent[i].is.good_slots ? RECOVERY_INTACT : RECOVERY_CUT;
}

/* Superblocks with an intent are probed first: which of two copies wins depends on them. `at` counts in that order: theirs
 * in the order of their places, then the others. */
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
