/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - requests of any size over a transport that takes single commands. Behind openremap_submit_*,
 * openremap_poll, openremap_wait_all; blocking calls are a submit and request_await.
 */
#ifndef OPENREMAP_REQUEST_H
#define OPENREMAP_REQUEST_H

#include "api/handle.h"

/*
 * Takes a request for the LBA range [lpn, lpn + pages). `command` is filled as for the range's first block; it is sent
 * in pieces of at most `piece_pages`, whose SLBA and NLB are set here. `data` (pages * 4096 bytes) stays valid until
 * `done`; NULL: the command carries none. -EINVAL: no pages, or a range beyond 64 bits. -ENOMEM.
 */
int request_submit_range(struct openremap_device *dev, const struct nvme_submission_entry *command, uint64_t lpn,
                         uint64_t pages, uint32_t piece_pages, void *data, openremap_done done, void *arg);

/* Completes every request that has pieces left to send with `error`, those in flight once their pieces have come back;
 * before a reset and for close. */
void request_cancel_waiting(struct openremap_device *dev, int error);

/* Frees the memory that requests leave for later ones. Nothing may be in flight. */
void request_free_pool(struct openremap_device *dev);

/* What a blocking call waits for. Zero before the submit. */
struct request_wait {
  bool finished;
  int status;
  uint32_t result; /* DW0 of the last completion */
};
/* An openremap_done; arg: struct request_wait *. */
void request_wait_done(void *arg, int status, uint32_t result);
/* Polls until the request has completed. Returns its status, or the negative errno with which the controller was
 * lost. */
int request_await(struct openremap_device *dev, const struct request_wait *wait);

#endif /* OPENREMAP_REQUEST_H */
