/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media_init.h - makes an empty device: finds bad superblocks, erases all others, blanks NVRAM, and writes the header
 * last.
 *
 * The first write replaces the magic number of the header with the mark of a format; the last write puts the magic
 * number back. A power cut in between makes the next start begin the format again.
 */
#ifndef OPENREMAP_FW_MEDIA_INIT_H
#define OPENREMAP_FW_MEDIA_INIT_H

#include <stdint.h>

#include "core/result.h"
#include "drivers/nand.h"

struct fw;

struct media_init {
  uint32_t probed;  /* blocks whose first page was asked for */
  uint32_t blanked; /* bytes of NVRAM */
  struct nand_eraser eraser;
};

/* Chooses superblocks, segments, placement handles and the size of the namespace from the capabilities and the port's
 * options. SEGMENTS, GEOMETRY: the options do not fit the hardware. NO_SPACE: too few superblocks are good. */
FW_MUST_USE fw_result_t media_init_geometry(struct fw *fw);

/* Writes the mark of a format, durably: from here on a start begins the format anew. */
void media_init_mark(const struct fw *fw);

/* Blanks the next piece of NVRAM: journal, trim bitmap with its pointers, remap table. `blanked` is how many bytes have
 * been, and 0 at first. OK: that was all. */
FW_MUST_USE fw_result_t media_init_blank(const struct fw *fw, uint32_t *blanked);

/* Writes the commit and checkpoint pointers: everything up to `seq` counts. */
void media_init_pointers(const struct fw *fw, uint64_t seq);

/* The steps, in order; startup.c says what each reads and writes. PENDING: call again. begin: SEGMENTS, GEOMETRY,
 * NO_SPACE; size: NO_SPACE. */
FW_MUST_USE fw_result_t media_init_begin(struct fw *fw);
FW_MUST_USE fw_result_t media_init_marks(struct fw *fw);
FW_MUST_USE fw_result_t media_init_flash(struct fw *fw);
FW_MUST_USE fw_result_t media_init_size(struct fw *fw);
FW_MUST_USE fw_result_t media_init_nvram(struct fw *fw);
FW_MUST_USE fw_result_t media_init_header(struct fw *fw);

#endif /* OPENREMAP_FW_MEDIA_INIT_H */
