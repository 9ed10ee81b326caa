/* SPDX-License-Identifier: Apache-2.0 */
#include "core/state.h"

#include <string.h>

#include "core/hal.h"

#define WORK_PER_SAVE 8u

_Static_assert(ORM_COUNTERS * 8 <= sizeof(((struct orm_fw_state *)0)->counters), "FwState has room for every counter");

_Static_assert(ORM_SNAPSHOT_SBS * 2 == sizeof(((struct orm_fw_state *)0)->snapshot_sbs), "and for its superblocks");

_Static_assert(FW_MAX_STREAMS * 2 == sizeof(((struct orm_fw_state *)0)->open_sbs), "FwState has room for every stream");

static uint32_t copy_addr(const struct device *d, uint64_t save) {
  return d->nv_counters + ORM_NV_STATE_OFFSET + (uint32_t)(save % 2u) * ORM_FW_STATE_BYTES;
}

_Static_assert(ORM_NV_INTENT_OFFSET + ORM_NV_INTENTS * ORM_GC_INTENT_BYTES <= ORM_NV_STATE_OFFSET,
               "intents, then FwState");

static uint32_t intent_addr(const struct device *d, uint32_t place) {
  return d->nv_counters + ORM_NV_INTENT_OFFSET + place * ORM_GC_INTENT_BYTES;
}

static uint64_t hardware_counter(const struct platform *p, uint32_t index) {
  hal_write(p, ORM_FW_COUNTER_SELECT, ORM_PUT(ORM_FW_COUNTER_SELECT_INDEX, index));
  uint64_t low = hal_read(p, ORM_FW_COUNTER_LO); /* latches the high half */
  return low | (uint64_t)ORM_GET(hal_read(p, ORM_FW_COUNTER_HI), ORM_FW_COUNTER_HI_VALUE) << 32;
}

static void take(struct state *s, const struct orm_fw_state *r) {
  for (uint32_t i = 0; i < ORM_COUNTERS; i++) s->base[i] = orm_get_le(r->counters + 8u * i, 8);
  s->base_ns = r->device_ns;
  s->save = r->save;
  s->clean = r->clean == 1;
  for (uint32_t i = 0; i < FW_MAX_STREAMS; i++) s->open_sb[i] = (uint16_t)orm_get_le(r->open_sbs + 2u * i, 2);
  s->snapshot = (struct snapshot_place){.seq = r->snapshot_seq, .slots = s->clean ? r->snapshot_slots : 0};
  s->snapshot.crc = r->snapshot_crc;
  for (uint32_t i = 0; i < ORM_SNAPSHOT_SBS; i++) s->snapshot.sb[i] = (uint16_t)orm_get_le(r->snapshot_sbs + 2u * i, 2);
  s->power_cycles = r->power_cycles;
  s->unsafe_shutdowns = r->unsafe_shutdowns;
  s->remap_commands = r->remap_commands;
  s->remap_refused_sharers = r->remap_refused_sharers;
  s->remap_refused_nvram = r->remap_refused_nvram;
  s->remap_refused_other = r->remap_refused_other;
  s->trim_checkpoints = r->trim_checkpoints;
  s->errors = r->errors;
  s->media_errors = r->media_errors;
  s->segments_most = r->segments_most;
  s->read_reclaims = r->read_reclaims;
  s->wear_moved_pages = r->wear_moved_pages;
  s->warning_ns = r->warning_ns;
  s->critical_ns = r->critical_ns;
  s->damaged[DAMAGE_ENTRY] = r->damaged_entries;
  s->damaged[DAMAGE_SEGMENT] = r->damaged_segments;
  s->damaged[DAMAGE_JOURNAL] = r->damaged_journal;
  s->damaged[DAMAGE_WORD] = r->damaged_words;
}

void state_forget_open(struct state *s) {
  for (uint32_t i = 0; i < FW_MAX_STREAMS; i++) s->open_sb[i] = FW_NO_SB;
}

void state_powered_on(struct state *s) {
  s->power_cycles++;
  if (!s->clean && s->save > 0) s->unsafe_shutdowns++;
}

void state_media_error(struct state *s) { s->media_errors++; }

uint64_t state_error(struct state *s) { return ++s->errors; }

void state_remap_ended(struct state *s, fw_result_t r) {
  if (r == FW_OK)
    s->remap_commands++;
  else if (r == FW_REMAP_SHARERS)
    s->remap_refused_sharers++;
  else if (r == FW_REMAP_FULL)
    s->remap_refused_nvram++;
  else
    s->remap_refused_other++;
}

void state_checkpoint_made(struct state *s) { s->trim_checkpoints++; }

void state_read_reclaimed(struct state *s) { s->read_reclaims++; }

void state_wear_moved(struct state *s, uint32_t pages) { s->wear_moved_pages += pages; }

void state_was_warm(struct state *s, uint64_t ns) { s->warning_ns += ns; }

void state_was_critical(struct state *s, uint64_t ns) { s->critical_ns += ns; }

void state_damaged(struct state *s, enum damage_kind kind) { s->damaged[kind]++; }

void state_forget_damage(struct state *s) { memset(s->damaged, 0, sizeof s->damaged); }

void state_not_clean(struct state *s) { s->clean = false; }

void state_note_open(struct state *s, uint32_t sb) {
  uint32_t i = 0;
  while (i < FW_MAX_STREAMS && s->open_sb[i] != FW_NO_SB) i++;
  if (i < FW_MAX_STREAMS) s->open_sb[i] = (uint16_t)sb;
}

bool state_was_open(const struct state *s, uint32_t sb) {
  for (uint32_t i = 0; i < FW_MAX_STREAMS; i++) {
    if (s->open_sb[i] == sb) return true;
  }
  return false;
}

void state_set_snapshot(struct state *s, const struct snapshot_place *place) { s->snapshot = *place; }

fw_result_t state_load(struct state *s, const struct device *d, const struct platform *p) {
  memset(s, 0, sizeof *s);
  state_forget_open(s);
  bool found = false;
  for (uint64_t copy = 0; copy < 2; copy++) {
    uint8_t raw[ORM_FW_STATE_BYTES];
    struct orm_fw_state r;
    hal_nv_read(p, copy_addr(d, copy), raw, sizeof raw);
    if (!orm_fw_state_open(&r, raw)) continue;
    if (r.version != ORM_FORMAT_VERSION) return FW_FORMAT_VERSION;
    if (!found || r.save > s->save) take(s, &r);
    found = true;
  }
  return FW_OK;
}

static void save_copy(struct state *s, const struct device *d, const struct platform *p, bool clean) {
  struct orm_fw_state r;
  memset(&r, 0, sizeof r);
  fw_work(p, FW_WORK_SAVE, 1u);
  s->save++;
  s->clean = clean;
  s->unsaved = 0;
  r.version = ORM_FORMAT_VERSION;
  r.clean = clean ? 1 : 0;
  if (!clean) s->snapshot.slots = 0;
  r.snapshot_slots = s->snapshot.slots;
  r.snapshot_crc = s->snapshot.crc;
  r.snapshot_seq = s->snapshot.seq;
  for (uint32_t i = 0; i < ORM_SNAPSHOT_SBS; i++)
    orm_put_le(r.snapshot_sbs + 2u * i, s->snapshot.slots != 0 ? s->snapshot.sb[i] : FW_NO_SB, 2);
  r.save = s->save;
  r.device_ns = state_device_ns(s, p);
  r.power_cycles = s->power_cycles;
  r.unsafe_shutdowns = s->unsafe_shutdowns;
  r.remap_commands = s->remap_commands;
  r.remap_refused_sharers = s->remap_refused_sharers;
  r.remap_refused_nvram = s->remap_refused_nvram;
  r.remap_refused_other = s->remap_refused_other;
  r.trim_checkpoints = s->trim_checkpoints;
  r.errors = s->errors;
  r.media_errors = s->media_errors;
  r.segments_most = state_segments_most(s, d, p);
  r.read_reclaims = s->read_reclaims;
  r.wear_moved_pages = s->wear_moved_pages;
  r.warning_ns = s->warning_ns;
  r.critical_ns = s->critical_ns;
  r.damaged_entries = s->damaged[DAMAGE_ENTRY];
  r.damaged_segments = s->damaged[DAMAGE_SEGMENT];
  r.damaged_journal = s->damaged[DAMAGE_JOURNAL];
  r.damaged_words = s->damaged[DAMAGE_WORD];
  for (uint32_t i = 0; i < FW_MAX_STREAMS; i++) orm_put_le(r.open_sbs + 2u * i, s->open_sb[i], 2);
  for (uint32_t i = 0; i < ORM_COUNTERS; i++)
    orm_put_le(r.counters + 8u * i, state_counter(s, p, (enum orm_counter)i), 8);
  uint8_t raw[ORM_FW_STATE_BYTES];
  orm_fw_state_seal(&r, raw);
  hal_nv_write(p, copy_addr(d, s->save), raw, sizeof raw);
}

void state_save(struct state *s, const struct device *d, const struct platform *p, bool clean) {
  if (s->clean && !clean) save_copy(s, d, p, clean); /* both: were the newer one damaged the other would say clean */
  save_copy(s, d, p, clean);
}

void state_drop_snapshot(struct state *s, const struct device *d, const struct platform *p, bool clean) {
  s->snapshot.slots = 0;
  for (uint32_t copy = 0; copy < 2; copy++) save_copy(s, d, p, clean);
}

void state_worked(struct state *s, const struct device *d, const struct platform *p) {
  s->unsaved++;
  if (s->unsaved >= WORK_PER_SAVE) state_save(s, d, p, false);
}

void state_forget_intents(const struct device *d, const struct platform *p) {
  hal_nv_zero(p, intent_addr(d, 0), ORM_NV_INTENTS * ORM_GC_INTENT_BYTES);
}

void state_erase(struct state *s, const struct device *d, const struct platform *p) {
  memset(s, 0, sizeof *s);
  state_forget_open(s);
  state_forget_intents(d, p);
  hal_nv_zero(p, copy_addr(d, 0), ORM_FW_STATE_BYTES);
  hal_nv_zero(p, copy_addr(d, 1), ORM_FW_STATE_BYTES);
  hal_write(p, ORM_FW_COUNTER_SELECT, ORM_PUT(ORM_FW_COUNTER_SELECT_CLEAR, 1));
}

uint64_t state_counter(const struct state *s, const struct platform *p, enum orm_counter index) {
  return s->base[index] + hardware_counter(p, (uint32_t)index);
}

uint64_t state_programmed_slots(const struct state *s, const struct platform *p) {
  return state_counter(s, p, ORM_COUNTER_NAND_PROGRAM_HOST) + state_counter(s, p, ORM_COUNTER_NAND_PROGRAM_GC) +
         state_counter(s, p, ORM_COUNTER_NAND_PROGRAM_PAD) + state_counter(s, p, ORM_COUNTER_NAND_PROGRAM_META);
}

void state_watch_segments(const struct platform *p) { hal_write(p, ORM_FW_SEG_LEAST, 0); }

uint32_t state_segments_most(const struct state *s, const struct device *d, const struct platform *p) {
  uint32_t least = ORM_GET(hal_read(p, ORM_FW_SEG_LEAST), ORM_FW_SEG_LEAST_VALUE);
  uint32_t most = least < d->segments ? d->segments - least : 0; /* not watched yet: more than there are */
  return most > s->segments_most ? most : s->segments_most;
}

uint64_t state_remap_commands(const struct state *s, const struct platform *p) {
  return s->remap_commands + state_counter(s, p, ORM_COUNTER_REMAPS_BY_HARDWARE);
}

uint64_t state_remap_refused_other(const struct state *s, const struct platform *p) {
  return s->remap_refused_other + state_counter(s, p, ORM_COUNTER_COPY_REFUSED);
}

uint64_t state_device_ns(const struct state *s, const struct platform *p) { return s->base_ns + hal_time(p); }

void state_write_intent(const struct device *d, const struct platform *p, uint32_t place,
                        const struct orm_gc_intent *intent) {
  uint8_t raw[ORM_GC_INTENT_BYTES];
  orm_gc_intent_seal(intent, raw);
  hal_nv_write(p, intent_addr(d, place), raw, sizeof raw);
}

void state_clear_intent(const struct device *d, const struct platform *p, uint32_t place) {
  hal_nv_zero(p, intent_addr(d, place), ORM_GC_INTENT_BYTES);
}

void state_write_block(const struct device *d, const struct platform *p, uint32_t sb,
                       const struct orm_block_record *r) {
  uint8_t raw[ORM_BLOCK_RECORD_BYTES];
  orm_block_record_seal(r, (uint16_t)sb, raw);
  hal_nv_write(p, d->nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
}

bool state_has_intent(const struct device *d, const struct platform *p, uint32_t place) {
  uint8_t raw[ORM_GC_INTENT_BYTES];
  uint64_t any = 0;
  hal_nv_read(p, intent_addr(d, place), raw, sizeof raw);
  for (uint32_t i = 0; i < sizeof raw; i += 8u) any |= orm_get_le(raw + i, 8);
  return any != 0;
}

bool state_read_intent(const struct device *d, const struct platform *p, uint32_t place, struct orm_gc_intent *out) {
  uint8_t raw[ORM_GC_INTENT_BYTES];
  hal_nv_read(p, intent_addr(d, place), raw, sizeof raw);
  return orm_gc_intent_open(out, raw);
}
