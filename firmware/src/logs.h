/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - what stands in each log page.
 */
#ifndef OPENREMAP_FW_LOGS_H
#define OPENREMAP_FW_LOGS_H

#include <stdint.h>

#include "result.h"

struct fw;

/* Writes log page `id` into `out`, which is zero and has room for 4096 bytes; `bytes` becomes its length. LOG_PAGE. */
FW_MUST_USE fw_result_t logs_build(struct fw *fw, uint8_t id, uint8_t *out, uint32_t *bytes);

#endif /* OPENREMAP_FW_LOGS_H */
