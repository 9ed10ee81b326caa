/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the slots of each superblock hold, superblock after superblock: its summary says it, if it is full and has one;
 * else the spare area of every slot that may be programmed is probed, all dies side by side.
 */
#include <string.h>

#include "core/superblock.h"
#include "fw.h"

#define PROBES_PER_POLL 32u

#define NOTHING_FOLLOWS UINT32_MAX

/* Another page of the block is programmed behind that of `next`, or this one is known to have been programmed. */
static bool is_followed(const struct recovery *r, const struct device *d, uint32_t die) {
  return r->followed[die] != NOTHING_FOLLOWS && r->next[die] / d->slots_per_page < r->followed[die];
}

/* What else was asked about slot `next` of the die. */
static void take_answer(struct fw *fw, uint32_t die, enum orm_fw_nand_status status) {
  struct recovery *r = &fw->recovery;
  if (r->ask[die] == ASK_DATA) {
    r->data[die] = status == ORM_FW_NAND_STATUS_OK ? DATA_GOOD : DATA_LOST;
    nand_read_done(&fw->nand);
  } else {
    bool programmed = status != ORM_FW_NAND_STATUS_ERASED;
    r->followed[die] = programmed ? r->next[die] / fw->dev.slots_per_page + 1u : NOTHING_FOLLOWS;
  }
  r->ask[die] = ASK_SPARE;
}

/* A probe that FAILED: the data was not good at the read-retry level at which the spare was. Whether it is lost
 * only a read tells, which tries all levels. If it is, nothing tells whether the program was cut short. It was if
 * nothing follows the page in its block, and a power cut closed the superblock: what its LPNs had before counts then.
 * (One that a shutdown left open was begun after the last cut.) Or else the data was there, and has been lost since: it
 * is the newest that its LPNs have. False: more has to be asked. */
static bool judge(struct fw *fw, uint32_t sb, uint32_t die, bool *torn) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  *torn = false;
  if (r->data[die] == DATA_UNKNOWN) {
    r->ask[die] = ASK_DATA;
    return false;
  }
  if (r->data[die] == DATA_GOOD || is_followed(r, d, die) || (r->resume && state_was_open(&fw->state, sb))) return true;
  bool last = r->next[die] / d->slots_per_page + 1u == d->pages_per_block;
  if (!last && r->followed[die] != NOTHING_FOLLOWS) {
    r->ask[die] = ASK_AHEAD;
    return false;
  }
  *torn = true;
  return true;
}

static bool is_done(const struct recovery *r, const struct device *d, uint32_t die) {
  return r->next[die] >= device_data_slots_of(d, die);
}

static void end_probing(struct recovery *r, const struct device *d) {
  for (uint32_t die = 0; die < d->dies; die++) r->next[die] = device_slots_per_block(d);
}

/* Slots that only complete a page are good ones that name no LPN. */
static fw_result_t take_probe(struct fw *fw, const struct nand_result *res) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t sb = res->slot / d->slots_per_sb;
  uint32_t die = nand_die_of(d, res->slot);
  FW_ASSERT(fw, sb < r->superblocks && !is_done(r, d, die)); /* what was asked for */
  struct recovery_sb *s = &r->sb[sb];
  if (r->ask[die] != ASK_SPARE) {
    take_answer(fw, die, res->status);
    return FW_OK;
  }
  /* Where BadWords are good a superblock with a mark is not probed: it is a page of firmware's own, whose spare is
   * zeroes, too. */
  bool marked = nand_marked_bad(res) && (fw->read_only.cause != 0 || bad_is_unknown(fw, sb));
  if (res->status == ORM_FW_NAND_STATUS_ERASED || marked) { /* pages are programmed in order: nothing follows */
    if (marked) bad_note(fw, sb);                           /* its BadWord is damaged or lost */
    r->next[die] = device_slots_per_block(d);
    return FW_OK;
  }
  bool torn = false;
  if (res->status == ORM_FW_NAND_STATUS_FAILED && !judge(fw, sb, die, &torn)) return FW_OK;
  bool readable = res->status == ORM_FW_NAND_STATUS_OK || r->data[die] == DATA_GOOD;
  /* A page is programmed as a whole: where one of its slots can be read it is not torn. */
  if (readable) r->followed[die] = r->next[die] / d->slots_per_page + 1u;
  r->next[die]++;
  r->data[die] = DATA_UNKNOWN;
  s->programmed++;
  struct orm_oob_record oob;
  /* Data that is lost is still the newest that its LPN has: reads of it fail, older data does not come back. */
  bool known = res->status == ORM_FW_NAND_STATUS_OK || res->status == ORM_FW_NAND_STATUS_FAILED;
  fw_work(fw->p, FW_WORK_CHECK, known);
  bool named = known && orm_oob_record_open(&oob, res->oob);
  if (torn && named && oob.gen == s->gen) recovery_saw(r, oob.seq); /* not used again */
  if (torn || !named) {
    r->doubt = true;
    r->unseen = r->unseen || !named;
    return FW_OK;
  }
  if (oob.slot != res->slot) return FW_OK;
  if (fw->read_only.cause != 0 && s->good == 0) s->gen = oob.gen;
  if (oob.gen != s->gen) {
    s->foreign = true;
    return FW_OK;
  }
  /* Data that this firmware cannot tell from rubbish: it must not be erased as such. */
  if (oob.version != ORM_FORMAT_VERSION) return FW_FORMAT_VERSION;
  s->good++;
  s->stream = oob.stream;
  recovery_mark_slot(fw, r->good_map, res->slot);
  if (!readable) {
    recovery_mark_slot(fw, r->lost_map, res->slot);
    s->lost++;
  }
  recovery_saw(r, oob.seq);
  if (!recovery_destaged_event(fw, oob.lpn, oob.seq, res->slot)) recovery_event(fw, oob.lpn, oob.seq, res->slot);
  return FW_OK;
}

/* A superblock can be filled on where it stopped if its slots 0..n-1 are good and no other was touched. */
static bool is_even(const struct fw *fw, uint32_t sb) {
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  if (s->good != s->programmed) return false;
  fw_work(fw->p, FW_WORK_LPN, s->programmed);
  for (uint32_t i = 0; i < s->programmed; i++) {
    if (!recovery_slot_good(fw, sb * fw->dev.slots_per_sb + i)) return false;
  }
  return true;
}

/* The first slot of each die's block has been probed, and each holds something of this generation. */
static bool is_begun(const struct fw *fw, uint32_t sb) {
  const struct recovery *r = &fw->recovery;
  if (fw->nand.outstanding != 0) return false;
  for (uint32_t die = 0; die < fw->dev.dies; die++) {
    if (r->next[die] != 1u) return false;
  }
  return r->sb[sb].good == fw->dev.dies;
}

/* Probes that are due are begun; false: the superblock has been probed. */
static bool probe(struct fw *fw, uint32_t sb, bool first_only) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  bool busy = false;
  fw_work(fw->p, FW_WORK_DIE, d->dies);
  for (uint32_t die = 0; die < d->dies; die++) {
    if (is_done(r, d, die) || (first_only && r->next[die] != 0)) continue;
    busy = true;
    bool ahead = r->ask[die] == ASK_AHEAD;
    uint32_t at = ahead ? (r->next[die] / d->slots_per_page + 1u) * d->slots_per_page : r->next[die];
    enum orm_fw_nand_op op = r->ask[die] == ASK_DATA ? ORM_FW_NAND_OP_READ : ORM_FW_NAND_OP_PROBE;
    if (!fw->nand.busy[die]) (void)nand_start(&fw->nand, d, fw->p, op, device_slot_of(d, sb, die, at));
  }
  return busy;
}

fw_result_t recovery_spare(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  const struct device *d = &fw->dev;
  uint32_t sb = recovery_order(r, r->at);
  struct nand_result res;
  if (r->summary.phase == SUMMARY_ASK || r->summary.phase == SUMMARY_OVER) {
    for (uint32_t n = 0; n < PROBES_PER_POLL && nand_take(&fw->nand, d, fw->p, &res); n++) {
      fw_result_t taken = take_probe(fw, &res);
      if (taken != FW_OK) return taken;
    }
  }
  /* It holds nothing; a probe of a block whose mark was lost says anything. */
  if (bad_has(fw, sb) || r->sb[sb].known) end_probing(r, d);
  bool seeks = recovery_seeks_summary(fw, sb);
  if (seeks && (r->summary.phase != SUMMARY_ASK || is_begun(fw, sb))) {
    fw_result_t taken = recovery_take_summary(fw, sb);
    if (taken != FW_OK) return taken;
    if (r->sb[sb].whole) end_probing(r, d);
    fw_again_in(fw, 0);
    return FW_PENDING;
  }
  if (probe(fw, sb, seeks)) return FW_PENDING;
  if (seeks) { /* it is not full */
    r->summary.phase = SUMMARY_OVER;
    fw_again_in(fw, 0);
    return FW_PENDING;
  }
  /* The record of an erase follows it: what is of another generation, and all there is, was not erased. Only what
   * was bad at the format may look like that. */
  bool was_bad = bad_is_unknown(fw, sb) && r->sb[sb].gen == FW_BAD_GENERATION;
  if (r->sb[sb].foreign && r->sb[sb].good == 0 && !was_bad) return FW_BAD_BLOCK;
  r->sb[sb].even = !r->sb[sb].known && !r->sb[sb].whole && is_even(fw, sb);
  recovery_judge_intent(fw, sb);
  memset(r->next, 0, d->dies * sizeof *r->next);
  memset(r->followed, 0, d->dies * sizeof *r->followed);
  r->summary = (struct recovery_summary){.phase = SUMMARY_ASK};
  r->at++;
  if (r->at == r->superblocks) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}
