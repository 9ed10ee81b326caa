// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SEQ_COUNTER_H
#define OPENREMAP_FAST_SEQ_COUNTER_H

#include <cstdint>

namespace orm::fast {

/// The global sequence number of mapping events (hw/src/map/SeqCounter.scala). The caller must hold the mapLock.
class SeqCounter {
 public:
  uint64_t take() { return value_++; }
  uint64_t value() const { return value_; }
  void load(uint64_t value) { value_ = value & ((uint64_t(1) << 48) - 1); }

 private:
  uint64_t value_ = 1;  // 0 is the commit pointer of a device without any commit
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SEQ_COUNTER_H
