/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.h - what the firmware does when it finds that it is wrong: an invariant does not hold, or the watchdog has
 * found it hanging, or the processor has trapped; and when a memory has failed the hardware (memory_error.h).
 *
 * It writes a CrashLog to its place in NVRAM, stops the controller (fatal.h) and leaves fw_poll(). Nothing of the
 * media is touched, so the next start recovers as from a power cut.
 *
 * Assertions are for what only a bug of the firmware can bring about. What a host, the medium or damaged NVRAM can
 * bring about is a result (result.h).
 */
#ifndef OPENREMAP_FW_CRASH_H
#define OPENREMAP_FW_CRASH_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "orm_formats.h"
#include "orm_nvme.h"

struct fw;

struct crash {
  jmp_buf out;                                       /* back into the fw_poll() that runs */
  bool begun;                                        /* the firmware has crashed since power-on */
  uint32_t count;                                    /* crashes before this power-on */
  struct orm_crash_command last[ORM_CRASH_COMMANDS]; /* ring of the commands that were taken */
  uint32_t next;                                     /* place of the next one in `last` */
};

/* Ends the poll by crash_assert() if `invariant` does not hold. Only within fw_poll(). */
#define FW_ASSERT(fw, invariant) ((invariant) ? (void)0 : crash_assert((fw), __FILE__, __LINE__))

/* Writes the CrashLog, stops the firmware and returns from fw_poll(). */
void crash_assert(struct fw *fw, const char *file, uint32_t line) __attribute__((noreturn));

/* The same for an error of a memory: `what` was done to it (cut after 32 characters), at address `at`. */
void crash_memory(struct fw *fw, const char *what, uint32_t at) __attribute__((noreturn));

/* Start-up: reads how often the firmware has crashed, and logs the last crash. */
void crash_load(struct fw *fw);

/* A command was taken: it will be in the CrashLog. */
void crash_note(struct fw *fw, uint8_t qid, const struct nvme_submission_entry *e);

/* Fills ORM_CRASH_LOG_BYTES of a log page: the record in NVRAM, or zeroes if there is none. */
void crash_log_page(struct fw *fw, uint8_t *out);

#endif /* OPENREMAP_FW_CRASH_H */
