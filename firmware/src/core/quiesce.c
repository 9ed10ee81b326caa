/* SPDX-License-Identifier: Apache-2.0 */
#include "core/quiesce.h"

#include "fw.h"

void quiesce_set_shutdown(struct fw *fw, enum quiesce_shutdown shutdown) { fw->quiesce.shutdown = shutdown; }

void quiesce_set_command(struct fw *fw, bool runs) { fw->quiesce.command = runs; }

void quiesce_set_snapshot(struct fw *fw, bool there) { fw->quiesce.snapshot = there; }

void quiesce_set_format(struct fw *fw, fw_result_t refusal, bool holds_gc) {
  fw->quiesce.refusal = refusal;
  fw->quiesce.format_holds_gc = holds_gc;
}

void quiesce_set_summary(struct fw *fw, bool runs, uint32_t sb) {
  fw->quiesce.summary = runs;
  fw->quiesce.summary_sb = sb;
}

bool quiesce_shuts_down(const struct fw *fw) { return fw->quiesce.shutdown != QUIESCE_RUNNING; }

bool quiesce_is_at_rest(const struct fw *fw) {
  return fw->state.clean || fw->quiesce.snapshot || fw->quiesce.shutdown == QUIESCE_REST;
}

bool quiesce_is_shut(const struct fw *fw) {
  return quiesce_is_at_rest(fw) ||
         (fw->quiesce.shutdown == QUIESCE_DRAIN && !fw->quiesce.command && quiesce_io_quiet(fw));
}

bool quiesce_io_quiet(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_NVME_STATE), ORM_FW_NVME_STATE_IO_QUIET);
}

fw_result_t quiesce_refusal(const struct fw *fw) { return fw->quiesce.refusal; }

bool quiesce_format_holds_gc(const struct fw *fw) { return fw->quiesce.format_holds_gc; }

bool quiesce_summary_runs(const struct fw *fw) { return fw->quiesce.summary; }

bool quiesce_summary_holds(const struct fw *fw, uint32_t sb) {
  return fw->quiesce.summary && fw->quiesce.summary_sb == sb;
}
