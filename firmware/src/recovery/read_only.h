/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_only.h - a start from NVRAM that does not say enough to go on writing: it is lost, or its header, a pointer, a
 * BlockRecord or the FormatWord is damaged.
 *
 * The device serves what can be proven and changes neither flash nor NVRAM: a later start, or a better firmware, finds
 * all that this one did. Commands that would change something end with Namespace is Write Protected. Format NVM makes NVRAM
 * anew (nvram_rebuild.h), and with it the device usable.
 *
 * What proves a mapping: a spare area, a remap entry or a journal record that passes its CRC-32C. Generations are those of the
 * spare areas. Words with a CRC-8 count only where all of them are good: of random bytes one in 256 passes.
 */
#ifndef OPENREMAP_FW_READ_ONLY_H
#define OPENREMAP_FW_READ_ONLY_H

#include <stdint.h>

#include "core/result.h"
#include "orm_formats.h"

struct fw;

/* The header is damaged: BAD_HEADER if all words behind it are good, LOST if they are not. */
FW_MUST_USE fw_result_t read_only_without_header(const struct fw *fw);

/* Steps of the start-up table; see startup.c. */

/* Of a device whose NVRAM is blank: OK when no page of flash is ours, LOST when one is. */
FW_MUST_USE fw_result_t read_only_look(struct fw *fw);

FW_MUST_USE fw_result_t read_only_begin(struct fw *fw);
FW_MUST_USE fw_result_t read_only_entries(struct fw *fw);
FW_MUST_USE fw_result_t read_only_settle(struct fw *fw);
FW_MUST_USE fw_result_t read_only_segments(struct fw *fw);

#endif /* OPENREMAP_FW_READ_ONLY_H */
