/* SPDX-License-Identifier: Apache-2.0 */
#include "dram_start.h"

#include <stdbool.h>

enum { CS = 1, WE = 2, CAS = 4, RAS = 8, WRITE_DATA = 16, READ_DATA = 32 };
#define ACTIVATE (RAS | CS)
#define PRECHARGE (RAS | WE | CS)
#define WRITE (CAS | WE | CS | WRITE_DATA)
#define READ (CAS | CS | READ_DATA)
#define TO_CONTROLLER 1u /* `control`: the DRAM controller drives the pins */
#define PATTERNS 3u      /* tries of each setting */
#define SETTLES 32u      /* cycles: longer than a row takes to open or close, and than data take to arrive */

static void command(const struct dram_bus *bus, const struct dram_phase *phase, uint32_t bits) {
  bus->store(phase->command, bits);
  bus->store(phase->command_issue, 1);
}

/* The next command of this phase is for the first word of the first bank. */
static void at_first(const struct dram_bus *bus, const struct dram_phase *phase) {
  bus->store(phase->address, 0);
  bus->store(phase->bank, 0);
}

/* xorshift: the patterns need only differ in all their bits. */
static uint32_t next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* The bits of a byte in a word whose bytes are those of DDR3 in turn. `phase_words` words begin with byte 0, as DDR3's
 * width is a power of two of at most four bytes. */
static uint32_t lane(const struct dram_facts *facts, uint32_t byte) {
  uint32_t mask = 0;
  for (uint32_t at = byte; at < 4; at += facts->bytes) mask |= 0xFFu << 8 * at;
  return mask;
}

static void choose(const struct dram_bus *bus, const struct dram_facts *facts, uint32_t byte, uint32_t slip,
                   uint32_t delay) {
  bus->store(facts->select, 1u << byte);
  bus->store(facts->slip_reset, 1);
  for (uint32_t i = 0; i < slip; i++) bus->store(facts->slip_step, 1);
  bus->store(facts->delay_reset, 1);
  for (uint32_t i = 0; i < delay; i++) bus->store(facts->delay_step, 1);
  bus->store(facts->select, 0);
}

/* Whether a byte of DDR3 reads as it was written. */
static bool works(const struct dram_bus *bus, const struct dram_facts *facts, uint32_t byte, uint32_t seed) {
  const struct dram_phase *phase = facts->phase;
  at_first(bus, &phase[0]);
  command(bus, &phase[0], ACTIVATE);
  bus->wait(SETTLES);
  uint32_t state = seed;
  for (uint32_t p = 0; p < facts->phases; p++)
    for (uint32_t i = 0; i < facts->phase_words; i++) bus->store(phase[p].write_data + 4 * i, next(&state));
  at_first(bus, &phase[facts->write_phase]);
  command(bus, &phase[facts->write_phase], WRITE);
  bus->wait(SETTLES);
  at_first(bus, &phase[facts->read_phase]);
  command(bus, &phase[facts->read_phase], READ);
  bus->wait(SETTLES);
  bool good = true;
  state = seed;
  for (uint32_t p = 0; p < facts->phases; p++)
    for (uint32_t i = 0; i < facts->phase_words; i++)
      good &= ((bus->load(phase[p].read_data + 4 * i) ^ next(&state)) & lane(facts, byte)) == 0;
  at_first(bus, &phase[0]);
  command(bus, &phase[0], PRECHARGE);
  bus->wait(SETTLES);
  return good;
}

static struct dram_setting level(const struct dram_bus *bus, const struct dram_facts *facts, uint32_t byte) {
  struct dram_setting best = {0, 0, 0};
  for (uint32_t slip = 0; slip < facts->slips; slip++) {
    uint32_t begin = 0;
    for (uint32_t delay = 0; delay <= facts->delays; delay++) {
      bool good = delay < facts->delays;
      if (good) choose(bus, facts, byte, slip, delay);
      for (uint32_t i = 0; good && i < PATTERNS; i++) good = works(bus, facts, byte, 0x9E3779B9u + i);
      if (good) continue;
      if (delay - begin > best.width)
        best = (struct dram_setting){slip, begin + (delay - begin - 1) / 2, delay - begin};
      begin = delay + 1;
    }
  }
  choose(bus, facts, byte, best.slip, best.delay);
  return best;
}

uint32_t dram_start(const struct dram_bus *bus, const struct dram_facts *facts, struct dram_setting *found) {
  for (uint32_t i = 0; i < facts->step_count; i++) {
    const struct dram_step *step = &facts->steps[i];
    bus->store(facts->phase[0].address, step->address);
    bus->store(facts->phase[0].bank, step->bank);
    if (step->is_command)
      command(bus, &facts->phase[0], step->bits);
    else
      bus->store(facts->control, step->bits);
    bus->wait(step->cycles);
  }
  for (uint32_t byte = 0; byte < facts->bytes; byte++) {
    found[byte] = level(bus, facts, byte);
    if (found[byte].width == 0) return byte;
  }
  bus->store(facts->control, TO_CONTROLLER);
  return facts->bytes;
}
