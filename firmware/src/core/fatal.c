/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fatal.h"

#include "fw.h"

void fatal_step(struct fw *fw, const char *name) { fw->fatal.step = name; }

void fatal_running(struct fw *fw) { fw->fatal.phase = FW_RUNNING; }

void fatal_stop(struct fw *fw, fw_result_t why) {
  fw->fatal.phase = FW_FATAL;
  fw->fatal.why = why;
  hal_write(fw->p, ORM_FW_IRQ_ENABLE, 0);
  hal_write(fw->p, ORM_FW_NVME_CSTS, ORM_PUT(ORM_FW_NVME_CSTS_CFS, 1) | ORM_PUT(ORM_FW_NVME_CSTS_DEAD, 1));
}

enum fw_phase fw_phase(const struct fw *fw) { return fw->fatal.phase; }

const char *fw_describe(const struct fw *fw) {
  if (fw->fatal.phase == FW_STARTING) return fw->fatal.step;
  if (fw->fatal.phase == FW_FATAL) return fw_result_text(fw->fatal.why);
  return "running";
}
