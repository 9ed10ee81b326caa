/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/snapshot.h"

#include <string.h>

#include "core/crc.h"
#include "core/superblock.h"
#include "fw.h"

#define SUPERBLOCKS_PER_POLL 256u
#define L2P_PAGES_PER_POLL 8u

/* ---- layout */

uint32_t snapshot_l2p_pages(const struct device *d) { return (d->lpns + ORM_SNAPSHOT_LPNS - 1u) / ORM_SNAPSHOT_LPNS; }

uint32_t snapshot_head_bytes(const struct fw *fw) {
  return fw->geometry.superblocks * ORM_SNAPSHOT_SB_BYTES + (snapshot_l2p_pages(&fw->dev) + 63u) / 64u * 8u;
}

uint32_t snapshot_head_slots(const struct fw *fw) {
  return (snapshot_head_bytes(fw) + ORM_SLOT_BYTES - 1u) / ORM_SLOT_BYTES;
}

uint32_t snapshot_slot(const struct fw *fw, uint32_t i) {
  uint32_t in_sb = fw->dev.slots_per_sb;
  return fw->snapshot.place.sb[i / in_sb] * in_sb + i % in_sb;
}

uint32_t snapshot_most_sbs(const struct fw *fw) {
  uint32_t pages = (fw->geometry.nsze + ORM_SNAPSHOT_LPNS - 1u) / ORM_SNAPSHOT_LPNS;
  uint32_t sbs = (snapshot_head_slots(fw) + pages + fw->dev.slots_per_sb - 1u) / fw->dev.slots_per_sb;
  return sbs <= ORM_SNAPSHOT_SBS ? sbs : 0;
}

static uint8_t *bits_of(const struct fw *fw, uint32_t head, uint32_t page) {
  return hal_dram(fw->p, head + fw->geometry.superblocks * ORM_SNAPSHOT_SB_BYTES + page / 8u);
}

bool snapshot_has_page(const struct fw *fw, uint32_t head, uint32_t page) {
  return ((unsigned)*bits_of(fw, head, page) >> (page % 8u)) & 1u;
}

orm_crc32c_t snapshot_crc_begin(const struct snapshot_place *place, uint32_t sbs, const uint32_t *gens) {
  orm_crc32c_t crc = ORM_CRC32C_INIT;
  for (uint32_t i = 0; i < sbs; i++) {
    uint8_t raw[6];
    orm_put_le(raw, place->sb[i], 2);
    orm_put_le(raw + 2, gens[i], 4);
    crc = orm_crc32c_update(crc, raw, sizeof raw);
  }
  return crc;
}

/* ---- a shutdown */

/* Behind what commands move. */
static uint32_t head_addr(const struct fw *fw) { return fw->dev.dram_fw + device_buffer_bytes(&fw->dev); }

bool snapshot_is_busy(const struct fw *fw) {
  return fw->snapshot.phase != SNAPSHOT_NONE && fw->snapshot.phase != SNAPSHOT_WRITTEN;
}

static void tell(struct fw *fw) { quiesce_set_snapshot(fw, fw->snapshot.used != 0 || snapshot_is_busy(fw)); }

void snapshot_begin(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  FW_ASSERT(fw, s->used == 0); /* it was cleared before anything could change */
  memset(s, 0, sizeof *s);
  uint32_t bytes = snapshot_head_slots(fw) * ORM_SLOT_BYTES;
  if (head_addr(fw) % 16u != 0 || (uint64_t)head_addr(fw) + bytes > fw->dev.dram_bytes) return;
  memset(hal_dram(fw->p, head_addr(fw)), 0, bytes);
  s->phase = SNAPSHOT_SURVEY;
  tell(fw);
}

static void survey(struct fw *fw, uint32_t sb) {
  struct orm_snapshot_sb r = {.state = (uint8_t)superblock_state(fw->p, sb)};
  uint32_t destaged = hal_read(fw->p, ORM_FW_SB_DESTAGED);
  r.destaged_slots = (uint8_t)ORM_GET(destaged, ORM_FW_SB_DESTAGED_SLOTS);
  r.destaged_segments = (uint16_t)ORM_GET(destaged, ORM_FW_SB_DESTAGED_SEGMENTS);
  if (r.state == ORM_SB_STATE_CLOSED) r.good = good_slots_of(fw, sb);
  orm_snapshot_sb_pack(&r, hal_dram(fw->p, head_addr(fw) + sb * ORM_SNAPSHOT_SB_BYTES));
}

/* Entries that mean anything: what is behind the last LPN is not L2P's. */
static bool has_mapped(const struct fw *fw, uint32_t page) {
  uint32_t first = page * ORM_SNAPSHOT_LPNS;
  for (uint32_t lpn = first; lpn < first + ORM_SNAPSHOT_LPNS && lpn < fw->dev.lpns; lpn++) {
    fw_work(fw->p, FW_WORK_LPN, 1u);
    if (hal_dram_get32(fw->p, fw->dev.dram_l2p + 4u * lpn) != ORM_UNMAPPED) return true;
  }
  return false;
}

static void look(struct fw *fw, uint32_t page) {
  hal_invalidate(fw->p, fw->dev.dram_l2p + page * ORM_SLOT_BYTES, ORM_SLOT_BYTES);
  if (!has_mapped(fw, page)) return;
  *bits_of(fw, head_addr(fw), page) |= (uint8_t)(1u << (page % 8u));
  fw->snapshot.place.slots++;
}

static bool is_chosen(const struct snapshot *s, uint32_t sb) {
  for (uint32_t i = 0; i < s->used; i++) {
    if (s->place.sb[i] == sb) return true;
  }
  return false;
}

/* The free superblock with the fewest erases that is not chosen yet. */
static uint32_t least_worn(const struct fw *fw, uint32_t *gen) {
  uint32_t best = FW_NO_SB;
  for (uint32_t sb = 0; sb < fw->geometry.superblocks; sb++) {
    if (is_chosen(&fw->snapshot, sb) || superblock_state(fw->p, sb) != ORM_SB_STATE_FREE) continue;
    uint32_t its = hal_read(fw->p, ORM_FW_SB_GEN);
    if (best != FW_NO_SB && its >= *gen) continue;
    best = sb;
    *gen = its;
  }
  return best;
}

/* False: there is no room. GC's reserve stays, should none of these erase. */
static bool choose(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  uint32_t needed = (s->place.slots + fw->dev.slots_per_sb - 1u) / fw->dev.slots_per_sb;
  uint32_t free = ORM_GET(hal_read(fw->p, ORM_FW_ALLOC_COUNT), ORM_FW_ALLOC_COUNT_VALUE);
  uint32_t gens[ORM_SNAPSHOT_SBS] = {0};
  if (needed > ORM_SNAPSHOT_SBS || free < needed + FW_ALLOC_RESERVE) return false;
  memset(s->place.sb, 0xFF, sizeof s->place.sb);
  for (; s->used < needed; s->used++) {
    uint32_t sb = least_worn(fw, &gens[s->used]);
    FW_ASSERT(fw, sb != FW_NO_SB); /* the free list has enough of them */
    s->place.sb[s->used] = (uint16_t)sb;
  }
  s->crc = snapshot_crc_begin(&s->place, needed, gens);
  return true;
}

static void end(struct fw *fw, bool good) {
  struct snapshot *s = &fw->snapshot;
  memory_error_check(fw); /* it was made of L2P in DRAM */
  s->phase = SNAPSHOT_WRITTEN;
  uint64_t low = hal_read(fw->p, ORM_FW_SEQ_LO); /* latches the high half */
  s->place.seq = low | (uint64_t)ORM_GET(hal_read(fw->p, ORM_FW_SEQ_HI), ORM_FW_SEQ_HI_VALUE) << 32;
  s->place.crc = orm_crc32c_final(s->crc);
  if (!good) s->place.slots = 0;
  state_set_snapshot(&fw->state, &s->place);
}

/* What slot `done` of the snapshot is to hold: an address in DRAM. */
static uint32_t source(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  if (s->done < snapshot_head_slots(fw)) return head_addr(fw) + s->done * ORM_SLOT_BYTES;
  while (!snapshot_has_page(fw, head_addr(fw), s->at)) s->at++;
  return fw->dev.dram_l2p + s->at++ * ORM_SLOT_BYTES;
}

/* False: it waits for the DMA or for NAND. */
static bool write_next(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  if (s->done == s->place.slots || !lanes_room(fw)) return false;
  uint32_t from = source(fw);
  fw_work(fw->p, FW_WORK_CRC, ORM_SLOT_BYTES / 16u);
  s->crc = crc_of_words(s->crc, hal_dram(fw->p, from), ORM_SLOT_BYTES);
  hal_clean(fw->p, from, ORM_SLOT_BYTES);
  lanes_write(fw, snapshot_slot(fw, s->done), from);
  s->done++;
  return true;
}

static fw_result_t write_slots(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  lanes_poll(fw);
  if (s->given_up) lanes_give_up(fw);
  for (uint32_t n = 0; n < L2P_PAGES_PER_POLL; n++) {
    if (write_next(fw)) continue;
    bool all = fw->lanes.failed || s->done == s->place.slots;
    if (!all || !lanes_rest(fw)) return FW_PENDING;
    end(fw, !fw->lanes.failed); /* without it nothing is lost: the next start goes by summaries and spares */
    return FW_OK;
  }
  fw_again_in(fw, 0);
  return FW_PENDING;
}

static fw_result_t go_on(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  switch (s->phase) {
    case SNAPSHOT_NONE:
    case SNAPSHOT_WRITTEN:
      return FW_OK;
    case SNAPSHOT_SURVEY:
      for (uint32_t n = 0; n < SUPERBLOCKS_PER_POLL && s->at < fw->geometry.superblocks; n++) survey(fw, s->at++);
      if (s->at == fw->geometry.superblocks) {
        s->phase = SNAPSHOT_LOOK;
        s->at = 0;
        s->place.slots = snapshot_head_slots(fw);
      }
      break;
    case SNAPSHOT_LOOK:
      for (uint32_t n = 0; n < L2P_PAGES_PER_POLL && s->at < snapshot_l2p_pages(&fw->dev); n++) look(fw, s->at++);
      if (s->at < snapshot_l2p_pages(&fw->dev)) break;
      s->at = 0;
      s->phase = SNAPSHOT_WRITE;
      if (!choose(fw)) {
        s->phase = SNAPSHOT_NONE;
        return FW_OK;
      }
      lanes_begin(fw, false);
      break;
    case SNAPSHOT_WRITE:
      return write_slots(fw);
  }
  if (s->given_up) { /* nothing was written yet */
    s->phase = SNAPSHOT_NONE;
    return FW_OK;
  }
  fw_again_in(fw, 0);
  return FW_PENDING;
}

fw_result_t snapshot_poll(struct fw *fw) {
  fw_result_t r = go_on(fw);
  tell(fw);
  return r;
}

void snapshot_give_up(struct fw *fw) { fw->snapshot.given_up = true; }

/* ---- afterwards */

static void set_state(const struct fw *fw, uint32_t sb, uint32_t gen, enum orm_sb_state state) {
  hal_write(fw->p, ORM_FW_SB_SELECT, sb);
  hal_write(fw->p, ORM_FW_SB_GEN, gen);
  hal_write(fw->p, ORM_FW_SB_CHAIN, 0);
  hal_write(fw->p, ORM_FW_SB_STATE, ORM_PUT(ORM_FW_SB_STATE_STATE, state));
}

static void take_out(struct fw *fw, uint32_t sb) {
  state_media_error(&fw->state);
  bad_add(fw, sb);
  set_state(fw, sb, superblock_generation(fw->p, sb), ORM_SB_STATE_BAD);
  hal_write(fw->p, ORM_FW_ALLOC_FREE, ORM_PUT(ORM_FW_ALLOC_FREE_CLEAR, 1u));
  for (uint32_t i = 0; i < fw->geometry.superblocks; i++) {
    if (superblock_state(fw->p, i) == ORM_SB_STATE_FREE)
      hal_write(fw->p, ORM_FW_ALLOC_FREE, ORM_PUT(ORM_FW_ALLOC_FREE_SB, i));
  }
}

/* The erase is durable, then the new generation is, as in recovery. */
static void take_back(const struct fw *fw, uint32_t sb) {
  struct orm_block_record b = {.gen = superblock_generation(fw->p, sb) + 1u};
  state_write_block(&fw->dev, fw->p, sb, &b);
  set_state(fw, sb, b.gen, ORM_SB_STATE_FREE);
}

fw_result_t snapshot_clear(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  bool said = fw->state.clean || fw->state.snapshot.slots != 0; /* also where none was finished */
  if (s->cleared < s->used && said) state_drop_snapshot(&fw->state, &fw->dev, fw->p, false);
  for (; s->cleared < s->used; s->cleared++) {
    uint32_t sb = s->place.sb[s->cleared];
    if (!s->erasing) {
      struct orm_gc_intent intent = {
          .gen = superblock_generation(fw->p, sb), .sb = (uint16_t)sb, .good_slots = GOOD_SLOTS_UNKNOWN};
      state_write_intent(&fw->dev, fw->p, FW_RECOVERY_INTENT, &intent);
      nand_erase_begin(&s->eraser, sb);
      s->erasing = true;
    }
    fw_result_t r = nand_erase_poll(&s->eraser, &fw->nand, &fw->dev, fw->p);
    if (r == FW_PENDING) return FW_PENDING;
    s->erasing = false;
    if (r == FW_OK)
      take_back(fw, sb);
    else
      take_out(fw, sb);
  }
  s->used = s->cleared = 0;
  s->phase = SNAPSHOT_NONE;
  tell(fw);
  return FW_OK;
}
