/* SPDX-License-Identifier: Apache-2.0 */
/* file_map.h - openremap_file.h's calls on any system; tests put their own there. */
#ifndef OPENREMAP_FILE_MAP_H
#define OPENREMAP_FILE_MAP_H

#include "kernel/kernel_os.h"
#include "openremap_file.h"

int file_map_volume(const struct kernel_os *os, int fd, struct openremap_volume *out);
int file_map_getlpn(const struct kernel_os *os, int fd, const struct openremap_volume *volume, uint64_t offset,
                    uint64_t pages, struct openremap_file_run *out);

#endif /* OPENREMAP_FILE_MAP_H */
