/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_features.h - Get and Set Features (NVMe base specification 5.9, 5.21), and the values of the features.
 *
 * A controller reset brings the defaults back. The features of data placement have no value here (cmd_placement.c).
 */
#ifndef OPENREMAP_FW_CMD_FEATURES_H
#define OPENREMAP_FW_CMD_FEATURES_H

#include <stdint.h>

#include "core/result.h"
#include "drivers/mailbox.h"
#include "firmware_limits.h"

struct fw;

#define FW_FEATURES 16u
#define FW_HOST_BEHAVIORS 4u /* bytes of Host Behavior Support that are flags: ACRE, ETDAS, LBAFEE, HDISNS */

struct features {
  uint32_t feature[FW_FEATURES]; /* cdw11, by feature identifier */
  uint32_t threshold[2];         /* temperature: over, under; kelvin */
  uint32_t vector_config[FW_MAX_IO_QUEUES + 1u];
  uint8_t host_behavior[FW_HOST_BEHAVIORS];
};

/* After a controller reset: all features have their defaults, in the hardware too. */
void features_reset(struct fw *fw);

/* ---- handlers (commands.h) */

FW_MUST_USE fw_result_t cmd_get_features(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_set_features(struct fw *fw, struct command *cmd);

#endif /* OPENREMAP_FW_CMD_FEATURES_H */
