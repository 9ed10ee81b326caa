/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h - the interface between the firmware and the machine it runs on.
 *
 * A port (native beside the Verilated RTL, VexRiscv in the SoC, Cortex-A9 on the board) fills a `struct platform` and
 * hands it to fw_init(). The firmware reaches everything outside itself through these members, and nothing else:
 * register offsets come from the generated orm_regs.h, layouts from orm_formats.h.
 *
 * Addresses are those of the controller's own ports: `offset` within the firmware window (AXI4-Lite), `addr` within
 * DRAM and within NVRAM, each from 0. All accesses are made from inside fw_init() and fw_poll(), by one thread.
 *
 * Power may go inside any of these calls. A port that simulates this lets every later write vanish, lets reads return
 * anything, waits for fw_poll() to return (it is bounded) and throws the context away.
 */
#ifndef OPENREMAP_PLATFORM_H
#define OPENREMAP_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to set up the device. The first four are used when the device is formatted. A device that holds data keeps
 * what it was formatted with (NvHeader), and refuses to start if an option that is not 0 disagrees. */
struct platform_options {
  uint32_t superblocks;        /* superblocks in use; 0: all that the hardware has (CAP_SUPERBLOCKS) */
  uint32_t over_provision_pct; /* percent of the usable slots that the namespace does not offer; 0: default */
  uint32_t placement_handles;  /* of the namespace; 0: as many as do not make it smaller */
  uint32_t remap_segments;     /* of the remap table in use, NVRAM budget; 0: all that the hardware has */
};

#define PLATFORM_EUI64_BYTES 8u

/* What distinguishes this device from every other. Whoever makes the device gives it the identity once, and the port
 * hands over the same at each start: it survives Format NVM, and the loss of NVRAM and of the data in flash. The
 * firmware neither makes an identity nor stores one, and does not start without a valid one. */
struct platform_identity {
  /* 1 to ORM_SERIAL_MAX (orm_identity.h) characters from '!' to '~' (ASCII 21h to 7Eh), terminated; another for each
   * device of this model. It stays the port's, and must outlive the context. The NVM subsystem's qualified name (NQN)
   * is made of it. */
  const char *serial;
  /* EUI-64 of the namespace (NVMe 1.4, figure 245), most significant byte first; another for each device of any vendor.
   * Not zero, and no group address (bit 0 of the first byte is 0). A vendor with an IEEE-assigned OUI has it in the
   * first three bytes; everybody else sets bit 1 of the first byte: locally administered. NGUID is made of it. */
  uint8_t eui64[PLATFORM_EUI64_BYTES];
};

enum platform_log_level { PLATFORM_LOG_ERROR, PLATFORM_LOG_INFO, PLATFORM_LOG_DEBUG };

struct platform {
  void *ctx; /* handed back in every call */

  /* Registers, 32 bits. In order among themselves; a write has arrived at the controller before the next call starts.
   */
  uint32_t (*mmio_read)(void *ctx, uint32_t offset);
  void (*mmio_write)(void *ctx, uint32_t offset, uint32_t value);

  /* The controller's DRAM as the CPU sees it: DRAM_BYTES bytes, address 0 first, 16-byte aligned. The hardware may
   * change any byte between two accesses (L2P during normal operation). */
  uint8_t *dram;

  /* Sets [addr, addr + len) of DRAM to `byte`: the tables at start-up, about 13 bytes for each slot. NULL: the firmware
   * writes the bytes itself. For ports that can do better, such as one that simulates more memory than it has. */
  void (*dram_fill)(void *ctx, uint32_t addr, uint8_t byte, size_t len);

  /* Cache maintenance for the lines of [addr, addr + len) of DRAM; NULL where CPU and controller see the same bytes.
   * The cache may write a dirty line back, drop a clean one, or read one, at any other moment as well.
   * clean: dirty lines are in DRAM on return, and stay in the cache or not. Before a register write that lets the
   *   hardware read what the CPU wrote; and before one that lets it write where the CPU may have written, as a dirty
   *   line could otherwise be written back over that.
   * invalidate: the lines are read from DRAM when they are next used. After the hardware wrote and before the CPU
   *   reads. No line is dirty then.
   * Ranges are the firmware's. Of a line that it shares with the hardware, none of both writes while the other may:
   * the controller's tables, its logs and the firmware's memory begin at multiples of 4096. */
  void (*cache_clean)(void *ctx, uint32_t addr, size_t len);
  void (*cache_invalidate)(void *ctx, uint32_t addr, size_t len);

  /* NVRAM. addr and len are multiples of 8. A write is durable when the call returns; 8 bytes are atomic, and the
   * 8-byte units of one call become durable in any order. */
  void (*nvram_read)(void *ctx, uint32_t addr, void *buf, size_t len);
  void (*nvram_write)(void *ctx, uint32_t addr, const void *buf, size_t len);

  /* Orders DRAM accesses before it against register and NVRAM accesses after it; NULL where program order is enough. */
  void (*barrier)(void *ctx);

  /* A poll ends: returns when all stores of the CPU have reached memory. One of them that has failed traps before
   * that, while the firmware can still leave a crash log. NULL where a store is over before the next instruction. */
  void (*settle)(void *ctx);

  /* Device time since power-on in ns, monotonic. */
  uint64_t (*time_ns)(void *ctx);

  /* Temperature of the hottest part, kelvin (SMART composite temperature); NULL: no sensor, 298 K is reported. */
  uint16_t (*temperature_k)(void *ctx);

  /* A poll begins: restarts the watchdog. If the poll does not end in time, the port calls fw_watchdog(). On a small
   * processor a poll takes up to a few tens of milliseconds; 100 ms is a good limit. NULL: no watchdog. */
  void (*watchdog_pet)(void *ctx);

  /* One line of text without newline; NULL: no console. Lines beyond `log_level` are not even formatted, which takes a
   * small processor ten thousand cycles each. */
  void (*log)(void *ctx, enum platform_log_level level, const char *line);
  enum platform_log_level log_level;

  /* Counts of work, FW_WORK_KINDS of them (fw_work.h): firmware that was built with FW_COUNTS_WORK adds to them what it
   * does. NULL: nobody counts. */
  uint64_t *work;

  struct platform_options options;
  struct platform_identity identity;

  /* What its owner must know of this device: ORM_BOARD_* bits (orm_formats.h). It is told in Identify Controller, in
   * the log page CAh and on the console; nothing that the firmware does depends on it. */
  uint8_t board;
};

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PLATFORM_H */
