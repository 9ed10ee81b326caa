// SPDX-License-Identifier: Apache-2.0
//
// Short command streams for the crash explorer: all sequences of up to four different operations out of eight, on a
// small device in a state in which each operation has an effect.
#ifndef OPENREMAP_CRASH_ORDERS_H
#define OPENREMAP_CRASH_ORDERS_H

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/lockstep_stream.h"

namespace orm::crash {

enum class Operation : uint8_t { kWrite, kVector, kTrim, kCopy, kFlush, kCollection, kDestaging, kFormat };
inline constexpr size_t kOperations = 8;
const char *name(Operation operation);

/// All sequences of `n` different operations: 8, 56, 336, 1680 for n = 1 to 4.
std::vector<std::vector<Operation>> all_orders(size_t n);

struct Order {
  /// Commands of an operation: from `begin` to before `end`. Commands outside of all parts prepare the device, at the
  /// start and after a format.
  struct Part {
    Operation operation;
    size_t begin;
    size_t end;
  };
  std::string name;  // "write-trim-format"
  lockstep::Stream stream;
  std::vector<Part> parts;
};

/// Builds the stream of these operations; `seed` chooses the free parameters. A device of the kind "model" runs
/// alongside, so that the commands that force a collection or a destaging continue until one happens. Throws
/// std::runtime_error if none happens or a command fails.
Order make_order(const std::vector<Operation> &operations, uint64_t seed);

/// Observes a device that executes a sequence without a cut; `after` is RunOptions::after.
class Witness {
 public:
  explicit Witness(const Order &order) : order_(order) {}

  void after(size_t command, uint64_t events, openremap_device *dev);

  /// Effect of each part: pages written, remapped, deallocated, copied; events that a flush waited for; slots moved and
  /// chains destaged until the end of the run, as these continue during later parts; pages that a format dropped.
  std::vector<uint64_t> did() const;
  /// First and last event of each part, counted from 1. If a part has no event, the first is past the last.
  std::vector<std::pair<uint64_t, uint64_t>> events() const;

 private:
  struct Sample {
    uint64_t events, mapped, written, remapped, trimmed, moved, destaged;
  };

  const Order &order_;
  std::vector<Sample> samples_;
};

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ORDERS_H
