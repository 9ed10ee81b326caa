/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - how commands reach a controller: the user-space driver over a PCIe function, or a test double.
 *
 * A transport executes single commands that fit its limits. Splitting big requests, and choosing what to send, is the
 * layer above (device.c). Not thread-safe.
 */
#ifndef OPENREMAP_TRANSPORT_H
#define OPENREMAP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvme_spec.h"

struct transport_command {
  struct nvme_submission_entry sqe; /* identifier and PRPs are the transport's to fill */
  bool admin;
  void *data; /* NULL: no data. Direction: the opcode's low two bits */
  size_t bytes;
  /* Called from inside poll (or reset, close), exactly once per accepted command; the command may be reused or freed
   * then. `status`: 0, an NVMe status, or a negative errno. `result`: DW0 of the completion. */
  void (*done)(struct transport_command *command, int status, uint32_t result);
};

struct transport_limits {
  uint32_t max_transfer_bytes; /* of one command, a multiple of 4096 */
  uint32_t queue_depth;        /* I/O commands in flight */
  uint32_t io_queues;
};

struct transport_stats {
  uint64_t commands;
  uint64_t interrupts;
  uint64_t bounced_bytes; /* copied between the caller's memory and DMA memory */
};

struct transport;

struct transport_ops {
  /* Takes the command, or refuses it: -EAGAIN when all slots or all DMA memory are in use (poll, then try again),
   * -EINVAL for data the transport cannot describe, -ENODEV/-EIO after the controller failed. */
  int (*submit)(struct transport *transport, struct transport_command *command);
  /* Lets at most `max_ns` of device time pass, completing commands; returns early once one has completed.
   * Returns the number completed, or a negative errno when the controller is lost (every accepted command has then
   * completed with that errno). */
  int (*poll)(struct transport *transport, uint64_t max_ns);
  /* Device time, ns. */
  uint64_t (*now_ns)(struct transport *transport);
  /* Brings a failed controller back: reset, enable, queues. Accepted commands complete with -ECANCELED first. */
  int (*reset)(struct transport *transport);
  /* Takes power away and gives it back, then as reset. NULL where nobody can. */
  int (*power_cycle)(struct transport *transport);
  /* Memory that the device reaches without a copy; NULL when there is none. */
  void *(*dma_alloc)(struct transport *transport, size_t bytes);
  void (*dma_free)(struct transport *transport, void *memory);
  void (*get_stats)(struct transport *transport, struct transport_stats *stats);
  /* Why the controller is lost, one line; NULL: it is not, or nobody knows. The function may be NULL. */
  const char *(*why_lost)(const struct transport *transport);
  /* Orderly shutdown (the write cache reaches flash), then frees the transport. Returns the shutdown's error. */
  int (*close)(struct transport *transport);
};

struct transport {
  const struct transport_ops *ops;
  struct transport_limits limits; /* fixed after open */
};

#endif /* OPENREMAP_TRANSPORT_H */
