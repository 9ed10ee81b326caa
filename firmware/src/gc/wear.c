/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/wear.h"

#include <string.h>

#include "core/superblock.h"
#include "fw.h"

void wear_begin(struct fw *fw) { memset(&fw->wear, 0, sizeof fw->wear); }

void wear_collected(struct fw *fw) { fw->wear.collections++; }

bool wear_is_due(const struct fw *fw) { return fw->wear.collections >= FW_WEAR_EVERY; }

void wear_survey_begin(struct fw *fw) {
  fw->wear = (struct wear){.collections = fw->wear.collections, .fewest = UINT32_MAX, .sb = UINT32_MAX};
}

void wear_survey_look(struct fw *fw, uint32_t sb, bool may_collect) {
  struct wear *w = &fw->wear;
  if (bad_has(fw, sb)) return;
  uint32_t erases = superblock_erases(fw->p); /* it was selected for its state */
  w->erases += erases;
  w->seen++;
  if (!may_collect || erases >= w->fewest) return;
  w->fewest = erases;
  w->sb = sb;
}

uint32_t wear_survey_end(struct fw *fw) {
  struct wear *w = &fw->wear;
  w->collections = 0;
  if (w->sb == UINT32_MAX) return UINT32_MAX;
  uint32_t mean = (uint32_t)(w->erases / w->seen), far = mean * FW_WEAR_PERCENT / 100u;
  if (far < FW_WEAR_LEAST) far = FW_WEAR_LEAST;
  if (mean < w->fewest + far) return UINT32_MAX;
  return w->sb;
}
