/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/pcie_transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcie/pcie_controller.h"
#include "pcie/pcie_queues.h"
#include "pcie/pcie_registers.h"
#include "pcie/pcie_start.h"

#define DEFAULT_QUEUE_DEPTH 64u
#define DEFAULT_TIMEOUT_NS 2000000000ull
#define DEFAULT_READY_TIMEOUT_NS 60000000000ull
#define DEFAULT_DMA_BYTES (32u << 20)

static struct pcie_transport *from_base(struct transport *transport) { return (struct pcie_transport *)transport; }

/* ---- What the device asks of us -------------------------------------------------------------------------------- */

static int host_dma_read(void *ctx, uint64_t addr, void *buf, size_t len) {
  const struct pcie_transport *t = ctx;
  const void *memory = dma_arena_at(&t->arena, addr, len);
  if (memory == NULL) return -EFAULT;
  memcpy(buf, memory, len);
  return 0;
}

static int host_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len) {
  const struct pcie_transport *t = ctx;
  void *memory = dma_arena_at(&t->arena, addr, len);
  if (memory == NULL) return -EFAULT;
  memcpy(memory, buf, len);
  return 0;
}

/* Completions are found by their phase bits; the interrupt only ends the device's `run` early. */
static void host_msix(void *ctx, unsigned vector) {
  struct pcie_transport *t = ctx;
  (void)vector;
  t->stats.interrupts++;
}

/* ---- The calls -------------------------------------------------------------------------------------------------- */

/* The device is quiet (reset, or without power): forget what was under way and start again. */
static int restart(struct pcie_transport *t) {
  t->lost = -ECANCELED; /* commands given back below must not come straight in again */
  pcie_drop_queues(t);
  t->lost = 0;
  t->why_lost[0] = '\0';
  const int rc = pcie_start(t);
  if (rc != 0) t->lost = rc < 0 ? rc : -EIO;
  return rc;
}

static int transport_submit(struct transport *transport, struct transport_command *command) {
  return pcie_submit(from_base(transport), command);
}

static int transport_poll(struct transport *transport, uint64_t max_ns) {
  return pcie_poll(from_base(transport), max_ns);
}

static int pcie_reset(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  const int rc = t->fn->ops->reset(t->fn);
  return rc != 0 ? rc : restart(t);
}

static int pcie_power_cycle(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  int rc = t->fn->ops->power_cut(t->fn);
  if (rc == -ENODEV) rc = 0; /* power is gone already */
  if (rc == 0) rc = t->fn->ops->power_on(t->fn);
  return rc != 0 ? rc : restart(t);
}

static int pcie_close(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  int rc = 0;
  if (t->fn != NULL) {
    rc = pcie_shut_down(t);
    t->lost = -ECANCELED;
    pcie_drop_queues(t);
    t->fn->ops->close(t->fn);
  }
  dma_arena_destroy(&t->arena);
  free(t);
  return rc;
}

static uint64_t pcie_now_ns(struct transport *transport) { return pcie_now(from_base(transport)); }

static void *pcie_dma_alloc(struct transport *transport, size_t bytes) {
  return dma_arena_alloc(&from_base(transport)->arena, bytes);
}

static void pcie_dma_free(struct transport *transport, void *memory) {
  dma_arena_free(&from_base(transport)->arena, memory);
}

static void pcie_get_stats(struct transport *transport, struct transport_stats *stats) {
  *stats = from_base(transport)->stats;
}

static const char *pcie_why_lost(const struct transport *transport) {
  const struct pcie_transport *t = (const struct pcie_transport *)transport;
  return t->why_lost[0] != '\0' ? t->why_lost : NULL;
}

static const struct transport_ops pcie_ops = {
    .submit = transport_submit,
    .poll = transport_poll,
    .now_ns = pcie_now_ns,
    .reset = pcie_reset,
    .power_cycle = pcie_power_cycle,
    .dma_alloc = pcie_dma_alloc,
    .dma_free = pcie_dma_free,
    .get_stats = pcie_get_stats,
    .why_lost = pcie_why_lost,
    .close = pcie_close,
};

struct pcie_function *pcie_transport_function(struct transport *transport) {
  return transport->ops == &pcie_ops ? from_base(transport)->fn : NULL;
}

int pcie_transport_open(const struct openremap_options *options, struct transport **out, char *error,
                        size_t error_len) {
  *out = NULL;
  struct pcie_transport *t = calloc(1, sizeof(*t));
  if (t == NULL) return -ENOMEM;
  t->base.ops = &pcie_ops;
  t->error = error;
  t->error_len = error_len;
  t->wanted_queues = options->io_queues != 0 ? options->io_queues : 1;
  if (t->wanted_queues > PCIE_MAX_IO_QUEUES) t->wanted_queues = PCIE_MAX_IO_QUEUES;
  t->wanted_depth = options->queue_depth != 0 ? options->queue_depth : DEFAULT_QUEUE_DEPTH;
  if (t->wanted_depth > 65535) t->wanted_depth = 65535;
  t->timeout_ns = options->timeout_ns != 0 ? options->timeout_ns : DEFAULT_TIMEOUT_NS;
  t->ready_timeout_ns = options->ready_timeout_ns != 0 ? options->ready_timeout_ns : DEFAULT_READY_TIMEOUT_NS;
  t->host = (struct pcie_host){.ctx = t, .dma_read = host_dma_read, .dma_write = host_dma_write, .msix = host_msix};

  int rc = dma_arena_init(&t->arena, options->dma_bytes != 0 ? options->dma_bytes : DEFAULT_DMA_BYTES);
  if (rc != 0) {
    pcie_fail(t, rc, "no memory for DMA");
    free(t);
    return rc;
  }
  errno = 0;
  t->fn = options->create(&options->device, &t->host, error, error_len);
  if (t->fn == NULL) {
    rc = errno == EINVAL ? -EINVAL : -ENODEV;
    pcie_close(&t->base);
    return rc;
  }
  dma_arena_share(&t->arena, t->fn);
  rc = pcie_start(t);
  if (rc != 0) {
    t->lost = rc < 0 ? rc : -EIO; /* no orderly shutdown of what did not start */
    pcie_close(&t->base);
    return rc;
  }
  t->error = NULL;
  *out = &t->base;
  return 0;
}
