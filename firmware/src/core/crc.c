/* SPDX-License-Identifier: Apache-2.0 */
#define ORM_CRC32C_SLICES
#include "core/crc.h"

/* By offsets in bytes, which are a shift and a mask of the word. Indexes take another shift each. */
static inline uint32_t entry(const uint32_t table[256], uint32_t bytes) {
  return *(const uint32_t *)(const void *)((const uint8_t *)table + (bytes & 0x3FCu));
}

orm_crc32c_t crc_of_words(orm_crc32c_t crc, const uint8_t *p, size_t n) {
  const uint8_t *end = p + n;
  for (; p != end; p += 4) {
    uint32_t word = crc ^ (uint32_t)orm_get_le((const uint8_t *)__builtin_assume_aligned(p, 4), 4);
    crc = entry(orm_crc32c_slices[2], word << 2) ^ entry(orm_crc32c_slices[1], word >> 6) ^
          entry(orm_crc32c_slices[0], word >> 14) ^ entry(orm_crc32c_table, word >> 22);
  }
  return crc;
}
