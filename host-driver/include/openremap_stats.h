/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap_stats.h - the device's own counters: the vendor log page, as interfaces/formats/formats.yaml describes it.
 *
 * Apart from openremap.h so that a program that only reads and writes needs no generated header.
 */
#ifndef OPENREMAP_STATS_H
#define OPENREMAP_STATS_H

#include "openremap.h"
#include "orm_formats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the log; pages are OPENREMAP_PAGE_BYTES. -EPROTO: a layout version that this library does not know. */
OPENREMAP_MUST_USE int openremap_get_stats(struct openremap_device *dev, struct orm_remap_log *out);

/* Pages that the device has programmed for any reason: the numerator of its write amplification. */
static inline uint64_t openremap_nand_pages(const struct orm_remap_log *log) {
  return log->nand_program_host + log->nand_program_gc + log->nand_program_pad + log->nand_program_meta;
}

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_STATS_H */
