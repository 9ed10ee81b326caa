// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DRAM_MODEL_H
#define OPENREMAP_DRAM_MODEL_H

#include <cstddef>
#include <cstdint>

namespace orm {

/// A part of a file that other processes map as well.
struct SharedMemory {
  int file = -1;      // its descriptor; -1: none
  uint64_t from = 0;  // of the part: a multiple of the system's pages
  uint64_t bytes = 0;
};

/// Volatile memory. At power-on it holds a pattern that is neither zero nor all ones nor a valid address, so that code
/// that relies on its content fails visibly.
///
/// It occupies host memory only where it was written since the last fill, because the tables of a large device with
/// little data are nearly all of one value. All other pages share one page of the fill value.
class DramModel {
 public:
  static constexpr uint8_t kPattern = 0xD5;

  /// With a file in `shared` the memory is the first of its part, which must be as large; the descriptor is not needed
  /// any more afterwards. Throws SimError if the system has no memory for it.
  explicit DramModel(size_t bytes, const SharedMemory &shared = {});
  ~DramModel();
  DramModel(const DramModel &) = delete;
  DramModel &operator=(const DramModel &) = delete;

  size_t size() const { return size_; }
  uint8_t *data() { return base_; }  // aligned to at least 16 bytes, as platform.h requires
  const uint8_t *data() const { return base_; }

  /// False if the range is not inside the memory; then nothing is copied.
  bool read(uint64_t addr, uint8_t *out, size_t len) const;
  /// `strobe[i]` != 0: byte i is written; nullptr: all.
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len);
  /// Sets every byte of the range to `byte`. False if the range is not inside the memory.
  bool fill(uint64_t addr, uint8_t byte, size_t len);
  void power_cut();

 private:
  bool inside(uint64_t addr, size_t len) const { return addr <= size() && len <= size() - addr; }

  void map_filled(uint8_t *from, uint8_t byte, size_t len);

  uint8_t *base_ = nullptr;
  size_t size_;
  bool shared_;
};

}  // namespace orm
#endif  // OPENREMAP_DRAM_MODEL_H
