/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - contents of the log pages. cmd_log.c answers Get Log Page with them.
 */
#ifndef OPENREMAP_FW_LOGS_H
#define OPENREMAP_FW_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"

#define LOG_PAGE_MAX_BYTES 4096u

struct fw;

/* Whether the page shows figures of a survey (health.h), which must have ended before logs_build(). */
bool logs_need_health(uint8_t id);

/* Writes log page `id` into `out`, which must be zero and have room for LOG_PAGE_MAX_BYTES. `bytes` becomes the
 * length of the page. `lsi`: the Log Specific Identifier; it names the endurance group of pages that belong to one.
 * LOG_PAGE: no such page. INVALID_FIELD: no such group. */
FW_MUST_USE fw_result_t logs_build(struct fw *fw, uint8_t id, uint16_t lsi, uint8_t *out, uint32_t *bytes);

#endif /* OPENREMAP_FW_LOGS_H */
