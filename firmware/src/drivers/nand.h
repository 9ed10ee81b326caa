/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nand.h - single NAND operations that firmware starts itself: probe of a spare area, read of a slot, program of a
 * page, erase of a block.
 *
 * One operation runs on each die, all dies side by side. Nothing here waits: a call that finds the hardware busy
 * returns false or PENDING, and the interrupt NAND_DONE tells when to call again. Slots are those of the whole flash.
 */
#ifndef OPENREMAP_FW_NAND_H
#define OPENREMAP_FW_NAND_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_regs.h"

struct nand {
  bool busy[FW_MAX_DIES];
  uint32_t outstanding;
  bool reading;  /* buffer 0 is in use, from the start of a read to nand_read_done() */
  bool fetching; /* chunk `at` of its data was asked for */
  uint32_t at;
};

struct nand_result {
  uint32_t slot;
  enum orm_fw_nand_status status;
  /* Good after a read or probe that ended with OK, and after a probe that ended with FAILED: then only the data of the
   * slot is lost. Zero otherwise. */
  uint8_t oob[ORM_OOB_RECORD_BYTES];
};

static inline uint32_t nand_die_of(const struct device *d, uint32_t slot) { return slot / d->slots_per_page % d->dies; }

/* Starts `op` on `slot`; an erase names any slot of the block. A read uses buffer 0, which stays in use until
 * nand_read_done(). False: the die, the FIFO of the hardware or that buffer is busy, and nothing was started. */
bool nand_start(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                uint32_t slot);

/* The same with the buffer as an argument. A read fills `buffer`. A program writes the whole page that begins at
 * `slot`, out of `buffer` and the ones behind it. The caller keeps account of the buffers in use. */
bool nand_start_with(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                     uint32_t slot, uint32_t buffer);

/* Takes the next result. False: none waits. */
bool nand_take(struct nand *n, const struct device *d, const struct platform *p, struct nand_result *out);

/* Whether the result of a probe says that the block was marked bad in the factory. */
bool nand_marked_bad(const struct nand_result *r);

#define FW_NAND_CHUNK 16u /* bytes that nand_data() returns */

/* After a read into buffer 0 that ended with OK: FW_NAND_CHUNK bytes of the slot from byte `at` * FW_NAND_CHUNK on.
 * PENDING: call again with the same `at`. */
FW_MUST_USE fw_result_t nand_data(struct nand *n, const struct platform *p, uint32_t at, uint8_t out[FW_NAND_CHUNK]);

/* Ends the use of buffer 0 after a read, whatever its outcome: the next read may start. */
void nand_read_done(struct nand *n);

/* The erase of a superblock: a block on every die. */
struct nand_eraser {
  uint32_t sb, next_die;
  bool failed;
};

/* Prepares the erase of superblock `sb`. Starts nothing yet. */
void nand_erase_begin(struct nand_eraser *e, uint32_t sb);

/* Goes on with the erase. No other NAND operations of firmware may be under way.
 * PENDING: call again. OK: durable. NAND: a block did not erase; all dies have answered. */
FW_MUST_USE fw_result_t nand_erase_poll(struct nand_eraser *e, struct nand *n, const struct device *d,
                                        const struct platform *p);

#endif /* OPENREMAP_FW_NAND_H */
