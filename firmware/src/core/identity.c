/* SPDX-License-Identifier: Apache-2.0 */
#include "core/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FIRST_CHARACTER '!'
#define LAST_CHARACTER '~'
#define GROUP_ADDRESS 0x01u /* bit of the first byte of an EUI-64 */
#define EXTENSION_BYTES (IDENTITY_NGUID_BYTES - PLATFORM_EUI64_BYTES)

_Static_assert(sizeof FW_NQN - 1u + ORM_SERIAL_MAX <= 223u, "NVMe 1.4, 7.9: an NQN has 223 bytes at most");

static bool is_serial(const char *serial) {
  if (serial == NULL) return false;
  size_t n = 0;
  for (; serial[n] != '\0'; n++) {
    if (n == ORM_SERIAL_MAX || serial[n] < FIRST_CHARACTER || serial[n] > LAST_CHARACTER) return false;
  }
  return n != 0;
}

static bool is_eui64(const uint8_t eui64[PLATFORM_EUI64_BYTES]) {
  static const uint8_t zero[PLATFORM_EUI64_BYTES];
  return (eui64[0] & GROUP_ADDRESS) == 0 && memcmp(eui64, zero, sizeof zero) != 0;
}

fw_result_t identity_check(const struct platform_identity *identity) {
  return is_serial(identity->serial) && is_eui64(identity->eui64) ? FW_OK : FW_IDENTITY;
}

void identity_put_ascii(uint8_t *out, size_t bytes, const char *text) {
  size_t length = strlen(text);
  memset(out, ' ', bytes);
  memcpy(out, text, length < bytes ? length : bytes);
}

void identity_put_nqn(const struct platform_identity *identity, uint8_t *out, size_t bytes) {
  memset(out, 0, bytes);
  memcpy(out, FW_NQN, sizeof FW_NQN - 1u);
  memcpy(out + sizeof FW_NQN - 1u, identity->serial, strlen(identity->serial));
}

void identity_put_nguid(const struct platform_identity *identity, uint32_t nsid, uint8_t out[IDENTITY_NGUID_BYTES]) {
  memset(out, 0, EXTENSION_BYTES);
  for (unsigned i = 0; i < 4; i++) out[EXTENSION_BYTES - 1u - i] = (uint8_t)(nsid >> 8 * i);
  memcpy(out + EXTENSION_BYTES, identity->eui64, PLATFORM_EUI64_BYTES);
}
