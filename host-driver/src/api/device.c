/* SPDX-License-Identifier: Apache-2.0 */
#include "api/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/block_format.h"
#include "api/known.h"
#include "api/remap_wire.h"
#include "api/request.h"
#include "kernel/kernel_linux.h"
#include "kernel/kernel_transport.h"
#include "openremap_cmd.h"
#include "pcie/pcie_transport.h"

static int open_failed(struct openremap_device *dev, int rc, char *error, size_t error_len, const char *what) {
  if (error != NULL && error_len != 0) {
    char words[96];
    snprintf(error, error_len, "%s: %s", what, openremap_describe(rc, words, sizeof(words)));
  }
  dev->transport->ops->close(dev->transport);
  request_free_pool(dev);
  free(dev);
  return rc;
}

/* Copies a space-padded wire string and terminates it. `size`: of out, the wire's length + 1. */
static void copy_string(char *out, size_t size, const uint8_t *wire) {
  memcpy(out, wire, size - 1);
  size_t length = size - 1;
  while (length > 0 && (out[length - 1] == ' ' || out[length - 1] == '\0')) length--;
  out[length] = '\0';
}

static void fill_info(struct openremap_device *dev, const struct nvme_identify_controller *ctrl) {
  struct openremap_info *info = &dev->info;
  copy_string(info->serial, sizeof(info->serial), ctrl->sn);
  copy_string(info->model, sizeof(info->model), ctrl->mn);
  /* The record has the eight characters as one number. */
  uint8_t revision[8];
  orm_put_le(revision, ctrl->fr, sizeof(revision));
  copy_string(info->firmware, sizeof(info->firmware), revision);
  copy_string(info->subnqn, sizeof(info->subnqn), ctrl->subnqn);
  orm_put_le(info->eui64, dev->ns.eui64, sizeof(info->eui64)); /* likewise */
  memcpy(info->nguid, dev->ns.nguid, sizeof(info->nguid));
  info->nvme_version = ctrl->ver;
  info->pages = dev->ns.nsze;
  info->max_transfer_pages = dev->transport->limits.max_transfer_bytes / OPENREMAP_PAGE_BYTES;
  const bool has_sizes = (dev->ns.nsfeat & NVME_NSFEAT_OPTIMAL_SIZES) != 0;
  info->write_granularity = has_sizes ? dev->ns.npwg + 1u : 1;
  info->queue_depth = dev->transport->limits.queue_depth;
  info->io_queues = dev->transport->limits.io_queues;
  info->max_remap_pages = ORM_REMAP_PAGES_MAX;
  info->max_remap_ranges = remap_wire_max_ranges(dev->transport->limits.max_transfer_bytes);
  info->write_cache = (ctrl->vwc & NVME_VWC_PRESENT) != 0;
  info->has_copy = (ctrl->oncs & NVME_ONCS_COPY) != 0;
  info->has_deallocate = (ctrl->oncs & NVME_ONCS_DSM) != 0;
  info->has_write_zeroes = (ctrl->oncs & NVME_ONCS_WRITE_ZEROES) != 0;
}

/* From a byte of Identify that each vendor uses as it likes. */
static void fill_board(struct openremap_info *info, uint8_t board) {
  info->nvram_volatile = (board & ORM_BOARD_NVRAM_VOLATILE) != 0;
  info->flash_volatile = (board & ORM_BOARD_FLASH_VOLATILE) != 0;
  info->unverified = (board & ORM_BOARD_UNVERIFIED) != 0;
}

int device_open(struct transport *transport, struct openremap_device **out, char *error, size_t error_len) {
  *out = NULL;
  struct openremap_device *dev = calloc(1, sizeof(*dev));
  if (dev == NULL) {
    transport->ops->close(transport);
    return -ENOMEM;
  }
  dev->transport = transport;

  struct nvme_identify_controller ctrl;
  int rc = openremap_identify_controller(dev, &ctrl);
  if (rc != 0) return open_failed(dev, rc, error, error_len, "Identify Controller");
  uint8_t page[NVME_IDENTIFY_NAMESPACE_BYTES];
  struct nvme_submission_entry identify;
  nvme_cmd_identify(&identify, OPENREMAP_NSID, NVME_CNS_NAMESPACE);
  rc = openremap_admin(dev, &identify, page, sizeof(page), NULL);
  if (rc != 0) return open_failed(dev, rc, error, error_len, "Identify Namespace 1");
  char why[160];
  if (!block_format_fits(page, why, sizeof(why))) return open_failed(dev, -ENOTSUP, error, error_len, why);
  nvme_identify_namespace_unpack(&dev->ns, page);
  dev->block_format = block_format_in_use(page);
  fill_info(dev, &ctrl);
  rc = known_ask(dev, &ctrl);
  if (rc != 0) return open_failed(dev, rc, error, error_len, "Get Log Page");
  if (dev->refused == 0) fill_board(&dev->info, ctrl.board);
  *out = dev;
  return 0;
}

int openremap_open(const struct openremap_options *options, struct openremap_device **out, char *error,
                   size_t error_len) {
  *out = NULL;
  if (error != NULL && error_len != 0) error[0] = '\0';
  if (options->create == NULL && options->node == NULL) return -EINVAL;
  struct transport *transport = NULL;
  int rc = options->node != NULL ? kernel_transport_open(&kernel_os_linux, options, &transport, error, error_len)
                                 : pcie_transport_open(options, &transport, error, error_len);
  if (rc == 0) rc = device_open(transport, out, error, error_len);
  if (rc != 0) return rc;
  (*out)->trace = options->trace;
  (*out)->trace_arg = options->trace_arg;
  return 0;
}

int openremap_close(struct openremap_device *dev) {
  if (dev == NULL) return 0;
  /* What was submitted is sent and finished first: a shutdown under commands in flight may drop them. */
  int rc = openremap_wait_all(dev);
  request_cancel_waiting(dev, -ECANCELED);
  const int closed = dev->transport->ops->close(dev->transport);
  if (rc == 0) rc = closed;
  request_free_pool(dev);
  free(dev);
  return rc;
}

int openremap_reset(struct openremap_device *dev) {
  request_cancel_waiting(dev, -ECANCELED);
  return dev->transport->ops->reset(dev->transport);
}

int openremap_power_cycle(struct openremap_device *dev) {
  if (dev->transport->ops->power_cycle == NULL) return -ENOTSUP;
  request_cancel_waiting(dev, -ECANCELED);
  return dev->transport->ops->power_cycle(dev->transport);
}

const char *openremap_why_lost(const struct openremap_device *dev) {
  const struct transport_ops *ops = dev->transport->ops;
  return ops->why_lost != NULL ? ops->why_lost(dev->transport) : NULL;
}

const struct openremap_info *openremap_get_info(const struct openremap_device *dev) { return &dev->info; }

void *openremap_dma_alloc(struct openremap_device *dev, size_t bytes) {
  return dev->transport->ops->dma_alloc(dev->transport, bytes);
}

void openremap_dma_free(struct openremap_device *dev, void *memory) {
  dev->transport->ops->dma_free(dev->transport, memory);
}

void openremap_get_driver_stats(const struct openremap_device *dev, struct openremap_driver_stats *out) {
  struct transport_stats stats;
  dev->transport->ops->get_stats(dev->transport, &stats);
  *out = (struct openremap_driver_stats){
      .commands = stats.commands, .interrupts = stats.interrupts, .bounced_bytes = stats.bounced_bytes};
}

uint64_t openremap_now_ns(struct openremap_device *dev) { return dev->transport->ops->now_ns(dev->transport); }

struct pcie_function *openremap_pcie_function(struct openremap_device *dev) {
  return pcie_transport_function(dev->transport);
}
