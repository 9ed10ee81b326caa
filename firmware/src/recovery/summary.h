/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h - what a superblock holds, in its own last slots, for a start that need not probe each of the others.
 *
 * The hardware logs in DRAM what is programmed into a superblock that it fills (SlotRecord). When the superblock is
 * full and all of it has landed the log is due: firmware programs it into the slots that the allocator leaves free
 * for it, with a trailer that has a CRC over all, and releases the log. One at a time.
 *
 * Nothing depends on a summary: a start probes where there is none, or none that is whole. So it is left out where it
 * would be of no use or in the way: the superblock is being collected, or is to be retired; a format is under way; a
 * program in it failed (then the log never is due). It waits while victims are searched or segments are wanted, so
 * that no search finds a superblock whose summary is under way, or misses the one that it is for. While a summary is
 * under way its superblock is no victim.
 */
#ifndef OPENREMAP_FW_SUMMARY_H
#define OPENREMAP_FW_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "orm_formats.h"

struct fw;
struct device;

struct summary {
  bool busy;
  uint32_t sb, gen;
  uint32_t log;
  uint8_t stream;
  uint32_t slot;    /* of the summary, the next one */
  orm_crc32c_t crc; /* over what is before it */
};

/* Bytes of slot `k` that the trailer's CRC is over. */
uint32_t summary_covered(const struct device *d, uint32_t k);

void summary_poll(struct fw *fw);

/* One that is due would be begun, or its log released. */
bool summary_may_begin(const struct fw *fw);

/* None is under way, or due. */
bool summary_is_done(const struct fw *fw);

#endif /* OPENREMAP_FW_SUMMARY_H */
