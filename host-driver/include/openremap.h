/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap.h - libopenremap: an NVMe SSD whose mapping table the host may edit.
 *
 * Units. LPN: number of a 4 KiB logical page = NVMe logical block of namespace 1 (4096-byte LBA format). Counts are
 * 1-based. Time is the device's own, in nanoseconds: a simulated device moves only inside calls of this library.
 *
 * Returns. Unless stated otherwise:  < 0 a negative errno: the command did not complete (wrong argument, no memory,
 * -ETIMEDOUT, -EIO controller lost);  0 done;  > 0 the NVMe status that the device answered with, SCT << 8 | SC.
 * openremap_describe() puts any of them into words.
 *
 * Threads. Nothing here is thread-safe: one thread at a time per device, callers lock. Different devices are
 * independent.
 */
#ifndef OPENREMAP_H
#define OPENREMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvme_spec.h"
#include "pcie_function.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPENREMAP_PAGE_BYTES 4096u

#if defined(__GNUC__)
#define OPENREMAP_MUST_USE __attribute__((warn_unused_result))
#else
#define OPENREMAP_MUST_USE
#endif

/* ---- Opening -------------------------------------------------------------------------------------------------- */

/* One I/O command on its way to the device. */
struct openremap_trace_event {
  const struct nvme_submission_entry *command; /* PRPs and identifier are not those that go out */
  const void *data;                            /* of the host, `bytes` long; not yet valid for what the device gives */
  size_t bytes;
  size_t in_flight; /* I/O and admin commands sent before it and not completed */
};
/* Called for each I/O command in the order sent, from inside any call that sends; must not call this library. */
typedef void (*openremap_trace)(void *arg, const struct openremap_trace_event *event);

struct openremap_options {
  struct pcie_device_options device; /* which device, where its images are */
  /* Makes the PCIe function; &pcie_device_create for the devices of this project. */
  struct pcie_function *(*create)(const struct pcie_device_options *options, const struct pcie_host *host, char *error,
                                  size_t error_len);
  /* Instead of making one: the namespace of a device that Linux drives, /dev/nvme0n1 or /dev/ng0n1. Nothing but `timeout_ns`
   * (0: 30 s), `queue_depth` and `trace` counts then; by a block device, and where Linux has no io_uring for us, one command is
   * in flight. openremap_reset is -ENOTSUP, and closing leaves the device running. Commands of other programs, file systems
   * among them, go on beside those of this library. */
  const char *node;
  uint32_t queue_depth;      /* I/O commands in flight per queue; 0: 64. Lowered to what the controller has */
  uint32_t io_queues;        /* I/O queue pairs; 0: 1. Lowered to what the controller grants */
  uint64_t timeout_ns;       /* longest a command may take, device time; 0: 2 s */
  uint64_t ready_timeout_ns; /* longest that start-up with recovery, and shutdown, may take; 0: 60 s */
  size_t dma_bytes;          /* memory the device may reach; 0: 32 MiB */
  openremap_trace trace;     /* told of each I/O command; NULL: nobody */
  void *trace_arg;
};

struct openremap_device;

/* Enables the controller and reads its limits. On failure *out is NULL and `error` holds one line for a person. -EINVAL:
 * options that this device cannot have; -ENODEV: it was not made, or there is no such node. */
OPENREMAP_MUST_USE int openremap_open(const struct openremap_options *options, struct openremap_device **out,
                                      char *error, size_t error_len);

/* Normal shutdown (cached writes reach flash), then frees everything, whatever the return says. */
int openremap_close(struct openremap_device *dev);

/* After -ETIMEDOUT or -EIO: resets the controller and brings it up again. Written and flushed data stays. */
OPENREMAP_MUST_USE int openremap_reset(struct openremap_device *dev);

/* Power goes, and comes back, at this instant of device time; commands in flight complete with -ECANCELED. Then as
 * openremap_reset. For crash tests. */
OPENREMAP_MUST_USE int openremap_power_cycle(struct openremap_device *dev);

/* What the device is and can do. */
struct openremap_info {
  char serial[21], model[41], firmware[9]; /* terminated, trailing blanks removed */
  uint32_t nvme_version;                   /* as register VS: 0x00010400 is 1.4 */
  uint64_t pages;                          /* LPNs 0 .. pages-1 */
  uint32_t max_transfer_pages;             /* of one command; longer requests are split by the library */
  uint32_t write_granularity;      /* pages: what is written, and begins, at multiples of it costs least (NPWG) */
  uint32_t queue_depth, io_queues; /* in use */
  uint32_t max_remap_ranges;       /* of one REMAP VECTOR */
  uint32_t max_remap_pages;        /* of all ranges of one REMAP, REMAP VECTOR together */
  bool write_cache;                /* writes need openremap_flush() to be durable */
  bool has_copy, has_deallocate, has_write_zeroes;
};
const struct openremap_info *openremap_get_info(const struct openremap_device *dev);
OPENREMAP_MUST_USE int openremap_identify_controller(struct openremap_device *dev,
                                                     struct nvme_identify_controller *out);
OPENREMAP_MUST_USE int openremap_identify_namespace(struct openremap_device *dev, struct nvme_identify_namespace *out);

/* ---- Asynchronous requests ------------------------------------------------------------------------------------ */

/* Called once, from inside openremap_poll/wait/reset/close; may submit, must not poll. `result`: DW0 of the last
 * completion. */
typedef void (*openremap_done)(void *arg, int status, uint32_t result);

/*
 * Take a request of any length and return at once; pieces of at most max_transfer_pages go to the device side by side.
 * The status is that of the first piece to fail. `data` stays valid until `done`; where it comes from
 * openremap_dma_alloc() the device reads or writes it in place, else it is copied.
 * -EINVAL: no pages, or beyond the 64-bit range. Ranges beyond the namespace are the device's to refuse.
 */
OPENREMAP_MUST_USE int openremap_submit_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data,
                                             openremap_done done, void *arg);
OPENREMAP_MUST_USE int openremap_submit_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              const void *data, bool fua, openremap_done done, void *arg);
/* With a placement handle (Flexible Data Placement): the device keeps what is written with different handles apart, so
 * that data which dies together is erased together. One that the device does not offer counts as handle 0. */
OPENREMAP_MUST_USE int openremap_submit_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                                     const void *data, bool fua, uint16_t handle, openremap_done done,
                                                     void *arg);
OPENREMAP_MUST_USE int openremap_submit_flush(struct openremap_device *dev, openremap_done done, void *arg);

/* One command as it stands. `data` (bytes > 0) or NULL; PRPs and the identifier are filled in, but with `data` NULL
 * the PRPs of `command` go out untouched, for testing how a device takes wrong ones. */
OPENREMAP_MUST_USE int openremap_submit_command(struct openremap_device *dev, bool admin,
                                                const struct nvme_submission_entry *command, void *data, size_t bytes,
                                                openremap_done done, void *arg);

/* Sends what waits, lets at most `max_ns` pass, calls `done` of what completed. Returns early after a completion.
 * Returns the number of requests completed, or a negative errno once the controller is lost. */
int openremap_poll(struct openremap_device *dev, uint64_t max_ns);
/* Polls until nothing is in flight. */
OPENREMAP_MUST_USE int openremap_wait_all(struct openremap_device *dev);
/* Requests submitted and not completed. */
size_t openremap_in_flight(const struct openremap_device *dev);

void *openremap_dma_alloc(struct openremap_device *dev, size_t bytes); /* page-aligned; NULL: no room */
void openremap_dma_free(struct openremap_device *dev, void *memory);

/* ---- Blocking calls -------------------------------------------------------------------------------------------- */

OPENREMAP_MUST_USE int openremap_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data);
OPENREMAP_MUST_USE int openremap_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data,
                                       bool fua);
OPENREMAP_MUST_USE int openremap_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              const void *data, bool fua, uint16_t handle);
/* Every write completed before is durable when this returns 0. */
OPENREMAP_MUST_USE int openremap_flush(struct openremap_device *dev);

struct openremap_range {
  uint64_t lpn;
  uint64_t pages;
};
/* The pages read zeroes from now on and hold no flash. Sent as few commands of up to 256 ranges; on an error, ranges of
 * earlier commands are gone. */
OPENREMAP_MUST_USE int openremap_deallocate(struct openremap_device *dev, const struct openremap_range *ranges,
                                            size_t count);
/* `deallocate`: the device may drop the flash behind the pages instead of writing zeroes. */
OPENREMAP_MUST_USE int openremap_write_zeroes(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              bool deallocate);

enum openremap_remap_flags {
  OPENREMAP_SHARE = 0, /* the source stays mapped: both names read the same flash */
  OPENREMAP_MOVE = 1,  /* the source becomes unmapped */
};
struct openremap_remap_range {
  uint64_t src;
  uint64_t dst;
  uint64_t pages;
};
/* Makes dst .. dst+pages-1 name the flash that src .. holds; no data moves. On an error nothing has changed. More
 * than info.max_remap_pages is Command Size Limit Exceeded.
 *
 * Through a node, Linux may not let a program send vendor commands: -EACCES. A SHARE that one Copy can say (targets in a row,
 * within the limits of Copy) is then sent as that; its sources may be unmapped, and their targets become so. */
OPENREMAP_MUST_USE int openremap_remap(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages,
                                       unsigned flags);
/* All ranges take effect or none does, power cuts included. -E2BIG beyond info.max_remap_ranges. */
OPENREMAP_MUST_USE int openremap_remap_vector(struct openremap_device *dev, const struct openremap_remap_range *ranges,
                                              size_t count, unsigned flags);
/* Whether `status` says that the device had no room for the remap (sharers or NVRAM) and the pages should be written
 * instead; any other error is a fault. */
bool openremap_should_write_instead(int status);
/* NVMe Copy of one range; the device executes it as a remap. Unmapped source pages become unmapped targets. */
OPENREMAP_MUST_USE int openremap_copy(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages);

/* Format NVM: all pages become unmapped, and commands to them end with Format in Progress until it is done. `erase`: their
 * flash is erased, too. A power cut leaves everything, or nothing. */
OPENREMAP_MUST_USE int openremap_format(struct openremap_device *dev, bool erase);

/* A placement handle and the reclaim unit that it fills. */
struct openremap_placement {
  uint16_t handle;     /* for openremap_write_placed() */
  uint64_t pages_left; /* that its reclaim unit still takes */
};
/* The placement handles of the namespace: *count of them, of which the first `max` go to `out`. */
OPENREMAP_MUST_USE int openremap_get_placement(struct openremap_device *dev, struct openremap_placement *out,
                                               size_t max, size_t *count);
/* The next write with each of the handles begins another reclaim unit. On an error none does. -EINVAL: no handle, or more
 * than there are identifiers. */
OPENREMAP_MUST_USE int openremap_placement_update(struct openremap_device *dev, const uint16_t *handles, size_t count);

/* `offset` and `bytes` are multiples of 4. */
OPENREMAP_MUST_USE int openremap_get_log_page(struct openremap_device *dev, uint8_t log_id, uint64_t offset, void *data,
                                              size_t bytes);

/* One command, as openremap_submit_command. `result` may be NULL. */
OPENREMAP_MUST_USE int openremap_admin(struct openremap_device *dev, const struct nvme_submission_entry *command,
                                       void *data, size_t bytes, uint32_t *result);
OPENREMAP_MUST_USE int openremap_io(struct openremap_device *dev, const struct nvme_submission_entry *command,
                                    void *data, size_t bytes, uint32_t *result);

/* ---- Figures ---------------------------------------------------------------------------------------------------- */

/* What this library did; the device's own counters come with openremap_get_stats (openremap_stats.h). */
struct openremap_driver_stats {
  uint64_t commands;      /* sent, admin included */
  uint64_t interrupts;    /* MSI-X received */
  uint64_t bounced_bytes; /* copied between the caller's memory and DMA memory */
};
void openremap_get_driver_stats(const struct openremap_device *dev, struct openremap_driver_stats *out);

uint64_t openremap_now_ns(struct openremap_device *dev);

/* The function behind the device, for what only a simulation has (sim_stats, raw registers); NULL for a node. */
struct pcie_function *openremap_pcie_function(struct openremap_device *dev);

/* Version of this library, "MAJOR.MINOR.PATCH". A device's firmware tells its own in Identify Controller (FR). */
const char *openremap_version(void);

/* Words for a return value, into `text`; returns `text`. E.g. "LBA Out of Range (NVMe status 0x080)". */
const char *openremap_describe(int status, char *text, size_t len);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_H */
