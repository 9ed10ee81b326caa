/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fw_work.h - the kinds of work of the firmware. A port whose processor is only simulated counts them and lets device
 * time pass for each (docs/design/firmware-time.md). Some kinds are counted by the port, at the members of `struct
 * platform`; others by the firmware, with fw_work(). Images count nothing: there the work itself takes the time.
 */
#ifndef OPENREMAP_FW_WORK_H
#define OPENREMAP_FW_WORK_H

#include <stdint.h>

/* X(constant, name, what one of it is). Names are those of firmware/ports/native/cpu_costs.json. */
#define FW_WORK_LIST(X)                                                                                  \
  X(FW_WORK_START, "start", "a start of the processor up to the first poll")                             \
  X(FW_WORK_START_POLL, "start_poll", "a poll during start-up")                                          \
  X(FW_WORK_POLL, "poll", "a poll of a running device")                                                  \
  X(FW_WORK_LOOK, "look", "what all units together do in such a poll, if they have nothing to do")       \
  X(FW_WORK_REGISTER_READ, "register_read", "a read of a register, besides the time of the access")      \
  X(FW_WORK_REGISTER_WRITE, "register_write", "a write of a register, besides the time of the access")   \
  X(FW_WORK_NVRAM_READ, "nvram_read", "a read of NVRAM")                                                 \
  X(FW_WORK_NVRAM_READ_UNIT, "nvram_read_unit", "8 bytes of a read of NVRAM")                            \
  X(FW_WORK_NVRAM_WRITE, "nvram_write", "a write to NVRAM")                                              \
  X(FW_WORK_NVRAM_WRITE_UNIT, "nvram_write_unit", "8 bytes of a write to NVRAM, until they are durable") \
  X(FW_WORK_FILL, "fill", "16 bytes of DRAM that are filled")                                            \
  X(FW_WORK_INVALIDATE, "invalidate", "a call that drops lines of the cache")                            \
  X(FW_WORK_LINE, "line", "a line of the log that is formatted")                                         \
  X(FW_WORK_SAVE, "save", "a copy of FwState that is made and written")                                  \
  X(FW_WORK_COMMAND, "command", "a command that is taken from the mailbox")                              \
  X(FW_WORK_BYTES, "bytes", "16 bytes of the command buffer that are cleared or made")                   \
  X(FW_WORK_RANGE, "range", "a range of a remap that is checked")                                        \
  X(FW_WORK_SORT, "sort", "a step of the sorting of ranges: n ranges have n * (1 + floor(log2 n))")      \
  X(FW_WORK_DIE, "die", "a die that is looked at for something to do")                                   \
  X(FW_WORK_EVENT, "event", "a mapping event that takes part in the election of recovery")               \
  X(FW_WORK_CHECK, "check", "a record of NVRAM or of a spare area whose CRC is checked")                 \
  X(FW_WORK_TRIM, "trim", "a journal record or a trim pointer whose CRC is checked or made")             \
  X(FW_WORK_LPN, "lpn", "an L2P entry that is looked at")                                                \
  X(FW_WORK_BIT, "bit", "an L2P entry whose bit of the trim bitmap is made, with its share of the CRC")  \
  X(FW_WORK_MARK, "mark", "bits in DRAM that are changed: one, or those of a word")                      \
  X(FW_WORK_SHARER, "sharer", "a sharer that recovery counts")                                           \
  X(FW_WORK_RECORD, "record", "a record in DRAM or in a spare area that is unpacked")                    \
  X(FW_WORK_SEGMENT, "segment", "what a step of recovery keeps of a segment, or 64 bytes of one")        \
  X(FW_WORK_CRC, "crc", "16 bytes of a CRC-32C")

enum fw_work {
#define X(constant, name, what) constant,
  FW_WORK_LIST(X)
#undef X
      FW_WORK_KINDS
};

/* fw_work(platform, kind, n): `n` of `kind` have been done, or are about to be in this poll. */
#ifdef FW_COUNTS_WORK
#define fw_work(p, kind, n)                          \
  do {                                               \
    if ((p)->work != NULL) (p)->work[(kind)] += (n); \
  } while (0)
#else
#define fw_work(p, kind, n) ((void)0)
#endif

#endif /* OPENREMAP_FW_WORK_H */
