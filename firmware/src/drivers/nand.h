/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nand.h - single NAND operations that firmware starts itself (probe of a spare area, erase of a block), one a die at a
 * time, all dies in parallel, and reads of a slot, one at a time. Nothing here waits.
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
  bool reading;  /* a slot is being read, or what was read is not taken out yet */
  bool fetching; /* 16 bytes of it were asked for, at `at` */
  uint32_t at;
};

struct nand_result {
  uint32_t slot;
  enum orm_fw_nand_status status;
  /* Of a read or probe that ended well, or of a probe that FAILED: only the data is lost. */
  uint8_t oob[ORM_OOB_RECORD_BYTES];
};

static inline uint32_t nand_die_of(const struct device *d, uint32_t slot) { return slot / d->slots_per_page % d->dies; }

/* Starts `op` (an erase names any slot of the block) unless the die, the hardware's FIFO or, for a read, its one buffer is
 * busy; whether it did. */
bool nand_start(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                uint32_t slot);

/* The same for a read into, or a program of the whole page that begins with the slot out of, `buffer` of firmware's and those
 * behind it. The caller knows which are in use. */
bool nand_start_with(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                     uint32_t slot, uint32_t buffer);

/* Takes one result; false when none waits. */
bool nand_take(struct nand *n, const struct device *d, const struct platform *p, struct nand_result *out);

/* Of a probe: the block was marked bad in the factory. */
bool nand_marked_bad(const struct nand_result *r);

#define FW_NAND_CHUNK 16u /* bytes that nand_data() takes out at once */

/* After a read that ended well: bytes `at` * FW_NAND_CHUNK .. of the slot. PENDING: call again for the same ones. */
FW_MUST_USE fw_result_t nand_data(struct nand *n, const struct platform *p, uint32_t at, uint8_t out[FW_NAND_CHUNK]);

/* After any read: nothing more of it is wanted, the next one may start. */
void nand_read_done(struct nand *n);

/* Erase of a superblock: every die's block. */
struct nand_eraser {
  uint32_t sb, next_die;
  bool failed;
};

void nand_erase_begin(struct nand_eraser *e, uint32_t sb);

/* PENDING until every die answered; NAND when one failed. */
FW_MUST_USE fw_result_t nand_erase_poll(struct nand_eraser *e, struct nand *n, const struct device *d,
                                        const struct platform *p);

#endif /* OPENREMAP_FW_NAND_H */
