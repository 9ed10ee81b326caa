/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel_transport.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/nvme_ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "openremap_cmd.h"

#define DEFAULT_TIMEOUT_MS 30000u
#define DEFAULT_DEPTH 64u
#define MAX_DEPTH 4096u
/* The driver describes at most 128 pieces of memory a command, and a page may be one (NVME_MAX_SEGS). */
#define KERNEL_MAX_BYTES (128u * OPENREMAP_PAGE_BYTES)
#define STATUS_MASK 0x7FF /* status code type and status code; beyond them are More and Do Not Retry */

struct kernel_transport {
  struct transport base;
  const struct kernel_os *os;
  int fd;
  int claim; /* file that holds it; negative: none */
  uint32_t nsid;
  uint32_t timeout_ms;
  struct transport_stats stats;
  struct transport_command *finished; /* carried out, not told yet */
  int status;
  uint32_t result;
  struct kernel_ring *ring; /* NULL: none */
  int lost;                 /* errno with which the ring went; 0: it has not */
  uint32_t depth;
  uint32_t free_tags;              /* how many of the list are free */
  struct transport_command **sent; /* by tag; NULL: not under way */
  uint32_t *free_tag;              /* [0, free_tags) */
};

static struct kernel_transport *from_base(struct transport *transport) { return (struct kernel_transport *)transport; }

static struct nvme_uring_cmd describe(const struct kernel_transport *t, const struct transport_command *command) {
  const struct nvme_submission_entry *e = &command->sqe;
  return (struct nvme_uring_cmd){.opcode = e->opcode,
                                 /* This library knows one namespace, by its number on our devices. */
                                 .nsid = e->nsid == 1 ? t->nsid : e->nsid,
                                 .cdw2 = e->cdw2,
                                 .cdw3 = e->cdw3,
                                 .addr = (uint64_t)(uintptr_t)command->data,
                                 .data_len = (uint32_t)command->bytes,
                                 .cdw10 = e->cdw10,
                                 .cdw11 = e->cdw11,
                                 .cdw12 = e->cdw12,
                                 .cdw13 = e->cdw13,
                                 .cdw14 = e->cdw14,
                                 .cdw15 = e->cdw15,
                                 .timeout_ms = t->timeout_ms};
}

/* The ioctl's command is the ring's, with a result behind it. */
static_assert(sizeof(struct nvme_uring_cmd) == offsetof(struct nvme_passthru_cmd64, result), "one layout");
static_assert(offsetof(struct nvme_uring_cmd, data_len) == offsetof(struct nvme_passthru_cmd64, data_len),
              "one layout");
static_assert(offsetof(struct nvme_uring_cmd, timeout_ms) == offsetof(struct nvme_passthru_cmd64, timeout_ms),
              "one layout");

/* As transport_command.done wants it. */
static int carry_out(struct kernel_transport *t, const struct transport_command *command, uint32_t *result) {
  const struct nvme_uring_cmd description = describe(t, command);
  struct nvme_passthru_cmd64 c = {0};
  memcpy(&c, &description, sizeof(description));
  const unsigned long request = command->admin ? NVME_IOCTL_ADMIN64_CMD : NVME_IOCTL_IO64_CMD;
  const int rc = t->os->ioctl(t->os->ctx, t->fd, request, &c);
  *result = (uint32_t)c.result;
  return rc < 0 ? rc : rc & STATUS_MASK;
}

static int send_by_ring(struct kernel_transport *t, struct transport_command *command) {
  if (t->lost != 0) return t->lost;
  if (t->free_tags == 0) return -EAGAIN;
  const uint32_t tag = t->free_tag[t->free_tags - 1];
  const struct nvme_uring_cmd c = describe(t, command);
  const int rc = t->os->ring_submit(t->ring, &c, tag);
  if (rc != 0) return rc;
  t->sent[tag] = command;
  t->free_tags--;
  t->stats.commands++;
  return 0;
}

static void end_sent(struct kernel_transport *t, uint32_t tag, int status, uint32_t result) {
  struct transport_command *command = t->sent[tag];
  t->sent[tag] = NULL;
  t->free_tag[t->free_tags++] = tag; /* before `done`, which may submit */
  command->done(command, status, result);
}

/* The ring takes no commands any more, and those not told of yet were never sent: their memory is the callers'
 * again. */
static void lose_ring(struct kernel_transport *t, int rc) {
  t->lost = rc;
  t->os->ring_close(t->ring);
  for (uint32_t tag = 0; tag < t->depth; tag++) {
    if (t->sent[tag] != NULL) end_sent(t, tag, rc, 0);
  }
}

/* Ends of commands, all there are once there is one. As transport poll. */
static int poll_ring(struct kernel_transport *t, uint64_t max_ns) {
  int ended = 0;
  while (t->free_tags < t->depth && t->lost == 0) {
    struct kernel_ring_completion end;
    const int rc = t->os->ring_wait(t->ring, ended == 0 ? max_ns : 0, &end);
    if (rc == 0) break;
    if (rc < 0) {
      lose_ring(t, rc);
      return rc;
    }
    if (end.tag >= t->depth || t->sent[end.tag] == NULL) continue; /* none of ours */
    end_sent(t, end.tag, end.status < 0 ? end.status : end.status & STATUS_MASK, end.result);
    ended++;
  }
  return ended;
}

static int kernel_submit(struct transport *transport, struct transport_command *command) {
  struct kernel_transport *t = from_base(transport);
  if (t->finished != NULL) return -EAGAIN;
  /* The kernel makes its own PRPs: wrong ones for a test cannot be sent. */
  if (command->data == NULL && (command->sqe.prp1 != 0 || command->sqe.prp2 != 0)) return -EINVAL;
  if (command->bytes > UINT32_MAX) return -EINVAL;
  if (t->ring != NULL && !command->admin) return send_by_ring(t, command);
  t->stats.commands++;
  t->status = carry_out(t, command, &t->result);
  t->finished = command;
  return 0;
}

static int kernel_poll(struct transport *transport, uint64_t max_ns) {
  struct kernel_transport *t = from_base(transport);
  struct transport_command *command = t->finished;
  if (command == NULL) return t->ring == NULL ? 0 : poll_ring(t, max_ns);
  t->finished = NULL; /* before `done`, which may submit */
  command->done(command, t->status, t->result);
  return 1;
}

static uint64_t kernel_now_ns(struct transport *transport) {
  const struct kernel_os *os = from_base(transport)->os;
  return os->now_ns(os->ctx);
}

/* The driver resets the controller when it has to. */
static int kernel_reset(struct transport *transport) {
  (void)transport;
  return -ENOTSUP;
}

static void *kernel_dma_alloc(struct transport *transport, size_t bytes) {
  (void)transport;
  const size_t pages = bytes / OPENREMAP_PAGE_BYTES + (bytes % OPENREMAP_PAGE_BYTES != 0);
  return pages == 0 ? NULL : aligned_alloc(OPENREMAP_PAGE_BYTES, pages * OPENREMAP_PAGE_BYTES);
}

static void kernel_dma_free(struct transport *transport, void *memory) {
  (void)transport;
  free(memory);
}

static void kernel_get_stats(struct transport *transport, struct transport_stats *stats) {
  *stats = from_base(transport)->stats;
}

/* Others go on using the device, so it is not shut down. */
static int kernel_close(struct transport *transport) {
  struct kernel_transport *t = from_base(transport);
  const struct kernel_os *os = t->os;
  if (t->ring != NULL && t->lost == 0) os->ring_close(t->ring);
  const int rc = os->close(os->ctx, t->fd);
  if (t->claim >= 0) os->close(os->ctx, t->claim); /* after the commands, which it was for */
  free(t->sent);
  free(t->free_tag);
  free(t);
  return rc;
}

static const struct transport_ops kernel_ops = {.submit = kernel_submit,
                                                .poll = kernel_poll,
                                                .now_ns = kernel_now_ns,
                                                .reset = kernel_reset,
                                                .power_cycle = NULL,
                                                .dma_alloc = kernel_dma_alloc,
                                                .dma_free = kernel_dma_free,
                                                .get_stats = kernel_get_stats,
                                                .close = kernel_close};

static void explain(char *error, size_t error_len, const char *path, const char *what) {
  if (error != NULL && error_len != 0) snprintf(error, error_len, "%s: %s", path, what);
}

/* What the controller and the driver both take at a time (base specification, Identify Controller, MDTS). */
static int ask_transfer(struct kernel_transport *t) {
  uint8_t page[NVME_IDENTIFY_CONTROLLER_BYTES];
  struct transport_command command = {.admin = true, .data = page, .bytes = sizeof(page)};
  nvme_cmd_identify(&command.sqe, 0, NVME_CNS_CONTROLLER);
  uint32_t result = 0;
  const int rc = carry_out(t, &command, &result);
  if (rc != 0) return rc;
  struct nvme_identify_controller ctrl;
  nvme_identify_controller_unpack(&ctrl, page);
  uint32_t bytes = KERNEL_MAX_BYTES;
  if (ctrl.mdts != 0 && ctrl.mdts < 8 && OPENREMAP_PAGE_BYTES << ctrl.mdts < bytes)
    bytes = OPENREMAP_PAGE_BYTES << ctrl.mdts;
  t->base.limits = (struct transport_limits){.max_transfer_bytes = bytes, .queue_depth = 1, .io_queues = 1};
  return 0;
}

/* Where there is none, the ioctls do the same, one command at a time. */
static int open_ring(struct kernel_transport *t, uint32_t depth) {
  struct stat found;
  if (t->os->fstat(t->os->ctx, t->fd, &found) != 0 || !S_ISCHR(found.st_mode)) return 0;
  t->depth = depth == 0 ? DEFAULT_DEPTH : depth < MAX_DEPTH ? depth : MAX_DEPTH;
  t->sent = calloc(t->depth, sizeof(struct transport_command *));
  t->free_tag = calloc(t->depth, sizeof(uint32_t));
  if (t->sent == NULL || t->free_tag == NULL) return -ENOMEM;
  for (t->free_tags = 0; t->free_tags < t->depth; t->free_tags++) t->free_tag[t->free_tags] = t->free_tags;
  t->ring = t->os->ring_open(t->os->ctx, t->fd, t->depth);
  if (t->ring != NULL) t->base.limits.queue_depth = t->depth;
  return 0;
}

static int claim_node(struct kernel_transport *t, const struct openremap_options *options, char *error,
                      size_t error_len) {
  if (options->access == OPENREMAP_ACCESS_SHARED) return 0;
  const bool alone = options->access == OPENREMAP_ACCESS_ALONE;
  const int rc = t->os->claim(t->os->ctx, options->node, alone);
  if (rc >= 0) {
    t->claim = rc;
    return 0;
  }
  explain(error, error_len, options->node,
          rc != -EBUSY ? strerror(-rc)
          : alone      ? "in use: another program has opened it, or a file system on it is mounted"
                       : "in use: another program has opened it for itself");
  return rc;
}

/* The kernel answers for a partition as for its namespace, and sends commands to the whole of that. */
static bool is_partition(const struct kernel_os *os, int fd) {
  struct stat node;
  char entry[PATH_MAX];
  return os->fstat(os->ctx, fd, &node) == 0 && S_ISBLK(node.st_mode) &&
         (size_t)snprintf(entry, sizeof(entry), "%s/%u:%u/partition", os->block_devices, major(node.st_rdev),
                          minor(node.st_rdev)) < sizeof(entry) &&
         access(entry, F_OK) == 0;
}

int kernel_transport_open(const struct kernel_os *os, const struct openremap_options *options, struct transport **out,
                          char *error, size_t error_len) {
  *out = NULL;
  const int fd = os->open(os->ctx, options->node);
  if (fd < 0) {
    explain(error, error_len, options->node,
            fd == -EACCES || fd == -EPERM ? "permission denied: NVMe passthrough is for root" : strerror(-fd));
    return fd == -ENOENT || fd == -ENXIO ? -ENODEV : fd;
  }
  struct kernel_transport *t = calloc(1, sizeof(*t));
  if (t == NULL) {
    os->close(os->ctx, fd);
    return -ENOMEM;
  }
  *t = (struct kernel_transport){
      .base.ops = &kernel_ops,
      .os = os,
      .fd = fd,
      .claim = -1,
      .timeout_ms = options->timeout_ns != 0 ? (uint32_t)(options->timeout_ns / 1000000u) : DEFAULT_TIMEOUT_MS};
  const int nsid = os->ioctl(os->ctx, fd, (unsigned long)NVME_IOCTL_ID, NULL);
  int rc = nsid > 0 ? 0 : -ENODEV;
  if (rc != 0) {
    explain(error, error_len, options->node, "not an NVMe namespace (as /dev/nvme0n1 or /dev/ng0n1 is)");
  } else if (is_partition(os, fd)) {
    rc = -ENODEV;
    explain(error, error_len, options->node, "a partition: name its namespace, as /dev/nvme0n1");
  } else {
    t->nsid = (uint32_t)nsid;
    rc = claim_node(t, options, error, error_len);
    const bool claimed = rc == 0;
    if (rc == 0) rc = ask_transfer(t);
    if (rc == 0) rc = open_ring(t, options->queue_depth);
    char words[96];
    if (rc != 0 && claimed) explain(error, error_len, options->node, openremap_describe(rc, words, sizeof(words)));
  }
  if (rc != 0) {
    kernel_close(&t->base);
    return rc;
  }
  *out = &t->base;
  return 0;
}
