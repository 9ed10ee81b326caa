/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiger4Model, with a flash of its own, for test benches in Python (ctypes). One channel; addresses of the flash are
 * die, block, page and slot in it. A rule that was broken makes the call return -1, and orm_tiger4_error() its text;
 * what follows is then without meaning.
 */
#ifndef OPENREMAP_TIGER4_C_H
#define OPENREMAP_TIGER4_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct orm_tiger4;

struct orm_tiger4_options {
  uint32_t dies, blocks, pages; /* of a channel, a die, a block */
  uint32_t stray_zeros;         /* most zeroes in an erased row */
  uint64_t read_ns, program_ns, erase_ns, reset_ns, command_ns, word_ns;
  uint64_t seed;
};

struct orm_tiger4_burst {
  uint32_t write, address, beats;
  uint32_t words[32];
};

/* `faults` as parse_nand_faults() has them. NULL: an option is wrong. */
struct orm_tiger4 *orm_tiger4_open(const struct orm_tiger4_options *options, const char *faults);
void orm_tiger4_close(struct orm_tiger4 *t);
const char *orm_tiger4_error(const struct orm_tiger4 *t);

/* 1: answered, 0: not yet. */
int orm_tiger4_write(struct orm_tiger4 *t, uint32_t offset, uint32_t value, uint64_t now_ns);
int orm_tiger4_read(struct orm_tiger4 *t, uint32_t offset, uint32_t *value, uint64_t now_ns);
/* 1: a burst of the data port begins. */
int orm_tiger4_next_burst(struct orm_tiger4 *t, struct orm_tiger4_burst *burst, uint64_t now_ns);
int orm_tiger4_burst_done(struct orm_tiger4 *t, const uint32_t *words, uint64_t now_ns);
int orm_tiger4_reset(struct orm_tiger4 *t, uint64_t now_ns);
int orm_tiger4_power_cut(struct orm_tiger4 *t, uint64_t now_ns);
uint64_t orm_tiger4_count(const struct orm_tiger4 *t, uint32_t command);
uint32_t orm_tiger4_most_busy(const struct orm_tiger4 *t);

/* The flash behind it. */
enum { ORM_TIGER4_GOOD, ORM_TIGER4_LOST, ORM_TIGER4_MISCORRECTED }; /* EccResult */
void orm_tiger4_spoil(struct orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page, uint32_t sub, int data,
                      int spare);
void orm_tiger4_fail_program(struct orm_tiger4 *t, uint64_t nth);
void orm_tiger4_fail_erase(struct orm_tiger4 *t, uint32_t die, uint32_t block);
int orm_tiger4_is_bad(struct orm_tiger4 *t, uint32_t die, uint32_t block);
uint32_t orm_tiger4_frontier(struct orm_tiger4 *t, uint32_t die, uint32_t block);
/* NandStore::PageState. */
int orm_tiger4_page_state(struct orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page);
/* Corrected bits of the worst codeword that a read of the slot would have, of NandEcc's 40; -1: lost, -2: miscorrected;
 * below -2: the same of its spare bytes, less two. */
int orm_tiger4_sense(struct orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page, uint32_t sub);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_TIGER4_C_H */
