/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_debug.h - what a checker may look at inside a device; nothing that a host could.
 */
#ifndef OPENREMAP_PCIE_DEBUG_H
#define OPENREMAP_PCIE_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcie_function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The controller's DRAM (L2P from address 0, 4 bytes an LPN; ORM_UNMAPPED: no data). Valid until the device is closed;
 * the content changes inside the calls of pcie_function.h. */
const uint8_t *pcie_device_dram(struct pcie_function *fn, size_t *bytes);

/* A hardware counter (enum orm_counter), without the host command that the vendor log costs. A few clock cycles pass,
 * as for any register access. -EINVAL: there is no such counter; -ENODEV, -EIO as in pcie_function.h. */
int pcie_device_counter(struct pcie_function *fn, unsigned index, uint64_t *value);

/* NVRAM as it is, writes that it has not answered included. Valid as the DRAM. */
const uint8_t *pcie_device_nvram(struct pcie_function *fn, size_t *bytes);

/* All bytes of NVRAM become `byte`: 0 or FFh, as in a part that was never written. -EBUSY: power must be off. */
int pcie_device_blank_nvram(struct pcie_function *fn, uint8_t byte);

/* NVRAM from `addr` on becomes these bytes, as damage would have it. -EBUSY: power must be off; -EINVAL: there is no
 * such range. */
int pcie_device_damage_nvram(struct pcie_function *fn, uint64_t addr, const uint8_t *data, size_t len);

/* All of flash becomes erased, as in a part that was never programmed. -EBUSY: power must be off. */
int pcie_device_blank_flash(struct pcie_function *fn);

enum pcie_slot_state { PCIE_SLOT_ERASED, PCIE_SLOT_PROGRAMMED, PCIE_SLOT_TORN };

/* What flash holds; a page that is being programmed, or a block that is being erased, counts as torn. */
struct pcie_slot {
  enum pcie_slot_state state;
  const uint8_t *data;  /* 4 KiB; valid as the DRAM */
  const uint8_t *spare; /* OobRecord */
};

/* By the slot's number in the whole device. -EINVAL: there is no such slot. */
int pcie_device_slot(struct pcie_function *fn, uint32_t slot, struct pcie_slot *out);

enum pcie_nand_fault {
  PCIE_FAULT_PROGRAM,            /* the `where`th page program that ends from now on fails (1: the next one; 0: none) */
  PCIE_FAULT_ERASE,              /* every erase of the block of slot `where` fails */
  PCIE_FAULT_DATA_LOST,          /* ECC cannot correct the data of slot `where`, until its erase; its spare is good */
  PCIE_FAULT_DATA_MISCORRECTED,  /* ECC makes other data of it, and takes that for good */
  PCIE_FAULT_SPARE_MISCORRECTED, /* its spare comes with bits that are wrong, and taken for good; its data is good */
  PCIE_FAULT_SLOT_LOST,          /* neither data nor spare can be corrected */
  PCIE_FAULT_SLOT_DRIFTED,       /* the same, but at read-retry level 2 and behind they can */
};

/* Lets something go wrong in flash. -EINVAL: there is no such slot. */
int pcie_device_nand_fault(struct pcie_function *fn, enum pcie_nand_fault fault, uint64_t where);

/* The `nth` access of the controller's hardware from now on (1: the next one; 0: none) that touches a byte of
 * [from, to) of a memory is answered with an error of AXI, and has no effect. */
struct pcie_memory_fault {
  bool nvram;        /* else DRAM */
  bool write;        /* else a read */
  bool decode_error; /* DECERR, else SLVERR */
  uint64_t nth;
  uint64_t from, to;
};

/* -ENOTSUP: the device is a model without buses. */
int pcie_device_memory_fault(struct pcie_function *fn, const struct pcie_memory_fault *fault);

/* The temperature sensor shows `kelvin` from now on, over power cycles too; 313 at first. */
void pcie_device_set_temperature(struct pcie_function *fn, uint16_t kelvin);

/* A register of the firmware's window, which must be there: a device in which what is not there is read is dead. A few
 * clock cycles pass. Those that show something chosen before show what firmware, or the next function, chose last. */
int pcie_device_firmware_register(struct pcie_function *fn, uint32_t offset, uint32_t *value);

/* Chooses the superblock that SB_STATE, SB_GEN, SB_CHAIN and SB_DESTAGED show. Firmware chooses anew before each
 * look. */
int pcie_device_select_superblock(struct pcie_function *fn, uint32_t superblock);

/* A step of the firmware's start-up (docs/design/firmware/core.md). Firmware takes device time for register accesses
 * and for what it waits for; that for memory is not in it, so the bytes of NVRAM are told. */
struct pcie_device_step {
  char name[40];
  uint64_t ns;
  uint64_t nvram_read, nvram_written; /* bytes */
};

/* The steps of the last start-up, those that have ended: `max` of them at most go to `out`. Returns how many there are;
 * 0 while power is off. */
size_t pcie_device_start_up(struct pcie_function *fn, struct pcie_device_step *out, size_t max);

/* Work of one kind that the firmware has done since power-on (firmware/include/fw_work.h). */
struct pcie_device_work {
  char kind[24];
  uint64_t count;
};

/* Writes the first `max` kinds of work to `out`; returns how many there are: 0 for firmware that does not count, or
 * while power is off. */
size_t pcie_device_work_done(struct pcie_function *fn, struct pcie_device_work *out, size_t max);

/* Events at flash and NVRAM since the device was made (media_events.h): what changes something that survives a power
 * cut. */
uint64_t pcie_device_media_events(struct pcie_function *fn);

/* Power goes instead of the `event`th of them from now on (1: the next one; 0: not any more), once. The call in which
 * it does, and all until power_on, return -ENODEV. */
void pcie_device_cut_before(struct pcie_function *fn, uint64_t event);

/* The same at the memory ports of the soc's CPU: each of its writes to DRAM or NVRAM, before it takes effect. They are
 * between events, so they change nothing that survives, unless the firmware takes for durable what is not. -ENOTSUP, or
 * 0 writes: the device has no CPU. */
uint64_t pcie_device_cpu_stores(struct pcie_function *fn);
int pcie_device_cut_before_store(struct pcie_function *fn, uint64_t store);

/* The firmware hangs when it runs next, and its watchdog finds that: crash log, CSTS.CFS. Nothing while power is
 * off. */
void pcie_device_hang_firmware(struct pcie_function *fn);

/* The firmware of the device `soc` does something wrong when it runs next, once each power-on: `trial` is a value of
 * the SoC's register TRIAL (orm_soc.h). Nothing on other devices and while power is off. */
void pcie_device_upset_firmware(struct pcie_function *fn, uint32_t trial);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PCIE_DEBUG_H */
