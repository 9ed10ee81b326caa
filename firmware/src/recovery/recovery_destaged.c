/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destaged parts of chains in recovery (docs/design/remap.md, "Cold chains: destaging"). Their slots were found among
 * the spare areas, under LPNs of their own; the superblock's record in NVRAM names the set that counts. Its entries
 * are events like those in NVRAM. The slots of the other set, and those that an earlier use of this set left, do not
 * count.
 *
 * A page whose entry is lost goes back to the event before it, if flash still has that, and is unmapped otherwise.
 */
#include "fw.h"

#define CHUNKS_PER_POLL 128u
#define SUPERBLOCKS_PER_POLL 256u

_Static_assert(ORM_DESTAGE_HEADER_BYTES == FW_NAND_CHUNK && ORM_REMAP_ENTRY_BYTES == FW_NAND_CHUNK,
               "a slot is read record by record");
_Static_assert(FW_MAX_DESTAGE_SLOTS <= UINT8_MAX && FW_ENTRIES_PER_DESTAGED_SLOT * FW_MAX_DESTAGE_SLOTS <= UINT16_MAX,
               "recovery_sb has room for the figures");

static uint32_t l2p_addr(const struct fw *fw, uint32_t lpn) { return fw->dev.dram_l2p + 4u * lpn; }

static uint32_t mapped(const struct fw *fw, uint32_t sb, uint32_t set, uint32_t k) {
  fw_work(fw->p, FW_WORK_LPN, 1u);
  return hal_dram_get32(fw->p, l2p_addr(fw, device_destage_lpn(&fw->dev, sb, set, k)));
}

static void unmap(const struct fw *fw, uint32_t sb, uint32_t set, uint32_t from) {
  for (uint32_t k = from; k < fw->dev.destage_slots; k++) {
    if (mapped(fw, sb, set, k) != ORM_UNMAPPED) /* nearly all are, in a large device: they are only read */
      hal_dram_put32(fw->p, l2p_addr(fw, device_destage_lpn(&fw->dev, sb, set, k)), ORM_UNMAPPED);
  }
}

static uint64_t newest_of(const struct fw *fw, uint32_t sb, uint32_t set) {
  uint64_t newest = 0;
  for (uint32_t k = 0; k < fw->dev.destage_slots; k++) {
    uint64_t seq = recovery_seq(fw, device_destage_lpn(&fw->dev, sb, set, k));
    if (seq > newest) newest = seq;
  }
  return newest;
}

/* The slots of one destaging have one seq. Others under the LPNs of the set are of an earlier use, whose newer ones
 * were unmapped and may have been erased since. */
static void unmap_older(const struct fw *fw, uint32_t sb, uint32_t set) {
  uint64_t newest = newest_of(fw, sb, set);
  for (uint32_t k = 0; k < fw->dev.destage_slots; k++) {
    uint32_t lpn = device_destage_lpn(&fw->dev, sb, set, k);
    if (recovery_seq(fw, lpn) < newest) hal_dram_put32(fw->p, l2p_addr(fw, lpn), ORM_UNMAPPED);
  }
}

/* No record names one: the newer set, which a cut may have left unfinished. */
static uint8_t likely_set(const struct fw *fw, uint32_t sb) {
  uint64_t one = newest_of(fw, sb, 1), two = newest_of(fw, sb, 2);
  return one == 0 && two == 0 ? 0 : one > two ? 1 : 2;
}

static void begin(struct fw *fw, uint32_t sb) {
  if (bad_has(fw, sb)) fw->recovery.sb[sb].set = 0; /* its chain is out of use; the slots may be gone already */
  if (fw->recovery.sb[sb].vague) fw->recovery.sb[sb].set = likely_set(fw, sb);
  uint32_t set = fw->recovery.sb[sb].set;
  fw->recovery.set = (struct recovery_set){.phase = SET_SLOT};
  if (fw->dev.destage_slots == 0) return;
  for (uint32_t other = 1; other <= 2; other++) {
    if (other != set) unmap(fw, sb, other, 0);
  }
  if (set != 0) unmap_older(fw, sb, set);
}

/* All slots have been looked at. Where no header was good nothing says what the set was: the chain goes on without
 * it. */
static void end(struct fw *fw, uint32_t sb) {
  struct recovery_set *t = &fw->recovery.set;
  struct recovery_sb *s = &fw->recovery.sb[sb];
  if (s->set != 0) {
    unmap(fw, sb, s->set, t->known ? t->slots : 0);
    /* The record still names it, so the next start looks again: a page may be readable then. If the chip takes the
     * same set for its next destaging, that one's slots have an epoch past the record's until the record is theirs. */
    if (!t->known) s->set = 0;
    s->destaged_slots = t->slots;
    s->destaged_entries = (uint16_t)t->sum;
  }
  if (t->damaged) {
    fw->recovery.doubt = true;
    state_media_error(&fw->state);
    hal_log(fw->p, PLATFORM_LOG_ERROR, "superblock %u: destaged entries of its chain are lost", (unsigned)sb);
  }
  t->phase = SET_BEGIN;
  fw->recovery.at++;
}

/* The slot has been dealt with, well or not. */
static void next_slot(struct fw *fw, bool good) {
  struct recovery_set *t = &fw->recovery.set;
  if (!good) t->damaged = true;
  nand_read_done(&fw->nand);
  t->slot++;
  t->phase = SET_SLOT;
}

static bool good_header(const struct fw *fw, uint32_t sb, const struct orm_destage_header *h) {
  const struct recovery_set *t = &fw->recovery.set;
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  bool fits = h->slots > t->slot && h->slots <= fw->dev.destage_slots && h->entries <= FW_ENTRIES_PER_DESTAGED_SLOT;
  bool same = !t->known || (h->epoch == t->epoch && h->slots == t->slots);
  return h->sb == sb && h->gen == s->gen && h->epoch <= s->epoch && h->index == t->slot && fits && same;
}

static void take_header(struct fw *fw, uint32_t sb, const uint8_t *raw) {
  struct recovery_set *t = &fw->recovery.set;
  struct orm_destage_header h;
  if (!orm_destage_header_open(&h, raw) || !good_header(fw, sb, &h)) {
    next_slot(fw, false);
    return;
  }
  t->known = true;
  t->epoch = h.epoch;
  t->slots = h.slots;
  t->entries = h.entries;
  t->sum += h.entries;
  t->chunk = 1;
}

/* One that does not count cannot be wiped here as in NVRAM. It needs not: what was destaged was live, so committed,
 * and a slot that is not good does not become so in this generation. */
static void take_entry(struct fw *fw, uint32_t sb, const uint8_t *raw) {
  struct recovery *r = &fw->recovery;
  struct recovery_set *t = &r->set;
  const struct device *d = &fw->dev;
  struct orm_remap_entry e;
  t->chunk++;
  if (!orm_remap_entry_open(&e, raw, (uint16_t)sb, r->sb[sb].gen, t->epoch)) {
    t->damaged = true;
    return;
  }
  uint32_t slot = sb * d->slots_per_sb + e.offset;
  if (e.seq > r->newest) r->newest = e.seq;
  if (e.seq <= r->commit && e.offset < d->slots_per_sb && recovery_slot_good(fw, slot))
    recovery_event(fw, e.lpn, e.seq, slot);
}

/* False: the NAND is waited for. */
static bool read_slot(struct fw *fw, uint32_t sb) {
  struct recovery_set *t = &fw->recovery.set;
  uint32_t slot = mapped(fw, sb, fw->recovery.sb[sb].set, t->slot);
  if (slot == ORM_UNMAPPED) {
    next_slot(fw, false);
    return true;
  }
  if (!nand_start(&fw->nand, &fw->dev, fw->p, ORM_FW_NAND_OP_READ, slot)) return false;
  t->phase = SET_READING;
  return true;
}

static bool take_result(struct fw *fw) {
  struct recovery_set *t = &fw->recovery.set;
  struct nand_result res;
  if (!nand_take(&fw->nand, &fw->dev, fw->p, &res)) return false;
  t->phase = SET_TAKING;
  t->chunk = t->entries = 0;
  if (res.status != ORM_FW_NAND_STATUS_OK) next_slot(fw, false);
  return true;
}

static bool take_chunk(struct fw *fw, uint32_t sb) {
  struct recovery_set *t = &fw->recovery.set;
  uint8_t raw[FW_NAND_CHUNK];
  if (t->chunk > t->entries) {
    next_slot(fw, true);
    return true;
  }
  if (nand_data(&fw->nand, fw->p, t->chunk, raw) != FW_OK) return false;
  if (t->chunk == 0)
    take_header(fw, sb, raw);
  else
    take_entry(fw, sb, raw);
  return true;
}

/* The next piece of superblock `sb`. */
static bool go_on(struct fw *fw, uint32_t sb) {
  const struct recovery_set *t = &fw->recovery.set;
  switch (t->phase) {
    case SET_BEGIN:
      begin(fw, sb);
      return true;
    case SET_SLOT: {
      uint32_t slots = t->known ? t->slots : fw->dev.destage_slots;
      if (fw->recovery.sb[sb].set != 0 && t->slot < slots) return read_slot(fw, sb);
      end(fw, sb);
      return true;
    }
    case SET_READING:
      return take_result(fw);
    case SET_TAKING:
      return take_chunk(fw, sb);
  }
  return false;
}

fw_result_t recovery_destaged(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (r->by_snapshot) return FW_OK; /* all of it is known */
  for (uint32_t n = 0; n < CHUNKS_PER_POLL && r->at < r->superblocks; n++) {
    if (!go_on(fw, r->at)) return FW_PENDING;
  }
  return r->at < r->superblocks ? FW_PENDING : FW_OK;
}

/* Slots of the superblock's own set that are in the superblock itself. */
static uint32_t slots_at_home(const struct fw *fw, uint32_t sb) {
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->destaged_slots; k++) {
    uint32_t slot = mapped(fw, sb, s->set, k);
    if (slot != ORM_UNMAPPED && slot / fw->dev.slots_per_sb == sb) n++;
  }
  return n;
}

static void drop_set(struct fw *fw, uint32_t sb) {
  struct recovery *r = &fw->recovery;
  struct recovery_sb *s = &r->sb[sb];
  struct orm_block_record b = {.gen = s->gen, .epoch = s->epoch};
  state_write_block(&fw->dev, fw->p, sb, &b);
  for (uint32_t k = 0; k < s->destaged_slots; k++) {
    uint32_t slot = mapped(fw, sb, s->set, k);
    if (slot == ORM_UNMAPPED) continue;
    uint8_t *ref = hal_dram(fw->p, fw->dev.dram_ref + slot);
    if (--*ref == 0) r->sb[slot / fw->dev.slots_per_sb].valid--;
  }
  unmap(fw, sb, s->set, 0);
  s->set = s->destaged_slots = 0;
  s->destaged_entries = 0;
}

/* A superblock that holds nothing live has nothing live in its chain. The record goes first: the slots may be
 * erased now, and a record that still named them would tell of a loss at the next start. Without its slots another
 * superblock may hold nothing live either. */
fw_result_t recovery_drop_destaged(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  for (uint32_t n = 0; n < SUPERBLOCKS_PER_POLL && r->at < r->superblocks; n++, r->at++) {
    if (r->sb[r->at].set == 0 || r->sb[r->at].valid > slots_at_home(fw, r->at)) continue;
    drop_set(fw, r->at);
    r->set.changed = true;
  }
  if (r->at < r->superblocks) return FW_PENDING;
  if (!r->set.changed) return FW_OK;
  r->set.changed = false;
  r->at = 0;
  return FW_PENDING;
}

fw_result_t recovery_forget_destaged(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (fw->dev.destage_slots == 0) return FW_OK;
  for (uint32_t n = 0; n < SUPERBLOCKS_PER_POLL && r->at < r->superblocks; n++, r->at++) {
    for (uint32_t set = 1; set <= 2; set++) unmap(fw, r->at, set, 0);
  }
  return r->at < r->superblocks ? FW_PENDING : FW_OK;
}

void recovery_load_destaged(const struct fw *fw, uint32_t sb) {
  const struct recovery_sb *s = &fw->recovery.sb[sb];
  if (s->set == 0) return;
  uint32_t in_segment = device_entries_per_segment(&fw->dev);
  hal_write(fw->p, ORM_FW_SB_SELECT, sb);
  hal_write(fw->p, ORM_FW_SB_DESTAGED,
            ORM_PUT(ORM_FW_SB_DESTAGED_SET, s->set) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, s->destaged_slots) |
                ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, (s->destaged_entries + in_segment - 1u) / in_segment));
}
