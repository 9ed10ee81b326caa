/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvram_rebuild.h - Format NVM of a device that can only be read: NVRAM is made anew before the format does its work (format_nvm.h).
 *
 * The first write is the mark of a format in place of the header's magic number: a power cut from here on makes the next
 * start format the device from nothing. Then all that a good header would vouch for, with the generations that superblocks
 * have. When the namespace is empty and every superblock erased the header is written, magic number last.
 */
#ifndef OPENREMAP_FW_NVRAM_REBUILD_H
#define OPENREMAP_FW_NVRAM_REBUILD_H

#include <stdint.h>

#include "core/result.h"

struct fw;

struct nvram_rebuild {
  uint32_t at; /* progress: bytes from the journal on, then superblocks */
};

void nvram_rebuild_begin(struct fw *fw);

/* PENDING until NVRAM is new but for its header. */
FW_MUST_USE fw_result_t nvram_rebuild_poll(struct fw *fw);

/* The device can be written again. */
FW_MUST_USE fw_result_t nvram_rebuild_end(struct fw *fw);

#endif /* OPENREMAP_FW_NVRAM_REBUILD_H */
