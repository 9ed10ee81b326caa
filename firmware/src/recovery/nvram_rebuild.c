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

/* A format that failed has drawn seqs, and has left records in the ring, which are blank now. */
static uint64_t newest_seq(const struct fw *fw) {
  uint64_t low = hal_read(fw->p, ORM_FW_SEQ_LO); /* latches the high half */
  return (low | (uint64_t)ORM_GET(hal_read(fw->p, ORM_FW_SEQ_HI), ORM_FW_SEQ_HI_VALUE) << 32) - 1u;
}

fw_result_t nvram_rebuild_poll(struct fw *fw) {
  fw_result_t r = media_init_blank(fw, &fw->nvram_rebuild.at);
  if (r != FW_OK) return r;
  for (uint32_t sb = 0; sb < fw->geometry.superblocks; sb++) write_block(fw, sb);
  hal_write(fw->p, ORM_FW_JOURNAL_LOAD, 0);
  media_init_pointers(fw, newest_seq(fw));
  checkpoint_begin(fw, newest_seq(fw));
  damage_forget(fw);
  return FW_OK;
}

fw_result_t nvram_rebuild_end(struct fw *fw) {
  if (fw->read_only.cause == ORM_READ_ONLY_LOST || fw->read_only.cause == ORM_READ_ONLY_HEADER) {
    fw_result_t r = media_init_geometry(fw);
    if (r != FW_OK) return r;
    hal_write(fw->p, ORM_FW_NVME_NSZE, fw->geometry.nsze);
    hal_write(fw->p, ORM_FW_ALLOC_HANDLES, fw->geometry.handles); /* more superblocks may be bad than it was guessed */
    gc_set_low(fw, snapshot_most_sbs(fw));
  }
  state_save(&fw->state, &fw->dev, fw->p, false);
  fw_result_t r = media_init_header(fw);
  if (r != FW_OK) return r;
  read_only_leave(fw);
  return FW_OK;
}
