/* SPDX-License-Identifier: Apache-2.0 */
#include "bad.h"

#include "fw.h"

#define WORD_BYTES 8u /* written atomically */

_Static_assert(ORM_NV_BAD_OFFSET >= ORM_NV_CRASH_OFFSET + ORM_CRASH_LOG_BYTES, "the bitmap is behind the CrashLog");

static uint32_t word_addr(const struct fw *fw, uint32_t sb) {
  return fw->dev.nv_counters + ORM_NV_BAD_OFFSET + sb / 8u / WORD_BYTES * WORD_BYTES;
}

static uint32_t bytes(const struct fw *fw) { return (fw->superblocks + 63u) / 64u * WORD_BYTES; }

void bad_load(struct fw *fw) {
  struct bad *b = &fw->bad;
  b->count = 0;
  sb_set_clear(&b->set);
  hal_nv_read(fw->p, word_addr(fw, 0), b->set.bits, bytes(fw));
  for (uint32_t sb = 0; sb < fw->superblocks; sb++) b->count += sb_set_has(&b->set, sb);
}

void bad_none(struct fw *fw) {
  fw->bad.count = 0;
  sb_set_clear(&fw->bad.set);
}

void bad_forget(struct fw *fw) {
  bad_none(fw);
  bad_save(fw);
}

void bad_save(struct fw *fw) { hal_nv_write(fw->p, word_addr(fw, 0), fw->bad.set.bits, bytes(fw)); }

void bad_note(struct fw *fw, uint32_t sb) {
  struct bad *b = &fw->bad;
  if (sb_set_has(&b->set, sb)) return;
  sb_set_put(&b->set, sb, true);
  b->count++;
}

void bad_add(struct fw *fw, uint32_t sb) {
  struct bad *b = &fw->bad;
  if (sb_set_has(&b->set, sb)) return;
  bad_note(fw, sb);
  hal_nv_write(fw->p, word_addr(fw, sb), &b->set.bits[sb / 8u / WORD_BYTES * WORD_BYTES], WORD_BYTES);
  hal_log(fw->p, PLATFORM_LOG_ERROR, "superblock %u is bad, retired", (unsigned)sb);
}

bool bad_has(const struct fw *fw, uint32_t sb) { return sb_set_has(&fw->bad.set, sb); }
