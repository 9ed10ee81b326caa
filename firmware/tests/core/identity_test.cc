// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/identity.h"
}

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orm_test {
namespace {

constexpr const char *kSerial = "S123";
constexpr platform_identity kGood = {kSerial, {0x02, 1, 2, 3, 4, 5, 6, 7}};

TEST(IdentityTest, SerialNumbers) {
  const struct {
    const char *serial;
    bool good;
  } cases[] = {
      {nullptr, false},
      {"", false},
      {"1", true},
      {"12345678901234567890", true},
      {"123456789012345678901", false},
      {"!~", true},
      {"a b", false},  // a space is padding
      {" ab", false},
      {"ab ", false},
      {"a\tb", false},
      {"a\x7F", false},
      {"\xC3\xA4", false},  // not ASCII
  };
  for (const auto &c : cases) {
    platform_identity identity = kGood;
    identity.serial = c.serial;
    EXPECT_EQ(identity_check(&identity), c.good ? FW_OK : FW_IDENTITY) << (c.serial != nullptr ? c.serial : "none");
  }
}

TEST(IdentityTest, Eui64s) {
  const struct {
    platform_identity identity;
    bool good;
  } cases[] = {
      {{kSerial, {0, 0, 0, 0, 0, 0, 0, 0}}, false},
      {{kSerial, {0, 0, 0, 0, 0, 0, 0, 1}}, true},
      {{kSerial, {0x02, 0, 0, 0, 0, 0, 0, 0}}, true},
      {{kSerial, {0x01, 0, 0, 0, 0, 0, 0, 1}}, false},  // a group
      {{kSerial, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}}, false},
      {{kSerial, {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}}, true},
  };
  for (const auto &c : cases)
    EXPECT_EQ(identity_check(&c.identity), c.good ? FW_OK : FW_IDENTITY) << int{c.identity.eui64[0]};
}

TEST(IdentityTest, TextIsPaddedOrCut) {
  uint8_t field[4];
  identity_put_ascii(field, sizeof field, "ab");
  EXPECT_EQ(std::string(field, field + 4), "ab  ");
  identity_put_ascii(field, sizeof field, "abcdef");
  EXPECT_EQ(std::string(field, field + 4), "abcd");
}

TEST(IdentityTest, TheLongestSerialNumberFitsIntoTheName) {
  platform_identity identity = kGood;
  identity.serial = "12345678901234567890";
  std::vector<uint8_t> field(256, 0xAA);
  identity_put_nqn(&identity, field.data(), field.size());
  EXPECT_STREQ(reinterpret_cast<const char *>(field.data()), "nqn.2026-01.org.openremap:nvme:12345678901234567890");
  EXPECT_EQ(field.back(), 0);
}

TEST(IdentityTest, NamespacesOfADeviceDiffer) {
  uint8_t nguid[IDENTITY_NGUID_BYTES];
  identity_put_nguid(&kGood, 0x01020304, nguid);
  EXPECT_EQ(std::string(nguid, nguid + 16), std::string("\0\0\0\0\1\2\3\4\2\1\2\3\4\5\6\7", 16));
}

}  // namespace
}  // namespace orm_test
