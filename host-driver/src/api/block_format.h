/* SPDX-License-Identifier: Apache-2.0 */
/* block_format.h - the LBA format of a namespace (NVMe 1.4, figures 245 and 246). */
#ifndef OPENREMAP_BLOCK_FORMAT_H
#define OPENREMAP_BLOCK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the format that the namespace has; `identify` is its Identify data of 4096 bytes. */
unsigned block_format_in_use(const uint8_t *identify);

/* Whether the namespace has blocks of 4096 bytes without metadata. If not, writes the reason into `why`. */
bool block_format_fits(const uint8_t *identify, char *why, size_t why_len);

#endif /* OPENREMAP_BLOCK_FORMAT_H */
