/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/health.h"

#include <string.h>

#include "core/superblock.h"
#include "fw.h"

#define SUPERBLOCKS_A_POLL 64u

void health_begin(struct fw *fw) { memset(&fw->health, 0, sizeof fw->health); }

static void look(struct fw *fw, uint32_t sb) {
  struct health *h = &fw->health;
  uint32_t state = superblock_word(fw->p, sb);
  uint32_t erases = superblock_erases(fw->p);
  h->valid += ORM_GET(state, ORM_FW_SB_STATE_VALID);
  h->destaged += ORM_GET(hal_read(fw->p, ORM_FW_SB_DESTAGED), ORM_FW_SB_DESTAGED_SLOTS);
  if (bad_has(fw, sb)) return;
  h->erases += erases;
  h->good++;
  if (h->good == 1u || erases < h->fewest_erases) h->fewest_erases = erases;
  if (erases > h->most_erases) h->most_erases = erases;
}

fw_result_t health_poll(struct fw *fw) {
  struct health *h = &fw->health;
  for (uint32_t n = 0; n < SUPERBLOCKS_A_POLL && h->next < fw->geometry.superblocks; n++) look(fw, h->next++);
  if (h->next == fw->geometry.superblocks) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}

uint32_t health_used(const struct fw *fw) {
  const struct health *h = &fw->health;
  uint64_t data =
      h->valid > h->destaged ? h->valid - h->destaged : 0; /* the survey takes time: they may have changed */
  return data > fw->geometry.nsze ? fw->geometry.nsze : (uint32_t)data;
}

uint32_t health_average_erases(const struct fw *fw) {
  return (uint32_t)(fw->health.erases / (fw->health.good + (fw->health.good == 0)));
}

uint8_t health_percentage_used(const struct fw *fw) {
  uint64_t pct = (uint64_t)health_average_erases(fw) * 100u / FW_RATED_ERASES;
  return (uint8_t)(pct > UINT8_MAX ? UINT8_MAX : pct);
}

uint16_t health_temperature(const struct fw *fw) {
  return fw->p->temperature_k != NULL ? fw->p->temperature_k(fw->p->ctx) : (uint16_t)FW_NO_SENSOR_K;
}

/* Flash that gave no data back or could not be moved, or sharers that the remap table has lost. */
static bool is_unreliable(const struct fw *fw) {
  return fw->state.media_errors != 0 || damage_known(fw) ||
         state_counter(&fw->state, fw->p, ORM_COUNTER_READ_ERRORS) != 0 ||
         state_counter(&fw->state, fw->p, ORM_COUNTER_BAD_ENTRIES) != 0;
}

uint32_t health_conditions(const struct fw *fw) {
  uint16_t kelvin = health_temperature(fw);
  uint32_t hold = 0;
  if (spare_percent(fw) < FW_SPARE_THRESHOLD) hold |= HEALTH_SPARE;
  if (kelvin >= fw->features.threshold[0]) hold |= HEALTH_OVER_TEMPERATURE;
  if (kelvin <= fw->features.threshold[1]) hold |= HEALTH_UNDER_TEMPERATURE;
  if (is_unreliable(fw)) hold |= HEALTH_RELIABILITY;
  if (spare_write_protected(fw) != 0) hold |= HEALTH_READ_ONLY;
  return hold;
}

uint8_t health_warning(const struct fw *fw) {
  uint32_t hold = health_conditions(fw), warning = 0;
  if (hold & HEALTH_SPARE) warning |= NVME_CRITICAL_WARNING_SPARE;
  if (hold & (HEALTH_OVER_TEMPERATURE | HEALTH_UNDER_TEMPERATURE)) warning |= NVME_CRITICAL_WARNING_TEMPERATURE;
  if (hold & HEALTH_RELIABILITY) warning |= NVME_CRITICAL_WARNING_RELIABILITY;
  if (hold & HEALTH_READ_ONLY) warning |= NVME_CRITICAL_WARNING_READ_ONLY;
  return (uint8_t)warning;
}
