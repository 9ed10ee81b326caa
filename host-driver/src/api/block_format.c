/* SPDX-License-Identifier: Apache-2.0 */
#include "api/block_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "nvme_spec.h"
#include "openremap.h"

/* Bytes of Identify Namespace: NLBAF, which is zero-based; FLBAS; the first of the formats. */
#define NLBAF 25u
#define FLBAS 26u
#define LBAF0 128u
#define LBAF_BYTES 4u
#define MOST_WITHOUT_HIGH_BITS 16u /* with more formats, bits 6:5 of FLBAS are bits 5:4 of the number */

struct format {
  uint64_t bytes;    /* of a block; 0: the format does not exist */
  unsigned metadata; /* bytes a block */
};

static unsigned formats(const uint8_t *identify) { return identify[NLBAF] + 1u; }

static struct format read_format(const uint8_t *identify, unsigned number) {
  const uint32_t lbaf = (uint32_t)orm_get_le(identify + LBAF0 + (size_t)number * LBAF_BYTES, LBAF_BYTES);
  const unsigned exponent = NVME_LBAF_LBADS(lbaf);
  return (struct format){.bytes = exponent < 9 || exponent > 31 ? 0 : 1ull << exponent, .metadata = lbaf & 0xFFFFu};
}

static bool fits(struct format f) { return f.bytes == OPENREMAP_PAGE_BYTES && f.metadata == 0; }

unsigned block_format_in_use(const uint8_t *identify) {
  const unsigned high = formats(identify) > MOST_WITHOUT_HIGH_BITS ? identify[FLBAS] >> 5 & 3u : 0;
  return (identify[FLBAS] & 0xFu) | high << 4;
}

bool block_format_fits(const uint8_t *identify, char *why, size_t why_len) {
  const unsigned used = block_format_in_use(identify);
  const struct format now = read_format(identify, used);
  if (fits(now)) return true;
  unsigned other = 0;
  while (other < formats(identify) && !fits(read_format(identify, other))) other++;
  int n = snprintf(why, why_len, "the namespace is formatted to %" PRIu64 "-byte blocks", now.bytes);
  if (now.metadata != 0 && n >= 0 && (size_t)n < why_len)
    n += snprintf(why + n, why_len - (size_t)n, " with %u bytes of metadata", now.metadata);
  if (n < 0 || (size_t)n >= why_len) return false;
  if (other < formats(identify))
    snprintf(why + n, why_len - (size_t)n, " (format %u); its format %u has the 4096-byte blocks that are needed", used,
             other);
  else
    snprintf(why + n, why_len - (size_t)n, " (format %u); none of its formats has 4096-byte blocks without metadata",
             used);
  return false;
}
