/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/recovery_summary.h"

#include "core/crc.h"
#include "fw.h"
#include "fw_mutant.h"

/* A start that repeats an erase, or does not know which may have been cut, needs to know what each slot is now. */
bool recovery_seeks_summary(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  if (fw->dev.summary_slots == 0 || r->summary.phase == SUMMARY_OVER || fw->read_only.cause != 0) return false;
  if (fw_mutant(FW_MUTANT_SUMMARY_TRUSTED)) return true;
  return !r->bad_intent && !recovery_has_intent(fw, sb) && !bad_is_unknown(fw, sb);
}

/* In place of the hardware's first log, which it does not use yet. */
static uint32_t dram_of(const struct fw *fw, uint32_t k) { return fw->dev.dram_log + k * ORM_SLOT_BYTES; }

static uint32_t slot_of(const struct fw *fw, uint32_t sb, uint32_t k) {
  return sb * fw->dev.slots_per_sb + fw->dev.data_slots + k;
}

static void next_phase(struct recovery_summary *s, enum recovery_summary_phase phase) {
  s->phase = phase;
  s->slot = 0;
}

/* It must not be read when it was never programmed. The one with the trailer was begun when the others had landed. */
static fw_result_t ask(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  uint32_t last = slot_of(fw, sb, fw->dev.summary_slots - 1u);
  struct nand_result res;
  if (s->phase == SUMMARY_ASK) {
    if (nand_start(&fw->nand, &fw->dev, fw->p, ORM_FW_NAND_OP_PROBE, last)) s->phase = SUMMARY_ASKED;
    return FW_PENDING;
  }
  if (!nand_take(&fw->nand, &fw->dev, fw->p, &res)) return FW_PENDING;
  bool there = res.status == ORM_FW_NAND_STATUS_OK || res.status == ORM_FW_NAND_STATUS_FAILED;
  next_phase(s, there ? SUMMARY_READ : SUMMARY_OVER);
  lanes_begin(fw, true);
  return FW_PENDING;
}

static void load(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  lanes_poll(fw);
  while (s->slot < fw->dev.summary_slots && lanes_read(fw, slot_of(fw, sb, s->slot), dram_of(fw, s->slot))) s->slot++;
  if ((s->slot < fw->dev.summary_slots && !fw->lanes.failed) || !lanes_rest(fw)) return;
  next_phase(s, fw->lanes.failed ? SUMMARY_OVER : SUMMARY_CHECK);
  s->crc = ORM_CRC32C_INIT;
}

/* The last slot: whether all of it is what its trailer says. */
static fw_result_t check_trailer(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  struct recovery_sb *of = &fw->recovery.sb[sb];
  struct orm_summary_trailer t;
  const uint8_t *raw =
      hal_dram(fw->p, dram_of(fw, fw->dev.summary_slots) - ORM_SUMMARY_TRAILER_BYTES); /* its last bytes */
  bool good = orm_summary_trailer_open(&t, raw, orm_crc32c_final(s->crc)) && t.mark == ORM_SUMMARY_MARK &&
              t.gen == of->gen && t.sb == sb;
  if (good && t.version != ORM_FORMAT_VERSION) return FW_FORMAT_VERSION;
  next_phase(s, good ? SUMMARY_TAKE : SUMMARY_OVER);
  if (good) of->stream = t.stream;
  return FW_PENDING;
}

static fw_result_t check(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  uint32_t covered = summary_covered(&fw->dev, s->slot);
  fw_work(fw->p, FW_WORK_CRC, covered / 16u);
  s->crc = crc_of_words(s->crc, hal_dram(fw->p, dram_of(fw, s->slot)), covered);
  s->slot++;
  return s->slot == fw->dev.summary_slots ? check_trailer(fw, sb) : FW_PENDING;
}

#define RECORDS_A_SLOT (ORM_SLOT_BYTES / ORM_SLOT_RECORD_BYTES)
#define RECORDS_AT_ONCE 32u /* of recovery_records() */

/* All its slots were programmed well, those that complete a page as well. */
static void take_slot(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  struct recovery_sb *of = &fw->recovery.sb[sb];
  uint32_t first = s->slot * RECORDS_A_SLOT;
  uint32_t end = fw->dev.data_slots < first + RECORDS_A_SLOT ? fw->dev.data_slots : first + RECORDS_A_SLOT;
  const uint8_t *records = hal_dram_words(fw->p, dram_of(fw, 0));
  for (uint32_t i = first; i < end; i += RECORDS_AT_ONCE)
    recovery_records(fw, sb, sb * fw->dev.slots_per_sb + i, records + i * ORM_SLOT_RECORD_BYTES,
                     end - i < RECORDS_AT_ONCE ? end - i : RECORDS_AT_ONCE);
  s->slot++;
  if (s->slot < fw->dev.summary_slots) return;
  of->programmed = of->good = (uint16_t)fw->dev.data_slots;
  of->lost = 0;
  of->whole = true;
  next_phase(s, SUMMARY_OVER);
}

fw_result_t recovery_take_summary(struct fw *fw, uint32_t sb) {
  struct recovery_summary *s = &fw->recovery.summary;
  fw_result_t r = FW_PENDING;
  switch (s->phase) {
    case SUMMARY_ASK:
    case SUMMARY_ASKED:
      r = ask(fw, sb);
      break;
    case SUMMARY_READ:
      load(fw, sb);
      break;
    case SUMMARY_CHECK:
      r = check(fw, sb);
      break;
    case SUMMARY_TAKE:
      take_slot(fw, sb);
      break;
    case SUMMARY_OVER:
      break;
  }
  return s->phase == SUMMARY_OVER && r == FW_PENDING ? FW_OK : r;
}
