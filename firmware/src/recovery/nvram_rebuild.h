/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvram_rebuild.h - makes NVRAM anew, for Format NVM of a device that can only be read (format_nvm.h).
 *
 * The first write replaces the magic number of the header with the mark of a format: a power cut from here on makes
 * the next start format the device from nothing. Then everything is written that a good header vouches for, with the
 * generations that the superblocks have. When the namespace is empty and every superblock erased, the header is
 * written, magic number last.
 */
#ifndef OPENREMAP_FW_NVRAM_REBUILD_H
#define OPENREMAP_FW_NVRAM_REBUILD_H

#include <stdint.h>

#include "core/result.h"

struct fw;

struct nvram_rebuild {
  uint32_t at; /* progress: bytes that were zeroed, from the journal on */
};

/* Begins: writes BadWords and the mark of a format, durably. */
void nvram_rebuild_begin(struct fw *fw);

/* PENDING: call again. OK: all of NVRAM but its header is new. */
FW_MUST_USE fw_result_t nvram_rebuild_poll(struct fw *fw);

/* The namespace is empty: writes FwState and the header. OK: the device can be written again.
 * SEGMENTS, GEOMETRY, NO_SPACE: the options of the port fit no namespace; the device stays as it is. */
FW_MUST_USE fw_result_t nvram_rebuild_end(struct fw *fw);

#endif /* OPENREMAP_FW_NVRAM_REBUILD_H */
