/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - what firmware itself keeps in NVRAM: figures that outlive a power cycle (FwState) and the erase intents.
 */
#ifndef OPENREMAP_FW_STATE_H
#define OPENREMAP_FW_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_regs.h"

/* Place of the erase intents of recovery; those before it are GC's, one for each victim under way. */
#define FW_RECOVERY_INTENT (ORM_NV_INTENTS - 1u)
/* Kinds of damaged records in NVRAM, told apart in FwState and in log page CAh (recovery/damage.h). */
enum damage_kind {
  DAMAGE_ENTRY,   /* a remap entry: its sharer is lost */
  DAMAGE_SEGMENT, /* header of a segment; its entries may have been saved */
  DAMAGE_JOURNAL, /* a journal record: its trim is lost */
  DAMAGE_WORD,    /* any other record */
  DAMAGE_KINDS
};

#define FW_NO_SB 0xFFFFu
#define FW_MAX_STREAMS (FW_MAX_HANDLES + 1u) /* GC's is one more */

/* Where a snapshot of the mapping is (snapshot.h). */
struct snapshot_place {
  uint16_t sb[ORM_SNAPSHOT_SBS]; /* in order */
  uint32_t slots;                /* 0: there is none */
  uint32_t crc;
  uint64_t seq; /* of the mapping event that comes next */
};

/* Totals since the device was formatted; the hardware's counters start at zero with each power-on, `base` is what they
 * had reached before. */
struct state {
  uint64_t base[ORM_COUNTERS];
  uint64_t base_ns;
  uint64_t save; /* number of the newest copy in NVRAM */
  bool clean;    /* what NVRAM says */
  uint16_t open_sb[FW_MAX_STREAMS];
  struct snapshot_place snapshot; /* goes with `clean` */
  uint64_t power_cycles, unsafe_shutdowns;
  uint64_t remap_commands, remap_refused_sharers, remap_refused_nvram, remap_refused_other; /* by firmware */
  uint64_t trim_checkpoints, errors, media_errors;
  uint64_t read_reclaims;         /* superblocks collected because they were read with many errors */
  uint32_t segments_most;         /* in use at a time, before this power-on */
  uint64_t damaged[DAMAGE_KINDS]; /* records of NVRAM that a start found so */
  uint32_t unsaved;               /* pieces of background work since the last save */
};

void state_forget_open(struct state *s);

/* Reads the newest good copy; all zero when there is none. FORMAT_VERSION: a good one is of another version. */
FW_MUST_USE fw_result_t state_load(struct state *s, const struct device *d, const struct platform *p);

/* ---- figures: kept here and saved with the next state_save() */

/* Start-up is through: another power cycle, and an unsafe shutdown if the last power cycle did not end clean. */
void state_powered_on(struct state *s);
/* Data that could not be read, moved or erased. */
void state_media_error(struct state *s);
/* A command failed; returns the number of its error log entry, from 1. */
uint64_t state_error(struct state *s);
/* A remap command of firmware has ended with `r`. */
void state_remap_ended(struct state *s, fw_result_t r);
void state_checkpoint_made(struct state *s);
void state_read_reclaimed(struct state *s);
/* A start has found a damaged record. */
void state_damaged(struct state *s, enum damage_kind kind);
/* NVRAM was made anew: no damage is known. */
void state_forget_damage(struct state *s);

/* ---- what a start after a clean shutdown needs */

/* The device does not count as shut down, for a start that writes nothing. */
void state_not_clean(struct state *s);
/* Superblock `sb` is being filled; FW_MAX_STREAMS at most since state_forget_open(). */
void state_note_open(struct state *s, uint32_t sb);
/* Where the snapshot is that the next clean state_save() names. */
void state_set_snapshot(struct state *s, const struct snapshot_place *place);

/* Writes the other copy, with the hardware's counters added in. Not atomic, but the previous copy survives. What is not clean has
 * no snapshot. */
void state_save(struct state *s, const struct device *d, const struct platform *p, bool clean);

/* There is no snapshot any more, in neither copy: it shall not come back when the newer one is damaged. */
void state_drop_snapshot(struct state *s, const struct device *d, const struct platform *p, bool clean);

/* A piece of background work (a collection, a checkpoint) is done. Every few of them the figures are saved, so that a power cut
 * costs little of them. */
void state_worked(struct state *s, const struct device *d, const struct platform *p);

/* Both copies and the intents become invalid; all figures zero, the hardware's counters too. */
void state_erase(struct state *s, const struct device *d, const struct platform *p);

/* Only the intents. */
void state_forget_intents(const struct device *d, const struct platform *p);

/* A counter since the device was formatted. */
uint64_t state_counter(const struct state *s, const struct platform *p, enum orm_counter index);
/* Slots programmed since the device was formatted, whatever for. */
uint64_t state_programmed_slots(const struct state *s, const struct platform *p);

/* From here on the free list of the remap table is what start-up has found: what is not on it is in use. */
void state_watch_segments(const struct platform *p);
/* Most segments of the remap table that were in use at a time since the device was formatted. */
uint32_t state_segments_most(const struct state *s, const struct device *d, const struct platform *p);
/* Remap commands that took effect, and those refused at the sharer limit or for another reason than want of room: those
 * of firmware, and the Copies that hardware ended by itself. */
uint64_t state_remap_commands(const struct state *s, const struct platform *p);
uint64_t state_remap_refused_sharers(const struct state *s, const struct platform *p);
uint64_t state_remap_refused_other(const struct state *s, const struct platform *p);

/* Device time since the device was formatted, ns. */
uint64_t state_device_ns(const struct state *s, const struct platform *p);

/* Must be durable before a superblock's erase can begin: recovery then knows whose erase may have been cut short. */
void state_write_intent(const struct device *d, const struct platform *p, uint32_t place, uint16_t sb, uint32_t gen,
                        uint16_t good_slots);

/* What counts of a superblock from here on; 8 bytes at once. */
void state_write_block(const struct device *d, const struct platform *p, uint32_t sb, const struct orm_block_record *r);

/* False when there is none. */
bool state_read_intent(const struct device *d, const struct platform *p, uint32_t place, struct orm_gc_intent *out);

/* Whether the place holds anything: an intent that is not good was torn by a power cut, or is damaged. */
bool state_has_intent(const struct device *d, const struct platform *p, uint32_t place);

#endif /* OPENREMAP_FW_STATE_H */
