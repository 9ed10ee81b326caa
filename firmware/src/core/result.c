/* SPDX-License-Identifier: Apache-2.0 */
#include "core/result.h"

const char *fw_result_text(fw_result_t r) {
#define TEXT(name, status, text) \
  case FW_##name:                \
    return text;
  switch (r) {
    FW_RESULTS(TEXT)
    case FW_RESULT_COUNT:
      break;
  }
#undef TEXT
  return "unknown result";
}

uint16_t fw_result_status(fw_result_t r) {
#define STATUS(name, status, text) \
  case FW_##name:                  \
    return (uint16_t)(status);
  switch (r) {
    FW_RESULTS(STATUS)
    case FW_RESULT_COUNT:
      break;
  }
#undef STATUS
  return NVME_STATUS_INTERNAL_ERROR;
}
