/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.h - records in NVRAM that do not pass and should: what a start finds of them, counts and tells
 * (docs/design/recovery.md, "Damaged NVRAM").
 *
 * Not every record that fails its CRC is damaged: where nothing was ever written, and where a power cut left half of a
 * write, none passes. So each step of recovery decides for its records, and calls damage_found() only for what cannot have
 * come about that way.
 */
#ifndef OPENREMAP_FW_DAMAGE_H
#define OPENREMAP_FW_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state.h"

struct fw;

void damage_found(struct fw *fw, enum damage_kind kind);

/* Start-up step, before what was found is overwritten: the figures become durable, and a line of text says them. */
FW_MUST_USE fw_result_t damage_save(struct fw *fw);

/* Whether any was ever found since the device was formatted, or it can only be read. */
bool damage_known(const struct fw *fw);

/* NVRAM is new. */
void damage_forget(struct fw *fw);

#endif /* OPENREMAP_FW_DAMAGE_H */
