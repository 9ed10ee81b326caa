// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "api/block_format.h"
}
#include "nvme_spec.h"

namespace openremap {
namespace {

constexpr uint32_t k512 = 9u << 16, k4096 = 12u << 16, kMetadata = 8;

struct Case {
  std::vector<uint32_t> formats;
  unsigned flbas;
  unsigned used;
  std::string why;  // empty: it fits
};

std::vector<uint32_t> Many(size_t count, size_t at) {
  std::vector<uint32_t> formats(count, k512);
  formats[at] = k4096;
  return formats;
}

TEST(BlockFormatTest, TheFormatInUseCounts) {
  const Case cases[] = {
      {{k4096}, 0, 0, ""},
      {{k512, k512, k512, k512, k4096}, 4, 4, ""},
      {{k512, k4096}, 0x10 | 1, 1, ""},  // bit 4: where metadata would be
      {{k512, k4096}, 0x60 | 1, 1, ""},  // the high bits do not count with so few formats
      {Many(64, 0x23), 0x40 | 3, 0x23, ""},
      {{k512, k4096},
       0,
       0,
       "the namespace is formatted to 512-byte blocks (format 0); its format 1 has the 4096-byte blocks that are "
       "needed"},
      {Many(64, 0x23), 0x20, 0x10,
       "the namespace is formatted to 512-byte blocks (format 16); its format 35 has the 4096-byte blocks that are "
       "needed"},
      {{k512, k4096 | kMetadata},
       1,
       1,
       "the namespace is formatted to 4096-byte blocks with 8 bytes of metadata (format 1); none of its formats has "
       "4096-byte blocks without metadata"},
      {{k512},
       0,
       0,
       "the namespace is formatted to 512-byte blocks (format 0); none of its formats has 4096-byte blocks without "
       "metadata"},
  };
  for (const Case &c : cases) {
    std::vector<uint8_t> identify(NVME_IDENTIFY_NAMESPACE_BYTES);
    identify[25] = static_cast<uint8_t>(c.formats.size() - 1);
    identify[26] = static_cast<uint8_t>(c.flbas);
    for (size_t i = 0; i < c.formats.size(); i++) orm_put_le(&identify[128 + 4 * i], c.formats[i], 4);
    char why[160] = "";
    EXPECT_EQ(block_format_in_use(identify.data()), c.used);
    EXPECT_EQ(block_format_fits(identify.data(), why, sizeof(why)), c.why.empty());
    EXPECT_EQ(why, c.why);
  }
}

}  // namespace
}  // namespace openremap
