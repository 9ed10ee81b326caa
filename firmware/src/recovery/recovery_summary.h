/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recovery_summary.h - a start takes from the summary of a superblock (summary.h) what it would otherwise probe each
 * slot for.
 *
 * A summary is taken only where it is as good as the spare areas: NVRAM is whole, so that the generation is known,
 * and no erase of the superblock can have been cut short. Otherwise, and where the summary is missing or not whole,
 * the start probes.
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

/* Whether a summary is still to be looked for. It is, when the first slot of each die's block has been probed and
 * none of them is erased: a superblock that is not full costs no look. */
bool recovery_seeks_summary(const struct fw *fw, uint32_t sb);

/* Goes on with the summary of `sb`; no NAND operation may be under way at first. PENDING: call again. OK: it was taken
 * (recovery_sb.whole), or there is none that counts. FORMAT_VERSION: another firmware wrote it. */
FW_MUST_USE fw_result_t recovery_take_summary(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_RECOVERY_SUMMARY_H */
