// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SHADOW_DRAM_H
#define OPENREMAP_SHADOW_DRAM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "dram_model.h"
#include "seeded_random.h"
#include "sim_error.h"

namespace orm {

/// The data cache between firmware and DRAM.
struct CacheOptions {
  enum class Mode {
    kNone,   // firmware and controller see the same bytes
    kKeep,   // a line stays until it is invalidated
    kEvict,  // besides, lines leave the cache at moments that the seed draws, as in a real cache
  };
  static constexpr uint32_t kLeastLine = 16, kMostLine = 4096;  // bytes; a power of two

  Mode mode = Mode::kNone;
  uint32_t line = 32;  // bytes; 32: Cortex-A9 and VexRiscv
};

/// Parses "none", "keep" or "evict", the latter two with an optional ",line=BYTES". Empty: none. Throws OptionError.
CacheOptions parse_cache(const std::string &text);

/// Firmware broke the contract of platform.h about caches.
class CacheViolation : public SimError {
 public:
  explicit CacheViolation(const std::string &what) : SimError("cache contract broken: " + what) {}
};

/// DRAM as a CPU with a write-back cache sees it: a copy, the view. Only clean() and invalidate() move lines between
/// the two, and, in mode kEvict, moment().
///
/// The cache holds all of DRAM from power-on on, as the largest cache with the most eager prefetching would. Firmware
/// has the view as plain memory, so nothing tells when it is accessed. A line is dirty if it differs from what it held
/// when it was last equal to DRAM. So a write of bytes that the line has already does not make it dirty, as it would in
/// a real cache.
class ShadowDram {
 public:
  /// Power is on. `dram` must outlive this. Throws SimError if the system has no memory for it.
  ShadowDram(DramModel &dram, const CacheOptions &options, uint64_t seed);

  uint8_t *view() { return view_.data(); }
  /// Sets bytes of the view, as the CPU's own stores would. False if the range is not inside DRAM.
  bool fill(uint64_t addr, uint8_t byte, size_t len) { return view_.fill(addr, byte, len); }

  /// Writes dirty lines of [addr, addr + len) back and keeps all; a line that is not dirty writes nothing. Throws
  /// CacheViolation if this destroys what the controller wrote beside it, or if the range is not inside DRAM.
  void clean(uint64_t addr, size_t len);
  /// Lines of [addr, addr + len) are what DRAM holds. Throws CacheViolation if one is dirty, or if the range is not
  /// inside DRAM.
  void invalidate(uint64_t addr, size_t len);
  /// A moment at which lines may leave the cache: the dirty ones are written back, all are read again. Only in mode
  /// kEvict. Throws as clean() does.
  void moment();

  uint64_t evictions() const { return evictions_; }  // of dirty lines

 private:
  struct Range {
    size_t begin, end;
  };

  Range lines(const char *what, uint64_t addr, size_t len) const;
  bool dirty(size_t at, size_t len) const;
  void write_back(const char *why, size_t at);
  void read_again(size_t at, size_t len);
  void remember(Range lines);
  void evict(Range lines);

  DramModel &dram_;
  const CacheOptions options_;
  DramModel view_;  // what the CPU sees
  DramModel base_;  // the view when it was last equal to DRAM, line by line
  SeededRandom random_;
  // Lines that firmware has cared about lately. Others are evicted less often, as most of DRAM is L2P.
  std::array<Range, 8> recent_{};
  size_t next_recent_ = 0;
  uint64_t evictions_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_SHADOW_DRAM_H
