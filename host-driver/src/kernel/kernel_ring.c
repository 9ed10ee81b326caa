/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel_ring.h"

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS 1000000u /* until what the kernel had no room for is handed over again */

struct kernel_ring {
  struct io_uring uring;
  int fd;
  uint32_t in_kernel; /* handed over, and not ended */
  int failed;         /* errno with which handing over ended; 0: it has not */
};

struct kernel_ring *kernel_ring_open(void *ctx, int fd, uint32_t depth) {
  (void)ctx;
  struct kernel_ring *ring = calloc(1, sizeof(*ring));
  if (ring == NULL) return NULL;
  ring->fd = fd;
  /* A command and its result take entries of twice the size; kernels before 5.19, which have neither those nor
   * passthrough, refuse them. */
  if (io_uring_queue_init(depth, &ring->uring, IORING_SETUP_SQE128 | IORING_SETUP_CQE32) < 0) {
    free(ring);
    return NULL;
  }
  return ring;
}

static bool passes(int rc) { return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR; }

/* What lies in the queue of submissions, some of it perhaps from before. */
static void hand_over(struct kernel_ring *ring) {
  if (ring->failed != 0 || io_uring_sq_ready(&ring->uring) == 0) return;
  const int rc = io_uring_submit(&ring->uring);
  if (rc >= 0) {
    ring->in_kernel += (uint32_t)rc;
  } else if (!passes(rc)) {
    ring->failed = rc;
  }
}

int kernel_ring_submit(struct kernel_ring *ring, const struct nvme_uring_cmd *command, uint32_t tag) {
  if (ring->failed != 0) return ring->failed;
  struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
  if (sqe == NULL) return -EAGAIN;
  memset(sqe, 0, 2 * sizeof(*sqe));
  sqe->opcode = IORING_OP_URING_CMD;
  sqe->fd = ring->fd;
  sqe->cmd_op = NVME_URING_CMD_IO;
  sqe->user_data = tag;
  memcpy(sqe->cmd, command, sizeof(*command));
  /* The queue has it now, and would send it later whatever is said here: an error is told by the wait. */
  hand_over(ring);
  return 0;
}

int kernel_ring_wait(struct kernel_ring *ring, uint64_t max_ns, struct kernel_ring_completion *out) {
  hand_over(ring);
  /* No error before the last end: until then the kernel may read and write the commands' memory. */
  if (ring->failed != 0 && ring->in_kernel == 0) return ring->failed;
  const bool again = ring->failed == 0 && io_uring_sq_ready(&ring->uring) != 0;
  if (again && max_ns > RETRY_NS) max_ns = RETRY_NS;
  struct __kernel_timespec longest = {.tv_sec = (long long)(max_ns / 1000000000u),
                                      .tv_nsec = (long long)(max_ns % 1000000000u)};
  struct io_uring_cqe *cqe = NULL;
  int rc = io_uring_peek_cqe(&ring->uring, &cqe);
  if (rc == -EAGAIN) rc = io_uring_wait_cqe_timeout(&ring->uring, &cqe, &longest);
  if (rc == -ETIME || passes(rc)) return 0;
  if (rc < 0) {
    ring->failed = rc; /* told once nothing is under way; until then ends are still looked for */
    return ring->in_kernel == 0 ? rc : 0;
  }
  *out = (struct kernel_ring_completion){
      .tag = (uint32_t)cqe->user_data, .status = cqe->res, .result = (uint32_t)cqe->big_cqe[0]};
  io_uring_cqe_seen(&ring->uring, cqe);
  ring->in_kernel--;
  return 1;
}

void kernel_ring_close(struct kernel_ring *ring) {
  io_uring_queue_exit(&ring->uring);
  free(ring);
}
