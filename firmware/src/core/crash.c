/* SPDX-License-Identifier: Apache-2.0 */
#include "core/crash.h"

#include <string.h>

#include "core/identity.h"
#include "fw.h"

_Static_assert(ORM_CRASH_COMMANDS *ORM_CRASH_COMMAND_BYTES == sizeof(((struct orm_crash_log *)0)->commands),
               "CrashLog has room for each");
_Static_assert(ORM_NV_STATE_OFFSET + 2 * ORM_FW_STATE_BYTES <= ORM_NV_CRASH_OFFSET, "the FwStates, then CrashLog");

static uint32_t place(const struct fw *fw) { return fw->dev.nv_counters + ORM_NV_CRASH_OFFSET; }

static bool read_log(const struct fw *fw, uint8_t raw[ORM_CRASH_LOG_BYTES], struct orm_crash_log *out) {
  hal_nv_read(fw->p, place(fw), raw, ORM_CRASH_LOG_BYTES);
  return orm_crash_log_open(out, raw) && out->version == ORM_CRASH_VERSION;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Padded with zeroes, cut where it does not fit. */
static void put_text(uint8_t *out, size_t bytes, const char *text) {
  size_t len = strlen(text);
  memcpy(out, text, len < bytes ? len : bytes);
}

void crash_note(struct fw *fw, uint8_t qid, const struct nvme_submission_entry *e) {
  struct crash *c = &fw->crash;
  c->last[c->next] = (struct orm_crash_command){
      .opcode = e->opcode,
      .qid = qid,
      .cid = e->cid,
      .nsid = e->nsid,
      .cdw10 = e->cdw10,
      .cdw11 = e->cdw11,
  };
  c->next = (c->next + 1u) % ORM_CRASH_COMMANDS;
}

static void save(const struct fw *fw, uint8_t cause, const char *file, uint32_t line) {
  const struct crash *c = &fw->crash;
  uint8_t raw[ORM_CRASH_LOG_BYTES];
  struct orm_crash_log l;
  uint32_t before = read_log(fw, raw, &l) ? l.count : 0; /* start-up may not have come to crash_load() */
  memset(&l, 0, sizeof l);
  l.version = ORM_CRASH_VERSION;
  l.cause = cause;
  l.gc_flights = (uint8_t)fw->gc.flights.count;
  l.checkpoint = (uint8_t)fw->checkpoint.phase;
  l.format = (uint8_t)fw->format_nvm.phase;
  l.count = before + 1u;
  l.line = line;
  put_text(l.file, sizeof l.file, base_name(file));
  uint8_t revision[8] = {0};
  put_text(revision, sizeof revision, FW_REVISION);
  l.revision = orm_get_le(revision, sizeof revision);
  put_text(l.step, sizeof l.step, fw_describe(fw));
  l.uptime_ns = hal_time(fw->p);
  l.power_cycles = fw->state.power_cycles;
  l.irq = fw->irq;
  l.controller =
      (uint8_t)((fw->controller.phase == CONTROLLER_ON) | (fw->controller.shutdown != SHUTDOWN_NONE ? 2u : 0u));
  for (uint32_t i = 0; i < ORM_CRASH_COMMANDS; i++) {
    const struct orm_crash_command *one = &c->last[(c->next + ORM_CRASH_COMMANDS - 1u - i) % ORM_CRASH_COMMANDS];
    orm_crash_command_pack(one, l.commands + i * ORM_CRASH_COMMAND_BYTES);
  }
  orm_crash_log_seal(&l, raw);
  hal_nv_write(fw->p, place(fw), raw, sizeof raw);
}

/* Before the hardware has said where NVRAM has its parts there is no place for a log. If a crash comes in the way of
 * another, its log is what goes wrong: then the controller stops without. */
static void crash(struct fw *fw, fw_result_t why, uint8_t cause, const char *file, uint32_t line)
    __attribute__((noreturn));
static void crash(struct fw *fw, fw_result_t why, uint8_t cause, const char *file, uint32_t line) {
  bool first = !fw->crash.begun;
  fw->crash.begun = true;
  if (first) {
    if (fw->dev.nv_bytes != 0) save(fw, cause, file, line);
    hal_log(fw->p, PLATFORM_LOG_ERROR, "firmware stops, %s: %s:%u, in '%s'", fw_result_text(why), base_name(file),
            (unsigned)line, fw_describe(fw));
  }
  fatal_stop(fw, why);
  longjmp(fw->crash.out, 1);
}

void crash_assert(struct fw *fw, const char *file, uint32_t line) {
  crash(fw, FW_CRASHED, ORM_CRASH_ASSERT, file, line);
}

void fw_watchdog(struct fw *fw) { crash(fw, FW_HANGS, ORM_CRASH_WATCHDOG, "watchdog", 0); }

void fw_fault(struct fw *fw, const char *what, uint32_t pc) { crash(fw, FW_CRASHED, ORM_CRASH_FAULT, what, pc); }

void fw_stop(struct fw *fw) { fatal_stop(fw, FW_CRASHED); }

void crash_memory(struct fw *fw, const char *what, uint32_t at) { crash(fw, FW_MEMORY, ORM_CRASH_MEMORY, what, at); }

void crash_load(struct fw *fw) {
  uint8_t raw[ORM_CRASH_LOG_BYTES];
  struct orm_crash_log l;
  if (!read_log(fw, raw, &l)) return;
  fw->crash.count = l.count;
  char file[sizeof l.file + 1];
  memcpy(file, l.file, sizeof l.file);
  file[sizeof l.file] = 0;
  hal_log(fw->p, PLATFORM_LOG_INFO, "the firmware has crashed %u times, last at %s:%u", (unsigned)l.count, file,
          (unsigned)l.line);
}

void crash_log_page(struct fw *fw, uint8_t *out) {
  struct orm_crash_log l;
  if (!read_log(fw, out, &l)) memset(out, 0, ORM_CRASH_LOG_BYTES);
}
