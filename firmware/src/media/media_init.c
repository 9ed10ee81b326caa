/* SPDX-License-Identifier: Apache-2.0 */
#include "media/media_init.h"

#include "core/superblock.h"
#include "fw.h"
#include "media/format_word.h"

/* Sizes of a namespace over those superblocks that are not bad. */
static fw_result_t choose_size(struct fw *fw) {
  const struct device *d = &fw->dev;
  const struct platform_options *o = &fw->p->options;
  uint32_t good = fw->geometry.superblocks - fw->bad.count;
  uint32_t handles = o->placement_handles != 0 ? o->placement_handles : device_handles(d, good, o->over_provision_pct);
  geometry_set_namespace(fw, device_nsze(d, good, handles, o->over_provision_pct), handles);
  bad_set_at_format(fw, fw->bad.count);
  return fw->geometry.nsze == 0 ? FW_NO_SPACE : FW_OK;
}

static fw_result_t choose_superblocks(struct fw *fw) {
  struct device *d = &fw->dev;
  const struct platform_options *o = &fw->p->options;
  if (o->remap_segments != 0) {
    if (!device_segments_fit(d, o->remap_segments)) return FW_SEGMENTS;
    device_use_segments(d, o->remap_segments);
  }
  geometry_set_superblocks(fw, o->superblocks == 0 ? d->superblocks : o->superblocks);
  if (fw->geometry.superblocks > d->superblocks) return FW_GEOMETRY;
  return o->placement_handles > d->handles ? FW_GEOMETRY : FW_OK;
}

fw_result_t media_init_geometry(struct fw *fw) {
  fw_result_t r = choose_superblocks(fw);
  return r == FW_OK ? choose_size(fw) : r;
}

void media_init_mark(const struct fw *fw) {
  uint8_t raw[8];
  orm_put_le(raw, ORM_NV_FORMATTING, sizeof raw);
  hal_nv_write(fw->p, fw->dev.nv_header, raw, sizeof raw);
}

fw_result_t media_init_begin(struct fw *fw) {
  const struct device *d = &fw->dev;
  fw_result_t r = choose_superblocks(fw);
  if (r != FW_OK) return r;
  uint8_t raw[8];
  hal_nv_read(fw->p, d->nv_header, raw, sizeof raw);
  if (orm_get_le(raw, sizeof raw) == ORM_NV_FORMATTING)
    bad_load(fw); /* a format that was cut short has begun with it */
  else
    bad_forget(fw);
  r = choose_size(fw);
  if (r != FW_OK) return r;
  hal_log(fw->p, PLATFORM_LOG_INFO, "formatting: %u superblocks", (unsigned)fw->geometry.superblocks);
  media_init_mark(fw); /* a format that is cut short from here on is begun again */
  state_erase(&fw->state, d, fw->p);
  format_word_clear(fw);
  fw->media_init.probed = 0;
  fw->media_init.blanked = 0;
  nand_erase_begin(&fw->media_init.eraser, 0);
  return FW_OK;
}

/* The first page of each block says whether it was marked in the factory. */
fw_result_t media_init_marks(struct fw *fw) {
  struct media_init *m = &fw->media_init;
  const struct device *d = &fw->dev;
  struct nand_result res;
  while (nand_take(&fw->nand, d, fw->p, &res)) {
    if (nand_marked_bad(&res)) bad_add(fw, res.slot / d->slots_per_sb);
  }
  while (m->probed < fw->geometry.superblocks * d->dies) {
    uint32_t sb = m->probed / d->dies, die = m->probed % d->dies;
    if (!nand_start(&fw->nand, d, fw->p, ORM_FW_NAND_OP_PROBE, sb * d->slots_per_sb + die * d->slots_per_page)) break;
    m->probed++;
  }
  return m->probed < fw->geometry.superblocks * d->dies || fw->nand.outstanding > 0 ? FW_PENDING : FW_OK;
}

fw_result_t media_init_flash(struct fw *fw) {
  struct nand_eraser *e = &fw->media_init.eraser;
  if (!bad_has(fw, e->sb)) {
    fw_result_t r = nand_erase_poll(e, &fw->nand, &fw->dev, fw->p);
    if (r == FW_PENDING) return r;
    if (r != FW_OK) bad_add(fw, e->sb);
  }
  if (e->sb + 1u == fw->geometry.superblocks) return FW_OK;
  nand_erase_begin(e, e->sb + 1u);
  fw_again_in(fw, 0);
  return FW_PENDING;
}

fw_result_t media_init_size(struct fw *fw) {
  bad_settled(fw);
  fw_result_t r = choose_size(fw);
  if (r != FW_OK) return r;
  hal_log(fw->p, PLATFORM_LOG_INFO, "formatting: %u superblocks are bad, %u logical pages", (unsigned)fw->bad.count,
          (unsigned)fw->geometry.nsze);
  return FW_OK;
}

static void write_pointer(const struct fw *fw, uint32_t addr, uint64_t seq) {
  struct orm_pointer_word w = {.seq = seq};
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&w, raw);
  hal_nv_write(fw->p, addr, raw, sizeof raw);
}

void media_init_pointers(const struct fw *fw, uint64_t seq) {
  write_pointer(fw, fw->dev.nv_commit, seq);
  write_pointer(fw, fw->dev.nv_checkpoint, seq);
}

static void write_blocks(const struct fw *fw) {
  for (uint32_t i = 0; i < fw->geometry.superblocks; i++) {
    /* What can still be read in a bad one is of some other generation. */
    struct orm_block_record b = {.gen = bad_has(fw, i) ? FW_BAD_GENERATION : FW_FIRST_GENERATION};
    state_write_block(&fw->dev, fw->p, i, &b);
  }
}

/* Bytes of NVRAM that one poll blanks. */
#define BLANKED_PER_POLL 16384u

fw_result_t media_init_blank(const struct fw *fw, uint32_t *blanked) {
  const struct device *d = &fw->dev;
  const struct {
    uint32_t addr, bytes;
  } parts[] = {
      {d->nv_journal, d->journal_records * ORM_JOURNAL_RECORD_BYTES},
      {d->nv_bitmap, 2u * d->nv_bitmap_bytes},
      {d->nv_trim_pointers, device_trim_regions(d->lpns) * ORM_TRIM_POINTER_BYTES},
      /* Whole segments, not headers alone: an entry of an earlier life has the same generation and could count again.
       */
      {d->nv_segments, d->segments * d->segment_bytes},
  };
  uint32_t begin = 0;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; begin += parts[i++].bytes) {
    uint32_t at = *blanked - begin;
    if (at >= parts[i].bytes) continue;
    uint32_t left = parts[i].bytes - at, bytes = left < BLANKED_PER_POLL ? left : BLANKED_PER_POLL;
    hal_nv_zero(fw->p, parts[i].addr + at, bytes);
    *blanked += bytes;
    return FW_PENDING;
  }
  return FW_OK;
}

fw_result_t media_init_nvram(struct fw *fw) {
  if (fw->media_init.blanked == 0) write_blocks(fw);
  fw_result_t r = media_init_blank(fw, &fw->media_init.blanked);
  if (r != FW_OK) return r;
  media_init_pointers(fw, 0);
  return FW_OK;
}

fw_result_t media_init_header(struct fw *fw) {
  const struct device *d = &fw->dev;
  struct orm_nv_header h = {
      .magic = ORM_NV_MAGIC,
      .version = ORM_FORMAT_VERSION,
      .superblocks = fw->geometry.superblocks,
      .slots_per_sb = d->slots_per_sb,
      .flash = d->flash,
      .summary_slots = (uint16_t)d->summary_slots,
      .nsze = fw->geometry.nsze,
      .handles = (uint8_t)fw->geometry.handles,
      .bad = (uint16_t)fw->bad.at_format,
      .segments = d->segments,
      .journal_records = d->journal_records,
      .format_count = fw->geometry.format_count + 1u,
  };
  uint8_t raw[ORM_NV_HEADER_BYTES];
  orm_nv_header_seal(&h, raw);
  /* The header is 64 bytes and NVRAM is atomic at 8: the magic goes last, in place of the mark of a format. */
  hal_nv_write(fw->p, d->nv_header + 8u, raw + 8, sizeof raw - 8u);
  hal_nv_write(fw->p, d->nv_header, raw, 8);
  geometry_formatted(fw);
  return FW_OK;
}
