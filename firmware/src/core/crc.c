/* SPDX-License-Identifier: Apache-2.0 */
#define ORM_CRC32C_SLICES
#include "core/crc.h"

orm_crc32c_t crc_of_words(orm_crc32c_t crc, const uint8_t *p, size_t n) {
  const uint8_t *words = (const uint8_t *)__builtin_assume_aligned(p, 4);
  for (size_t i = 0; i < n; i += 4) {
    uint32_t word = crc ^ (uint32_t)orm_get_le(words + i, 4);
    crc = orm_crc32c_slices[2][word & 0xFFu] ^ orm_crc32c_slices[1][word >> 8 & 0xFFu] ^
          orm_crc32c_slices[0][word >> 16 & 0xFFu] ^ orm_crc32c_table[word >> 24];
  }
  return crc;
}
