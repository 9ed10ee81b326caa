// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SIMULATION_H
#define OPENREMAP_FAST_SIMULATION_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orm::fast {

/// Period of the controller's clock (100 MHz), in which the RTL's latencies are given.
constexpr uint64_t kCycleNs = 10;
constexpr uint64_t cycles(uint64_t n) { return n * kCycleNs; }

/// The event queue: discrete events in order of time and, within an instant, in order of scheduling. Nothing else
/// decides an order in the model, so the same commands always give the same run. Times are in ns.
class Simulation {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;
  using Action = void (*)(void *context);

  explicit Simulation(uint64_t now_ns) : now_(now_ns) { ready_.resize(64); }
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  uint64_t now() const { return now_; }
  /// Number of events that have been run.
  uint64_t steps() const { return steps_; }

  void at(uint64_t time_ns, Action action, void *context) {
    heap_.push_back({time_ns, order_++, action, context});
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }
  void after(uint64_t delay_ns, Action action, void *context) { at(now_ + delay_ns, action, context); }
  /// Schedules an event for this instant, after those already scheduled for it.
  void soon(Action action, void *context) {
    if (count_ == ready_.size()) grow();
    ready_[(first_ + count_++) & (ready_.size() - 1)] = {action, context};
  }

  /// Time of the next event; kNever: none is scheduled.
  uint64_t next() const {
    if (count_ != 0) return now_;
    return heap_.empty() ? kNever : heap_.front().time_ns;
  }
  /// Runs the next event.
  void step() {
    ++steps_;
    if (count_ != 0) {
      const Ready r = ready_[first_];
      first_ = (first_ + 1) & (ready_.size() - 1);
      --count_;
      r.action(r.context);
      return;
    }
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    const Event e = heap_.back();
    heap_.pop_back();
    now_ = e.time_ns;
    e.action(e.context);
  }
  /// Advances the time without running an event; not past next().
  void pass(uint64_t to_ns) { now_ = to_ns; }

 private:
  struct Event {
    uint64_t time_ns;
    uint64_t order;
    Action action;
    void *context;
  };
  struct Later {
    bool operator()(const Event &a, const Event &b) const {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.order > b.order;
    }
  };
  struct Ready {
    Action action;
    void *context;
  };

  void grow() {
    std::vector<Ready> larger(2 * ready_.size());
    for (size_t i = 0; i < count_; ++i) larger[i] = ready_[(first_ + i) & (ready_.size() - 1)];
    ready_.swap(larger);
    first_ = 0;
  }

  uint64_t now_;
  uint64_t order_ = 0;
  uint64_t steps_ = 0;
  std::vector<Event> heap_;
  std::vector<Ready> ready_;  // a ring; its size is a power of two
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SIMULATION_H
