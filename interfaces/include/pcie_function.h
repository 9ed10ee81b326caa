/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_function.h - the seam between whoever uses a device and the device: one NVMe PCIe function.
 *
 * Every device (Verilated RTL, fast model, later the SoC) is a `struct pcie_function`; every user (the user-space
 * driver, a test bench, later a vfio-user server) supplies a `struct pcie_host`. Either side can be replaced alone.
 *
 * A device is a discrete simulation: it moves only inside the calls below. Between two calls its time stands still.
 * Nothing here is thread-safe; a device belongs to one thread at a time. The device calls the host back (DMA, MSI-X)
 * from inside these calls; a callback must not call into the device.
 *
 * Returns: 0 on success, a negative errno on failure, unless stated otherwise.
 */
#ifndef OPENREMAP_PCIE_FUNCTION_H
#define OPENREMAP_PCIE_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the device may ask of its host: memory and interrupts. */
struct pcie_host {
  void *ctx;
  /* Reads `len` bytes of host memory at bus address `addr`. -EFAULT when any byte is not mapped for DMA: the device
   * then sees an error response, and no byte of `buf` counts. */
  int (*dma_read)(void *ctx, uint64_t addr, void *buf, size_t len);
  /* Writes `len` bytes. -EFAULT as above, and nothing is written. */
  int (*dma_write)(void *ctx, uint64_t addr, const void *buf, size_t len);
  /* MSI-X vector `vector` fires. All DMA writes that the device made before it are visible. */
  void (*msix)(void *ctx, unsigned vector);
};

struct pcie_function;

struct pcie_function_ops {
  /* BAR0 access; `size` is 4 or 8, `offset` naturally aligned, else -EINVAL. A write is posted: it is accepted, not
   * yet acted on, when the call returns. -ENODEV while power is off. */
  int (*bar0_read)(struct pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value);
  int (*bar0_write)(struct pcie_function *fn, uint64_t offset, unsigned size, uint64_t value);

  /* Lets at most `max_ns` of device time pass; returns early after the first MSI-X, or when the device is fully idle and
   * only the host could wake it. Returns the device time that passed in ns (>= 0), or a negative errno: -EIO if the
   * simulation stopped on a failed assertion or an illegal NAND operation (the device is dead and says why on stderr). */
  int64_t (*run)(struct pcie_function *fn, uint64_t max_ns);

  /* Device time since it was created, ns; monotonic over resets and power cuts. */
  uint64_t (*now_ns)(struct pcie_function *fn);

  /* Function-level reset: as CC.EN cleared, plus all BAR0 state at its reset value. Data stays. */
  int (*reset)(struct pcie_function *fn);

  /* Power goes now: DRAM, on-chip state and whatever was under way are gone; flash and NVRAM stay. */
  int (*power_cut)(struct pcie_function *fn);
  /* Power comes back: the firmware starts and recovers; the function can be enabled when CAP reads back. */
  int (*power_on)(struct pcie_function *fn);

  /* Writes figures of the simulation itself (not of the device) as JSON members, e.g. "sim_cycles", "evaluated_cycles",
   * "wall_seconds", into `buf`; returns the length as snprintf does. Among them the geometry of the flash, which NVMe has
   * no place for: "channels", "dies" (of all channels), "superblocks" (in use), "pages_per_block", "slots_per_page" (of 4 KiB
   * each). */
  int (*sim_stats)(struct pcie_function *fn, char *buf, size_t len);

  /* Ends the simulation. Images are written back; memory is freed. */
  void (*close)(struct pcie_function *fn);
};

struct pcie_function {
  const struct pcie_function_ops *ops;
};

/* As many slots as the rtl has, in pages of four: configuration `wide` of hw/src/top/Presets.scala. */
#define PCIE_WIDE_GEOMETRY "2x2x64x8x4"

/* How a device is made. Strings may be NULL; the struct is copied. */
struct pcie_device_options {
  const char *kind;            /* "rtl" (Verilated controller; also when NULL) or "model" (fast model) */
  const char *image_dir;       /* flash and NVRAM live in files here (created when absent); NULL: in memory */
  const char *trace_file;      /* .vcd or .fst waveform of the run; NULL: none; the model refuses one */
  uint32_t superblocks;        /* superblocks in use, 0: all that the hardware has; fewer make a smaller device */
  uint32_t over_provision_pct; /* share of the usable slots that the namespace does not offer; 0: default */
  uint32_t placement_handles;  /* that the namespace offers; 0: as many as do not make it smaller */
  uint32_t remap_segments;     /* of the remap table that are used; 0: all that the hardware has */
  uint64_t seed;               /* seeds whatever the models draw by chance (torn writes after a power cut) */
  uint32_t no_time_skip;       /* rtl: 1: evaluate every clock cycle, also those in which nothing can happen */
  uint32_t instant_nand;       /* 1: NAND operations take one clock cycle, to measure the controller by itself */
  /* Flash as "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]" (dies of a channel, blocks of a die, pages of a block, slots of 4 KiB of
   * a page: 1 when left out), e.g. "8x4x512x256" for 16 GiB; NULL: "2x2x64x32". The rtl takes what it is built for (also
   * PCIE_WIDE_GEOMETRY, in builds without sanitizers) and refuses others. */
  const char *geometry;
  /* What goes wrong in flash by chance (docs/design/simulation.md): "factory-bad=N,program-fail=P,erase-fail=P,bit-errors=N,wear=N", any
   * of them; NULL: nothing. Marks of bad blocks are made with the image, and stay in it. */
  const char *nand_faults;
  uint32_t images_unchanged; /* 1: images must be there, and stay as they are: what changes goes with the device */
  uint32_t
      bus_stalls; /* rtl: 1: memories and flash hold their buses back and answer late, by the seed (the model has no buses) */
};

/* Makes the device with its power on. On failure returns NULL, puts one line of explanation into `error` and sets errno:
 * EINVAL for options that this device cannot have (no image was made or changed), EIO for all else.
 * Linked into a program through the device libraries it wants (sim/: `orm_device`). `host` is kept by reference and must
 * outlive the function. */
struct pcie_function *pcie_device_create(const struct pcie_device_options *options, const struct pcie_host *host,
                                         char *error, size_t error_len);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PCIE_FUNCTION_H */
