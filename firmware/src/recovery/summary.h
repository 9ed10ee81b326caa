/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.h - writes into the last slots of a full superblock what it holds, so that a start need not probe each
 * slot.
 *
 * The hardware logs in DRAM what is programmed into a superblock (SlotRecord). When the superblock is full and all
 * programs have ended, the log is due. Firmware programs it into the slots that the allocator keeps free for it, adds
 * a trailer with a CRC over all, and releases the log. There is one summary at a time.
 *
 * Nothing depends on a summary: a start probes where there is none that is whole. So it is left out where it would be
 * of no use or in the way: the superblock is being collected, is bad or is to be retired, or a format is under way.
 * (After a failed program the log never becomes due.) Summaries wait while victims are searched or segments are wanted,
 * so that a search neither finds a superblock whose summary is under way nor misses the one that it is for. Meanwhile
 * the superblock is no victim (quiesce.h).
 */
#ifndef OPENREMAP_FW_SUMMARY_H
#define OPENREMAP_FW_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "orm_formats.h"

struct fw;
struct device;

struct summary {
  bool busy;        /* one is being written, */
  uint32_t sb, gen; /* of this superblock and generation, */
  uint32_t log;     /* from this log */
  uint8_t stream;   /* that filled the superblock */
  uint32_t slot;    /* next slot of the summary */
  orm_crc32c_t crc; /* over the slots before it */
};

/* Bytes of slot `k` of a summary that the CRC of the trailer covers. */
uint32_t summary_covered(const struct device *d, uint32_t k);

/* Goes on with a summary, or begins one that is due. */
void summary_poll(struct fw *fw);

/* Whether one that is due would be begun now. */
bool summary_may_begin(const struct fw *fw);

/* Whether none is under way and none is due. */
bool summary_is_done(const struct fw *fw);

#endif /* OPENREMAP_FW_SUMMARY_H */
