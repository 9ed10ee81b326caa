/* SPDX-License-Identifier: Apache-2.0 */
#include "media/geometry.h"

#include "fw.h"

void geometry_load(struct fw *fw, const struct orm_nv_header *header) {
  fw->geometry = (struct geometry){
      .superblocks = header->superblocks,
      .nsze = header->nsze,
      .handles = header->handles < fw->dev.handles ? header->handles : fw->dev.handles,
      .format_count = header->format_count,
  };
}

void geometry_set_superblocks(struct fw *fw, uint32_t superblocks) { fw->geometry.superblocks = superblocks; }

void geometry_set_namespace(struct fw *fw, uint32_t nsze, uint32_t handles) {
  fw->geometry.nsze = nsze;
  fw->geometry.handles = handles;
}

void geometry_reach(struct fw *fw, uint32_t nsze) {
  if (nsze > fw->geometry.nsze) fw->geometry.nsze = nsze;
}

void geometry_formatted(struct fw *fw) { fw->geometry.format_count++; }

void geometry_forget_formats(struct fw *fw) { fw->geometry.format_count = 0; }
