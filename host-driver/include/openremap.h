/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap.h - libopenremap: an NVMe SSD whose mapping table the host may edit.
 *
 * Units. An LPN is the number of a 4 KiB logical page, which is an NVMe logical block of namespace 1 (4096-byte LBA
 * format). Counts are 1-based. Time is the device's own, in nanoseconds: a simulated device moves only inside calls of
 * this library.
 *
 * Returns. Unless a function says otherwise, it returns
 *   < 0  a negative errno: the command did not complete.
 *          -EINVAL     a wrong argument
 *          -ENOMEM     no memory, or no DMA memory (openremap_options.dma_bytes)
 *          -ETIMEDOUT  a command took longer than timeout_ns
 *          -EIO        the controller failed (CSTS.CFS), or the simulation stopped
 *          -ECANCELED  a reset or a power cycle came in between
 *        After -ETIMEDOUT and -EIO the controller is lost: requests end with the same errno until openremap_reset().
 *   0    done.
 *   > 0  the NVMe status that the device answered with, SCT << 8 | SC (NVMe 1.4, section 4.6.1). Vendor codes are of
 *        interfaces/formats/formats.yaml.
 * openremap_describe() puts any of them into words.
 *
 * Threads. Nothing here is thread-safe. A device belongs to one thread at a time; callers lock. Different devices are
 * independent.
 *
 * Durability. A completed write is durable once openremap_flush() has returned 0, or at once with `fua`. Remaps,
 * deallocations, copies and formats are durable when they complete.
 *
 * Specifications: NVM Express Base Specification 1.4, whose sections are cited below; Copy of NVM Command Set 1.0;
 * Flexible Data Placement of Base Specification 2.1; the vendor commands of docs/gen.
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
  const struct nvme_submission_entry *command; /* as sent, but for PRPs and the identifier */
  const void *data; /* the host's buffer; what a read will put there is not in it yet. NULL: the command has no data */
  size_t bytes;     /* of `data` */
  size_t in_flight; /* I/O and admin commands sent before it and not completed */
};
/* The hook for those who watch or record: called for each I/O command in the order sent, from inside any call that
 * sends. It must not call this library; what it is given is valid during the call. */
typedef void (*openremap_trace)(void *arg, const struct openremap_trace_event *event);

/* Who else may use a node while it is open here. It binds those alone who ask for it: a program that asks for nothing
 * can open the node at any time. */
enum openremap_access {
  OPENREMAP_ACCESS_SHARED = 0, /* all others; nothing is asked for */
  OPENREMAP_ACCESS_READER,     /* other readers; for those that would read nonsense while another writes */
  OPENREMAP_ACCESS_ALONE, /* none, nor a file system that is mounted; for those that keep state of their own there */
};

struct openremap_options {
  struct pcie_device_options device; /* which device, where its images are */
  /* Makes the PCIe function; &pcie_device_create for the devices of this project. */
  struct pcie_function *(*create)(const struct pcie_device_options *options, const struct pcie_host *host, char *error,
                                  size_t error_len);
  /* Instead of making one: the namespace of a device that Linux drives, /dev/nvme0n1 or /dev/ng0n1. Of the other
   * options only `access`, `timeout_ns` (0: 30 s), `queue_depth` and `trace` count then. Through a block device, or
   * without io_uring passthrough (Linux 5.19), one command is in flight at a time. openremap_reset() and
   * openremap_power_cycle() return -ENOTSUP; closing leaves the device running. */
  const char *node;
  enum openremap_access access; /* of the node; 0: other programs, and file systems, may use it at the same time */
  uint32_t queue_depth;         /* I/O commands in flight per queue; 0: 64. Lowered to what the controller has */
  uint32_t io_queues;           /* I/O queue pairs; 0: 1. Lowered to what the controller grants */
  uint64_t timeout_ns;          /* longest a command may take, device time; 0: 2 s */
  uint64_t ready_timeout_ns;    /* longest that start-up with recovery, and shutdown, may take; 0: 60 s */
  size_t dma_bytes;             /* memory the device may reach; 0: 32 MiB */
  openremap_trace trace;        /* told of each I/O command; NULL: nobody */
  void *trace_arg;
};

struct openremap_device;

/* Makes or opens the device, enables its controller (section 7.6.1) and reads its limits (Identify, section 5.15).
 * Strings of `options` are used during the call only; `trace_arg` until the device is closed. On failure *out is NULL
 * and `error`, if not NULL, holds one line for a person. -EINVAL: options that this device cannot have. -ENODEV: it was
 * not made, or there is no such node. -EACCES: the node's permissions. -EBUSY: another program has the node, or a file
 * system on it is mounted (openremap_options.access). -ENOTSUP: not formatted to 4096-byte blocks, or
 * a controller that this driver cannot use. */
OPENREMAP_MUST_USE int openremap_open(const struct openremap_options *options, struct openremap_device **out,
                                      char *error, size_t error_len);

/* Completes what was submitted, shuts the controller down (section 7.6.2; cached writes reach flash) and frees
 * everything, whatever the return says. NULL is allowed. */
int openremap_close(struct openremap_device *dev);

/* Resets the controller and brings it up again; what is needed after -ETIMEDOUT and -EIO. Requests in flight complete
 * with -ECANCELED. Data that was written and flushed stays. */
OPENREMAP_MUST_USE int openremap_reset(struct openremap_device *dev);

/* Power goes and comes back at this instant of device time, then as openremap_reset(). For crash tests. -ENOTSUP: a
 * device that is not simulated. */
OPENREMAP_MUST_USE int openremap_power_cycle(struct openremap_device *dev);

/* Why the controller is lost after -ETIMEDOUT or -EIO, in one line: the command that was not completed, or what the
 * controller reports. NULL: it is not lost, or the reason is not known (a node). Valid until the next call. */
const char *openremap_why_lost(const struct openremap_device *dev);

/* What the device is and can do, as it said when it was opened. */
struct openremap_info {
  char serial[21], model[41], firmware[9]; /* terminated, trailing blanks removed */
  char subnqn[257];                        /* name of the NVM subsystem, terminated */
  uint8_t eui64[8], nguid[16];             /* of namespace 1, most significant byte first; 0: the device reports none */
  uint32_t nvme_version;                   /* as register VS: 0x00010400 is 1.4 */
  uint64_t pages;                          /* LPNs 0 .. pages-1 */
  uint32_t max_transfer_pages;             /* of one command; longer requests are split by the library */
  uint32_t write_granularity;      /* pages: writes that begin and end at multiples of it cost least (NPWG + 1) */
  uint32_t queue_depth, io_queues; /* in use */
  uint32_t max_remap_ranges;       /* of one REMAP VECTOR */
  uint32_t max_remap_pages;        /* of all ranges of one REMAP, REMAP VECTOR together */
  bool write_cache;                /* writes need openremap_flush() to be durable */
  bool has_copy, has_deallocate, has_write_zeroes;
  /* What a known device says of itself (openremap_refusal()); of others these are false. */
  bool nvram_volatile; /* remaps and trims do not outlive a power cut, flushed or not */
  bool flash_volatile; /* nor does any data */
  bool unverified;     /* it was loaded with what has no record of its tests */
};
/* Valid until the device is closed. */
const struct openremap_info *openremap_get_info(const struct openremap_device *dev);
/* Any drive with 4096-byte blocks can be opened, and takes the standard commands. A vendor opcode, or a log page of
 * this project, is sent only to a device that is known by its PCI vendor, its model, its Commands Supported and Effects
 * log (section 5.14.1.5) and its remap log page. To others they are refused: calls return -ENOTSUP, or -EACCES where
 * Linux keeps log pages for root, and nothing is sent. Returns NULL for a known device, else one line with the reason,
 * valid until the device is closed. */
const char *openremap_refusal(const struct openremap_device *dev);
/* Identify Controller, Identify Namespace 1 (section 5.15.2): asks the device anew. */
OPENREMAP_MUST_USE int openremap_identify_controller(struct openremap_device *dev,
                                                     struct nvme_identify_controller *out);
OPENREMAP_MUST_USE int openremap_identify_namespace(struct openremap_device *dev, struct nvme_identify_namespace *out);

/* ---- Asynchronous requests ------------------------------------------------------------------------------------ */

/* Called once for each request that was taken, from inside openremap_poll(), _wait_all(), _reset(), _close() or a
 * blocking call. It may submit; it must not poll or call blocking functions. `status`: as a return value. `result`: DW0
 * of the completion that came last. */
typedef void (*openremap_done)(void *arg, int status, uint32_t result);

/*
 * These take a request of any length and return at once; openremap_poll() sends it. The library cuts it into commands
 * of at most max_transfer_pages, which are in flight side by side, in no order. The status is that of the first piece
 * to fail; the other pieces may have been carried out. `data` holds pages * 4096 bytes and stays valid until `done`.
 * The device reads or writes memory of openremap_dma_alloc() in place; other memory is copied. -EINVAL: no pages, or a
 * range beyond 64 bits. -ENOMEM. It is the device that refuses ranges beyond the namespace.
 */
OPENREMAP_MUST_USE int openremap_submit_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data,
                                             openremap_done done, void *arg);
OPENREMAP_MUST_USE int openremap_submit_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              const void *data, bool fua, openremap_done done, void *arg);
/* A write with a placement handle (Flexible Data Placement, Base Specification 2.1, section 8.1.8.4). The device keeps
 * data of different handles apart, so that data which is overwritten together is erased together. A handle that the
 * device does not offer counts as handle 0. */
OPENREMAP_MUST_USE int openremap_submit_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                                     const void *data, bool fua, uint16_t handle, openremap_done done,
                                                     void *arg);
/* Covers every write that completed before it was submitted. */
OPENREMAP_MUST_USE int openremap_submit_flush(struct openremap_device *dev, openremap_done done, void *arg);

/* One command as it stands, admin or I/O (openremap_cmd.h fills it). The library sets the identifier and, for `data` of
 * `bytes` (at most max_transfer_pages * 4096), the PRPs. With `data` NULL and `bytes` 0 the PRPs of `command` go out
 * untouched, to test how a device takes wrong ones. -EINVAL: one of `data` and `bytes` without the other, or too many
 * bytes. */
OPENREMAP_MUST_USE int openremap_submit_command(struct openremap_device *dev, bool admin,
                                                const struct nvme_submission_entry *command, void *data, size_t bytes,
                                                openremap_done done, void *arg);

/* Sends what waits, lets at most `max_ns` of device time pass and calls `done` of what completed. Returns early after a
 * completion, and when the device is idle. Returns the number of requests completed, or a negative errno once the
 * controller is lost; all requests have completed with it then. */
int openremap_poll(struct openremap_device *dev, uint64_t max_ns);
/* Polls until no request is left. 0, or the negative errno of openremap_poll(); each request's own status goes to its
 * `done`. */
OPENREMAP_MUST_USE int openremap_wait_all(struct openremap_device *dev);
/* Requests that were submitted and have not completed. */
size_t openremap_in_flight(const struct openremap_device *dev);

/* Memory that the device reaches without a copy: page-aligned, of whole pages. NULL: no room, or no bytes. Valid until
 * it is freed or the device is closed. */
void *openremap_dma_alloc(struct openremap_device *dev, size_t bytes);
/* `memory` is of openremap_dma_alloc() of the same device, or NULL. No request may use it any more. */
void openremap_dma_free(struct openremap_device *dev, void *memory);

/* ---- Blocking calls -------------------------------------------------------------------------------------------- */

/* Each submits one request and polls until it has completed; the `done` of others are called meanwhile. Arguments and
 * errors are those of the submit. */

OPENREMAP_MUST_USE int openremap_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data);
OPENREMAP_MUST_USE int openremap_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data,
                                       bool fua);
OPENREMAP_MUST_USE int openremap_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              const void *data, bool fua, uint16_t handle);
/* Every write that completed before is durable when this returns 0 (section 6.8). */
OPENREMAP_MUST_USE int openremap_flush(struct openremap_device *dev);

struct openremap_range {
  uint64_t lpn;
  uint64_t pages;
};
/* Dataset Management, Deallocate (section 6.7): the pages hold no flash and read zeroes from then on. Sent in
 * commands of 256 ranges; on an error, ranges of earlier commands are gone. -EINVAL: a range without pages, or
 * beyond 64 bits. */
OPENREMAP_MUST_USE int openremap_deallocate(struct openremap_device *dev, const struct openremap_range *ranges,
                                            size_t count);
/* Write Zeroes (section 6.17). `deallocate`: the device may drop the flash behind the pages instead of writing zeroes
 * (DEAC). */
OPENREMAP_MUST_USE int openremap_write_zeroes(struct openremap_device *dev, uint64_t lpn, uint64_t pages,
                                              bool deallocate);

/* How a remap treats its source; the values are those of the command (interfaces/formats/formats.yaml). */
enum openremap_remap_flags {
  OPENREMAP_SHARE = 0, /* the source stays mapped: both LPNs name the same flash */
  OPENREMAP_MOVE = 1,  /* the source becomes unmapped */
};
struct openremap_remap_range {
  uint64_t src;
  uint64_t dst;
  uint64_t pages;
};
/* REMAP: the LPNs dst .. dst+pages-1 name the flash of src .. src+pages-1 from then on; no data moves. All pages change
 * or none does, across power cuts too. Sources must be mapped. The device refuses more than info.max_remap_pages
 * (Command Size Limit Exceeded), unmapped sources, and remaps that it has no room for (openremap_should_write_instead).
 * -EINVAL: a range that the command cannot express.
 *
 * Through a node, Linux passes vendor commands for root only: -EACCES. A SHARE that one Copy can express (targets in a
 * row, within the limits of Copy) is sent as that instead; a source that is not mapped is no error then, its target
 * becomes unmapped. */
OPENREMAP_MUST_USE int openremap_remap(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages,
                                       unsigned flags);
/* REMAP VECTOR: `count` ranges in one command, all of which take effect or none does, across power cuts too. -E2BIG:
 * more than info.max_remap_ranges. -EINVAL: no ranges; else as openremap_remap(). */
OPENREMAP_MUST_USE int openremap_remap_vector(struct openremap_device *dev, const struct openremap_remap_range *ranges,
                                              size_t count, unsigned flags);
/* Whether `status` of a remap says that the device had no room for it (sharers of a slot, or NVRAM). The caller then
 * writes the pages instead; any other error is a fault. */
bool openremap_should_write_instead(int status);
/* Copy (NVM Command Set 1.0, section 3.2.2) of one range, in commands of what the namespace allows (MSSRL, MCL). The
 * device executes it as a remap. A source page that is not mapped makes its target unmapped. -EINVAL: no pages, or a
 * range beyond 64 bits. */
OPENREMAP_MUST_USE int openremap_copy(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages);

/* Format NVM (section 5.23), to the LBA format in use: all pages become unmapped. Other commands to them end with
 * Format in Progress until it is done. `erase`: user data erase, the flash is erased as well. A power cut leaves all of
 * the data or none. */
OPENREMAP_MUST_USE int openremap_format(struct openremap_device *dev, bool erase);

/* A placement handle and the reclaim unit that it fills. */
struct openremap_placement {
  uint16_t handle;     /* for openremap_write_placed() */
  uint64_t pages_left; /* that its reclaim unit still takes */
};
/* The placement handles of the namespace (Reclaim Unit Handle Status, Base Specification 2.1, section 7.3.1). Stores
 * how many there are in *count, and the first `max` of them in `out`. */
OPENREMAP_MUST_USE int openremap_get_placement(struct openremap_device *dev, struct openremap_placement *out,
                                               size_t max, size_t *count);
/* The next write with each of these `count` handles begins another reclaim unit (Reclaim Unit Handle Update, section
 * 7.4.1). On an error none does. -EINVAL: no handle, or more than 128. */
OPENREMAP_MUST_USE int openremap_placement_update(struct openremap_device *dev, const uint16_t *handles, size_t count);

/* Get Log Page (section 5.14): `bytes` of page `log_id` from byte `offset` on, in as many commands as that takes.
 * A page of an endurance group is that of the namespace's group.
 * -EINVAL: no bytes, or numbers that are not multiples of 4. */
OPENREMAP_MUST_USE int openremap_get_log_page(struct openremap_device *dev, uint8_t log_id, uint64_t offset, void *data,
                                              size_t bytes);

/* One admin or I/O command as openremap_submit_command(), executed. `result`: DW0 of the completion, also after an NVMe
 * status; may be NULL. */
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

/* Device time, ns: since a simulated device was made; of a node, a clock of the host that only goes forward. */
uint64_t openremap_now_ns(struct openremap_device *dev);

/* The PCIe function behind the device, for what only a simulation has (sim_stats, raw registers). NULL for a node. The
 * device owns it. */
struct pcie_function *openremap_pcie_function(struct openremap_device *dev);

/* Version of this library, "MAJOR.MINOR.PATCH". A device's firmware tells its own in Identify Controller (FR). */
const char *openremap_version(void);

/* Writes words for a return value into `text` of `len` bytes, terminated; returns `text`. E.g. "LBA Out of Range (NVMe
 * status 0x080)", or strerror() of an errno. */
const char *openremap_describe(int status, char *text, size_t len);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_H */
