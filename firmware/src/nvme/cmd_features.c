/* SPDX-License-Identifier: Apache-2.0 */
/* Get and Set Features (5.9, 5.21). Nothing is saved over a reset; what hardware does not act on is stored and shown.
 */
#include "nvme/cmd_features.h"

#include <string.h>

#include "core/identity.h"
#include "fw.h"

#define THRESHOLD_OVER_DEFAULT FW_WARNING_KELVIN
#define TEMPERATURE_TYPE_UNDER 1u
#define SENSOR_COMPOSITE 0u
#define SENSORS_ALL 0xFu
#define CRITICAL_WARNINGS 0x3Fu /* that the specification names; bits 7:6 of the byte are reserved */
#define OPTIONAL_EVENTS 0xFFFFFF00u
#define HOST_BEHAVIOR_BYTES 512u
#define HOST_BEHAVIOR_COPY_FORMATS 4u /* CDFE, 2 bytes */

_Static_assert(NVME_FEATURE_KEEP_ALIVE < FW_FEATURES, "features.feature is indexed by feature identifier");

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
    case NVME_FEATURE_KEEP_ALIVE:
    case NVME_FEATURE_HOST_BEHAVIOR:
      return true;
    default:
      return false;
  }
}

/* Bits of cdw11 that are the value of a feature; the others are reserved, and read back as 0. */
static uint32_t bits_of(uint8_t fid) {
  switch (fid) {
    case NVME_FEATURE_ARBITRATION:
      return 0xFFFFFF07u; /* HPW, MPW, LPW, AB */
    case NVME_FEATURE_POWER_MANAGEMENT:
      return 0xFFu; /* WH, PS */
    case NVME_FEATURE_ERROR_RECOVERY:
      return 0xFFFFu; /* TLER */
    case NVME_FEATURE_INTERRUPT_COALESCING:
      return 0xFFFFu; /* TIME, THR */
    case NVME_FEATURE_WRITE_CACHE:
    case NVME_FEATURE_WRITE_ATOMICITY:
      return 1u; /* WCE; DN */
    case NVME_FEATURE_ASYNC_EVENT_CONFIG:
      return CRITICAL_WARNINGS | OPTIONAL_EVENTS;
    default:
      return UINT32_MAX;
  }
}

/* Error Recovery is a namespace's, all others are the controller's (base specification 2.0, Feature Values): FFFFFFFFh
 * sets it for all namespaces, and cannot be read. */
static fw_result_t check_scope(const struct command *cmd, uint8_t fid, bool set) {
  uint32_t nsid = cmd->sqe.nsid;
  bool namespaced = fid == NVME_FEATURE_ERROR_RECOVERY;
  if (nsid == FW_NSID) return set && !namespaced ? FW_NOT_NAMESPACED : FW_OK;
  bool broadcast = nsid == UINT32_MAX && (set || !namespaced);
  return broadcast || (nsid == 0 && !namespaced) ? FW_OK : FW_INVALID_NAMESPACE;
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
  memset(c->host_behavior, 0, sizeof c->host_behavior);
  hal_write(fw->p, ORM_FW_INT_COALESCING, 0);
  for (uint32_t v = 0; v <= fw->dev.io_queues; v++)
    hal_write(fw->p, ORM_FW_INT_VECTOR, ORM_PUT(ORM_FW_INT_VECTOR_VECTOR, v));
}

/* cdw11 of Temperature Threshold names one of the two thresholds of the composite temperature, the only one that there
 * is. There is no hysteresis (TMPTHH). */
static fw_result_t threshold_index(struct command *cmd, bool set, uint32_t *index) {
  uint32_t sensor = (cmd->sqe.cdw11 >> 16) & 0xFu, type = (cmd->sqe.cdw11 >> 20) & 3u;
  uint32_t hysteresis = (cmd->sqe.cdw11 >> 22) & 7u;
  bool all = set && sensor == SENSORS_ALL; /* reserved in Get Features */
  if (sensor != SENSOR_COMPOSITE && !all) return command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_INVALID_FIELD);
  if (type > TEMPERATURE_TYPE_UNDER) return command_refuse(cmd, COMMAND_FIELD(11u, 20u), FW_INVALID_FIELD);
  if (hysteresis != 0) return command_refuse(cmd, COMMAND_FIELD(11u, 22u), FW_INVALID_FIELD);
  *index = type;
  return FW_OK;
}

static fw_result_t set_threshold(struct fw *fw, struct command *cmd) {
  struct features *c = &fw->features;
  uint32_t index = 0, kelvin = cmd->sqe.cdw11 & 0xFFFFu;
  fw_result_t r = threshold_index(cmd, true, &index);
  if (r != FW_OK) return r;
  if (c->threshold[index] != kelvin)
    watch_again(fw, index == TEMPERATURE_TYPE_UNDER ? HEALTH_UNDER_TEMPERATURE : HEALTH_OVER_TEMPERATURE);
  c->threshold[index] = kelvin;
  return FW_OK;
}

static fw_result_t vector_index(const struct fw *fw, struct command *cmd, uint32_t *index) {
  *index = cmd->sqe.cdw11 & 0xFFFFu;
  return *index <= fw->dev.io_queues ? FW_OK : command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
}

/* cdw11 of some features selects one of several values: `index`. */
static fw_result_t value_index(const struct fw *fw, struct command *cmd, uint8_t fid, uint32_t *index) {
  *index = 0;
  if (fid == NVME_FEATURE_TEMPERATURE) return threshold_index(cmd, false, index);
  if (fid == NVME_FEATURE_INTERRUPT_VECTOR) return vector_index(fw, cmd, index);
  return FW_OK;
}

static uint32_t current(const struct fw *fw, uint8_t fid, uint32_t index) {
  if (fid == NVME_FEATURE_TEMPERATURE) return fw->features.threshold[index];
  if (fid == NVME_FEATURE_INTERRUPT_VECTOR) return fw->features.vector_config[index] | index;
  return fw->features.feature[fid];
}

static uint32_t reset_value(const struct fw *fw, uint8_t fid, uint32_t index) {
  if (fid == NVME_FEATURE_TEMPERATURE) return index == 0 ? THRESHOLD_OVER_DEFAULT : 0;
  if (fid == NVME_FEATURE_INTERRUPT_VECTOR) return index;
  return default_of(fw, fid);
}

/* Write Cache and Keep Alive Timer can be set to the value that they have only. */
static uint32_t capabilities(uint8_t fid) {
  bool is_fixed = fid == NVME_FEATURE_WRITE_CACHE || fid == NVME_FEATURE_KEEP_ALIVE;
  uint32_t changeable = is_fixed ? 0 : (uint32_t)NVME_FEATURE_FLAG_CHANGEABLE;
  return changeable | (fid == NVME_FEATURE_ERROR_RECOVERY ? (uint32_t)NVME_FEATURE_FLAG_NAMESPACED : 0);
}

/* Host Behavior Support says what the host can do, byte by byte. None of it changes anything here: there is no command
 * retry delay (CRDT), no telemetry log, no extended LBA format. A Copy descriptor format that is not offered (OCFS)
 * cannot be enabled. */
static fw_result_t get_host_behavior(struct fw *fw, struct command *cmd, bool current) {
  if (!cmd->dma) {
    mailbox_buffer_clear(fw, HOST_BEHAVIOR_BYTES);
    if (current) memcpy(mailbox_buffer(fw), fw->features.host_behavior, sizeof fw->features.host_behavior);
  }
  return mailbox_to_host(fw, cmd, HOST_BEHAVIOR_BYTES);
}

static fw_result_t set_host_behavior(struct fw *fw, struct command *cmd) {
  if (cmd->step == 0) {
    if (cmd->sqe.prp1 % 4u != 0) return FW_PRP_OFFSET;
    cmd->ranges = mailbox_widen(cmd, HOST_BEHAVIOR_BYTES);
    cmd->step = 1;
  }
  fw_result_t r = mailbox_from_host(fw, cmd, cmd->bytes);
  if (r != FW_OK) return r;
  const uint8_t *in = mailbox_buffer(fw) + cmd->ranges;
  for (uint32_t i = 0; i < FW_HOST_BEHAVIORS; i++) {
    if (in[i] > 1u) return FW_INVALID_FIELD;
  }
  if (orm_get_le(in + HOST_BEHAVIOR_COPY_FORMATS, 2) != 0) return FW_INVALID_FIELD;
  memcpy(fw->features.host_behavior, in, sizeof fw->features.host_behavior);
  return FW_OK;
}

fw_result_t cmd_get_features(struct fw *fw, struct command *cmd) {
  uint8_t fid = (uint8_t)(cmd->sqe.cdw10 & 0xFFu);
  uint32_t index = 0;
  if (command_uuid(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(14u, 0u), FW_INVALID_FIELD);
  if (is_placement_feature(fid)) return get_placement_feature(fw, cmd);
  if (!is_known(fid)) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
  fw_result_t r = check_scope(cmd, fid, false);
  if (r == FW_OK) r = value_index(fw, cmd, fid, &index);
  if (r != FW_OK) return r;
  uint32_t select = (cmd->sqe.cdw10 >> 8) & 7u;
  if (fid == NVME_FEATURE_HOST_BEHAVIOR && select < NVME_FEATURE_SELECT_CAPABILITIES)
    return get_host_behavior(fw, cmd, select == NVME_FEATURE_SELECT_CURRENT);
  switch (select) {
    case NVME_FEATURE_SELECT_CURRENT:
      cmd->dw0 = current(fw, fid, index);
      return FW_OK;
    case NVME_FEATURE_SELECT_DEFAULT:
    case NVME_FEATURE_SELECT_SAVED: /* nothing is saveable: the default */
      cmd->dw0 = reset_value(fw, fid, index);
      return FW_OK;
    case NVME_FEATURE_SELECT_CAPABILITIES:
      cmd->dw0 = capabilities(fid);
      return FW_OK;
    default:
      return command_refuse(cmd, COMMAND_FIELD(10u, 8u), FW_INVALID_FIELD);
  }
}

/* An event that Identify Controller (OAES) does not offer is an unsupported value: were it stored, or left out in
 * silence, the host would wait for an event that never comes. A critical warning that cannot occur here (bits 4 and 5)
 * may be enabled: those are no options of the controller, and hosts enable them all. */
static fw_result_t check_events(struct command *cmd) {
  uint32_t lacking = cmd->sqe.cdw11 & OPTIONAL_EVENTS & ~async_events_optional();
  uint32_t bit = 0;
  if (lacking == 0) return FW_OK;
  while (!(lacking >> bit & 1u)) bit++;
  return command_refuse(cmd, COMMAND_FIELD(11u, bit), FW_INVALID_FIELD);
}

static bool any_io_queue(const struct fw *fw) {
  for (uint32_t i = 1; i <= fw->dev.io_queues; i++) {
    if (fw->queues.queue[i].sq || fw->queues.queue[i].cq) return true;
  }
  return false;
}

static fw_result_t set_number_of_queues(struct fw *fw, struct command *cmd) {
  if ((cmd->sqe.cdw11 & 0xFFFFu) == 0xFFFFu) return command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
  if (cmd->sqe.cdw11 >> 16 == 0xFFFFu) return command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_INVALID_FIELD);
  if (any_io_queue(fw)) return FW_SEQUENCE;
  cmd->dw0 = queues_granted(fw); /* all there are, whatever was asked for */
  return FW_OK;
}

fw_result_t cmd_set_features(struct fw *fw, struct command *cmd) {
  uint8_t fid = (uint8_t)(cmd->sqe.cdw10 & 0xFFu);
  uint32_t value = cmd->sqe.cdw11 & bits_of(fid);
  uint32_t index = 0;
  fw_result_t r = FW_OK;
  if (command_uuid(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(14u, 0u), FW_INVALID_FIELD);
  if (is_placement_feature(fid)) return set_placement_feature(fw, cmd);
  if (!is_known(fid)) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
  r = check_scope(cmd, fid, true);
  if (r != FW_OK) return r;
  if (cmd->sqe.cdw10 & NVME_FEATURE_FLAG_SAVE) return FW_NOT_SAVEABLE;
  switch (fid) {
    case NVME_FEATURE_NUMBER_OF_QUEUES:
      return set_number_of_queues(fw, cmd);
    case NVME_FEATURE_POWER_MANAGEMENT:
      if (value & 0x1Fu) /* there is one power state */
        return command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
      break;
    case NVME_FEATURE_ERROR_RECOVERY:
      /* DULBE: reads of deallocated blocks give zeroes, and Identify Namespace (NSFEAT) offers nothing else. */
      if (cmd->sqe.cdw11 & NVME_ERROR_RECOVERY_DULBE)
        return command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_INVALID_FIELD);
      break;
    case NVME_FEATURE_WRITE_CACHE:
      if (!(value & NVME_WRITE_CACHE_ENABLE))
        return FW_NOT_CHANGEABLE; /* pages always pass through the buffer; Flush and FUA are honest */
      break;
    case NVME_FEATURE_KEEP_ALIVE:
      if (value != 0) return FW_NOT_CHANGEABLE; /* a PCIe function needs none: KAS is 0, and the timer is off */
      break;
    case NVME_FEATURE_HOST_BEHAVIOR:
      return set_host_behavior(fw, cmd);
    case NVME_FEATURE_TEMPERATURE:
      return set_threshold(fw, cmd);
    case NVME_FEATURE_ASYNC_EVENT_CONFIG:
      r = check_events(cmd);
      if (r != FW_OK) return r;
      break;
    case NVME_FEATURE_INTERRUPT_VECTOR:
      r = vector_index(fw, cmd, &index);
      if (r != FW_OK) return r;
      fw->features.vector_config[index] = value & NVME_INTERRUPT_VECTOR_COALESCING_DISABLE;
      hal_write(fw->p, ORM_FW_INT_VECTOR,
                ORM_PUT(ORM_FW_INT_VECTOR_VECTOR, index) |
                    ORM_PUT(ORM_FW_INT_VECTOR_DIRECT, fw->features.vector_config[index] != 0));
      return FW_OK;
    case NVME_FEATURE_INTERRUPT_COALESCING: /* THR and TIME lie as in the register */
      hal_write(fw->p, ORM_FW_INT_COALESCING, value);
      break;
    default:
      break;
  }
  fw->features.feature[fid] = value;
  return FW_OK;
}
