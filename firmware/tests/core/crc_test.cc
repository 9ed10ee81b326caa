// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/crc.h"
}

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace orm_test {
namespace {

TEST(CrcTest, WordsHaveTheCrcOfTheirBytes) {
  alignas(4) uint8_t bytes[256];
  uint32_t state = 1;
  for (uint8_t &byte : bytes) byte = uint8_t((state = state * 1664525u + 1013904223u) >> 24);
  for (size_t n = 0; n <= sizeof bytes; n += 4) {
    const orm_crc32c_t expected = orm_crc32c_update(ORM_CRC32C_INIT, bytes, n);
    EXPECT_EQ(crc_of_words(ORM_CRC32C_INIT, bytes, n), expected) << n;
    const size_t half = n / 8 * 4;
    EXPECT_EQ(crc_of_words(crc_of_words(ORM_CRC32C_INIT, bytes, half), bytes + half, n - half), expected) << n;
  }
}

TEST(CrcTest, OfTheStandardsExample) {  // RFC 3720, B.4: 32 bytes of zeroes, ones, and 0 to 31
  alignas(4) uint8_t bytes[32];
  std::memset(bytes, 0, sizeof bytes);
  EXPECT_EQ(orm_crc32c_final(crc_of_words(ORM_CRC32C_INIT, bytes, sizeof bytes)), 0x8A9136AAu);
  std::memset(bytes, 0xFF, sizeof bytes);
  EXPECT_EQ(orm_crc32c_final(crc_of_words(ORM_CRC32C_INIT, bytes, sizeof bytes)), 0x62A8AB43u);
  for (uint8_t i = 0; i < sizeof bytes; ++i) bytes[i] = i;
  EXPECT_EQ(orm_crc32c_final(crc_of_words(ORM_CRC32C_INIT, bytes, sizeof bytes)), 0x46DD794Eu);
}

}  // namespace
}  // namespace orm_test
