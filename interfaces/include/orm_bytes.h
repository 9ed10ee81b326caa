/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orm_bytes.h - little-endian integers in byte arrays, and the two CRCs of the record formats (interfaces/formats). The
 * generated headers use them. C11 and C++17.
 */
#ifndef OPENREMAP_ORM_BYTES_H
#define OPENREMAP_ORM_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "orm_crc_tables.h"

/* Reads an integer of `n` bytes (at most 8) at `p`, least significant byte first. `n` is a constant nearly everywhere:
 * then a compiler makes one or two loads of it where the alignment allows them. */
static inline uint64_t orm_get_le(const uint8_t *p, size_t n) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t v = 0;
  __builtin_memcpy(&v, p, n);
  return v;
#else
  uint32_t low = 0, high = 0; /* shifts of 64 bits are slow on small processors */
  for (size_t i = 0; i < n && i < 4; i++) low |= (uint32_t)p[i] << (8 * i);
  for (size_t i = 4; i < n; i++) high |= (uint32_t)p[i] << (8 * (i - 4));
  return (uint64_t)high << 32 | low;
#endif
}

/* Writes the low `n` bytes (at most 8) of `v`, least significant byte first. */
static inline void orm_put_le(uint8_t *p, uint64_t v, size_t n) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __builtin_memcpy(p, &v, n);
#else
  for (size_t i = 0; i < n && i < 4; i++) p[i] = (uint8_t)((uint32_t)v >> (8 * i));
  for (size_t i = 4; i < n; i++) p[i] = (uint8_t)((uint32_t)(v >> 32) >> (8 * (i - 4)));
#endif
}

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4): reflected, init and xorout all ones. Start with ORM_CRC32C_INIT, update
 * with the pieces in order, end with orm_crc32c_final. Uses the processor's CRC instruction if the compiler may emit
 * it. */
typedef uint32_t orm_crc32c_t;
#define ORM_CRC32C_INIT 0xFFFFFFFFu
static inline orm_crc32c_t orm_crc32c_update(orm_crc32c_t crc, const uint8_t *p, size_t n) {
#if defined(__x86_64__) && defined(__SSE4_2__)
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
    crc = (orm_crc32c_t)__builtin_ia32_crc32di(crc, word);
  }
  for (; n > 0; p++, n--) crc = __builtin_ia32_crc32qi(crc, *p);
#else
  for (size_t i = 0; i < n; i++) crc = (crc >> 8) ^ orm_crc32c_table[(crc ^ p[i]) & 0xFFu];
#endif
  return crc;
}
static inline uint32_t orm_crc32c_final(orm_crc32c_t crc) { return crc ^ 0xFFFFFFFFu; }

/* CRC-8: polynomial 0x07, init 0xFF, not reflected, no xorout. */
typedef uint8_t orm_crc8_t;
#define ORM_CRC8_INIT 0xFFu
static inline orm_crc8_t orm_crc8_update(orm_crc8_t crc, const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++) crc = orm_crc8_table[crc ^ p[i]];
  return crc;
}
static inline uint8_t orm_crc8_final(orm_crc8_t crc) { return crc; }

#endif /* OPENREMAP_ORM_BYTES_H */
