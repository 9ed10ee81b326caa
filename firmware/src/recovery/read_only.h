/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_only.h - a start from NVRAM that does not say enough to go on writing: it is lost, or its header, a pointer, a
 * BlockRecord or the FormatWord is damaged.
 *
 * The device serves what can be proven, and changes neither flash nor NVRAM: a later start, or a better firmware,
 * finds all that this one did. Commands that would change something end with Namespace is Write Protected. Format NVM
 * makes NVRAM anew (nvram_rebuild.h) and the device usable.
 *
 * A mapping is proven by a spare area, a remap entry or a journal record with a good CRC-32C. Generations are taken
 * from the spare areas. Words with a CRC-8 count only if all of them are good: of random bytes one word in 256
 * passes.
 */
#ifndef OPENREMAP_FW_READ_ONLY_H
#define OPENREMAP_FW_READ_ONLY_H

#include <stdint.h>

#include "core/result.h"
#include "orm_formats.h"

struct fw;

struct read_only {
  uint32_t cause; /* why the device can only be read: ORM_READ_ONLY_*; 0: it can be written */
};

/* The device can only be read, because of `cause` (ORM_READ_ONLY_*), until read_only_leave() or the next start. */
void read_only_enter(struct fw *fw, uint32_t cause);

/* NVRAM has been made anew: the device can be written. */
void read_only_leave(struct fw *fw);

/* The header is damaged: BAD_HEADER if all words behind it are good, LOST if they are not. */
FW_MUST_USE fw_result_t read_only_without_header(const struct fw *fw);

/* Steps of the start-up table, in order (startup.c). PENDING: call again. */

/* For a device whose NVRAM is blank. OK: flash holds no page of ours. LOST: it does. */
FW_MUST_USE fw_result_t read_only_look(struct fw *fw);

FW_MUST_USE fw_result_t read_only_begin(struct fw *fw);
FW_MUST_USE fw_result_t read_only_entries(struct fw *fw);
FW_MUST_USE fw_result_t read_only_settle(struct fw *fw);
FW_MUST_USE fw_result_t read_only_segments(struct fw *fw);

#endif /* OPENREMAP_FW_READ_ONLY_H */
