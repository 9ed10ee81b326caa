// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COPY_COMMAND_H
#define OPENREMAP_FAST_COPY_COMMAND_H

#include <cstdint>

#include "nvme/nvme_command.h"
#include "orm_nvme.h"

namespace orm::fast {

/// Fields of a Copy command (CopyFields in hw/src/io/CopyEngine.scala).
class CopyFields {
 public:
  explicit CopyFields(const FetchedCommand &c) : sqe_(c.sqe) {}

  uint16_t cid() const { return uint16_t(sqe_[0] >> 16); }
  uint64_t prp1() const { return quad(6); }
  uint64_t prp2() const { return quad(8); }
  uint64_t sdlba() const { return quad(10); }
  uint32_t ranges() const { return (sqe_[12] & 0xFF) + 1; }
  /// Whether the descriptor format is supported and no protection information is requested.
  bool good() const { return format() <= 1 && (sqe_[12] & 0x3C00F000u) == 0; }
  uint32_t entry_bytes() const { return format() == 0 ? NVME_COPY_RANGE_BYTES : NVME_COPY_RANGE1_BYTES; }
  /// Bytes to fetch, in whole words of 16: an odd list of format 1 is rounded up by 8 bytes, which are tags.
  uint32_t list_bytes() const { return ranges() * entry_bytes() & ~15u; }

 private:
  uint32_t format() const { return sqe_[12] >> 8 & 0xF; }
  uint64_t quad(unsigned low) const { return sqe_[low] | uint64_t(sqe_[low + 1]) << 32; }

  std::array<uint32_t, 16> sqe_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COPY_COMMAND_H
