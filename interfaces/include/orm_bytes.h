/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orm_bytes.h - little-endian integers in byte arrays, and the two CRCs of the record formats (interfaces/formats). The
 * generated headers use them. C11 and C++17.
 */
#ifndef OPENREMAP_ORM_BYTES_H
#define OPENREMAP_ORM_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Reads an integer of `n` bytes (at most 8) at `p`, least significant byte first. */
static inline uint64_t orm_get_le(const uint8_t *p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++) v |= (uint64_t)p[i] << (8 * i);
  return v;
}

/* Writes the low `n` bytes (at most 8) of `v`, least significant byte first. */
static inline void orm_put_le(uint8_t *p, uint64_t v, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(v >> (8 * i));
}

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4): reflected, init and xorout all ones. Start with ORM_CRC32C_INIT, update
 * with the pieces in order, end with orm_crc32c_final. Uses the processor's CRC instruction if the compiler may emit
 * it, else a table for four bits at a time, which is small enough for a microcontroller. */
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
  return crc;
#else
  static const uint32_t nibble[16] = {0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u,
                                      0x61C69362u, 0x7198540Du, 0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u,
                                      0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u};
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    crc = (crc >> 4) ^ nibble[crc & 15];
    crc = (crc >> 4) ^ nibble[crc & 15];
  }
  return crc;
#endif
}
static inline uint32_t orm_crc32c_final(orm_crc32c_t crc) { return crc ^ 0xFFFFFFFFu; }

/* CRC-8: polynomial 0x07, init 0xFF, not reflected, no xorout. */
typedef uint8_t orm_crc8_t;
#define ORM_CRC8_INIT 0xFFu
static inline orm_crc8_t orm_crc8_update(orm_crc8_t crc, const uint8_t *p, size_t n) {
  unsigned c = crc;
  for (size_t i = 0; i < n; i++) {
    c ^= p[i];
    for (int b = 0; b < 8; b++) c = ((c << 1) ^ ((c & 0x80u) ? 0x07u : 0u)) & 0xFFu;
  }
  return (orm_crc8_t)c;
}
static inline uint8_t orm_crc8_final(orm_crc8_t crc) { return crc; }

#endif /* OPENREMAP_ORM_BYTES_H */
