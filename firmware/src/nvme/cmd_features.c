/* SPDX-License-Identifier: Apache-2.0 */
/* Get and Set Features (5.9, 5.21). Nothing is saved over a reset; what hardware does not act on is stored and shown.
 */
#include "nvme/cmd_features.h"

#include <string.h>

#include "core/identity.h"
#include "fw.h"

#define THRESHOLD_OVER_DEFAULT FW_WARNING_KELVIN
#define TEMPERATURE_TYPE_UNDER 1u
#define TEMPERATURE_SENSOR_ALL 0xFu

_Static_assert(NVME_FEATURE_ASYNC_EVENT_CONFIG < FW_FEATURES, "features.feature is indexed by feature identifier");

static bool is_known(uint8_t fid) {
  switch (fid) {
    case NVME_FEATURE_ARBITRATION:
    case NVME_FEATURE_POWER_MANAGEMENT:
    case NVME_FEATURE_TEMPERATURE:
    case NVME_FEATURE_ERROR_RECOVERY:
    case NVME_FEATURE_WRITE_CACHE:
    case NVME_FEATURE_NUMBER_OF_QUEUES:
    case NVME_FEATURE_INTERRUPT_COALESCING:
    case NVME_FEATURE_INTERRUPT_VECTOR:
    case NVME_FEATURE_WRITE_ATOMICITY:
    case NVME_FEATURE_ASYNC_EVENT_CONFIG:
      return true;
    default:
      return false;
  }
}

static uint32_t queues_granted(const struct fw *fw) {
  return (fw->dev.io_queues - 1u) | (fw->dev.io_queues - 1u) << 16;
}

static uint32_t default_of(const struct fw *fw, uint8_t fid) {
  switch (fid) {
    case NVME_FEATURE_ARBITRATION:
      return 7; /* no burst limit */
    case NVME_FEATURE_WRITE_CACHE:
      return NVME_WRITE_CACHE_ENABLE;
    case NVME_FEATURE_NUMBER_OF_QUEUES:
      return queues_granted(fw);
    default:
      return 0;
  }
}

void features_reset(struct fw *fw) {
  struct features *c = &fw->features;
  for (uint8_t fid = 0; fid < FW_FEATURES; fid++) c->feature[fid] = default_of(fw, fid);
  c->threshold[0] = THRESHOLD_OVER_DEFAULT;
  c->threshold[1] = 0;
  memset(c->vector_config, 0, sizeof c->vector_config);
  hal_write(fw->p, ORM_FW_INT_COALESCING, 0);
  for (uint32_t v = 0; v <= fw->dev.io_queues; v++)
    hal_write(fw->p, ORM_FW_INT_VECTOR, ORM_PUT(ORM_FW_INT_VECTOR_VECTOR, v));
}

/* cdw11 of Temperature Threshold names one of the two thresholds of the composite temperature, the only one that there
 * is. `all`: the command may name all temperatures (TMPSEL Fh). There is no hysteresis (TMPTHH). */
static fw_result_t threshold_index(uint32_t cdw11, bool all, uint32_t *index) {
  uint32_t sensor = (cdw11 >> 16) & 0xFu, type = (cdw11 >> 20) & 3u, hysteresis = (cdw11 >> 22) & 7u;
  if ((sensor != 0 && !(all && sensor == TEMPERATURE_SENSOR_ALL)) || type > TEMPERATURE_TYPE_UNDER || hysteresis != 0)
    return FW_INVALID_FIELD;
  *index = type;
  return FW_OK;
}

static fw_result_t set_threshold(struct fw *fw, uint32_t cdw11) {
  struct features *c = &fw->features;
  uint32_t index = 0, kelvin = cdw11 & 0xFFFFu;
  fw_result_t r = threshold_index(cdw11, true, &index);
  if (r != FW_OK) return r;
  if (c->threshold[index] != kelvin)
    watch_again(fw, index == TEMPERATURE_TYPE_UNDER ? HEALTH_UNDER_TEMPERATURE : HEALTH_OVER_TEMPERATURE);
  c->threshold[index] = kelvin;
  return FW_OK;
}

static fw_result_t get_current(const struct fw *fw, uint8_t fid, uint32_t cdw11, uint32_t *value) {
  uint32_t index = 0;
  switch (fid) {
    case NVME_FEATURE_TEMPERATURE: {
      fw_result_t r = threshold_index(cdw11, false, &index);
      if (r != FW_OK) return r;
      *value = fw->features.threshold[index];
      return FW_OK;
    }
    case NVME_FEATURE_INTERRUPT_VECTOR:
      index = cdw11 & 0xFFFFu;
      if (index > fw->dev.io_queues) return FW_INVALID_FIELD;
      *value = fw->features.vector_config[index] | index;
      return FW_OK;
    default:
      *value = fw->features.feature[fid];
      return FW_OK;
  }
}

static fw_result_t get_default(const struct fw *fw, uint8_t fid, uint32_t cdw11, uint32_t *value) {
  *value = default_of(fw, fid);
  if (fid == NVME_FEATURE_TEMPERATURE) {
    uint32_t index = 0;
    fw_result_t r = threshold_index(cdw11, false, &index);
    if (r != FW_OK) return r;
    *value = index == 0 ? THRESHOLD_OVER_DEFAULT : 0;
  }
  return FW_OK;
}

fw_result_t cmd_get_features(struct fw *fw, struct command *cmd) {
  uint8_t fid = (uint8_t)(cmd->sqe.cdw10 & 0xFFu);
  if (is_placement_feature(fid)) return get_placement_feature(fw, cmd);
  if (!is_known(fid)) return FW_INVALID_FIELD;
  switch ((cmd->sqe.cdw10 >> 8) & 7u) {
    case NVME_FEATURE_SELECT_CURRENT:
      return get_current(fw, fid, cmd->sqe.cdw11, &cmd->dw0);
    case NVME_FEATURE_SELECT_DEFAULT:
    case NVME_FEATURE_SELECT_SAVED: /* nothing is saveable: the default */
      return get_default(fw, fid, cmd->sqe.cdw11, &cmd->dw0);
    case NVME_FEATURE_SELECT_CAPABILITIES:
      cmd->dw0 = fid == NVME_FEATURE_WRITE_CACHE ? 0 : NVME_FEATURE_FLAG_CHANGEABLE;
      return FW_OK;
    default:
      return FW_INVALID_FIELD;
  }
}

static bool any_io_queue(const struct fw *fw) {
  for (uint32_t i = 1; i <= fw->dev.io_queues; i++) {
    if (fw->queues.queue[i].sq || fw->queues.queue[i].cq) return true;
  }
  return false;
}

static fw_result_t set_number_of_queues(struct fw *fw, struct command *cmd) {
  if ((cmd->sqe.cdw11 & 0xFFFFu) == 0xFFFFu || cmd->sqe.cdw11 >> 16 == 0xFFFFu) return FW_INVALID_FIELD;
  if (any_io_queue(fw)) return FW_SEQUENCE;
  cmd->dw0 = queues_granted(fw); /* all there are, whatever was asked for */
  return FW_OK;
}

fw_result_t cmd_set_features(struct fw *fw, struct command *cmd) {
  uint8_t fid = (uint8_t)(cmd->sqe.cdw10 & 0xFFu);
  uint32_t value = cmd->sqe.cdw11;
  uint32_t index = 0;
  if (is_placement_feature(fid)) return set_placement_feature(fw, cmd);
  if (!is_known(fid)) return FW_INVALID_FIELD;
  if (cmd->sqe.cdw10 & NVME_FEATURE_FLAG_SAVE) return FW_NOT_SAVEABLE;
  switch (fid) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
      return set_number_of_queues(fw, cmd);
    case NVME_FEATURE_POWER_MANAGEMENT:
      if (value & 0x1Fu) return FW_INVALID_FIELD; /* there is one power state */
      break;
    case NVME_FEATURE_WRITE_CACHE:
      if (!(value & NVME_WRITE_CACHE_ENABLE))
        return FW_NOT_CHANGEABLE; /* pages always pass through the buffer; Flush and FUA are honest */
      break;
    case NVME_FEATURE_TEMPERATURE:
      return set_threshold(fw, value);
    case NVME_FEATURE_INTERRUPT_VECTOR:
      index = value & 0xFFFFu;
      if (index > fw->dev.io_queues) return FW_INVALID_FIELD;
      fw->features.vector_config[index] = value & NVME_INTERRUPT_VECTOR_COALESCING_DISABLE;
      hal_write(fw->p, ORM_FW_INT_VECTOR,
                ORM_PUT(ORM_FW_INT_VECTOR_VECTOR, index) |
                    ORM_PUT(ORM_FW_INT_VECTOR_DIRECT, fw->features.vector_config[index] != 0));
      return FW_OK;
    case NVME_FEATURE_INTERRUPT_COALESCING: /* THR and TIME lie as in the register */
      value &= 0xFFFFu;
      hal_write(fw->p, ORM_FW_INT_COALESCING, value);
      break;
    default:
      break;
  }
  fw->features.feature[fid] = value;
  return FW_OK;
}
