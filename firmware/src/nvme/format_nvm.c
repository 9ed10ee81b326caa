/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/format_nvm.h"

#include <string.h>

#include "core/superblock.h"
#include "fw.h"
#include "media/format_word.h"

#define LPNS_PER_POLL 8192u
#define LOOKS_PER_POLL 64u
#define QUIET_POLL_NS 5000u  /* io_quiet raises no interrupt */
#define ROOM_POLL_NS 100000u /* nor do journal records that take effect */
#define FULLS_MOST 64u       /* without any progress: something is broken */
#define NONE UINT32_MAX

static bool busy(enum format_nvm_phase phase) {
  return phase != FORMAT_NVM_IDLE && phase != FORMAT_NVM_END && phase != FORMAT_NVM_FAILED;
}

static void enter(struct fw *fw, enum format_nvm_phase phase) {
  fw_result_t refusal = phase == FORMAT_NVM_FAILED ? FW_NOT_READY : busy(phase) ? FW_FORMATTING : FW_OK;
  fw->format_nvm.phase = phase;
  quiesce_set_format(fw, refusal, busy(phase) && phase != FORMAT_NVM_DRAIN);
}

static void clear(struct fw *fw) {
  memset(&fw->format_nvm, 0, sizeof fw->format_nvm);
  fw->format_nvm.victim = NONE;
  enter(fw, FORMAT_NVM_IDLE);
}

void format_nvm_begin(struct fw *fw) { clear(fw); }

bool format_nvm_holds_engine(const struct fw *fw) { return fw->format_nvm.phase == FORMAT_NVM_UNMAP; }

/* Each half of a format with an erase counts as half of it. */
uint8_t format_nvm_remaining(const struct fw *fw) {
  const struct format_nvm *f = &fw->format_nvm;
  uint32_t erases = f->ses == NVME_FORMAT_SES_USER_DATA ? 50u : 0u;
  switch (f->phase) {
    case FORMAT_NVM_IDLE:
    case FORMAT_NVM_END:
      return 0;
    case FORMAT_NVM_FAILED:
    case FORMAT_NVM_DRAIN:
    case FORMAT_NVM_SETTLE:
    case FORMAT_NVM_RENEW:
      return 100;
    case FORMAT_NVM_SCAN:
    case FORMAT_NVM_UNMAP:
    case FORMAT_NVM_ROOM:
      return (uint8_t)(100u - (100u - erases) * (uint64_t)f->from / fw->geometry.nsze);
    case FORMAT_NVM_SURVEY:
      return (uint8_t)erases;
    case FORMAT_NVM_ERASE:
      return (uint8_t)(f->erases == 0 ? 0 : (uint64_t)erases * f->lefts / f->erases);
  }
  return 0;
}

void format_nvm_start(struct fw *fw, uint8_t ses, uint16_t cid, uint32_t nsid) {
  struct format_nvm *f = &fw->format_nvm;
  clear(fw);
  enter(fw, FORMAT_NVM_DRAIN);
  /* What a device that can only be read knows of its flash is not enough to leave any of it. */
  f->ses = fw->read_only.cause != 0 ? (uint8_t)NVME_FORMAT_SES_USER_DATA : ses;
  f->cid = cid;
  f->nsid = nsid;
  f->waited = true;
  namespace_show(fw);
  fw_again_in(fw, 0);
}

static void end(struct fw *fw, enum format_nvm_phase phase, fw_result_t result) {
  struct format_nvm *f = &fw->format_nvm;
  enter(fw, phase);
  f->result = result;
  namespace_show(fw);
  fw_again_in(fw, 0);
}

static void fail(struct fw *fw, const char *why) {
  hal_log(fw->p, PLATFORM_LOG_ERROR, "format stopped: %s", why);
  end(fw, FORMAT_NVM_FAILED, FW_INTERNAL);
}

/* ---- unmapping */

/* LPNs that have no data: those between the namespace and the ones of destaged chains. A namespace that leaves none
 * takes those of the set that the chain of superblock 0 does not use: no chain is destaged meanwhile. */
static struct orm_remap_range unmapped_pages(const struct fw *fw) {
  const struct device *d = &fw->dev;
  if (fw->geometry.nsze < d->destage_lpn)
    return (struct orm_remap_range){.src = fw->geometry.nsze, .nlb = d->destage_lpn - fw->geometry.nsze};
  hal_write(fw->p, ORM_FW_SB_SELECT, 0);
  uint32_t set = ORM_GET(hal_read(fw->p, ORM_FW_SB_DESTAGED), ORM_FW_SB_DESTAGED_SET);
  return (struct orm_remap_range){.src = d->destage_lpn + (set == 1 ? d->destage_slots : 0u), .nlb = d->destage_slots};
}

/* Each range costs the journal a record. */
static uint32_t most_ranges(const struct fw *fw) {
  uint32_t records = fw->dev.journal_records / 4u;
  return records < ORM_REMAP_RANGES_MAX ? records : ORM_REMAP_RANGES_MAX;
}

static void start_engine(struct fw *fw, uint32_t ranges) {
  const struct platform *p = fw->p;
  enter(fw, FORMAT_NVM_UNMAP);
  hal_clean(p, fw->dev.dram_fw, ranges * ORM_REMAP_RANGE_BYTES);
  hal_write(p, ORM_FW_REMAP_LIST, fw->dev.dram_fw);
  hal_write(p, ORM_FW_REMAP_GO, ORM_PUT(ORM_FW_REMAP_GO_RANGES, ranges) | ORM_PUT(ORM_FW_REMAP_GO_COPY, 1u));
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void unmapping_ended(struct fw *fw);

/* The whole of L2P was seen: once more if there was something to drop, so that the last pass has seen it empty. */
static void pass_ended(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  f->at = 0;
  f->from = 0;
  if (!f->found) {
    unmapping_ended(fw);
    return;
  }
  f->found = false;
  fw_again_in(fw, 0);
}

static void scan(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  struct orm_remap_range range = unmapped_pages(fw);
  uint32_t stop = least(fw->geometry.nsze - f->at, LPNS_PER_POLL) + f->at;
  uint32_t most = least((uint32_t)range.nlb, ORM_REMAP_PAGES_MAX), ranges = 0, pages = 0;
  f->from = f->at;
  hal_invalidate(fw->p, fw->dev.dram_l2p + 4u * f->at, 4u * (stop - f->at));
  while (f->at < stop && ranges < most_ranges(fw) && pages < ORM_REMAP_PAGES_MAX) {
    fw_work(fw->p, FW_WORK_LPN, 1u);
    if (hal_dram_get32(fw->p, fw->dev.dram_l2p + 4u * f->at) == ORM_UNMAPPED) {
      f->at++;
      continue;
    }
    range.dst = f->at;
    range.nlb = least(least(most, fw->geometry.nsze - f->at), ORM_REMAP_PAGES_MAX - pages);
    orm_remap_range_pack(&range, mailbox_buffer(fw) + ranges * ORM_REMAP_RANGE_BYTES);
    f->at += range.nlb;
    pages += range.nlb;
    ranges++;
  }
  if (ranges != 0) {
    f->found = true;
    start_engine(fw, ranges);
  } else if (f->at >= fw->geometry.nsze) {
    pass_ended(fw);
  } else {
    fw_again_in(fw, 0);
  }
}

/* A checkpoint drops the records of trims that have taken effect. */
static void make_room(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  enter(fw, FORMAT_NVM_ROOM);
  f->at = f->from;
  if (++f->fulls > FULLS_MOST) {
    fail(fw, "no room in the journal");
  } else if (!checkpoint_request(fw)) {
    fw_again_in(fw, ROOM_POLL_NS);
  }
}

static void unmapped(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  uint32_t status = hal_read(fw->p, ORM_FW_REMAP_STATUS);
  if (ORM_GET(status, ORM_FW_REMAP_STATUS_BUSY)) return;
  switch ((enum orm_remap_result)ORM_GET(status, ORM_FW_REMAP_STATUS_RESULT)) {
    case ORM_REMAP_RESULT_OK:
      f->fulls = 0;
      enter(fw, FORMAT_NVM_SCAN);
      fw_again_in(fw, 0);
      return;
    case ORM_REMAP_RESULT_NVRAM_FULL:
      make_room(fw);
      return;
    case ORM_REMAP_RESULT_UNMAPPED:
    case ORM_REMAP_RESULT_SHARER_LIMIT:
    case ORM_REMAP_RESULT_ENGINE_ERROR:
      break;
  }
  fail(fw, "the remap engine failed");
}

/* ---- user data erase */

static bool is_closed(uint32_t word) { return ORM_GET(word, ORM_FW_SB_STATE_STATE) == ORM_SB_STATE_CLOSED; }

/* The word goes, durably, before the host may write. */
static void complete(struct fw *fw) {
  if (fw->read_only.cause != 0) {
    if (nvram_rebuild_end(fw) != FW_OK) {
      fail(fw, "the port's options fit no namespace");
      return;
    }
  }
  format_word_clear(fw);
  damage_forget(fw);
  end(fw, FORMAT_NVM_END, fw->format_nvm.result);
  hal_log(fw->p, PLATFORM_LOG_INFO, "formatted: %u logical pages", (unsigned)fw->geometry.nsze);
}

/* A superblock that a stream has open cannot be erased. Its old data is out of reach. It is closed with the next
 * write, and is then among the first victims. */
static void unmapping_ended(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  if (f->ses != NVME_FORMAT_SES_USER_DATA) {
    complete(fw);
    return;
  }
  for (uint32_t handle = 0; handle < fw->geometry.handles; handle++) good_slots_end_filling(fw, handle);
  enter(fw, FORMAT_NVM_SURVEY);
  fw_again_in(fw, 0);
}

static void survey(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  for (uint32_t n = 0; n < LOOKS_PER_POLL && f->at < fw->geometry.superblocks; n++, f->at++) {
    /* A bad one stays as it is: were it erased after all it would be written again, and a start looks for nothing
     * in it. */
    bool closed = is_closed(superblock_word(fw->p, f->at)) && !bad_has(fw, f->at);
    sb_set_put(&f->left, f->at, closed);
    f->lefts += closed;
  }
  if (f->at == fw->geometry.superblocks) {
    f->at = 0;
    f->erases = f->lefts;
    f->progress = true;
    enter(fw, FORMAT_NVM_ERASE);
  }
  fw_again_in(fw, 0);
}

static void erase_ended(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  uint32_t word = superblock_word(fw->p, f->victim);
  f->victim = NONE;
  if (ORM_GET(word, ORM_FW_SB_STATE_STATE) != ORM_SB_STATE_FREE) f->result = FW_NAND; /* its data may still be there */
}

/* Without data only destaged parts of chains are left, and each goes when its chain's superblock does. So empty
 * ones come first, and one that is not is moved only when there is none. */
static void erase(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  if (!gc_idle(fw) || quiesce_summary_runs(fw)) return;
  if (f->victim != NONE) erase_ended(fw);
  if (f->lefts == 0) {
    complete(fw);
    return;
  }
  for (uint32_t n = 0; n < LOOKS_PER_POLL && f->at < fw->geometry.superblocks; n++, f->at++) {
    if (!sb_set_has(&f->left, f->at)) continue;
    if (ORM_GET(superblock_word(fw->p, f->at), ORM_FW_SB_STATE_VALID) != 0 && !f->moves) continue;
    sb_set_put(&f->left, f->at, false);
    f->lefts--;
    f->progress = true;
    f->moves = false;
    f->victim = f->at;
    gc_collect(fw, f->victim);
    return;
  }
  if (f->at == fw->geometry.superblocks) {
    f->at = 0;
    f->moves = !f->progress;
    f->progress = false;
  }
  fw_again_in(fw, 0);
}

/* ---- the order of things */

static void drain(struct fw *fw) {
  if (!quiesce_io_quiet(fw)) {
    fw_again_in(fw, QUIET_POLL_NS);
    return;
  }
  enter(fw, FORMAT_NVM_SETTLE);
  fw_again_in(fw, 0);
}

static void settle(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  if (!gc_idle(fw)) return; /* its end is an interrupt */
  hal_log(fw->p, PLATFORM_LOG_INFO, "format begins, secure erase setting %u", (unsigned)f->ses);
  if (fw->read_only.cause != 0) nvram_rebuild_begin(fw);
  format_word_write(fw);
  enter(fw, fw->read_only.cause != 0 ? FORMAT_NVM_RENEW : FORMAT_NVM_SCAN);
  fw_again_in(fw, 0);
}

static void rebuild(struct fw *fw) {
  if (nvram_rebuild_poll(fw) == FW_OK) enter(fw, FORMAT_NVM_SCAN);
  fw_again_in(fw, 0);
}

static bool answer(struct fw *fw, fw_result_t result) {
  struct format_nvm *f = &fw->format_nvm;
  if (f->waited && !command_complete_held(fw, f->cid, f->nsid, result)) return false;
  f->waited = false;
  return true;
}

/* Before the word is written there is nothing to go on with. */
static void give_up(struct fw *fw) {
  if (answer(fw, FW_ABORTED)) end(fw, FORMAT_NVM_IDLE, FW_ABORTED);
}

bool format_nvm_drained(struct fw *fw) {
  enum format_nvm_phase phase = fw->format_nvm.phase;
  if (!answer(fw, FW_SQ_DELETED)) return false;
  if (phase == FORMAT_NVM_DRAIN || phase == FORMAT_NVM_SETTLE) end(fw, FORMAT_NVM_IDLE, FW_ABORTED);
  return true;
}

void format_nvm_poll(struct fw *fw) {
  struct format_nvm *f = &fw->format_nvm;
  bool interrupted = quiesce_shuts_down(fw) || fw->state.clean;
  switch (f->phase) {
    case FORMAT_NVM_IDLE:
      return;
    case FORMAT_NVM_DRAIN:
    case FORMAT_NVM_SETTLE:
      if (interrupted)
        give_up(fw);
      else if (f->phase == FORMAT_NVM_DRAIN)
        drain(fw);
      else
        settle(fw);
      return;
    case FORMAT_NVM_RENEW:
      if (!interrupted) rebuild(fw);
      return;
    case FORMAT_NVM_SCAN:
      if (!interrupted && mailbox_idle(fw)) scan(fw); /* it takes their buffer */
      return;
    case FORMAT_NVM_UNMAP:
      unmapped(fw);
      return;
    case FORMAT_NVM_ROOM:
      if (fw->checkpoint.phase == CHECKPOINT_IDLE && !interrupted) {
        enter(fw, FORMAT_NVM_SCAN);
        fw_again_in(fw, 0);
      }
      return;
    case FORMAT_NVM_SURVEY:
      if (!interrupted) survey(fw);
      return;
    case FORMAT_NVM_ERASE:
      if (!interrupted) erase(fw);
      return;
    case FORMAT_NVM_END:
      if (answer(fw, f->result)) enter(fw, FORMAT_NVM_IDLE);
      return;
    case FORMAT_NVM_FAILED:
      (void)answer(fw, f->result);
      return;
  }
}
