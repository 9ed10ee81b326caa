/* SPDX-License-Identifier: Apache-2.0 */
#include "media/namespace.h"

#include "fw.h"

void namespace_show(const struct fw *fw) {
  fw_result_t refusal = quiesce_refusal(fw);
  bool ready = !quiesce_shuts_down(fw) && refusal == FW_OK;
  hal_write(fw->p, ORM_FW_NVME_STATE,
            ORM_PUT(ORM_FW_NVME_STATE_NS_READY, ready) |
                ORM_PUT(ORM_FW_NVME_STATE_FORMATTING, refusal == FW_FORMATTING) |
                ORM_PUT(ORM_FW_NVME_STATE_WRITE_PROTECTED, spare_write_protected(fw) != 0));
}
