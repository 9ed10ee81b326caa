/* SPDX-License-Identifier: Apache-2.0 */
/* handle.h - what is behind `struct openremap_device`: a transport, what the device said of itself, requests in
 * progress. */
#ifndef OPENREMAP_HANDLE_H
#define OPENREMAP_HANDLE_H

#include "base/transport.h"
#include "openremap.h"

struct request; /* request.c */
struct piece;

/* Requests and the commands they are cut into. request.c alone writes it. */
struct request_queue {
  struct request *waiting_head; /* requests with pieces left to send, oldest first */
  struct request *waiting_tail;
  struct piece *free_pieces;
  size_t in_flight;        /* requests not completed */
  size_t pieces_in_flight; /* commands the transport holds */
  size_t completed;        /* requests completed since openremap_poll was entered */
};

/* device.c fills it in when it opens the device; later only `requests` changes. */
struct openremap_device {
  struct transport *transport;
  struct openremap_info info;
  struct nvme_identify_namespace ns;
  unsigned block_format; /* number of the LBA format in use */
  int refused;           /* of vendor commands, a negative errno; 0: the device is known. known.c writes it */
  char refusal[200];     /* why */
  struct request_queue requests;
  openremap_trace trace; /* NULL: nobody */
  void *trace_arg;
};

#define OPENREMAP_NSID 1u /* the only namespace of the device */

#endif /* OPENREMAP_HANDLE_H */
