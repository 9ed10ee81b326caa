/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - what stands in each log page.
 */
#ifndef OPENREMAP_FW_LOGS_H
#define OPENREMAP_FW_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"

#define LOG_PAGE_MAX_BYTES 4096u

struct fw;

/* The page shows figures of health.h: a survey must have ended. */
bool logs_need_health(uint8_t id);

/* Writes log page `id` into `out`, which is zero and has room for LOG_PAGE_MAX_BYTES; `bytes` becomes its length. `lsi`:
 * the endurance group, where the page is of one. LOG_PAGE, INVALID_FIELD (no such group). */
FW_MUST_USE fw_result_t logs_build(struct fw *fw, uint8_t id, uint16_t lsi, uint8_t *out, uint32_t *bytes);

#endif /* OPENREMAP_FW_LOGS_H */
