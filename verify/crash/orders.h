// SPDX-License-Identifier: Apache-2.0
//
// Short command streams for the crash explorer: some of eight operations, one after another, in every order, on a small
// device that was brought to a state in which each of them has something to do.
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

/// Every selection of `n` different operations, in every order: 8, 56, 336, 1680 for 1 to 4.
std::vector<std::vector<Operation>> all_orders(size_t n);

struct Order {
  /// Commands of an operation: from `begin` to before `end`. Those in no part prepare the device, the first time and
  /// again after a format.
  struct Part {
    Operation operation;
    size_t begin;
    size_t end;
  };
  std::string name;  // "write-trim-format"
  lockstep::Stream stream;
  std::vector<Part> parts;
};

/// The stream of these operations; `seed` draws what is left open. It is made beside a device of the kind "model", so
/// that what forces a collection or a destaging goes on until there is one. Throws std::runtime_error when there is
/// none, or a command is refused.
Order make_order(const std::vector<Operation> &operations, uint64_t seed);

/// Looks at a device while it carries out an order without a cut; `after` is RunOptions::after.
class Witness {
 public:
  explicit Witness(const Order &order) : order_(order) {}

  void after(size_t command, uint64_t events, openremap_device *dev);

  /// What each part did: pages written, remapped, deallocated, copied; events that a flush waited for; slots moved and
  /// chains destaged, from then to the end of the run, as what follows may run beside it; pages that a format dropped.
  std::vector<uint64_t> did() const;
  /// First and last event of each part; events count from 1 on. The first is past the last where there is none.
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
