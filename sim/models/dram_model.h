// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DRAM_MODEL_H
#define OPENREMAP_DRAM_MODEL_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orm {

/// Memory that forgets. At power-on it holds a pattern that is neither zero nor all ones nor a valid address, so that
/// whoever relies on its content finds out.
class DramModel {
 public:
  static constexpr uint8_t kPattern = 0xD5;

  explicit DramModel(size_t bytes) : bytes_(bytes, kPattern) {}

  size_t size() const { return bytes_.size(); }
  uint8_t *data() { return bytes_.data(); }
  const uint8_t *data() const { return bytes_.data(); }

  /// False when the range is not inside the memory; nothing is copied then.
  bool read(uint64_t addr, uint8_t *out, size_t len) const;
  /// `strobe[i]` != 0: byte i is written; nullptr: all.
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len);
  void power_cut();

 private:
  bool inside(uint64_t addr, size_t len) const { return addr <= size() && len <= size() - addr; }

  std::vector<uint8_t> bytes_;  // operator new aligns to 16, as platform.h asks for
};

}  // namespace orm
#endif  // OPENREMAP_DRAM_MODEL_H
