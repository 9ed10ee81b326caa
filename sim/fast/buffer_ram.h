// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_BUFFER_RAM_H
#define OPENREMAP_FAST_BUFFER_RAM_H

#include <cstdint>
#include <vector>

#include "belief.h"
#include "orm_formats.h"
#include "params.h"
#include "process.h"

namespace orm::fast {

/// The page buffers, each with room for the spare behind the data.
class BufferRam {
 public:
  static constexpr size_t kBytes = ORM_SLOT_BYTES + ORM_OOB_RECORD_BYTES;
  explicit BufferRam(const Params &p) : bytes_(p.buffers * kBytes) {}

  uint8_t *data(uint32_t buf) { return bytes_.data() + buf * kBytes; }
  uint8_t *spare(uint32_t buf) { return data(buf) + ORM_SLOT_BYTES; }

 private:
  std::vector<uint8_t> bytes_;
};

/// Free list of `count` page buffers numbered from `base`; the lowest free one is given first.
class BufferPool {
 public:
  BufferPool(Simulation &sim, uint32_t base, uint32_t count)
      : freed(sim), base_(base), free_((uint64_t(1) << count) - 1) {}

  /// False: none is free, `freed` says when to ask again.
  bool take(uint32_t *buf) {
    if (free_ == 0) return false;
    *buf = base_ + uint32_t(__builtin_ctzll(free_));
    free_ &= free_ - 1;
    return true;
  }
  void give(uint32_t buf) {
    const uint64_t bit = uint64_t(1) << (buf - base_);
    believe((free_ & bit) == 0, "a buffer was freed twice");
    free_ |= bit;
    freed.notify();
  }

  Signal freed;

 private:
  uint32_t base_;
  uint64_t free_;  // bit i: buffer base + i
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_BUFFER_RAM_H
