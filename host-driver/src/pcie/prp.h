/* SPDX-License-Identifier: Apache-2.0 */
/* prp.h - Physical Region Pages (NVMe 1.4 section 4.3): how a command names its data buffer. */
#ifndef OPENREMAP_PRP_H
#define OPENREMAP_PRP_H

#include <stddef.h>
#include <stdint.h>

#define PRP_PAGE_BYTES 4096u
#define PRP_LIST_ENTRIES (PRP_PAGE_BYTES / sizeof(uint64_t))
/* What one list page can describe at any offset: PRP1 may cover as little as a dword of its page. */
#define PRP_MAX_BYTES (PRP_LIST_ENTRIES * PRP_PAGE_BYTES)

struct prp_pair {
  uint64_t prp1;
  uint64_t prp2;
};

/*
 * Describes the buffer [bus, bus + bytes), which is contiguous on the bus. `list` is one page of memory for the entries
 * past the second, at bus address `list_bus`; it is written only when needed.
 * -EINVAL: bus not dword aligned, or no bytes. -E2BIG: more than PRP_MAX_BYTES.
 */
int prp_build(uint64_t bus, size_t bytes, uint64_t *list, uint64_t list_bus, struct prp_pair *out);

#endif /* OPENREMAP_PRP_H */
