/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fatal.h"

#include "fw.h"

void fatal_step(struct fw *fw, const char *name) { fw->fatal.step = name; }

void fw_stop(struct fw *fw, fw_result_t why) {
  fw->phase = FW_FATAL;
  fw->fatal.why = why;
  hal_write(fw->p, ORM_FW_IRQ_ENABLE, 0);
  hal_write(fw->p, ORM_FW_NVME_CSTS, ORM_PUT(ORM_FW_NVME_CSTS_CFS, 1) | ORM_PUT(ORM_FW_NVME_CSTS_DEAD, 1));
}

const char *fw_describe(const struct fw *fw) {
  if (fw->phase == FW_STARTING) return fw->fatal.step;
  if (fw->phase == FW_FATAL) return fw_result_text(fw->fatal.why);
  return "running";
}
