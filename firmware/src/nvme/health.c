/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/health.h"

#include <string.h>

#include "core/fw.h"
#include "core/superblock.h"
#include "media/media_init.h"

#define SUPERBLOCKS_A_POLL 64u

void health_begin(struct fw *fw) { memset(&fw->health, 0, sizeof fw->health); }

uint32_t health_erases(const struct fw *fw) {
  uint32_t gen = hal_read(fw->p, ORM_FW_SB_GEN);
  return gen > FW_FIRST_GENERATION ? gen - FW_FIRST_GENERATION : 0;
}

static void look(struct fw *fw, uint32_t sb) {
  struct health *h = &fw->health;
  uint32_t state = superblock_word(fw->p, sb);
  uint32_t erases = health_erases(fw);
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
  for (uint32_t n = 0; n < SUPERBLOCKS_A_POLL && h->next < fw->superblocks; n++) look(fw, h->next++);
  if (h->next == fw->superblocks) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}

uint32_t health_used(const struct fw *fw) {
  const struct health *h = &fw->health;
  uint64_t data =
      h->valid > h->destaged ? h->valid - h->destaged : 0; /* the survey takes time: they may have changed */
  return data > fw->nsze ? fw->nsze : (uint32_t)data;
}

/* Some may be good again that were bad at the format: when their BadWord was damaged, and they erased. */
static uint32_t lost_superblocks(const struct fw *fw) {
  return fw->bad.count > fw->bad.at_format ? fw->bad.count - fw->bad.at_format : 0;
}

/* Beyond those that were needed when the device was formatted, of those that were good then. */
static uint32_t spare_at_format(const struct fw *fw) {
  uint32_t in_sb = device_sure_slots(&fw->dev);
  uint32_t needed = (fw->nsze + in_sb - 1u) / in_sb + FW_SPARE_SUPERBLOCKS + fw->handles - 1u;
  uint32_t good = fw->superblocks - fw->bad.at_format;
  return good > needed ? good - needed : 0;
}

uint32_t health_to_spare(const struct fw *fw) {
  uint32_t spare = spare_at_format(fw), lost = lost_superblocks(fw);
  return spare > lost ? spare - lost : 0;
}

uint8_t health_spare(const struct fw *fw) {
  uint32_t spare = spare_at_format(fw), lost = lost_superblocks(fw);
  if (lost == 0) return 100;
  if (lost >= spare) return 0;
  return (uint8_t)(100u * (spare - lost) / spare);
}

uint32_t health_write_protected(const struct fw *fw) {
  if (fw->read_only != 0) return fw->read_only;
  return lost_superblocks(fw) != 0 && health_spare(fw) == 0 ? ORM_READ_ONLY_WORN : 0;
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

uint8_t health_warning(const struct fw *fw) {
  uint16_t kelvin = health_temperature(fw);
  uint32_t warning = 0;
  if (health_spare(fw) < FW_SPARE_THRESHOLD) warning |= NVME_CRITICAL_WARNING_SPARE;
  if (kelvin >= fw->commands.threshold[0] || kelvin <= fw->commands.threshold[1])
    warning |= NVME_CRITICAL_WARNING_TEMPERATURE;
  /* Flash that gave no data back or could not be moved, or sharers that the remap table has lost. */
  if (fw->state.media_errors != 0 || state_counter(&fw->state, fw->p, ORM_COUNTER_READ_ERRORS) != 0 ||
      state_counter(&fw->state, fw->p, ORM_COUNTER_BAD_ENTRIES) != 0 || damage_known(fw))
    warning |= NVME_CRITICAL_WARNING_RELIABILITY;
  if (health_write_protected(fw) != 0) warning |= NVME_CRITICAL_WARNING_READ_ONLY;
  return (uint8_t)warning;
}
