// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_RANGE_FIELDS_H
#define OPENREMAP_FAST_RANGE_FIELDS_H

#include <cstdint>

#include "nvme/nvme_command.h"
#include "orm_formats.h"
#include "orm_nvme.h"

namespace orm::fast {

/// Fields of REMAP, REMAP VECTOR and Copy in one form (hw/src/io/RangeFields.scala).
class RangeFields {
 public:
  explicit RangeFields(const FetchedCommand &c) : sqe_(c.sqe) {}

  uint32_t opcode() const { return sqe_[0] & 0xFF; }
  bool single() const { return opcode() == ORM_VENDOR_OPCODES_REMAP; }
  bool vector() const { return opcode() == ORM_VENDOR_OPCODES_REMAP_VECTOR; }
  bool copies() const { return opcode() == NVME_IO_OPCODE_COPY; }
  uint16_t cid() const { return uint16_t(sqe_[0] >> 16); }
  uint64_t prp1() const { return quad(6); }
  uint64_t prp2() const { return quad(8); }

  /// Copy: the first target; whether the descriptor format is supported and no protection information is requested.
  uint64_t sdlba() const { return quad(10); }
  bool good_copy() const { return format() <= 1 && (sqe_[12] & 0x3C00F000u) == 0; }

  /// REMAP: its range.
  orm_remap_range range() const { return {quad(10), quad(12), sqe_[14], 0, 0}; }
  bool moves() const { return !copies() && (sqe_[15] & ORM_VENDOR_FLAGS_MOVE) != 0; }
  /// REMAP, REMAP VECTOR: the fields are those that hardware knows.
  bool known() const {
    if ((sqe_[15] & ~uint32_t(ORM_VENDOR_FLAGS_MOVE)) != 0) return false;
    return single() || (sqe_[10] != 0 && sqe_[10] <= ORM_REMAP_RANGES_MAX && sqe_[6] % 4 == 0);
  }

  uint32_t ranges() const { return copies() ? (sqe_[12] & 0xFF) + 1 : vector() ? sqe_[10] : 1; }
  uint32_t entry_bytes() const { return copies() && format() == 1 ? NVME_COPY_RANGE1_BYTES : ORM_REMAP_RANGE_BYTES; }
  /// Bytes to fetch, in whole words of 16: an odd list of format 1 is rounded up by 8 bytes, which are tags.
  uint32_t list_bytes() const { return ranges() * entry_bytes() & ~15u; }

 private:
  static_assert(NVME_COPY_RANGE_BYTES == ORM_REMAP_RANGE_BYTES);
  uint32_t format() const { return sqe_[12] >> 8 & 0xF; }
  uint64_t quad(unsigned low) const { return sqe_[low] | uint64_t(sqe_[low + 1]) << 32; }

  std::array<uint32_t, 16> sqe_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_RANGE_FIELDS_H
