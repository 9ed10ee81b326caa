/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

#include "fw.h"

fw_result_t format_geometry(struct fw *fw) {
  struct device *d = &fw->dev;
  const struct platform_options *o = &fw->p->options;
  if (o->remap_segments != 0) {
    if (!device_segments_fit(d, o->remap_segments)) return FW_SEGMENTS;
    d->segments = o->remap_segments;
  }
  fw->superblocks = o->superblocks == 0 ? d->superblocks : o->superblocks;
  if (fw->superblocks > d->superblocks) return FW_GEOMETRY;
  if (o->placement_handles > d->handles) return FW_GEOMETRY;
  fw->handles =
      o->placement_handles != 0 ? o->placement_handles : device_handles(d, fw->superblocks, o->over_provision_pct);
  fw->nsze = device_nsze(d, fw->superblocks, fw->handles, o->over_provision_pct);
  return fw->nsze == 0 ? FW_NO_SPACE : FW_OK;
}

void format_mark(const struct fw *fw) {
  uint8_t raw[8];
  orm_put_le(raw, ORM_NV_FORMATTING, sizeof raw);
  hal_nv_write(fw->p, fw->dev.nv_header, raw, sizeof raw);
}

fw_result_t format_begin(struct fw *fw) {
  const struct device *d = &fw->dev;
  fw_result_t r = format_geometry(fw);
  if (r != FW_OK) return r;
  hal_log(fw->p, PLATFORM_LOG_INFO, "formatting: %u superblocks, %u logical pages", (unsigned)fw->superblocks,
          (unsigned)fw->nsze);
  format_mark(fw);
  state_erase(&fw->state, d, fw->p);
  reformat_forget(fw);
  nand_erase_begin(&fw->recovery.eraser, 0);
  return FW_OK;
}

fw_result_t format_flash(struct fw *fw) {
  struct nand_eraser *e = &fw->recovery.eraser;
  fw_result_t r = nand_erase_poll(e, &fw->nand, &fw->dev, fw->p);
  if (r == FW_PENDING) return r;
  if (r != FW_OK) return r; /* a device that cannot erase its blocks is not worth formatting */
  if (e->sb + 1u == fw->superblocks) return FW_OK;
  nand_erase_begin(e, e->sb + 1u);
  fw_again_in(fw, 0);
  return FW_PENDING;
}

static void write_pointer(const struct fw *fw, uint32_t addr, uint64_t seq) {
  struct orm_pointer_word w = {.seq = seq, .tag = 0};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&w, raw);
  hal_nv_write(fw->p, addr, raw, sizeof raw);
}

void format_pointers(const struct fw *fw, uint64_t seq) {
  write_pointer(fw, fw->dev.nv_commit, seq);
  write_pointer(fw, fw->dev.nv_checkpoint, seq);
}

fw_result_t format_nvram(struct fw *fw) {
  const struct device *d = &fw->dev;
  for (uint32_t i = 0; i < fw->superblocks; i++) {
    struct orm_block_record b = {.gen = FW_FIRST_GENERATION};
    uint8_t raw[ORM_BLOCK_RECORD_BYTES];
    orm_block_record_seal(&b, (uint16_t)i, raw);
    hal_nv_write(fw->p, d->nv_blocks + i * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
  }
  hal_nv_zero(fw->p, d->nv_journal, d->journal_records * ORM_JOURNAL_RECORD_BYTES);
  hal_nv_zero(fw->p, d->nv_bitmap, 2u * d->nv_bitmap_bytes);
  /* Whole segments, not headers alone: an entry of an earlier life has the same generation and could count again. */
  hal_nv_zero(fw->p, d->nv_segments, d->segments * d->segment_bytes);
  format_pointers(fw, 0);
  return FW_OK;
}

fw_result_t format_header(struct fw *fw) {
  const struct device *d = &fw->dev;
  struct orm_nv_header h = {
      .magic = ORM_NV_MAGIC,
      .version = ORM_FORMAT_VERSION,
      .superblocks = fw->superblocks,
      .slots_per_sb = d->slots_per_sb,
      .nsze = fw->nsze,
      .handles = (uint8_t)fw->handles,
      .segments = d->segments,
      .journal_records = d->journal_records,
      .format_count = fw->format_count + 1u,
  };
  uint8_t raw[ORM_NV_HEADER_BYTES];
  orm_nv_header_seal(&h, raw);
  /* The header is 64 bytes and NVRAM is atomic at 8: the magic goes last, in place of the mark of a format. */
  hal_nv_write(fw->p, d->nv_header + 8u, raw + 8, sizeof raw - 8u);
  hal_nv_write(fw->p, d->nv_header, raw, 8);
  fw->format_count = h.format_count;
  return FW_OK;
}
