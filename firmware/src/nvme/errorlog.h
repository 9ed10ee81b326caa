/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errorlog.h - the Error Information log (base specification 1.4, figure 194): the FW_ERROR_ENTRIES newest errors since
 * power-on. The number of errors outlives power cycles (state.h); the entries do not.
 *
 * Errors are those of commands that the firmware carries out, and bad doorbell writes. The hardware tells the firmware
 * nothing of a command that it ends with an error itself, and such a command has no entry.
 *
 * What does not apply is all ones: queue and command of an error that is of none, the parameter error location where no
 * field of the command is wrong (these by the specification), the LBA where none is concerned, and the namespace of an
 * error that is of no command (the specification names no value; smartmontools takes all ones for none).
 */
#ifndef OPENREMAP_FW_ERRORLOG_H
#define OPENREMAP_FW_ERRORLOG_H

#include <stdint.h>

#include "core/result.h"
#include "drivers/mailbox.h"
#include "orm_nvme.h"

#define FW_ERROR_ENTRIES 16u

struct fw;

struct errorlog {
  struct nvme_error_log_entry entry[FW_ERROR_ENTRIES]; /* ring; [next - 1] is the newest */
  uint32_t next;
};

/* Adds an entry; its error_count becomes the number of this error. */
void errorlog_add(struct fw *fw, const struct nvme_error_log_entry *entry);

/* Adds the entry of a command that ends with the error `r`. `status`: status field of its completion, {DNR, M, CRD,
 * SCT, SC}. Returns it with the bit that tells the host of the entry (M). */
uint16_t errorlog_command(struct fw *fw, const struct command *cmd, fw_result_t r, uint16_t status);

/* Packs entry `i`; 0 is the newest. All zero where there is none. */
void errorlog_pack(const struct fw *fw, uint32_t i, uint8_t out[NVME_ERROR_LOG_ENTRY_BYTES]);

#endif /* OPENREMAP_FW_ERRORLOG_H */
