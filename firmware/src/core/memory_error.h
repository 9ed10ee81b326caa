/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_error.h - DRAM or NVRAM has answered the controller's hardware with an error, and the hardware has stopped
 * (MEMORY_ERROR in interfaces/registers/openremap.rdl). The firmware ends as after a crash: log, CSTS.CFS, no way on
 * but a power cycle.
 *
 * The hardware takes back nothing that it wrote before it stopped, and a write that failed is not there. So tables in
 * DRAM may be old, and nothing may be made of them that lasts.
 */
#ifndef OPENREMAP_FW_MEMORY_ERROR_H
#define OPENREMAP_FW_MEMORY_ERROR_H

struct fw;

/* Returns if the hardware has not stopped. Otherwise writes a CrashLog, stops the firmware and leaves fw_poll(). To be
 * called before anything that is made of tables in DRAM becomes durable and counts. */
void memory_error_check(struct fw *fw);

#endif /* OPENREMAP_FW_MEMORY_ERROR_H */
