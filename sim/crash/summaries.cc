// SPDX-License-Identifier: Apache-2.0
#include "summaries.h"

namespace orm::crash {
namespace {

std::string number(uint64_t n) { return std::to_string(n); }

class Reader {
 public:
  explicit Reader(const Tables &t) : t_(t) {}

  bool has(uint32_t sb, orm_summary_trailer *trailer) const {
    const uint32_t first = sb * t_.slots_per_sb + t_.data_slots();
    orm_crc32c_t crc = ORM_CRC32C_INIT;
    for (uint32_t i = 0; i < t_.summary_slots; ++i) {
      if (t_.slots[first + i].state != PCIE_SLOT_PROGRAMMED) return false;
      const bool last = i + 1 == t_.summary_slots;
      crc = orm_crc32c_update(crc, t_.slots[first + i].data, last ? kTrailerAt : uint32_t(ORM_SLOT_BYTES));
    }
    const uint8_t *const end = t_.slots[first + t_.summary_slots - 1].data;
    return orm_summary_trailer_open(trailer, end + kTrailerAt, orm_crc32c_final(crc)) &&
           trailer->mark == ORM_SUMMARY_MARK && trailer->version == ORM_FORMAT_VERSION && trailer->sb == sb &&
           trailer->gen == t_.sb[sb].gen;
  }

  std::vector<std::string> wrong(uint32_t sb) {
    places(sb);
    orm_summary_trailer trailer{};
    if (!has(sb, &trailer)) return std::move(wrong_);
    for (uint32_t offset = 0; offset < t_.data_slots(); ++offset) slot(sb, offset, trailer.stream);
    return std::move(wrong_);
  }

 private:
  static constexpr uint32_t kTrailerAt = ORM_SLOT_BYTES - ORM_SUMMARY_TRAILER_BYTES;

  void tell(uint32_t sb, const std::string &what) { wrong_.push_back("superblock " + number(sb) + what); }

  void places(uint32_t sb) {
    for (uint32_t offset = t_.data_slots(); offset < t_.slots_per_sb; ++offset) {
      const Slot &s = t_.slots[sb * t_.slots_per_sb + offset];
      if (s.sealed) tell(sb, " has a spare of data where its summary goes, at " + number(offset));
      if (s.state != PCIE_SLOT_ERASED && t_.sb[sb].state == ORM_SB_STATE_OPEN) {
        tell(sb, " is open, and its summary is not erased, at " + number(offset));
      }
    }
  }

  /// A slot without an LPN is equivalent to one without an entry.
  void slot(uint32_t sb, uint32_t offset, uint8_t stream) {
    const Slot &s = t_.slots[sb * t_.slots_per_sb + offset];
    orm_slot_record r{};
    const uint32_t at = offset * ORM_SLOT_RECORD_BYTES;
    orm_slot_record_unpack(
        &r, t_.slots[sb * t_.slots_per_sb + t_.data_slots() + at / ORM_SLOT_BYTES].data + at % ORM_SLOT_BYTES);
    const bool counts = s.sealed && s.oob.slot == sb * t_.slots_per_sb + offset && s.oob.gen == t_.sb[sb].gen &&
                        s.oob.version == ORM_FORMAT_VERSION;
    const bool named = counts && s.oob.lpn != ORM_UNMAPPED;
    const bool recorded = r.sb == sb && r.gen == t_.sb[sb].gen && r.lpn != ORM_UNMAPPED;
    const std::string name = ": its summary has for slot " + number(offset) + " ";
    if (counts && s.oob.stream != stream) tell(sb, name + "another stream than the spare");
    if (recorded && !named) tell(sb, name + "LPN " + number(r.lpn) + ", and the spare none");
    if (named && !recorded) tell(sb, name + "nothing, and the spare LPN " + number(s.oob.lpn));
    if (named && recorded && (r.lpn != s.oob.lpn || r.seq != s.oob.seq)) {
      tell(sb, name + "LPN " + number(r.lpn) + ", seq " + number(r.seq) + ", and the spare LPN " + number(s.oob.lpn) +
                   ", seq " + number(s.oob.seq));
    }
  }

  const Tables &t_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> wrong_summaries(const Tables &tables, const std::vector<bool> &bad) {
  std::vector<std::string> all;
  for (uint32_t sb = 0; sb < tables.superblocks && tables.summary_slots != 0; ++sb) {
    if (bad[sb]) continue;
    const std::vector<std::string> wrong = Reader(tables).wrong(sb);
    all.insert(all.end(), wrong.begin(), wrong.end());
  }
  return all;
}

uint32_t summaries(const Tables &tables) {
  uint32_t count = 0;
  for (uint32_t sb = 0; sb < tables.superblocks && tables.summary_slots != 0; ++sb) {
    orm_summary_trailer ignored{};
    count += Reader(tables).has(sb, &ignored);
  }
  return count;
}

}  // namespace orm::crash
