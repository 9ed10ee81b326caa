// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FIFO_H
#define OPENREMAP_FAST_FIFO_H

#include <cstddef>
#include <vector>

#include "lib/invariant.h"
#include "lib/process.h"

namespace orm::fast {

/// A bounded queue between two units. `room` is notified when an item leaves, `filled` when one is added. Pushing into
/// a full queue stops the model.
template <class T>
class Fifo {
 public:
  Fifo(Simulation &sim, size_t capacity) : room(sim), filled(sim), items_(capacity) {}

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == items_.size(); }
  size_t size() const { return count_; }
  T &front() { return items_[first_]; }
  const T &front() const { return items_[first_]; }

  void push(const T &item) {
    believe(!full(), "a queue without room was pushed into");
    size_t at = first_ + count_;
    if (at >= items_.size()) at -= items_.size();
    items_[at] = item;
    ++count_;
    filled.notify();
  }
  T pop() {
    T item = items_[first_];
    if (++first_ == items_.size()) first_ = 0;
    --count_;
    room.notify();
    return item;
  }

  /// Removes the items for which `unwanted` is true, and passes them to `to` in order. The rest keeps its order.
  template <class Unwanted, class To>
  void remove(const Unwanted &unwanted, const To &to) {
    size_t kept = 0;
    for (size_t i = 0; i != count_; ++i) {
      T &item = items_[(first_ + i) % items_.size()];
      if (unwanted(item)) {
        to(item);
      } else {
        items_[(first_ + kept++) % items_.size()] = item;
      }
    }
    if (kept != count_) room.notify();
    count_ = kept;
  }

  Signal room;
  Signal filled;

 private:
  std::vector<T> items_;
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FIFO_H
