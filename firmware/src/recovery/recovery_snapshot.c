/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A start that goes by the snapshot of a shutdown (snapshot.h): L2P comes from it, as do the figures of superblocks
 * that were full or free then, which are not probed. Everything else is read as ever, so that it is known what was
 * last seen anywhere; but no event changes L2P. Where anything of it is not as it should be the start begins anew,
 * without it.
 */
#include <string.h>

#include "core/crc.h"
#include "fw.h"

#define L2P_PAGES_PER_POLL 16u

static uint32_t snapshot_sbs(const struct fw *fw) {
  return (fw->snapshot.place.slots + fw->dev.slots_per_sb - 1u) / fw->dev.slots_per_sb;
}

/* Behind the tables, or, where those take all, in place of the one that is not needed. */
static uint32_t head_addr(const struct fw *fw) {
  const struct recovery *r = &fw->recovery;
  uint32_t bytes = snapshot_head_slots(fw) * ORM_SLOT_BYTES, behind = r->segs + 8u * fw->dev.segments;
  behind = (behind + 15u) / 16u * 16u;
  if ((uint64_t)behind + bytes <= fw->dev.dram_bytes) return behind;
  return r->good_map - r->seqs >= bytes ? r->seqs : 0;
}

static bool is_usable(const struct fw *fw) {
  const struct recovery *r = &fw->recovery;
  const struct snapshot *s = &fw->snapshot;
  uint32_t sbs = snapshot_sbs(fw);
  if (s->refused || !fw->state.clean || s->place.slots < snapshot_head_slots(fw) || sbs > ORM_SNAPSHOT_SBS)
    return false;
  for (uint32_t i = 0; i < sbs; i++) {
    uint32_t sb = s->place.sb[i];
    if (sb >= r->superblocks || bad_has(fw, sb) || bad_is_unknown(fw, sb)) return false;
  }
  return !r->formatting && !r->bad_intent && head_addr(fw) != 0;
}

static fw_result_t refuse(struct fw *fw, const char *why) {
  hal_log(fw->p, PLATFORM_LOG_INFO, "the snapshot of the mapping is of no use: %s", why);
  return FW_IN_FULL;
}

static fw_result_t begin(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct snapshot *s = &fw->snapshot;
  bool refused = s->refused;
  memset(s, 0, sizeof *s);
  s->refused = refused;
  s->place = fw->state.snapshot;
  if (!is_usable(fw)) {
    memset(&s->place, 0, sizeof s->place);
    return FW_OK;
  }
  uint32_t gens[ORM_SNAPSHOT_SBS] = {0};
  for (uint32_t i = 0; i < snapshot_sbs(fw); i++) gens[i] = r->sb[s->place.sb[i]].gen;
  s->crc = snapshot_crc_begin(&s->place, snapshot_sbs(fw), gens);
  r->load = LOAD_HEAD;
  lanes_begin(fw, true);
  return FW_PENDING;
}

void recovery_refuse_snapshot(struct fw *fw) { fw->snapshot.refused = true; }

/* ---- from flash to DRAM */

static bool is_last(const struct fw *fw) {
  uint32_t end = fw->recovery.load == LOAD_HEAD ? snapshot_head_slots(fw) : fw->snapshot.place.slots;
  return fw->snapshot.done == end;
}

/* Where slot `done` of the snapshot goes. UNMAPPED: the head knows no such page. */
static uint32_t target(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  uint32_t pages = snapshot_l2p_pages(&fw->dev);
  if (fw->recovery.load == LOAD_HEAD) return head_addr(fw) + s->done * ORM_SLOT_BYTES;
  while (s->at < pages && !snapshot_has_page(fw, head_addr(fw), s->at)) s->at++;
  return s->at < pages ? fw->dev.dram_l2p + s->at * ORM_SLOT_BYTES : ORM_UNMAPPED;
}

static void read_slots(struct fw *fw) {
  struct snapshot *s = &fw->snapshot;
  while (!is_last(fw) && !fw->lanes.failed) {
    uint32_t to = target(fw);
    if (to == ORM_UNMAPPED)
      lanes_give_up(fw);
    else if (!lanes_read(fw, snapshot_slot(fw, s->done), to))
      return;
    s->done++;
    if (fw->recovery.load == LOAD_PAGES) s->at++;
  }
}

/* OK: all of this part is in DRAM. NAND: something could not be read. */
static fw_result_t load(struct fw *fw) {
  lanes_poll(fw);
  read_slots(fw);
  if (!lanes_rest(fw)) return FW_PENDING;
  if (fw->lanes.failed) return FW_NAND;
  return is_last(fw) ? FW_OK : FW_PENDING;
}

/* ---- what it says */

/* In whole bytes, where there are any: bit by bit the superblocks of a large device would take a poll too long. */
static void set_good(const struct fw *fw, uint32_t sb) {
  uint32_t slot = sb * fw->dev.slots_per_sb, end = slot + fw->dev.data_slots;
  for (; slot < end && slot % 8u != 0; slot++) recovery_mark_slot(fw, fw->recovery.good_map, slot);
  uint32_t bytes = (end - slot) / 8u;
  hal_dram_fill(fw->p, fw->recovery.good_map + slot / 8u, 0xFF, bytes);
  for (slot += 8u * bytes; slot < end; slot++) recovery_mark_slot(fw, fw->recovery.good_map, slot);
}

/* Slots of a full superblock count as good ones. Where one is not nothing is mapped to it, and a remap entry for it
 * is stale. */
static bool take_sb(struct fw *fw, uint32_t sb) {
  struct recovery_sb *s = &fw->recovery.sb[sb];
  struct orm_snapshot_sb rec;
  orm_snapshot_sb_unpack(&rec, hal_dram(fw->p, head_addr(fw) + sb * ORM_SNAPSHOT_SB_BYTES));
  if (bad_has(fw, sb)) return true;
  if (rec.state == ORM_SB_STATE_BAD || rec.state > ORM_SB_STATE_BAD || rec.destaged_slots > fw->dev.destage_slots ||
      (rec.destaged_slots != 0 && s->set == 0))
    return false;
  s->live = rec.state != ORM_SB_STATE_FREE;
  s->destaged_slots = rec.destaged_slots;
  s->destaged_entries = (uint16_t)(rec.destaged_segments * device_entries_per_segment(&fw->dev));
  if (rec.destaged_slots == 0) s->set = 0;
  s->known = rec.state != ORM_SB_STATE_OPEN && !recovery_has_intent(fw, sb);
  if (!s->known || rec.state != ORM_SB_STATE_CLOSED) return true;
  s->good = rec.good;
  s->programmed = (uint16_t)fw->dev.data_slots;
  set_good(fw, sb);
  return true;
}

static fw_result_t take_head(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct snapshot *s = &fw->snapshot;
  fw_work(fw->p, FW_WORK_CRC, snapshot_head_slots(fw) * ORM_SLOT_BYTES / 16u);
  s->crc = crc_of_words(s->crc, hal_dram(fw->p, head_addr(fw)), snapshot_head_slots(fw) * ORM_SLOT_BYTES);
  uint32_t pages = 0;
  for (uint32_t page = 0; page < snapshot_l2p_pages(&fw->dev); page++)
    pages += snapshot_has_page(fw, head_addr(fw), page);
  if (s->place.slots != snapshot_head_slots(fw) + pages) return refuse(fw, "its length");
  for (uint32_t sb = 0; sb < r->superblocks; sb++) {
    if (!take_sb(fw, sb)) return refuse(fw, "its records");
  }
  for (uint32_t i = 0; i < snapshot_sbs(fw); i++) {
    struct recovery_sb *own = &r->sb[s->place.sb[i]];
    if (own->live) return refuse(fw, "its superblocks");
    own->known = true;
    own->programmed = 1; /* so it is erased */
  }
  r->load = LOAD_PAGES;
  s->at = 0;
  return FW_PENDING;
}

/* An entry that leads nowhere would be a mistake of ours: the CRC is right. */
static bool take_page(struct fw *fw, uint32_t page) {
  struct recovery *r = &fw->recovery;
  uint32_t first = page * ORM_SNAPSHOT_LPNS;
  fw_work(fw->p, FW_WORK_CRC, ORM_SLOT_BYTES / 16u);
  fw->snapshot.crc =
      crc_of_words(fw->snapshot.crc, hal_dram(fw->p, fw->dev.dram_l2p + page * ORM_SLOT_BYTES), ORM_SLOT_BYTES);
  for (uint32_t lpn = first; lpn < first + ORM_SNAPSHOT_LPNS && lpn < fw->dev.lpns; lpn++) {
    fw_work(fw->p, FW_WORK_LPN, 1u);
    uint32_t slot = hal_dram_get32(fw->p, fw->dev.dram_l2p + 4u * lpn);
    if (slot == ORM_UNMAPPED) continue;
    fw_work(fw->p, FW_WORK_MARK, 1u);
    if (slot / fw->dev.slots_per_sb >= r->superblocks || !r->sb[slot / fw->dev.slots_per_sb].live) return false;
    recovery_touch(r, lpn);
  }
  return true;
}

static fw_result_t take_pages(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  struct snapshot *s = &fw->snapshot;
  uint32_t pages = snapshot_l2p_pages(&fw->dev);
  for (uint32_t n = 0; n < L2P_PAGES_PER_POLL && r->at < pages; r->at++) {
    if (!snapshot_has_page(fw, head_addr(fw), r->at)) continue;
    if (!take_page(fw, r->at)) return refuse(fw, "its entries");
    n++;
  }
  if (r->at < pages) return FW_PENDING;
  if (orm_crc32c_final(s->crc) != s->place.crc) return refuse(fw, "its CRC");
  r->by_snapshot = true;
  r->doubt = true; /* events of unmapped pages are not known */
  if (s->place.seq > r->newest + 1u) r->newest = s->place.seq - 1u;
  return FW_OK;
}

fw_result_t recovery_load_snapshot(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  switch (r->load) {
    case LOAD_BEGIN:
      return begin(fw);
    case LOAD_HEAD:
    case LOAD_PAGES: {
      fw_result_t loaded = load(fw);
      if (loaded == FW_PENDING) return FW_PENDING;
      if (loaded != FW_OK) return refuse(fw, "it cannot be read");
      if (r->load == LOAD_HEAD) return take_head(fw);
      r->load = LOAD_TAKE;
      return FW_PENDING;
    }
    case LOAD_TAKE:
      return take_pages(fw);
  }
  return FW_OK;
}

/* Also one that was refused: its superblocks are about to be erased. */
fw_result_t recovery_forget_snapshot(struct fw *fw) {
  if (fw->state.snapshot.slots != 0) state_drop_snapshot(&fw->state, &fw->dev, fw->p, fw->state.clean);
  memset(&fw->snapshot, 0, sizeof fw->snapshot);
  return FW_OK;
}
