/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiesce.h - who must hold still, and for whom.
 *
 * A shutdown, a snapshot, a Format NVM and a summary each keep other work from starting. The unit that holds pushes a
 * flag here when its state changes; the units that must wait ask here. So a unit of a low layer, such as the garbage
 * collector, need not call the units above it.
 *
 * The flags start as zero (nothing is held). They are not durable.
 */
#ifndef OPENREMAP_FW_QUIESCE_H
#define OPENREMAP_FW_QUIESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"

struct fw;

enum quiesce_shutdown {
  QUIESCE_RUNNING, /* no shutdown */
  QUIESCE_DRAIN,   /* commands inside and background work finish; they may still need collections */
  QUIESCE_REST     /* all that was under way has ended */
};

struct quiesce {
  enum quiesce_shutdown shutdown; /* pushed by controller.c */
  bool command;                   /* mailbox.c: a command runs in firmware */
  bool snapshot;                  /* snapshot.c: superblocks on the free list hold a snapshot, or a part of one */
  bool format_holds_gc;           /* format_nvm.c: only the format collects */
  fw_result_t refusal;            /* format_nvm.c: answer to I/O commands; FW_OK: they are accepted */
  bool summary;                   /* summary.c: a summary is being written, */
  uint32_t summary_sb;            /* for this superblock */
};

/* ---- pushed by the owners */

void quiesce_set_shutdown(struct fw *fw, enum quiesce_shutdown shutdown);
void quiesce_set_command(struct fw *fw, bool runs);
void quiesce_set_snapshot(struct fw *fw, bool there);
void quiesce_set_format(struct fw *fw, fw_result_t refusal, bool holds_gc);
void quiesce_set_summary(struct fw *fw, bool runs, uint32_t sb);

/* ---- asked by everybody */

/* Whether a shutdown has begun and the controller has not been enabled since. */
bool quiesce_shuts_down(const struct fw *fw);

/* Whether all that was under way at a shutdown has ended. Nothing may be programmed or erased any more, until the
 * controller is enabled again and NVRAM says that the device is not clean. */
bool quiesce_is_at_rest(const struct fw *fw);

/* Whether no background work may be started. True from when a shutdown finds no command inside the controller; not
 * before, since a write or remap inside may need a collection to find room. Reads NVME_STATE during a drain. */
bool quiesce_is_shut(const struct fw *fw);

/* Whether no I/O command is inside the controller (reads NVME_STATE). No interrupt tells when this changes. */
bool quiesce_io_quiet(const struct fw *fw);

/* What I/O commands are refused with: FORMATTING during a Format NVM, NOT_READY after one that failed, else OK. */
FW_MUST_USE fw_result_t quiesce_refusal(const struct fw *fw);

/* Whether a Format NVM has taken over the collector: nothing else is to be collected, compacted or destaged. */
bool quiesce_format_holds_gc(const struct fw *fw);

/* Whether a summary is being written. */
bool quiesce_summary_runs(const struct fw *fw);

/* Whether the summary being written is that of superblock `sb`, which must not be erased meanwhile. */
bool quiesce_summary_holds(const struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_QUIESCE_H */
