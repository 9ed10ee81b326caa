// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_BUFFER_RAM_H
#define OPENREMAP_FAST_BUFFER_RAM_H

#include <cstdint>
#include <vector>

#include "lib/invariant.h"
#include "lib/process.h"
#include "orm_formats.h"
#include "top/params.h"

namespace orm::fast {

/// The page buffers: each holds 4 KiB of data and the spare area behind it.
class BufferRam {
 public:
  static constexpr size_t kBytes = ORM_SLOT_BYTES + ORM_OOB_RECORD_BYTES;
  explicit BufferRam(const Params &p) : bytes_(p.buffers * kBytes) {}

  uint8_t *data(uint32_t buf) { return bytes_.data() + buf * kBytes; }
  uint8_t *spare(uint32_t buf) { return data(buf) + ORM_SLOT_BYTES; }

 private:
  std::vector<uint8_t> bytes_;
};

/// Free list of `count` page buffers numbered from `base`. The lowest free one is taken first.
class BufferPool {
 public:
  BufferPool(Simulation &sim, uint32_t base, uint32_t count) : freed(sim), base_(base), free_((count + 63) / 64) {
    for (uint32_t i = 0; i != count; ++i) free_[i / 64] |= bit(i);
  }

  /// Takes a buffer. False: none is free; wait for `freed`.
  bool take(uint32_t *buf) {
    for (uint32_t word = 0; word != free_.size(); ++word) {
      if (free_[word] == 0) continue;
      *buf = base_ + word * 64 + uint32_t(__builtin_ctzll(free_[word]));
      free_[word] &= free_[word] - 1;
      return true;
    }
    return false;
  }
  void give(uint32_t buf) {
    uint64_t &word = free_[(buf - base_) / 64];
    believe((word & bit(buf - base_)) == 0, "a buffer was freed twice");
    word |= bit(buf - base_);
    freed.notify();
  }

  Signal freed;

 private:
  static uint64_t bit(uint32_t i) { return uint64_t(1) << (i % 64); }

  uint32_t base_;
  std::vector<uint64_t> free_;  // one bit a buffer, from `base_` on
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_BUFFER_RAM_H
