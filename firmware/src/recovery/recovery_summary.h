/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recovery_summary.h - a start takes from a superblock's summary (summary.h) what it would have to probe all its
 * slots for.
 *
 * Only where the summary is as good as the spare areas: NVRAM is whole, so the generation is known, and nothing may
 * have erased the superblock in part. A start that is not sure of that, and one that finds no summary, or one that is
 * not whole, probes.
 */
#ifndef OPENREMAP_FW_RECOVERY_SUMMARY_H
#define OPENREMAP_FW_RECOVERY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "orm_formats.h"

struct fw;

enum recovery_summary_phase {
  SUMMARY_ASK,   /* whether there is one */
  SUMMARY_ASKED, /* flash is about to say */
  SUMMARY_READ,
  SUMMARY_CHECK,
  SUMMARY_TAKE,
  SUMMARY_OVER /* it is taken, or there is none */
};

/* Progress with the superblock whose turn it is. */
struct recovery_summary {
  enum recovery_summary_phase phase;
  uint32_t slot; /* of the summary, the next one */
  orm_crc32c_t crc;
};

/* It is not known yet whether this superblock has one that counts: it is looked for when the first slot of each
 * die's block has been probed, none of which is erased. So where there is nothing it costs nothing. */
bool recovery_seeks_summary(const struct fw *fw, uint32_t sb);

/* Those have been; nothing is under way. PENDING; OK: it is taken (recovery_sb.whole), or there is none.
 * FORMAT_VERSION. */
FW_MUST_USE fw_result_t recovery_take_summary(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_RECOVERY_SUMMARY_H */
