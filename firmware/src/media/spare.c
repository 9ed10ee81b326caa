/* SPDX-License-Identifier: Apache-2.0 */
#include "media/spare.h"

#include "fw.h"

/* Superblocks may have become good again since the format: a damaged BadWord was forgotten, and they did erase. */
static uint32_t lost_superblocks(const struct fw *fw) {
  return fw->bad.count > fw->bad.at_format ? fw->bad.count - fw->bad.at_format : 0;
}

static uint32_t spare_at_format(const struct fw *fw) {
  uint32_t in_sb = device_sure_slots(&fw->dev);
  uint32_t needed = (fw->geometry.nsze + in_sb - 1u) / in_sb + FW_SPARE_SUPERBLOCKS + fw->geometry.handles - 1u;
  uint32_t good = fw->geometry.superblocks - fw->bad.at_format;
  return good > needed ? good - needed : 0;
}

uint32_t spare_superblocks(const struct fw *fw) {
  uint32_t spare = spare_at_format(fw), lost = lost_superblocks(fw);
  return spare > lost ? spare - lost : 0;
}

uint8_t spare_percent(const struct fw *fw) {
  uint32_t spare = spare_at_format(fw), lost = lost_superblocks(fw);
  if (lost == 0) return 100;
  if (lost >= spare) return 0;
  return (uint8_t)(100u * (spare - lost) / spare);
}

uint32_t spare_write_protected(const struct fw *fw) {
  if (fw->read_only.cause != 0) return fw->read_only.cause;
  return lost_superblocks(fw) != 0 && spare_percent(fw) == 0 ? ORM_READ_ONLY_WORN : 0;
}
