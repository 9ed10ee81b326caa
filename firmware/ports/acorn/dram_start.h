/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dram_start.h - starts DDR3 by the registers of LiteDRAM and of its pins on an Artix-7.
 *
 * When its data arrive differs from board to board. So for each byte all shifts and delays of the pins are tried: a
 * pattern is written and read back. The middle of the longest row of delays that work is taken.
 */
#ifndef OPENREMAP_ACORN_DRAM_START_H
#define OPENREMAP_ACORN_DRAM_START_H

#include <stdint.h>

/* Addresses of the registers of one phase, a part of a clock cycle. Data are wider than a register: the word at the
 * lowest address is the most significant one. */
struct dram_phase {
  uint32_t command, command_issue, address, bank, write_data, read_data;
};

/* What DDR3 is told first: bits for `control`, or a command to phase 0. */
struct dram_step {
  uint32_t is_command, bits, address, bank, cycles; /* to wait then */
};

struct dram_facts {
  uint32_t phases, bytes, phase_words, delays, slips; /* bytes: of DDR3's width */
  uint32_t read_phase, write_phase;
  uint32_t control, select, delay_reset, delay_step, slip_reset, slip_step; /* addresses */
  const struct dram_phase *phase;
  const struct dram_step *steps;
  uint32_t step_count;
};

/* Access to the registers, and a wait of so many clock cycles at least. */
struct dram_bus {
  uint32_t (*load)(uint32_t address);
  void (*store)(uint32_t address, uint32_t value);
  void (*wait)(uint32_t cycles);
};

/* What was found for a byte; `width`: how many delays work. */
struct dram_setting {
  uint32_t slip, delay, width;
};

/* Starts DDR3 and hands it to its controller. `found` has room for each byte. Returns the number of bytes that could be
 * read: when it is less than `facts->bytes`, the byte of that number cannot be read with any setting, and DDR3 is not
 * handed over. */
uint32_t dram_start(const struct dram_bus *bus, const struct dram_facts *facts, struct dram_setting *found);

#endif /* OPENREMAP_ACORN_DRAM_START_H */
