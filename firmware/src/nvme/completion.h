/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h - the status field of a completion, and the completion of commands that were held.
 *
 * SCT and SC come from the table of result.h. DNR (Do Not Retry) is decided here.
 */
#ifndef OPENREMAP_FW_COMPLETION_H
#define OPENREMAP_FW_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"

struct fw;

/* Status field of a completion, {DNR, M, CRD, SCT, SC}; 0 for FW_OK. DNR is set where the same command would meet the
 * same error again. */
uint16_t completion_status(fw_result_t r);

/* Completes an admin command that its handler has held, and adds an error log entry if `r` is not OK (but not when the
 * controller was disabled meanwhile). `cid`, `nsid`: of the command. False: the completion register is busy; call again
 * in a later poll, which is asked for. */
bool command_complete_held(struct fw *fw, uint16_t cid, uint32_t nsid, fw_result_t r);

#endif /* OPENREMAP_FW_COMPLETION_H */
