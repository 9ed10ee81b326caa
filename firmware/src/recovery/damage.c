/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/damage.h"

#include "fw.h"

_Static_assert(DAMAGE_KINDS == sizeof(((struct state *)0)->damaged) / sizeof(uint64_t), "a figure for each kind");

void damage_found(struct fw *fw, enum damage_kind kind) {
  state_damaged(&fw->state, kind);
  fw->recovery.damaged[kind]++;
}

static uint32_t found(const struct fw *fw) {
  uint32_t n = 0;
  for (uint32_t kind = 0; kind < DAMAGE_KINDS; kind++) n += fw->recovery.damaged[kind];
  return n;
}

fw_result_t damage_save(struct fw *fw) {
  const uint32_t *n = fw->recovery.damaged;
  if (found(fw) == 0) return FW_OK;
  if (fw->recovery.by_snapshot) return FW_IN_FULL; /* entries that L2P needs may be gone */
  hal_log(
      fw->p, PLATFORM_LOG_ERROR, "NVRAM is damaged: %u remap entries, %u segment headers, %u trims, %u other records",
      (unsigned)n[DAMAGE_ENTRY], (unsigned)n[DAMAGE_SEGMENT], (unsigned)n[DAMAGE_JOURNAL], (unsigned)n[DAMAGE_WORD]);
  if (fw->read_only.cause == 0) state_save(&fw->state, &fw->dev, fw->p, false);
  return FW_OK;
}

bool damage_known(const struct fw *fw) {
  bool any = fw->read_only.cause != 0;
  for (uint32_t kind = 0; kind < DAMAGE_KINDS; kind++) any = any || fw->state.damaged[kind] != 0;
  return any;
}

void damage_forget(struct fw *fw) { state_forget_damage(&fw->state); }
