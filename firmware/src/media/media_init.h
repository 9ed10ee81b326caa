/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media_init.h - makes an empty device: bad superblocks found, all others erased, NVRAM blank, and last of all the header that says
 * so. A power cut before that starts the format again.
 */
#ifndef OPENREMAP_FW_MEDIA_INIT_H
#define OPENREMAP_FW_MEDIA_INIT_H

#include <stdint.h>

#include "core/result.h"
#include "drivers/nand.h"

struct fw;

struct media_init {
  uint32_t probed; /* blocks whose first page was asked for */
  struct nand_eraser eraser;
};

/* Superblocks, segments, handles and size of the namespace, from what the hardware has and the port's options. SEGMENTS,
 * GEOMETRY, NO_SPACE. */
FW_MUST_USE fw_result_t media_init_geometry(struct fw *fw);

/* From here on a format that is cut short is begun again by the next start. */
void media_init_mark(const struct fw *fw);

/* Commit and checkpoint pointer, bitmap 0: everything up to `seq` counts. */
void media_init_pointers(const struct fw *fw, uint64_t seq);

/* Steps of the start-up table; see startup.c. */
FW_MUST_USE fw_result_t media_init_begin(struct fw *fw);
FW_MUST_USE fw_result_t media_init_marks(struct fw *fw);
FW_MUST_USE fw_result_t media_init_flash(struct fw *fw);
FW_MUST_USE fw_result_t media_init_size(struct fw *fw);
FW_MUST_USE fw_result_t media_init_nvram(struct fw *fw);
FW_MUST_USE fw_result_t media_init_header(struct fw *fw);

#endif /* OPENREMAP_FW_MEDIA_INIT_H */
