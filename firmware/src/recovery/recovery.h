/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recovery.h - rebuilds the mapping from flash and NVRAM after any loss of power, also after a clean shutdown and
 * after a format (an empty device is a special case of a full one).
 *
 * Every mapping event has a number, `seq`. For each LPN the event with the largest one wins. Events are
 * - writes, and copies by GC, which keep the seq: in the spare areas, or in the summary of a superblock;
 * - remaps: in the entries of the remap table, in NVRAM or destaged to flash. They count up to the commit pointer;
 * - trims: in the journal, where they count up to the commit pointer, and in the trim bitmap, which has all trims up
 *   to the seq of the checkpoint pointer, and in a region those up to the seq of its trim pointer.
 *
 * Each step does a bounded piece of work in a call, and returns PENDING until it is finished. startup.c lists the
 * steps in order. Until the last one nothing is destroyed that a later recovery could need: a power cut starts the
 * recovery again.
 */
#ifndef OPENREMAP_FW_RECOVERY_H
#define OPENREMAP_FW_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "core/state.h"
#include "drivers/nand.h"
#include "recovery/damage.h"
#include "recovery/recovery_summary.h"

/* What recovery learns of one superblock. */
struct recovery_sb {
  uint32_t gen;
  uint16_t epoch; /* of its chain in the remap table */
  union {
    uint32_t valid; /* slots with a sharer; 0 until they are counted */
    uint32_t salt;  /* while places of segments are sought (recovery_mend.c): its share in the CRC of an entry */
  };
  uint16_t programmed; /* slots that are not erased */
  uint16_t good;       /* slots with an OOB record of this generation; */
  uint16_t lost;       /* how many of these have data that cannot be read */
  uint16_t segments;   /* of its chain */
  uint16_t tail;       /* newest segment of its chain, when segments > 0 */
  uint8_t stream;      /* of its slots */
  uint8_t state;       /* enum orm_sb_state, once settled */
  bool vague;          /* read-only start: NVRAM has no record of it; its generation comes from flash */
  bool foreign;        /* it has good slots of another generation than its record's */
  bool known;          /* a snapshot says what is in it: it is not probed */
  bool live;           /* the snapshot says that it was in use */
  bool whole;          /* it is full, and its summary was taken */
  bool even;           /* its programmed slots are 0..programmed-1, all good: filling can go on */
  uint8_t set;         /* set of slots with the destaged part of its chain; 0: none */
  uint8_t destaged_slots;
  uint16_t destaged_entries;
};

/* Progress with the destaged part of a chain (recovery_destaged.c). */
struct recovery_set {
  enum { SET_BEGIN, SET_SLOT, SET_READING, SET_TAKING } phase;
  uint32_t slot;    /* of the set, from 0 */
  uint32_t chunk;   /* of the slot: 0 its header, then its entries */
  uint32_t entries; /* of the slot */
  bool known;       /* a header was good: */
  uint16_t epoch;
  uint8_t slots;
  uint32_t sum; /* entries of all slots */
  bool damaged; /* something that should be there is not */
  bool changed; /* a set was dropped in this pass */
};

/* Of two slots with the same seq, which are copies of each other, that of the superblock with the higher rank wins
 * (recovery_outranks()). */
enum recovery_rank { RECOVERY_CUT, RECOVERY_PLAIN, RECOVERY_INTACT };

struct recovery_intent {
  bool valid; /* it is of the superblock's generation */
  struct orm_gc_intent is;
  bool judged;             /* the superblock has been probed */
  enum recovery_rank rank; /* of the superblock's slots; PLAIN until then */
};

#define RECOVERY_ALL_SEQS ((uint64_t)ORM_FW_SEQ_HI_VALUE_MASK << 32 | UINT32_MAX)
/* By how much the seqs go on behind `newest` where a page has no spare that can be read: larger than the seqs that may
 * have been drawn since `newest` was. One remap draws remap_pages_max, and pages of writes under way are fewer than the
 * buffers. The rest is for pages that were written long before and cannot be read any more: 4 GiB of them. A seq has
 * 48 bits, so there may be 2^28 such starts. */
#define RECOVERY_SEQ_MARGIN (1u << 20)
#define RECOVERY_REGION_LPNS 65536u
#define RECOVERY_MAX_REGIONS 4096u /* 1 TiB */

/* The good records around the place of the journal that is being looked at. */
struct recovery_ring {
  uint64_t before; /* seq of the last good record before it */
  uint64_t after;  /* and of the next one, */
  uint32_t next;   /* which is at this place; past the end: it is round the ring, or there is none */
};

/* Progress with the segments of the remap table whose headers are damaged: the search for their places in chains
 * (recovery_mend.c). */
#define RECOVERY_ENTRIES_AT_ONCE 32u
#define RECOVERY_INDEXES_AT_ONCE 1024u /* a multiple of 32 */
struct recovery_places {
  enum {
    PLACES_NAMED,   /* which of them another segment names, segment by segment */
    PLACES_SALTS,   /* the salts, superblock by superblock */
    PLACES_NEXT,    /* the next one of them; for each: */
    PLACES_ENTRIES, /* reads entries */
    PLACES_OWNER,   /* the superblock for which one of these passes */
    PLACES_INDEX,   /* the first place of its chain that no segment has */
    PLACES_BEFORE,  /* the segment at the place before it */
    PLACES_CLEAR,   /* afterwards: no salts */
    PLACES_OVER
  } phase;
  uint32_t at;      /* segment or superblock that the phase has come to */
  uint32_t segment; /* the one whose place is sought; */
  uint16_t sb, index;
  uint32_t entry;   /* first of its entries that are compared now, */
  uint32_t entries; /* of which so many are not empty; their CRCs without the share of any superblock: */
  uint32_t crc[RECOVERY_ENTRIES_AT_ONCE];
  uint32_t first; /* place of the chain that bit 0 of `taken` is for */
  uint32_t taken[RECOVERY_INDEXES_AT_ONCE / 32u];
};

/* Progress with one chain, from its newest segment back. */
struct recovery_walk {
  bool begun;
  bool later;    /* an entry counts in a segment behind `segment` */
  uint32_t lost; /* entries */
  uint32_t left; /* segments, of which the next one is */
  uint32_t segment;
};

struct recovery {
  uint32_t superblocks; /* in use */
  uint32_t nsze;
  uint64_t commit;       /* events in NVRAM count up to this seq */
  uint64_t trims_before; /* journal records up to this seq are in the bitmap */
  bool no_bitmap;        /* read-only start: the trim bitmap says nothing */
  uint64_t trims_most;   /* largest seq of a trim pointer */
  uint64_t newest;       /* largest seq seen anywhere */
  /* Bit by RECOVERY_REGION_LPNS: there was an event for an LPN of it. In a large device with little data nearly
   * all LPNs have none, and nothing is read or written for them. */
  uint32_t touched[RECOVERY_MAX_REGIONS / 32u];
  uint32_t trim_end;              /* end of the LPNs of the word of the trim bitmap that was read last; 0: none */
  uint32_t trimmed[2];            /* the halves of this word, */
  uint64_t trimmed_at;            /* which counts for events up to this seq */
  uint32_t pages_seen;            /* end of the highest LPN of the namespace that an event names */
  uint32_t damaged[DAMAGE_KINDS]; /* found in this start */
  bool headers;                   /* a segment of the remap table has a header that counts, or may; */
  bool bad_headers;               /* one has something else, and its place has not been sought yet */
  bool bad_intent;                /* a place for one has something else */
  bool doubt;                     /* something could not be read: there may be events that are not known, */
  bool unseen;                    /* and their seqs may be larger than `newest` */
  struct recovery_intent intent[ORM_NV_INTENTS];
  bool formatting; /* a Format NVM was cut short: the namespace becomes empty */
  enum { LOAD_BEGIN, LOAD_HEAD, LOAD_PAGES, LOAD_TAKE } load; /* of a snapshot */
  bool by_snapshot;                                           /* L2P is that of a snapshot: events change nothing */
  bool resume;                                                /* clean shutdown: open superblocks may be filled on */
  uint32_t resumed;                                           /* bit by stream: one of its superblocks is filled on */

  /* progress of the step that runs */
  uint32_t at;
  uint32_t done;       /* pages of the journal record at `at` */
  bool journal_counts; /* a record of the journal counts; without one no place of the ring can be damaged */
  bool journal_halves; /* one does not pass, but is not empty */
  struct recovery_ring ring;
  struct recovery_places places;
  struct recovery_walk walk;
  struct recovery_set set;
  uint32_t next[FW_MAX_DIES]; /* slot of each die's block to probe next; device_slots_per_block() when done with it */
  uint32_t
      followed[FW_MAX_DIES]; /* pages of it that are not torn, as others follow, or one of their slots can be read */
  enum { ASK_SPARE, ASK_DATA, ASK_AHEAD } ask[FW_MAX_DIES]; /* AHEAD: whether a page follows that of `next` */
  enum {
    DATA_UNKNOWN,
    DATA_GOOD,
    DATA_LOST
  } data[FW_MAX_DIES]; /* of `next`, whose probe says that only its spare is good */
  struct recovery_summary summary;
  bool erasing;
  struct nand_eraser eraser;

  /* tables in DRAM, addresses */
  uint32_t seqs;     /* 8 bytes an LPN: seq of the event that wins so far */
  uint32_t good_map; /* 1 bit a slot: good OOB of the current generation */
  uint32_t lost_map; /* the same: its data cannot be read */
  uint32_t segs;     /* 8 bytes a segment */

  struct recovery_sb sb[FW_MAX_SUPERBLOCKS]; /* the last: only those in use are ever cleared */
};

struct fw;

/* Empties `fw->recovery` and places its tables in DRAM. GEOMETRY: there is no room for them. */
FW_MUST_USE fw_result_t recovery_tables(struct fw *fw);

/* Resets the progress: another step begins. */
void recovery_step_begins(struct fw *fw);

/* The steps, in order. PENDING: call again.
 * GEOMETRY: the tables do not fit into DRAM. FORMAT_VERSION, FORMAT_MISMATCH: another firmware wrote the media.
 * BAD_POINTER, BAD_BLOCK, BAD_FORMAT_WORD: the start must go on as one that only reads (read_only.h).
 * IN_FULL: the snapshot is of no use; the start must begin again without it. */
FW_MUST_USE fw_result_t recovery_pointers(struct fw *fw);
FW_MUST_USE fw_result_t recovery_clear(struct fw *fw);
FW_MUST_USE fw_result_t recovery_load_snapshot(struct fw *fw);
FW_MUST_USE fw_result_t recovery_forget_snapshot(struct fw *fw);
FW_MUST_USE fw_result_t recovery_journal(struct fw *fw);
FW_MUST_USE fw_result_t recovery_trims(struct fw *fw);
FW_MUST_USE fw_result_t recovery_spare(struct fw *fw);
FW_MUST_USE fw_result_t recovery_chains(struct fw *fw);
FW_MUST_USE fw_result_t recovery_entries(struct fw *fw);
FW_MUST_USE fw_result_t recovery_look_for_damage(struct fw *fw);
FW_MUST_USE fw_result_t recovery_mend_chains(struct fw *fw);
FW_MUST_USE fw_result_t recovery_wipe_entries(struct fw *fw);
FW_MUST_USE fw_result_t recovery_forget_destaged(struct fw *fw);
FW_MUST_USE fw_result_t recovery_destaged(struct fw *fw);
FW_MUST_USE fw_result_t recovery_end_format(struct fw *fw);
FW_MUST_USE fw_result_t recovery_sharers(struct fw *fw);
FW_MUST_USE fw_result_t recovery_drop_destaged(struct fw *fw);
FW_MUST_USE fw_result_t recovery_settle(struct fw *fw);
FW_MUST_USE fw_result_t recovery_trim_chains(struct fw *fw);
FW_MUST_USE fw_result_t recovery_checkpoint(struct fw *fw);
FW_MUST_USE fw_result_t recovery_clear_format_word(struct fw *fw);
FW_MUST_USE fw_result_t recovery_load(struct fw *fw);
FW_MUST_USE fw_result_t recovery_load_chains(struct fw *fw);
FW_MUST_USE fw_result_t recovery_forget_intents(struct fw *fw);

/* After IN_FULL: recovery_load_snapshot() will take no snapshot. */
void recovery_refuse_snapshot(struct fw *fw);

/* ---- for the steps */

/* Takes an event for `lpn` of the namespace. It wins if no newer event is known, and the trim bitmap does not cover it.
 * `slot`: ORM_UNMAPPED for a trim. */
void recovery_event(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot);

/* Marks the region of `lpn` as one that may have mapped LPNs. */
void recovery_touch(struct recovery *r, uint32_t lpn);

/* Whether the slot holds data of its superblock's current generation. */
bool recovery_slot_good(const struct fw *fw, uint32_t slot);

/* Sets the slot's bit in `good_map` or `lost_map`. */
void recovery_mark_slot(const struct fw *fw, uint32_t map, uint32_t slot);

/* Takes the events of `count` slots of the superblock from `slot` on, 32 at most, and marks the good ones: `records`
 * are their SlotRecords in DRAM, at an address that is a multiple of 4. A record of another generation or superblock is
 * what the log had there before: the slot completes a page. */
void recovery_records(struct fw *fw, uint32_t sb, uint32_t slot, const uint8_t *records, uint32_t count);

static inline void recovery_saw(struct recovery *r, uint64_t seq) {
  if (seq > r->newest) r->newest = seq;
}

/* ---- recovery_intents.c */

/* Whether there is an erase intent for the superblock. */
bool recovery_has_intent(const struct fw *fw, uint32_t sb);
/* Reads the intents. Generations must be known. */
void recovery_read_intents(struct fw *fw);
/* The superblock has been probed: decides whether it is still as it was when its intent was written. */
void recovery_judge_intent(struct fw *fw, uint32_t sb);
/* Whether the slots of superblock `a` win over their copies in `b`. */
bool recovery_outranks(const struct fw *fw, uint32_t a, uint32_t b);
/* The superblock at place `at` of the order in which they are probed and settled: those with an intent come first. */
uint32_t recovery_order(const struct recovery *r, uint32_t at);

/* Whether an erase of the superblock may have begun without ending. Only after it has been probed. */
bool recovery_erase_begun(const struct fw *fw, uint32_t sb);

/* ---- recovery_election.c, recovery_destaged.c */

/* Takes an event for an LPN of destaged chains. False: `lpn` is not one of these. */
bool recovery_destaged_event(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot);

/* Takes an event for any LPN: it wins if no newer one is known. */
void recovery_elect(struct fw *fw, uint32_t lpn, uint64_t seq, uint32_t slot);

/* seq of the event for `lpn` that wins so far; 0: none. */
uint64_t recovery_seq(const struct fw *fw, uint32_t lpn);

/* Loads the destaged part of the chain of a superblock in use. The part in NVRAM must have been loaded. */
void recovery_load_destaged(const struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_RECOVERY_H */
