/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/nvram_rebuild.h"

#include "core/superblock.h"
#include "fw.h"
#include "media/media_init.h"

void nvram_rebuild_begin(struct fw *fw) {
  fw->nvram_rebuild.at = 0;
  bad_save(fw); /* a format from nothing goes on with it */
  media_init_mark(fw);
  state_forget_intents(&fw->dev, fw->p);
}

static void write_block(const struct fw *fw, uint32_t sb) {
  struct orm_block_record b = {.gen = superblock_generation(fw->p, sb)};
  state_write_block(&fw->dev, fw->p, sb, &b);
}

fw_result_t nvram_rebuild_poll(struct fw *fw) {
  fw_result_t r = media_init_blank(fw, &fw->nvram_rebuild.at);
  if (r != FW_OK) return r;
  for (uint32_t sb = 0; sb < fw->geometry.superblocks; sb++) write_block(fw, sb);
  media_init_pointers(fw, fw->recovery.newest);
  checkpoint_begin(fw, fw->recovery.newest);
  damage_forget(fw);
  return FW_OK;
}

fw_result_t nvram_rebuild_end(struct fw *fw) {
  if (fw->read_only.cause == ORM_READ_ONLY_LOST || fw->read_only.cause == ORM_READ_ONLY_HEADER) {
    fw_result_t r = media_init_geometry(fw);
    if (r != FW_OK) return r;
    hal_write(fw->p, ORM_FW_NVME_NSZE, fw->geometry.nsze);
  }
  state_save(&fw->state, &fw->dev, fw->p, false);
  fw_result_t r = media_init_header(fw);
  if (r != FW_OK) return r;
  read_only_leave(fw);
  return FW_OK;
}
