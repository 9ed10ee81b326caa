/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/summary.h"

#include <string.h>

#include "core/crc.h"
#include "core/superblock.h"
#include "fw.h"

bool summary_may_begin(const struct fw *fw) {
  return fw->dev.summary_slots != 0 && !fw->summary.busy && fw->read_only.cause == 0 && !quiesce_is_at_rest(fw) &&
         fw->gc.scan.what == GC_NO_SEARCH && !fw->gc.reclaim.runs;
}

bool summary_is_done(const struct fw *fw) {
  return fw->dev.summary_slots == 0 ||
         (!fw->summary.busy && !ORM_GET(hal_read(fw->p, ORM_FW_LOG_STATUS), ORM_FW_LOG_STATUS_VALID));
}

static void release(const struct fw *fw, uint32_t log) {
  hal_write(fw->p, ORM_FW_LOG_RELEASE, ORM_PUT(ORM_FW_LOG_RELEASE_LOG, log));
}

static uint32_t log_addr(const struct fw *fw, uint32_t log) {
  return fw->dev.dram_log + log * device_summary_bytes(&fw->dev);
}

/* A log may have been due for so long that its superblock was collected since, and is full once more, of data that
 * no log has. The first slot of a superblock always has a record: with it its first page begins. */
static bool is_of_this_filling(const struct fw *fw, uint32_t sb, uint32_t log) {
  struct orm_slot_record first;
  hal_invalidate(fw->p, log_addr(fw, log), ORM_SLOT_RECORD_BYTES);
  orm_slot_record_unpack(&first, hal_dram_words(fw->p, log_addr(fw, log)));
  return first.sb == sb && first.gen == superblock_generation(fw->p, sb);
}

/* The hardware calls one closed whose erase has failed, too: it may be half erased. */
static bool is_of_use(const struct fw *fw, uint32_t sb, uint32_t log) {
  return sb < fw->geometry.superblocks && is_of_this_filling(fw, sb, log) &&
         superblock_state(fw->p, sb) == ORM_SB_STATE_CLOSED && !bad_has(fw, sb) && !gc_in_flight(fw, sb) &&
         !gc_flight_is_in_doubt(fw, sb) && !program_fail_has(fw, sb) && !quiesce_format_holds_gc(fw);
}

static void begin(struct fw *fw) {
  uint32_t status = hal_read(fw->p, ORM_FW_LOG_STATUS);
  if (!ORM_GET(status, ORM_FW_LOG_STATUS_VALID)) return;
  uint32_t sb = ORM_GET(status, ORM_FW_LOG_STATUS_SB), log = ORM_GET(status, ORM_FW_LOG_STATUS_LOG);
  fw_again_in(fw, 0); /* there may be more */
  if (!is_of_use(fw, sb, log)) {
    release(fw, log);
    return;
  }
  fw->summary = (struct summary){
      .busy = true,
      .sb = sb,
      .gen = superblock_generation(fw->p, sb),
      .log = log,
      .stream = (uint8_t)ORM_GET(status, ORM_FW_LOG_STATUS_STREAM),
      .crc = ORM_CRC32C_INIT,
  };
  quiesce_set_summary(fw, true, sb);
  lanes_begin(fw, false);
}

uint32_t summary_covered(const struct device *d, uint32_t k) {
  return k + 1u == d->summary_slots ? ORM_SLOT_BYTES - ORM_SUMMARY_TRAILER_BYTES : ORM_SLOT_BYTES;
}

/* Zeroes what is behind the records in slot `k`, which is at `dram`; in the last one up to the trailer. */
static void pad(const struct device *d, const struct platform *p, uint32_t k, uint32_t dram) {
  uint32_t records = d->data_slots * ORM_SLOT_RECORD_BYTES, first = k * ORM_SLOT_BYTES;
  uint32_t from = records > first ? records - first : 0, to = summary_covered(d, k);
  if (from < to) memset(hal_dram(p, dram + from), 0, to - from);
}

static void end_with_trailer(const struct fw *fw, uint8_t *out) {
  const struct summary *s = &fw->summary;
  struct orm_summary_trailer t = {
      .mark = ORM_SUMMARY_MARK,
      .gen = s->gen,
      .sb = (uint16_t)s->sb,
      .version = ORM_FORMAT_VERSION,
      .stream = s->stream,
  };
  orm_summary_trailer_seal(&t, orm_crc32c_final(s->crc), out);
}

/* The hardware is done with the log. */
static void write_slot(struct fw *fw) {
  struct summary *s = &fw->summary;
  memory_error_check(fw); /* the log is in DRAM */
  const struct device *d = &fw->dev;
  uint32_t dram = log_addr(fw, s->log) + s->slot * ORM_SLOT_BYTES;
  uint32_t covered = summary_covered(d, s->slot);
  hal_invalidate(fw->p, dram, ORM_SLOT_BYTES);
  pad(d, fw->p, s->slot, dram);
  fw_work(fw->p, FW_WORK_CRC, covered / 16u);
  s->crc = crc_of_words(s->crc, hal_dram(fw->p, dram), covered);
  if (covered < ORM_SLOT_BYTES) end_with_trailer(fw, hal_dram(fw->p, dram + covered));
  hal_clean(fw->p, dram, ORM_SLOT_BYTES);
  lanes_write(fw, s->sb * d->slots_per_sb + d->data_slots + s->slot, dram);
  s->slot++;
}

static void end(struct fw *fw) {
  struct summary *s = &fw->summary;
  if (fw->lanes.worn) { /* as where data did not go in */
    state_media_error(&fw->state);
    program_fail_add(fw, s->sb);
  }
  release(fw, s->log);
  s->busy = false;
  quiesce_set_summary(fw, false, 0);
  fw_again_in(fw, 0); /* it may be a victim now, and the next one may be due */
}

/* The page with the trailer comes last, when all others are in flash: where it is programmed, in part even, so are
 * they, and a start may read them. */
static bool may_write(struct fw *fw) {
  bool last = fw->summary.slot == fw->dev.summary_slots - fw->dev.slots_per_page;
  return (!last || lanes_rest(fw)) && lanes_room(fw);
}

void summary_poll(struct fw *fw) {
  struct summary *s = &fw->summary;
  if (!s->busy) {
    if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_LOG_DUE) && summary_may_begin(fw)) begin(fw);
    return;
  }
  lanes_poll(fw);
  if (s->slot < fw->dev.summary_slots && may_write(fw)) write_slot(fw);
  if ((s->slot == fw->dev.summary_slots || fw->lanes.failed) && lanes_rest(fw)) end(fw);
}
