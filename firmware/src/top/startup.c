/* SPDX-License-Identifier: Apache-2.0 */
#include "top/startup.h"

#include "core/identity.h"
#include "fw.h"
#include "media/media_init.h"

static fw_result_t check_hardware(struct fw *fw) { return device_probe(&fw->dev, fw->p); }

static fw_result_t check_identity(struct fw *fw) { return identity_check(&fw->p->identity); }

static fw_result_t read_header(struct fw *fw);
static fw_result_t open_for_business(struct fw *fw);
static fw_result_t open_for_reading(struct fw *fw);
static fw_result_t look_for_data(struct fw *fw);

static const struct startup_step boot_steps[] = {
    {"check hardware", check_hardware, "capability registers", "geometry"},
    {"check identity", check_identity, "identity from the port", "nothing"},
    {"read header", read_header, "NvHeader", "size of the namespace"}, /* goes on in one of the next two */
    {NULL, NULL, NULL, NULL},
};

/* After a format the device is recovered like any other: one way to fill the tables. */
static const struct startup_step format_steps[] = {
    {"choose geometry", media_init_begin, "options of the port, BadWords", "mark of a format, no FwState, no intents"},
    {"look for bad marks", media_init_marks, "first pages", "BadWords"},
    {"erase flash", media_init_flash, "nothing", "erased superblocks"},
    {"choose size", media_init_size, "BadWords", "size of the namespace"},
    {"blank NVRAM", media_init_nvram, "nothing", "BlockRecords, journal, bitmaps, segments, pointers"},
    {"write header", media_init_header, "nothing", "NvHeader"},
    {"read header", read_header, "NvHeader", "size of the namespace"},
    {NULL, NULL, NULL, NULL},
};

/* For blank NVRAM: a new device, or one that has lost it? */
static const struct startup_step look_steps[] = {
    {"look for data", look_for_data, "OobRecords", "nothing"}, /* goes on in one of two others */
    {NULL, NULL, NULL, NULL},
};

/* Nothing is written, and nothing erased (read_only.h). */
static const struct startup_step read_only_steps[] = {
    {"read what is left", read_only_begin, "pointers, BlockRecords, FwStates", "size of the namespace, generations"},
    {"clear maps", recovery_clear, "nothing", "empty L2P, REF"},
    {"check trim bitmap", recovery_trims, "TrimPointers, TrimWords", "figures"},
    {"read journal", recovery_journal, "JournalRecords", "trims"},
    {"probe spare areas", recovery_spare, "OobRecords, trim bitmap", "generations, L2P of what was written"},
    {"read remap entries", read_only_entries, "SegmentHeaders, RemapEntries", "L2P of what was remapped"},
    {"read destaged chains", recovery_destaged, "DestageHeaders, RemapEntries in flash", "L2P of what was remapped"},
    {"forget destaged chains", recovery_forget_destaged, "nothing", "L2P without their slots"},
    {"count sharers", recovery_sharers, "L2P", "REF, VALID"},
    {"settle superblocks", read_only_settle, "nothing", "states"},
    {"tell of damage", damage_save, "nothing", "nothing"},
    {"load tables", recovery_load, "all of this", "SuperblockTable, SeqCounter, Journal"},
    {"free segments", read_only_segments, "nothing", "RemapTable"},
    {"open", open_for_reading, "CrashLog", "registers"},
    {NULL, NULL, NULL, NULL},
};

/* Up to "settle superblocks" nothing is written but what damage is told and mended with, entries that do not count, and
 * names of what is about to go: of the snapshot, and of destaged chains without use. */
static const struct startup_step recovery_steps[] = {
    {"read pointers", recovery_pointers, "pointers, BlockRecords, FwStates, intents, FormatWord",
     "generations, epochs"},
    {"clear maps", recovery_clear, "nothing", "empty L2P, REF"},
    {"load snapshot", recovery_load_snapshot, "snapshot of a shutdown", "L2P, if there is one"},
    {"check trim bitmap", recovery_trims, "TrimPointers, TrimWords", "figures"},
    {"read journal", recovery_journal, "JournalRecords", "trims since the checkpoint"},
    {"probe spare areas", recovery_spare, "summaries, OobRecords, trim bitmap", "L2P of what was written"},
    {"find remap chains", recovery_chains, "SegmentHeaders", "chains"},
    {"read remap entries", recovery_entries, "RemapEntries", "L2P of what was remapped"},
    {"look for damage", recovery_look_for_damage, "chains, RemapEntries, JournalRecords", "figures"},
    {"tell of damage", damage_save, "nothing", "FwState, if there is any"},
    {"mend chains", recovery_mend_chains, "chains", "headers, entries without damage"},
    {"read destaged chains", recovery_destaged, "DestageHeaders, RemapEntries in flash", "L2P of what was remapped"},
    {"finish a cut format", recovery_end_format, "FormatWord", "empty L2P, if it is there"},
    {"count sharers", recovery_sharers, "L2P", "REF, VALID"},
    {"wipe entries", recovery_wipe_entries, "RemapEntries", "none that do not count"},
    {"forget snapshot", recovery_forget_snapshot, "nothing", "FwStates without a snapshot, if there was one"},
    {"drop dead destaged chains", recovery_drop_destaged, "VALID", "BlockRecords without a set"},
    {"settle superblocks", recovery_settle, "VALID, intents, open superblocks", "states, erased superblocks"},
    {"trim remap chains", recovery_trim_chains, "chains", "chains without a dead end"},
    {"checkpoint trims", recovery_checkpoint, "L2P", "trim bitmap, its pointers, checkpoint pointer"},
    {"end a cut format", recovery_clear_format_word, "FormatWord", "no FormatWord"},
    {"load tables", recovery_load, "all of this", "SuperblockTable, Allocator, SeqCounter, Journal"},
    {"load remap chains", recovery_load_chains, "chains", "RemapTable"},
    {"forget intents", recovery_forget_intents, "intents", "no intents"},
    {"open", open_for_business, "CrashLog", "FwState, registers"},
    {NULL, NULL, NULL, NULL},
};

static void go_to(struct fw *fw, const struct startup_step *step) {
  fw->startup.step = step;
  fatal_step(fw, step->name != NULL ? step->name : "done");
}

/* Never formatted: nothing but zeroes, or nothing but ones, where the header and the pointers are. Anything else may be
 * what is left of a device that holds data. */
static bool is_blank(const struct fw *fw) {
  uint8_t raw[8];
  hal_nv_read(fw->p, fw->dev.nv_header, raw, sizeof raw);
  uint64_t first = orm_get_le(raw, sizeof raw);
  if (first != 0 && first != UINT64_MAX) return false;
  for (uint32_t at = fw->dev.nv_header; at < fw->dev.nv_counters; at += sizeof raw) {
    hal_nv_read(fw->p, at, raw, sizeof raw);
    if (orm_get_le(raw, sizeof raw) != first) return false;
  }
  return true;
}

static fw_result_t check_header(const struct fw *fw, const struct orm_nv_header *h) {
  const struct device *d = &fw->dev;
  const struct platform_options *o = &fw->p->options;
  if (h->version != ORM_FORMAT_VERSION) return FW_FORMAT_VERSION;
  if (h->slots_per_sb != d->slots_per_sb || h->flash != d->flash || h->summary_slots != d->summary_slots ||
      !device_segments_fit(d, h->segments) || h->journal_records != d->journal_records ||
      h->superblocks > d->superblocks || h->nsze > d->destage_lpn || h->superblocks <= FW_SPARE_SUPERBLOCKS + h->bad ||
      h->handles == 0 || h->handles > FW_MAX_HANDLES)
    return FW_FORMAT_MISMATCH;
  if (o->superblocks != 0 && o->superblocks != h->superblocks) return FW_OPTIONS_MISMATCH;
  if (o->over_provision_pct != 0 &&
      device_nsze(d, h->superblocks - h->bad, h->handles, o->over_provision_pct) != h->nsze)
    return FW_OPTIONS_MISMATCH;
  if (o->placement_handles != 0 && o->placement_handles != h->handles) return FW_OPTIONS_MISMATCH;
  if (o->remap_segments != 0 && o->remap_segments != h->segments) return FW_OPTIONS_MISMATCH;
  return FW_OK;
}

static fw_result_t read_header(struct fw *fw) {
  uint8_t raw[ORM_NV_HEADER_BYTES];
  struct orm_nv_header h;
  hal_nv_read(fw->p, fw->dev.nv_header, raw, sizeof raw);
  bool good = orm_nv_header_open(&h, raw);
  if (h.magic == ORM_NV_FORMATTING) {
    go_to(fw, format_steps);
    return FW_PENDING;
  }
  if (!good && is_blank(fw)) {
    go_to(fw, look_steps);
    return FW_PENDING;
  }
  /* Data may be behind it: never format over it unasked. */
  if (!good) return read_only_without_header(fw);
  fw_result_t r = check_header(fw, &h);
  if (r != FW_OK) return r;
  geometry_load(fw, &h);
  bad_load(fw);
  bad_set_at_format(fw, h.bad);
  device_use_segments(&fw->dev, h.segments);
  go_to(fw, recovery_steps);
  return FW_PENDING;
}

static fw_result_t look_for_data(struct fw *fw) {
  fw_result_t r = read_only_look(fw);
  if (r != FW_OK) return r;
  go_to(fw, format_steps);
  return FW_PENDING;
}

/* The read-only cause that a result stands for, or 0. */
static uint32_t cause_of(fw_result_t r) {
  switch (r) {
    case FW_LOST:
      return ORM_READ_ONLY_LOST;
    case FW_BAD_HEADER:
      return ORM_READ_ONLY_HEADER;
    case FW_BAD_POINTER:
      return ORM_READ_ONLY_POINTER;
    case FW_BAD_BLOCK:
      return ORM_READ_ONLY_BLOCK;
    case FW_BAD_FORMAT_WORD:
      return ORM_READ_ONLY_FORMAT;
    default:
      return 0;
  }
}

/* A step may find that the start has to go on in another table. */
static fw_result_t switched(struct fw *fw, fw_result_t r) {
  uint32_t cause = cause_of(r);
  if (cause != 0) {
    hal_log(fw->p, PLATFORM_LOG_ERROR, "%s: the device can only be read until Format NVM", fw_result_text(r));
    read_only_enter(fw, cause);
    go_to(fw, read_only_steps);
    return FW_PENDING;
  }
  if (r == FW_IN_FULL) {
    recovery_refuse_snapshot(fw);
    go_to(fw, recovery_steps);
    return FW_PENDING;
  }
  return r;
}

static void open(struct fw *fw) {
  const struct platform *p = fw->p;
  hal_write(p, ORM_FW_ALLOC_RESERVE, FW_ALLOC_RESERVE);
  hal_write(p, ORM_FW_ALLOC_HANDLES, fw->geometry.handles);
  gc_begin(fw, snapshot_most_sbs(fw));
  checkpoint_begin(fw, fw->recovery.trims_before);
  format_nvm_begin(fw);
  controller_begin(fw);
  hal_write(p, ORM_FW_NVME_NSZE, fw->geometry.nsze);
  namespace_show(fw);
}

static fw_result_t open_for_reading(struct fw *fw) {
  crash_load(fw);
  open(fw);
  return FW_OK;
}

static fw_result_t open_for_business(struct fw *fw) {
  crash_load(fw);
  state_powered_on(&fw->state);
  state_watch_segments(fw->p);
  /* From now on the host may write: the state is no longer that of a shutdown. */
  state_save(&fw->state, &fw->dev, fw->p, false);
  open(fw);
  return FW_OK;
}

/* What the owner must know before data is trusted to the device. */
static void tell_board(const struct platform *p) {
  if (p->board & ORM_BOARD_NVRAM_VOLATILE)
    hal_log(p, PLATFORM_LOG_ERROR, "NVRAM is volatile: %s",
            p->board & ORM_BOARD_FLASH_VOLATILE ? "so is flash, all data is lost with the power"
                                                : "a device that loses power can only be read until Format NVM");
  else if (p->board & ORM_BOARD_FLASH_VOLATILE)
    hal_log(p, PLATFORM_LOG_ERROR, "flash is volatile: all data is lost with the power");
  if (p->board & ORM_BOARD_UNVERIFIED)
    hal_log(p, PLATFORM_LOG_ERROR, "this board was loaded with what has no record of its tests");
}

void startup_begin(struct fw *fw) {
  tell_board(fw->p);
  go_to(fw, boot_steps);
}

const char *startup_step_reads(const struct startup *s) { return s->step->name != NULL ? s->step->reads : "nothing"; }

static void tell(const struct fw *fw) {
  const struct startup_step *step = fw->startup.step;
  hal_log(fw->p, PLATFORM_LOG_DEBUG, "start-up: %s (%s -> %s)", step->name, step->reads, step->makes);
}

fw_result_t startup_poll(struct fw *fw) {
  const struct startup_step *step = fw->startup.step;
  if (step != fw->startup.told) {
    tell(fw);
    fw->startup.told = step;
  }
  fw_result_t r = switched(fw, step->run(fw));
  if (fw->startup.step != step) { /* went on in another table */
    recovery_step_begins(fw);
    fw_again_in(fw, 0);
    return r;
  }
  if (r == FW_PENDING) {
    /* Only NAND and the DMA make a step wait, and raise the interrupt when they answer. */
    if (fw->nand.outstanding == 0 && !fw->lanes.moving) fw_again_in(fw, 0);
    return FW_PENDING;
  }
  if (r != FW_OK) return r;
  recovery_step_begins(fw);
  go_to(fw, step + 1);
  if (fw->startup.step->name == NULL) return FW_OK;
  fw_again_in(fw, 0);
  return FW_PENDING;
}
