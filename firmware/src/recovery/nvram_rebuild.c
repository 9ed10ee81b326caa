/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/nvram_rebuild.h"

#include "core/superblock.h"
#include "fw.h"
#include "media/media_init.h"

#define BYTES_PER_POLL 16384u

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

/* Zeroes [`from`, `from` + `bytes`), as far as `at` has not come yet; `base` is how far it is at its beginning. */
static bool zero(struct fw *fw, uint32_t base, uint32_t from, uint32_t bytes, uint32_t *left) {
  struct nvram_rebuild *n = &fw->nvram_rebuild;
  if (n->at >= base + bytes) return true;
  uint32_t part = base + bytes - n->at < *left ? base + bytes - n->at : *left;
  hal_nv_zero(fw->p, from + (n->at - base), part);
  n->at += part;
  *left -= part;
  return n->at == base + bytes;
}

fw_result_t nvram_rebuild_poll(struct fw *fw) {
  const struct device *d = &fw->dev;
  uint32_t left = BYTES_PER_POLL;
  const struct {
    uint32_t from, bytes;
  } parts[] = {
      {d->nv_journal, d->journal_records * ORM_JOURNAL_RECORD_BYTES},
      {d->nv_bitmap, 2u * d->nv_bitmap_bytes},
      {d->nv_trim_pointers, device_trim_regions(d->lpns) * ORM_TRIM_POINTER_BYTES},
      {d->nv_segments, d->segments * d->segment_bytes},
  };
  uint32_t base = 0;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; base += parts[i++].bytes) {
    if (!zero(fw, base, parts[i].from, parts[i].bytes, &left)) return FW_PENDING;
  }
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
