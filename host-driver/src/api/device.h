/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - the handle behind `struct openremap_device`: a transport, its limits and the requests in progress. */
#ifndef OPENREMAP_DEVICE_H
#define OPENREMAP_DEVICE_H

#include "api/transport.h"
#include "openremap.h"

struct request; /* request.c */
struct piece;

struct openremap_device {
  struct transport *transport;
  struct openremap_info info;
  struct nvme_identify_namespace ns;

  /* Requests with pieces left to send, oldest first. */
  struct request *waiting_head;
  struct request *waiting_tail;
  struct piece *free_pieces;
  size_t in_flight;        /* requests not completed */
  size_t pieces_in_flight; /* commands the transport holds */
  size_t completed;        /* requests completed since the last look of openremap_poll */

  openremap_trace trace; /* NULL: nobody */
  void *trace_arg;
};

#define OPENREMAP_NSID 1u /* the only namespace of the device */

/* Wraps an open transport: reads Identify data into dev->info. Takes the transport over, also on failure. */
int device_open(struct transport *transport, struct openremap_device **out, char *error, size_t error_len);

/* A request for an LBA range: `command` as filled for its start, cut into pieces of at most `piece_pages`.
 * `data` NULL: the command carries none. */
int request_submit_range(struct openremap_device *dev, const struct nvme_submission_entry *command, uint64_t lpn,
                         uint64_t pages, uint32_t piece_pages, void *data, openremap_done done, void *arg);

/* Completes every request with `error` that has not been sent; for close. */
void request_cancel_waiting(struct openremap_device *dev, int error);
void request_free_pool(struct openremap_device *dev);

/* Sends one command that openremap_submit_* took and waits for it: blocking calls are `submit` + this. */
struct request_wait {
  bool finished;
  int status;
  uint32_t result;
};
void request_wait_done(void *arg, int status, uint32_t result); /* an openremap_done; arg: struct request_wait * */
int request_await(struct openremap_device *dev, const struct request_wait *wait);

#endif /* OPENREMAP_DEVICE_H */
