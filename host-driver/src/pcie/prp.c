/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/prp.h"

#include <errno.h>

int prp_build(uint64_t bus, size_t bytes, uint64_t *list, uint64_t list_bus, struct prp_pair *out) {
  if (bytes == 0 || bus % sizeof(uint32_t) != 0) return -EINVAL;
  if (bytes > PRP_MAX_BYTES) return -E2BIG;

  /* Only PRP1 may carry an offset; every later entry starts a memory page. */
  const size_t first = PRP_PAGE_BYTES - bus % PRP_PAGE_BYTES;
  out->prp1 = bus;
  out->prp2 = 0;
  if (bytes <= first) return 0;

  const uint64_t rest_bus = bus + first;
  const size_t rest_pages = (bytes - first + PRP_PAGE_BYTES - 1) / PRP_PAGE_BYTES;
  if (rest_pages == 1) {
    out->prp2 = rest_bus;
    return 0;
  }
  for (size_t i = 0; i < rest_pages; i++) list[i] = rest_bus + i * PRP_PAGE_BYTES;
  out->prp2 = list_bus;
  return 0;
}
