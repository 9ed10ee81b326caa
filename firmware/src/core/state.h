/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - what firmware keeps in NVRAM for itself: FwState (figures that outlive a power cycle, and whether the
 * last shutdown was clean), the erase intents and the BlockRecords.
 *
 * FwState has two copies, which are written in turn: a save is not atomic, but the previous copy survives. Figures
 * change in DRAM first. They are durable after the next save, which is at a start, at a shutdown, and after every few
 * pieces of background work.
 */
#ifndef OPENREMAP_FW_STATE_H
#define OPENREMAP_FW_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_regs.h"

/* Place of the erase intent of recovery. The places before it are GC's, one for each victim under way. */
#define FW_RECOVERY_INTENT (ORM_NV_INTENTS - 1u)
/* Kinds of damaged records in NVRAM, told apart in FwState and in log page CAh (recovery/damage.h). */
enum damage_kind {
  DAMAGE_ENTRY,   /* a remap entry: its sharer is lost */
  DAMAGE_SEGMENT, /* header of a segment; its entries may have been saved */
  DAMAGE_JOURNAL, /* a journal record: if a start found it, its trim is lost */
  DAMAGE_WORD,    /* any other record */
  DAMAGE_KINDS
};

/* Instead of a superblock number: none. */
#define FW_NO_SB 0xFFFFu
#define FW_MAX_STREAMS (FW_MAX_HANDLES + 1u) /* those of the handles, and that of GC */

/* Where the snapshot of the mapping is (snapshot.h). */
struct snapshot_place {
  uint16_t sb[ORM_SNAPSHOT_SBS]; /* in order */
  uint32_t slots;                /* 0: there is none */
  uint32_t crc;
  uint64_t seq; /* of the next mapping event */
};

/* Totals since the device was formatted. The counters of the hardware start at zero with each power-on; `base` is
 * what they had reached before. */
struct state {
  uint64_t base[ORM_COUNTERS];
  uint64_t base_ns;
  uint64_t save;                    /* number of the newest copy in NVRAM */
  bool clean;                       /* the newest copy in NVRAM says that the device was shut down */
  uint16_t open_sb[FW_MAX_STREAMS]; /* superblocks that were being filled then */
  struct snapshot_place snapshot;   /* and the snapshot of then */
  uint64_t power_cycles, unsafe_shutdowns;
  uint64_t remap_commands, remap_refused_sharers, remap_refused_nvram, remap_refused_other; /* by firmware alone */
  uint64_t trim_checkpoints, errors, media_errors;
  uint64_t warning_ns;            /* device time at WCTEMP or above, below CCTEMP */
  uint64_t critical_ns;           /* device time at CCTEMP or above */
  uint64_t wear_moved_pages;      /* valid slots of superblocks that were collected to level wear */
  uint64_t read_reclaims;         /* superblocks collected because their reads were marginal */
  uint32_t segments_most;         /* most segments in use at a time, before this power-on */
  uint64_t damaged[DAMAGE_KINDS]; /* records of NVRAM that a start, or a checkpoint of the trims, found damaged */
  uint32_t unsaved;               /* pieces of background work since the last save */
};

/* No superblock is being filled. */
void state_forget_open(struct state *s);

/* Reads the newest good copy; all zero if there is none. FORMAT_VERSION: a good copy is of another version. */
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
/* A superblock with so many valid slots was collected to level wear. */
void state_wear_moved(struct state *s, uint32_t pages);
/* The device has had the warning temperature (WCTEMP) for `ns`, or the critical one (CCTEMP). */
void state_was_warm(struct state *s, uint64_t ns);
void state_was_critical(struct state *s, uint64_t ns);
/* A damaged record was found. */
void state_damaged(struct state *s, enum damage_kind kind);
/* NVRAM was made anew: no damage is known. */
void state_forget_damage(struct state *s);

/* ---- what a start after a clean shutdown needs */

/* The device does not count as shut down, for a start that writes nothing. */
void state_not_clean(struct state *s);
/* Superblock `sb` is being filled; FW_MAX_STREAMS at most since state_forget_open(). */
void state_note_open(struct state *s, uint32_t sb);
/* Whether superblock `sb` was being filled at the last shutdown, if there was one since the last start. */
bool state_was_open(const struct state *s, uint32_t sb);
/* Where the snapshot is that the next clean state_save() names. */
void state_set_snapshot(struct state *s, const struct snapshot_place *place);

/* Saves the figures, with the counters of the hardware added in. Durable on return. `clean`: the device is shut
 * down. A save that is not clean forgets the snapshot. */
void state_save(struct state *s, const struct device *d, const struct platform *p, bool clean);

/* Forgets the snapshot, in both copies: it must not come back when the newer one is damaged. Durable on return. */
void state_drop_snapshot(struct state *s, const struct device *d, const struct platform *p, bool clean);

/* A piece of background work (a collection, a checkpoint) is done. The figures are saved with every eighth one, so
 * that a power cut costs little of them. */
void state_worked(struct state *s, const struct device *d, const struct platform *p);

/* Clears both copies, the intents, all figures and the counters of the hardware. Durable on return. */
void state_erase(struct state *s, const struct device *d, const struct platform *p);

/* Clears the intents only. Durable on return. */
void state_forget_intents(const struct device *d, const struct platform *p);

/* A counter since the device was formatted. */
uint64_t state_counter(const struct state *s, const struct platform *p, enum orm_counter index);
/* Slots programmed for any purpose since the device was formatted. */
uint64_t state_programmed_slots(const struct state *s, const struct platform *p);

/* Start-up has filled the free list of the remap table: from here on the hardware watches how short it gets. */
void state_watch_segments(const struct platform *p);
/* Most segments of the remap table in use at a time since the device was formatted. */
uint32_t state_segments_most(const struct state *s, const struct device *d, const struct platform *p);
/* Remap commands that took effect, those that the hardware carried out too; and those that were refused for another
 * reason than want of room or the sharer limit, with the Copies that the hardware refused. */
uint64_t state_remap_commands(const struct state *s, const struct platform *p);
uint64_t state_remap_refused_other(const struct state *s, const struct platform *p);

/* Device time since the device was formatted, ns. */
uint64_t state_device_ns(const struct state *s, const struct platform *p);

/* Writes the erase intent of a superblock. It must be durable, which it is on return, before the erase can begin:
 * recovery then knows whose erase may have been cut short. */
void state_write_intent(const struct device *d, const struct platform *p, uint32_t place,
                        const struct orm_gc_intent *intent);

/* Clears the intent at a place: no erase of its superblock has begun, or is any more under way. Durable on return. */
void state_clear_intent(const struct device *d, const struct platform *p, uint32_t place);

/* Writes the BlockRecord of a superblock: its generation, epoch and set from here on. Atomic, durable on return. */
void state_write_block(const struct device *d, const struct platform *p, uint32_t sb, const struct orm_block_record *r);

/* Reads the intent at a place. False: there is none that is good. */
bool state_read_intent(const struct device *d, const struct platform *p, uint32_t place, struct orm_gc_intent *out);

/* Whether the place holds anything. An intent that is not good was torn by a power cut, or is damaged. */
bool state_has_intent(const struct device *d, const struct platform *p, uint32_t place);

#endif /* OPENREMAP_FW_STATE_H */
