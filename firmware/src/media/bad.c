/* SPDX-License-Identifier: Apache-2.0 */
#include "media/bad.h"

#include "fw.h"

#define WORDS(superblocks) (((superblocks) + ORM_BAD_WORD_SBS - 1u) / ORM_BAD_WORD_SBS)

_Static_assert(ORM_NV_BAD_OFFSET >= ORM_NV_CRASH_OFFSET + ORM_CRASH_LOG_BYTES, "the words are behind the CrashLog");
_Static_assert(ORM_BAD_WORD_BYTES == 8, "NVRAM is atomic at 8 bytes");

static uint32_t word_addr(const struct fw *fw, uint32_t word) {
  return fw->dev.nv_counters + ORM_NV_BAD_OFFSET + word * ORM_BAD_WORD_BYTES;
}

static void write_word(struct fw *fw, uint32_t word) {
  uint32_t first = word * ORM_BAD_WORD_SBS;
  struct orm_bad_word w = {.bad = 0};
  for (uint32_t i = 0; i < ORM_BAD_WORD_SBS && first + i < fw->geometry.superblocks; i++) {
    w.bad |= (uint64_t)sb_set_has(&fw->bad.set, first + i) << i;
    sb_set_put(&fw->bad.unknown, first + i, false);
  }
  uint8_t raw[ORM_BAD_WORD_BYTES];
  orm_bad_word_seal(&w, (uint16_t)first, raw);
  hal_nv_write(fw->p, word_addr(fw, word), raw, sizeof raw);
}

static void read_word(struct fw *fw, uint32_t word) {
  uint32_t first = word * ORM_BAD_WORD_SBS;
  struct orm_bad_word w;
  uint8_t raw[ORM_BAD_WORD_BYTES];
  hal_nv_read(fw->p, word_addr(fw, word), raw, sizeof raw);
  bool good = orm_bad_word_open(&w, raw, (uint16_t)first);
  fw->bad.damaged += !good;
  for (uint32_t i = 0; i < ORM_BAD_WORD_SBS && first + i < fw->geometry.superblocks; i++) {
    if (!good)
      sb_set_put(&fw->bad.unknown, first + i, true);
    else if ((w.bad >> i) & 1u)
      bad_note(fw, first + i);
  }
}

void bad_none(struct fw *fw) {
  fw->bad.count = 0;
  fw->bad.damaged = 0;
  sb_set_clear(&fw->bad.set);
  sb_set_clear(&fw->bad.unknown);
}

void bad_load(struct fw *fw) {
  bad_none(fw);
  for (uint32_t i = 0; i < WORDS(fw->geometry.superblocks); i++) read_word(fw, i);
}

void bad_forget(struct fw *fw) {
  bad_none(fw);
  bad_save(fw);
}

void bad_save(struct fw *fw) {
  for (uint32_t i = 0; i < WORDS(fw->geometry.superblocks); i++) write_word(fw, i);
}

void bad_settled(struct fw *fw) {
  for (uint32_t i = 0; i < WORDS(fw->geometry.superblocks); i++) {
    if (bad_is_unknown(fw, i * ORM_BAD_WORD_SBS)) write_word(fw, i);
  }
}

void bad_note(struct fw *fw, uint32_t sb) {
  struct bad *b = &fw->bad;
  if (sb_set_has(&b->set, sb)) return;
  sb_set_put(&b->set, sb, true);
  b->count++;
}

void bad_add(struct fw *fw, uint32_t sb) {
  if (bad_has(fw, sb)) return;
  bad_note(fw, sb);
  if (!bad_is_unknown(fw, sb)) write_word(fw, sb / ORM_BAD_WORD_SBS);
  hal_log(fw->p, PLATFORM_LOG_ERROR, "superblock %u is bad, retired", (unsigned)sb);
}

void bad_set_at_format(struct fw *fw, uint32_t count) { fw->bad.at_format = count; }

bool bad_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->bad.set, sb); }

bool bad_is_unknown(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->bad.unknown, sb); }
