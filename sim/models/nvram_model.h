// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NVRAM_MODEL_H
#define OPENREMAP_NVRAM_MODEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "image.h"
#include "media_events.h"
#include "seeded_random.h"

namespace orm {

/// Byte-addressable memory that survives power loss. It gives the guarantee on which its formats rely: an aligned unit
/// of 8 bytes is written whole or not at all, and nothing else is atomic. A write that has been answered is durable. Of
/// a write that has not, each 8-byte unit may or may not survive a power cut, whatever the order of the units or of the
/// writes.
class NvramModel {
 public:
  static constexpr size_t kUnit = 8;

  /// New NVRAM is all zeroes. `seed` decides what survives power cuts. Throws ImageError.
  NvramModel(size_t bytes, const ImageFile &image, uint64_t seed);

  /// Reports writes to `events` from now on.
  void report_to(MediaEvents *events) { events_ = events; }

  size_t size() const { return image_.size(); }
  const uint8_t *data() const { return image_.data(); }

  /// False if the range is not inside the memory; then nothing is copied.
  bool read(uint64_t addr, uint8_t *out, size_t len) const;
  /// Starts a write; `strobe[i]` != 0: byte i is written (nullptr: all). Reads see it at once. It becomes durable with
  /// `answer`. False when the range is not inside the memory. Writes of different ports may be answered in any order.
  /// So which of two writes to one unit lasts would be chance: throws PortViolation if another port has an unanswered
  /// write that changes bytes of a unit that this one changes.
  bool begin_write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len, unsigned port = 0);
  /// Answers the oldest unanswered write of `port`, which is durable from now on.
  void answer(unsigned port = 0);
  size_t unanswered() const { return pending_.size(); }
  /// A firmware write, which is durable when the call returns. If power goes during it, each unit that is not yet
  /// written may or may not be.
  bool write_durable(uint64_t addr, const uint8_t *data, size_t len);

  /// A region of the memory and the bytes written to it since the device was made.
  struct Part {
    std::string name;
    uint64_t begin;
    uint64_t written = 0;
  };
  /// Sets the regions that are counted separately from now on, in ascending order of their addresses, from address 0.
  /// By default there is one region.
  void count_parts(std::vector<Part> parts) { parts_ = std::move(parts); }
  const std::vector<Part> &parts() const { return parts_; }

  /// Sets every byte to `byte`, as in a new part. For checkers, while power is off; not counted as an event.
  void blank(uint8_t byte);

  /// Replaces bytes. For checkers, as blank(). False if the range is not inside the memory.
  bool damage(uint64_t addr, const uint8_t *data, size_t len);

  /// As Image::check_kept().
  void check_kept() const { image_.check_kept(); }

  /// Cuts the power: each unit of each unanswered write is kept or lost by the seed.
  void power_cut();

 private:
  struct OldUnit {
    uint64_t addr;
    std::array<uint8_t, kUnit> bytes;  // content before the write
  };
  struct PendingWrite {
    unsigned port;
    std::vector<OldUnit> units;
  };

  void event() {
    if (events_ != nullptr) events_->next();
  }
  void write_unit(uint64_t addr, const uint8_t *data, size_t len);
  void check_alone(uint64_t unit, unsigned port) const;
  void count(uint64_t addr, size_t len);
  bool inside(uint64_t addr, size_t len) const { return addr <= size() && len <= size() - addr; }

  Image image_;
  SeededRandom random_;
  MediaEvents *events_ = nullptr;
  std::deque<PendingWrite> pending_;
  std::vector<Part> parts_{{"all", 0}};
};

}  // namespace orm
#endif  // OPENREMAP_NVRAM_MODEL_H
