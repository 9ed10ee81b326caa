// SPDX-License-Identifier: Apache-2.0
//
// Short command streams for the crash explorer: selections of eight operations in every order, on a small device that
// is prepared so that each operation has an effect.
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

/// Every selection of `n` different operations in every order: 8, 56, 336, 1680 for n = 1 to 4.
std::vector<std::vector<Operation>> all_orders(size_t n);

struct Order {
  /// Commands of an operation: [begin, end). Commands in no part prepare the device, at first and again after a format.
  struct Part {
    Operation operation;
    size_t begin;
    size_t end;
  };
  std::string name;  // "write-trim-format"
  lockstep::Stream stream;
  std::vector<Part> parts;
};

/// Makes the stream of these operations; `seed` decides the rest. It runs on a device of kind "model" meanwhile, so
/// that commands are added until a collection or a destaging has occurred. Throws std::runtime_error if none occurs, or
/// if a command is refused.
Order make_order(const std::vector<Operation> &operations, uint64_t seed);

/// Observes a device that executes an order without a cut; `after` is RunOptions::after.
class Witness {
 public:
  explicit Witness(const Order &order) : order_(order) {}

  void after(size_t command, uint64_t events, openremap_device *dev);

  /// The effect of each part: pages written, remapped, deallocated, copied, dropped by a format; events that a flush
  /// waited for; slots moved and chains destaged. The latter count to the end of the run, because they may run beside
  /// later parts.
  std::vector<uint64_t> did() const;
  /// First and last event of each part, counted from 1. The first is past the last if there is none.
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
