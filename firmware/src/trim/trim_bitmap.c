/* SPDX-License-Identifier: Apache-2.0 */
#include "trim/trim_bitmap.h"

#include "core/hal.h"

static uint32_t word_addr(const struct device *d, uint32_t bitmap, uint32_t lpn) {
  return d->nv_bitmap + bitmap * d->nv_bitmap_bytes + lpn / ORM_TRIM_WORD_LPNS * ORM_TRIM_WORD_BYTES;
}

static uint32_t pointer_addr(const struct device *d, uint32_t region) {
  return d->nv_trim_pointers + region * ORM_TRIM_POINTER_BYTES;
}

bool trim_pointer_read(const struct device *d, const struct platform *p, uint32_t region, struct trim_pointer *out) {
  struct orm_trim_pointer w;
  _Alignas(4) uint8_t raw[ORM_TRIM_POINTER_BYTES]; /* NVRAM is read by words then */
  hal_nv_read(p, pointer_addr(d, region), raw, sizeof raw);
  *out = (struct trim_pointer){0};
  if (hal_is_zero(raw, sizeof raw)) return true;
  fw_work(p, FW_WORK_TRIM, 1u);
  if (!orm_trim_pointer_open(&w, raw, region) || w.bitmap > 1u) return false;
  *out = (struct trim_pointer){.seq = w.seq, .bitmap = w.bitmap};
  return true;
}

void trim_pointer_write(const struct device *d, const struct platform *p, uint32_t region,
                        const struct trim_pointer *to) {
  struct orm_trim_pointer w = {.seq = to->seq, .bitmap = (uint8_t)to->bitmap};
  _Alignas(4) uint8_t raw[ORM_TRIM_POINTER_BYTES];
  fw_work(p, FW_WORK_TRIM, 1u);
  orm_trim_pointer_seal(&w, region, raw);
  hal_nv_write(p, pointer_addr(d, region), raw, sizeof raw);
}

void trim_region_write(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t region,
                       const struct trim_region *words) {
  _Alignas(4) uint8_t raw[ORM_TRIM_REGION_WORDS * ORM_TRIM_WORD_BYTES];
  uint32_t first = region * ORM_TRIM_REGION_WORDS;
  for (uint32_t i = 0; i < words->words; i++) {
    struct orm_trim_word w = {.trimmed = words->trimmed[i]};
    orm_trim_word_seal(&w, first + i, raw + i * ORM_TRIM_WORD_BYTES);
  }
  hal_nv_write(p, word_addr(d, bitmap, first * ORM_TRIM_WORD_LPNS), raw, words->words * ORM_TRIM_WORD_BYTES);
}

_Static_assert((ORM_UNMAPPED & ~ORM_FW_NAND_STATUS_SLOT_MASK) >> 31 != 0, "bit 31 of an L2P entry says: unmapped");

/* `bits` moved by one, and the bit of the entry at `addr` below them. */
static inline uint32_t with(uint32_t bits, const struct platform *p, uint32_t addr) {
  return bits << 1 | hal_dram_get32(p, addr) >> 31;
}

/* Of up to 32 LPNs, the last one first: bits then move by one, which a small processor does in one cycle. Eight in a
 * turn of the loop, as a jump takes such a processor as long as an entry. */
static uint32_t unmapped(const struct platform *p, uint32_t l2p, uint32_t lpns) {
  uint32_t bits = 0, at = l2p + 4u * lpns;
  for (; at - l2p >= 32u; at -= 32u) {
    bits = with(bits, p, at - 4u);
    bits = with(bits, p, at - 8u);
    bits = with(bits, p, at - 12u);
    bits = with(bits, p, at - 16u);
    bits = with(bits, p, at - 20u);
    bits = with(bits, p, at - 24u);
    bits = with(bits, p, at - 28u);
    bits = with(bits, p, at - 32u);
  }
  for (; at != l2p; at -= 4u) bits = with(bits, p, at - 4u);
  return bits;
}

/* In halves: shifts of 64 bits are slow on the processors that this is for. */
uint64_t trim_bitmap_unmapped(const struct device *d, const struct platform *p, uint32_t first, uint32_t end) {
  uint32_t left = first < end ? end - first : 0, lpns = left < ORM_TRIM_WORD_LPNS ? left : ORM_TRIM_WORD_LPNS;
  uint32_t l2p = d->dram_l2p + 4u * first, low = lpns < 32u ? lpns : 32u;
  fw_work(p, FW_WORK_BIT, lpns);
  return (uint64_t)unmapped(p, l2p + 4u * low, lpns - low) << 32 | unmapped(p, l2p, low);
}

void trim_region_scan(const struct device *d, const struct platform *p, uint32_t region, uint32_t nsze,
                      struct trim_region *out) {
  uint32_t first = region * TRIM_REGION_LPNS;
  *out = (struct trim_region){0};
  while (out->words < ORM_TRIM_REGION_WORDS && out->words * ORM_TRIM_WORD_LPNS < nsze - first) {
    uint64_t trimmed = trim_bitmap_unmapped(d, p, first + out->words * ORM_TRIM_WORD_LPNS, nsze);
    out->trimmed[out->words++] = trimmed;
    out->any = out->any || trimmed != 0;
  }
}

bool trim_bitmap_read(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t lpn,
                      uint64_t *trimmed) {
  struct orm_trim_word w;
  uint8_t raw[ORM_TRIM_WORD_BYTES];
  hal_nv_read(p, word_addr(d, bitmap, lpn), raw, sizeof raw);
  bool blank = orm_get_le(raw, sizeof raw) == 0;
  bool good = orm_trim_word_open(&w, raw, lpn / ORM_TRIM_WORD_LPNS);
  *trimmed = good && !blank ? w.trimmed : 0;
  return good || blank;
}
