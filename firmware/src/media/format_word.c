/* SPDX-License-Identifier: Apache-2.0 */
#include "media/format_word.h"

#include "fw.h"

static uint32_t word_addr(const struct fw *fw) { return fw->dev.nv_counters + ORM_NV_FORMAT_OFFSET; }

void format_word_write(const struct fw *fw) {
  struct orm_format_word w = {.mark = ORM_FORMAT_MARK};
  uint8_t raw[ORM_FORMAT_WORD_BYTES];
  orm_format_word_seal(&w, raw);
  hal_nv_write(fw->p, word_addr(fw), raw, sizeof raw);
}

void format_word_clear(const struct fw *fw) { hal_nv_zero(fw->p, word_addr(fw), ORM_FORMAT_WORD_BYTES); }

bool format_word_stands(const struct fw *fw) {
  struct orm_format_word w;
  uint8_t raw[ORM_FORMAT_WORD_BYTES];
  hal_nv_read(fw->p, word_addr(fw), raw, sizeof raw);
  return orm_format_word_open(&w, raw) && w.mark == ORM_FORMAT_MARK;
}

bool format_word_is_damaged(const struct fw *fw) {
  uint8_t raw[ORM_FORMAT_WORD_BYTES];
  hal_nv_read(fw->p, word_addr(fw), raw, sizeof raw);
  return orm_get_le(raw, sizeof raw) != 0 && !format_word_stands(fw);
}
