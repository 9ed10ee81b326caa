/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_function.h - the interface between a device, which is one NVMe PCIe function, and its user.
 *
 * Every device (Verilated RTL, fast model, later the SoC) is a `struct pcie_function`; every user (the user-space
 * driver, a test bench, later a vfio-user server) supplies a `struct pcie_host`. Either side can be replaced alone.
 *
 * A device is a discrete simulation, whose time advances only inside the calls below, or a board behind a link, whose
 * time is that of the clock on the wall. Nothing here is thread-safe; a device belongs to one thread at a time. The
 * device calls the host back (DMA, MSI-X) from inside these calls; a callback must not call into the device.
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

/* The host's services to the device: memory and interrupts. */
struct pcie_host {
  void *ctx;
  /* Reads `len` bytes of host memory at bus address `addr`. -EFAULT if any byte is not mapped for DMA: the device then
   * sees an error response, and the content of `buf` is undefined. */
  int (*dma_read)(void *ctx, uint64_t addr, void *buf, size_t len);
  /* Writes `len` bytes to host memory. -EFAULT as above; then nothing is written. */
  int (*dma_write)(void *ctx, uint64_t addr, const void *buf, size_t len);
  /* Signals MSI-X vector `vector`. All DMA writes that the device made before it are visible. */
  void (*msix)(void *ctx, unsigned vector);
};

struct pcie_function;

struct pcie_function_ops {
  /* BAR0 access. -EINVAL unless `size` is 4 or 8 and `offset` naturally aligned; -ENODEV while power is off. Writes are
   * posted: when the call returns, the device has accepted the write, but may not have processed it. */
  int (*bar0_read)(struct pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value);
  int (*bar0_write)(struct pcie_function *fn, uint64_t offset, unsigned size, uint64_t value);

  /* Advances device time by at most `max_ns`. Returns early after the first MSI-X, or when the device is idle until the
   * host's next access. Returns the device time that passed in ns (>= 0), or a negative errno: -EIO if the simulation
   * stopped on a failed assertion or an illegal NAND operation (the reason is on stderr).
   *
   * An image file that fails under any of these calls ends the program: one line on stderr names the file and the
   * reason ("No space left on device"), the exit code is 1, and the images are as after a power cut. */
  int64_t (*run)(struct pcie_function *fn, uint64_t max_ns);

  /* Device time since creation in ns; monotonic across resets and power cuts. */
  uint64_t (*now_ns)(struct pcie_function *fn);

  /* Function-level reset: the same as clearing CC.EN, and all BAR0 state gets its reset value. Data is kept. */
  int (*reset)(struct pcie_function *fn);

  /* Cuts the power: DRAM, on-chip state and operations in progress are lost; flash and NVRAM are kept. */
  int (*power_cut)(struct pcie_function *fn);
  /* Restores the power: the firmware starts and recovers. The function can be enabled when CAP can be read. */
  int (*power_on)(struct pcie_function *fn);

  /* Writes figures of the simulation as JSON members into `buf`, e.g. "sim_cycles", "evaluated_cycles", "wall_seconds";
   * returns the length as snprintf does. Includes the flash geometry, which NVMe does not report: "channels", "dies"
   * (of all channels), "superblocks" (in use), "pages_per_block", "slots_per_page" (slots of 4 KiB). */
  int (*sim_stats)(struct pcie_function *fn, char *buf, size_t len);

  /* Ends the simulation and frees all memory. */
  void (*close)(struct pcie_function *fn);

  /* A board behind a link cannot reach this machine's memory. It has memory that both sides see, and no other: the
   * device knows it by bus addresses from `base` on, the host by copies. `dma_read` and `dma_write` are never called
   * then. All three are NULL where the device uses those.
   * The host copies there what the device shall read before it rings for it, and from there what the device has written
   * after it has seen the completion. When shared_write returns, the bytes are in the memory. -EFAULT for a range
   * outside, -EIO when the link has failed. */
  void (*shared_memory)(struct pcie_function *fn, uint64_t *base, uint64_t *bytes);
  int (*shared_write)(struct pcie_function *fn, uint64_t addr, const void *buf, size_t len);
  int (*shared_read)(struct pcie_function *fn, uint64_t addr, void *buf, size_t len);
};

struct pcie_function {
  const struct pcie_function_ops *ops;
};

/* The RTL's number of slots in pages of four slots: configuration `wide` of hw/src/top/Presets.scala. */
#define PCIE_WIDE_GEOMETRY "2x2x64x8x4"

/* Options of a device. Strings may be NULL; the struct is copied. */
struct pcie_device_options {
  const char *kind;            /* "rtl" (Verilated controller; also when NULL), "model" (fast model) or
                                * "soc" (Verilated controller with a CPU that runs the firmware); or a board that has
                                * been started, "board:HOST[:PORT][,facts=FILE][,slower=N]" (docs/boards/ecpix5.md),
                                * which takes none of the options below */
  const char *image_dir;       /* folder of the images of flash and NVRAM (created if absent); NULL: in memory */
  const char *trace_file;      /* .vcd or .fst waveform of the run; NULL: none; the model rejects it */
  uint32_t superblocks;        /* superblocks in use; 0: all of the hardware's */
  uint32_t over_provision_pct; /* percentage of the usable slots outside the namespace; 0: default */
  uint32_t placement_handles;  /* of the namespace; 0: the most that do not reduce its capacity */
  uint32_t remap_segments;     /* of the remap table in use; 0: all of the hardware's */
  uint64_t seed;               /* of the models' random choices (torn writes after a power cut) */
  uint32_t no_time_skip;       /* rtl, soc: 1: evaluate every clock cycle, even if the device is idle */
  uint32_t instant_nand;       /* 1: NAND operations take one clock cycle, to measure only the controller */
  /* Flash as "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]" (dies per channel, blocks per die, pages per block, slots of 4 KiB
   * per page, by default 1), e.g. "8x4x512x256" for 16 GiB; NULL: "2x2x64x32". The rtl supports only the geometry that
   * it is built for and, in builds without sanitizers, PCIE_WIDE_GEOMETRY. */
  const char *geometry;
  /* Random faults of the flash (docs/design/simulation.md), any of
   * "factory-bad=N,program-fail=P,erase-fail=P,bit-errors=N,wear=N"; NULL: none. Factory bad-block marks are written
   * when the image is created and stay in it. */
  const char *nand_faults;
  uint32_t images_unchanged; /* 1: images must exist and are not changed; changes are lost with the device */
  uint32_t reserve_image; /* 1: reserve the space of the images now, so that their file system cannot fill up later */
  uint32_t bus_stalls;    /* rtl, soc: 1: memories and flash stall their buses and answer late, depending on the seed */
  /* Serial number, 1 to 20 characters from '!' to '~'; EUI-64, NGUID and NQN are made of it. NULL: that of the image,
   * for which one is drawn when the image has none yet; in memory always the same one. Another than the image's is
   * refused, unless new_identity is 1. */
  const char *serial;
  /* Data cache between the firmware's CPU and DRAM (docs/design/simulation.md): "keep", "evict", either with an
   * optional ",line=BYTES", by default 32; or "none". NULL: what the environment variable OPENREMAP_FW_CACHE says, else
   * none. Time is the same with each. */
  const char *cache;
  /* What runs the firmware of rtl and model (docs/design/firmware/ports.md): "native", this process; or "remote", QEMU,
   * with the image of firmware/ports/zynq, and an optional ",image=FILE" (ELF; by default that of this build) and
   * ",patience=SECONDS" (until the device is dead when QEMU does not answer; by default 60). NULL: what the environment
   * variable OPENREMAP_FIRMWARE says, else "native". Data and statuses are the same with each; time is, too, where
   * native firmware has the CPU "none". */
  const char *firmware;
  /* Whose time the firmware's computing takes (docs/design/firmware-time.md): "vexriscv", "cortex-a9", or "none" for
   * no time but that of its register accesses. NULL: what the environment variable OPENREMAP_FW_CPU says, else
   * "vexriscv", or "none" where another processor runs the firmware: that of the soc, or QEMU. There only "none" may be
   * asked for. */
  const char *firmware_cpu;
  uint32_t firmware_remaps; /* model: 1: the firmware carries out each remap, also what the hardware could */
  uint32_t new_identity;    /* 1: the device gets another identity: `serial`, or a drawn one. For copies of an image */
};

/* Creates the device with its power on. On failure, returns NULL, writes one line of explanation to `error` and sets
 * errno: EINVAL for options that this device does not support (no image was created or changed), else EIO. `host` is
 * kept by reference and must outlive the function. Programs get this function from the device library that they link
 * (sim/: `orm_device`). */
struct pcie_function *pcie_device_create(const struct pcie_device_options *options, const struct pcie_host *host,
                                         char *error, size_t error_len);

/* 0, or -EINVAL with one line in `error` for options that no device of this kind supports, whatever its image is. Takes
 * no time: nothing is created or started. pcie_device_create() finds the same, and what depends on the hardware and
 * the image. */
int pcie_device_check(const struct pcie_device_options *options, char *error, size_t error_len);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PCIE_FUNCTION_H */
