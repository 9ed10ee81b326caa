/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.h - damaged records in NVRAM: what a start has found, counted and reported (docs/design/recovery.md,
 * "Damaged NVRAM").
 *
 * A record that fails its CRC need not be damaged: it may never have been written, or a power cut may have left half
 * of it. Each step of recovery decides this for its records, and calls damage_found() only if neither can be the
 * reason.
 */
#ifndef OPENREMAP_FW_DAMAGE_H
#define OPENREMAP_FW_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state.h"

struct fw;

/* Counts a damaged record. Durable with damage_save(). */
void damage_found(struct fw *fw, enum damage_kind kind);

/* Start-up step, before damaged records are overwritten: makes the figures durable and logs them.
 * IN_FULL: this start goes by a snapshot, and must begin again without it. */
FW_MUST_USE fw_result_t damage_save(struct fw *fw);

/* Whether damage was found since the device was formatted, or the device can only be read. */
bool damage_known(const struct fw *fw);

/* NVRAM was made anew. */
void damage_forget(struct fw *fw);

#endif /* OPENREMAP_FW_DAMAGE_H */
