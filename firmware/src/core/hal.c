/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hal_dram_fill(const struct platform *p, uint32_t addr, uint8_t byte, size_t len) {
  fw_work(p, FW_WORK_FILL, (len + 15u) / 16u);
  if (p->dram_fill != NULL)
    p->dram_fill(p->ctx, addr, byte, len);
  else
    memset(hal_dram(p, addr), byte, len);
}

void hal_nv_zero(const struct platform *p, uint32_t addr, size_t len) {
  static const uint8_t zero[64] = {0};
  while (len > 0) {
    size_t n = len < sizeof zero ? len : sizeof zero;
    hal_nv_write(p, addr, zero, n);
    addr += (uint32_t)n;
    len -= n;
  }
}

void hal_log(const struct platform *p, enum platform_log_level level, const char *format, ...) {
  if (level <= PLATFORM_LOG_INFO) fw_work(p, FW_WORK_LINE, 1u); /* what images print */
  if (p->log == NULL || level > p->log_level) return;
  char line[160];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  p->log(p->ctx, level, line);
}
