/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of any size, cut into commands that the device takes, several in flight.
 *
 * A request waits in one list until all of its pieces are sent. Pieces are made only when the transport has room for
 * them, so memory is bounded by the queue depth however much is submitted.
 */
#include "api/request.h"

#include <errno.h>
#include <stdlib.h>

#include "api/known.h"
#include "openremap_cmd.h"

struct request {
  struct request *next;
  struct openremap_device *dev;
  struct nvme_submission_entry command;
  bool admin;
  bool ranged;          /* an LBA range that may be cut; else one command as it stands */
  uint32_t piece_pages; /* longest piece */
  uint64_t next_lpn;
  uint64_t units_left; /* pages, or 1 for an unranged command; 0: all sent */
  uint8_t *data;
  size_t bytes; /* of an unranged command */
  uint32_t pieces_in_flight;
  int status; /* of the first piece that failed */
  uint32_t result;
  openremap_done done;
  void *arg;
};

struct piece {
  struct transport_command command; /* first: the transport's pointer is ours */
  struct request *request;
  struct piece *next;
};

static void finish_request(struct request *request) {
  struct openremap_device *dev = request->dev;
  dev->requests.in_flight--;
  dev->requests.completed++;
  request->done(request->arg, request->status, request->result);
  free(request);
}

static void piece_done(struct transport_command *command, int status, uint32_t result) {
  struct piece *piece = (struct piece *)command;
  struct request *request = piece->request;
  struct openremap_device *dev = request->dev;
  piece->next = dev->requests.free_pieces;
  dev->requests.free_pieces = piece;
  dev->requests.pieces_in_flight--;

  if (request->status == 0) request->status = status;
  request->result = result;
  request->pieces_in_flight--;
  /* A failed request with pieces unsent is still in the waiting list; pump() ends it there. */
  if (request->pieces_in_flight == 0 && request->units_left == 0) finish_request(request);
}

static struct piece *take_piece(struct openremap_device *dev) {
  struct piece *piece = dev->requests.free_pieces;
  if (piece == NULL) return malloc(sizeof(*piece));
  dev->requests.free_pieces = piece->next;
  return piece;
}

static void trace(const struct openremap_device *dev, const struct transport_command *command) {
  if (dev->trace == NULL || command->admin) return;
  const struct openremap_trace_event event = {.command = &command->sqe,
                                              .data = command->data,
                                              .bytes = command->bytes,
                                              .in_flight = dev->requests.pieces_in_flight};
  dev->trace(dev->trace_arg, &event);
}

/* Makes and sends the request's next piece. As transport submit; -ENOMEM. */
static int send_piece(struct openremap_device *dev, struct request *request) {
  struct piece *piece = take_piece(dev);
  if (piece == NULL) return -ENOMEM;
  piece->request = request;
  piece->command = (struct transport_command){.sqe = request->command,
                                              .admin = request->admin,
                                              .data = request->data,
                                              .bytes = request->bytes,
                                              .done = piece_done};
  uint64_t units = 1;
  if (request->ranged) {
    units = request->units_left < request->piece_pages ? request->units_left : request->piece_pages;
    nvme_cmd_slba(&piece->command.sqe, request->next_lpn);
    piece->command.sqe.cdw12 = (request->command.cdw12 & 0xFFFF0000u) | (uint32_t)(units - 1);
    piece->command.bytes = units * OPENREMAP_PAGE_BYTES;
  }
  const int rc = dev->transport->ops->submit(dev->transport, &piece->command);
  if (rc != 0) {
    piece->next = dev->requests.free_pieces;
    dev->requests.free_pieces = piece;
    return rc;
  }
  trace(dev, &piece->command);
  dev->requests.pieces_in_flight++;
  request->pieces_in_flight++;
  request->units_left -= units;
  request->next_lpn += units;
  if (request->ranged && request->data != NULL) request->data += units * OPENREMAP_PAGE_BYTES;
  return 0;
}

static void pop_waiting(struct openremap_device *dev) {
  dev->requests.waiting_head = dev->requests.waiting_head->next;
  if (dev->requests.waiting_head == NULL) dev->requests.waiting_tail = NULL;
}

/* Sends what waits until the transport is full. */
static void pump(struct openremap_device *dev) {
  while (dev->requests.waiting_head != NULL) {
    struct request *request = dev->requests.waiting_head;
    while (request->units_left != 0 && request->status == 0) {
      int rc = send_piece(dev, request);
      if (rc == -EAGAIN && dev->requests.pieces_in_flight != 0) return;
      /* Nothing in flight will ever make room: the DMA memory is in other hands. */
      if (rc == -EAGAIN) rc = -ENOMEM;
      if (rc != 0) request->status = rc;
    }
    pop_waiting(dev);
    request->units_left = 0;
    if (request->pieces_in_flight == 0) finish_request(request);
  }
}

static void enqueue(struct openremap_device *dev, struct request *request) {
  request->next = NULL;
  if (dev->requests.waiting_tail != NULL) {
    dev->requests.waiting_tail->next = request;
  } else {
    dev->requests.waiting_head = request;
  }
  dev->requests.waiting_tail = request;
  dev->requests.in_flight++;
}

int request_submit_range(struct openremap_device *dev, const struct nvme_submission_entry *command, uint64_t lpn,
                         uint64_t pages, uint32_t piece_pages, void *data, openremap_done done, void *arg) {
  if (pages == 0 || lpn + pages < lpn) return -EINVAL;
  struct request *request = malloc(sizeof(*request));
  if (request == NULL) return -ENOMEM;
  *request = (struct request){.dev = dev,
                              .command = *command,
                              .ranged = true,
                              .piece_pages = piece_pages,
                              .next_lpn = lpn,
                              .units_left = pages,
                              .data = data,
                              .done = done,
                              .arg = arg};
  enqueue(dev, request);
  return 0;
}

int openremap_submit_command(struct openremap_device *dev, bool admin, const struct nvme_submission_entry *command,
                             void *data, size_t bytes, openremap_done done, void *arg) {
  if ((data == NULL) != (bytes == 0)) return -EINVAL;
  if (bytes > dev->transport->limits.max_transfer_bytes) return -EINVAL;
  const int refused = known_refuses(dev, admin, command->opcode);
  if (refused != 0) return refused;
  struct request *request = malloc(sizeof(*request));
  if (request == NULL) return -ENOMEM;
  *request = (struct request){.dev = dev,
                              .command = *command,
                              .admin = admin,
                              .units_left = 1,
                              .data = data,
                              .bytes = bytes,
                              .done = done,
                              .arg = arg};
  enqueue(dev, request);
  return 0;
}

int openremap_poll(struct openremap_device *dev, uint64_t max_ns) {
  const uint64_t start = dev->transport->ops->now_ns(dev->transport);
  dev->requests.completed = 0;
  for (;;) {
    pump(dev);
    const uint64_t spent = dev->transport->ops->now_ns(dev->transport) - start;
    const uint64_t left = spent < max_ns ? max_ns - spent : 0;
    /* What pump itself could complete (it failed) must not wait for the device. */
    const int rc = dev->transport->ops->poll(dev->transport, dev->requests.completed != 0 ? 0 : left);
    if (rc < 0) {
      pump(dev); /* the transport refuses everything now: what waited fails with its error */
      return rc;
    }
    if (rc == 0 || dev->requests.completed != 0) break;
  }
  return (int)dev->requests.completed;
}

int openremap_wait_all(struct openremap_device *dev) {
  while (dev->requests.in_flight != 0) {
    const int rc = openremap_poll(dev, UINT64_MAX);
    if (rc < 0) return rc;
  }
  return 0;
}

size_t openremap_in_flight(const struct openremap_device *dev) { return dev->requests.in_flight; }

void request_cancel_waiting(struct openremap_device *dev, int error) {
  while (dev->requests.waiting_head != NULL) {
    struct request *request = dev->requests.waiting_head;
    pop_waiting(dev);
    if (request->status == 0) request->status = error;
    request->units_left = 0;
    if (request->pieces_in_flight == 0) finish_request(request);
  }
}

void request_free_pool(struct openremap_device *dev) {
  while (dev->requests.free_pieces != NULL) {
    struct piece *piece = dev->requests.free_pieces;
    dev->requests.free_pieces = piece->next;
    free(piece);
  }
}

void request_wait_done(void *arg, int status, uint32_t result) {
  struct request_wait *wait = arg;
  *wait = (struct request_wait){.finished = true, .status = status, .result = result};
}

int request_await(struct openremap_device *dev, const struct request_wait *wait) {
  while (!wait->finished) {
    const int rc = openremap_poll(dev, UINT64_MAX);
    if (rc < 0 && !wait->finished) return rc;
  }
  return wait->status;
}
