/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_ring.h - the ring_* calls of kernel_os.h, over liburing (io_uring's NVMe passthrough, Linux 5.19 and
 * later). */
#ifndef OPENREMAP_KERNEL_RING_H
#define OPENREMAP_KERNEL_RING_H

#include "kernel/kernel_os.h"

struct kernel_ring *kernel_ring_open(void *ctx, int fd, uint32_t depth);
int kernel_ring_submit(struct kernel_ring *ring, const struct nvme_uring_cmd *command, uint32_t tag);
int kernel_ring_wait(struct kernel_ring *ring, uint64_t max_ns, struct kernel_ring_completion *out);
void kernel_ring_close(struct kernel_ring *ring);

#endif /* OPENREMAP_KERNEL_RING_H */
