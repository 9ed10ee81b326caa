// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_PROGRAM_TRACKER_H
#define OPENREMAP_FAST_PROGRAM_TRACKER_H

#include <coroutine>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "lib/process.h"

namespace orm::fast {

/// Counts host programs that the mapping shows and flash does not hold yet (hw/src/io/ProgramTracker.scala). It counts
/// in two epochs, so that a fence ends even under a continuous stream of writes.
class ProgramTracker {
 public:
  explicit ProgramTracker(Simulation &sim) : sim_(sim) {}

  /// A program was issued. Returns its epoch, to be passed to landed().
  bool issued();
  void landed(bool epoch);
  /// Sets a callback for the turn of the epoch: all programs issued before must land now.
  void on_turn(std::function<void()> turning) { turning_ = std::move(turning); }

  /// `co_await fence()` returns when every host program issued before it is durable.
  struct Fence {
    ProgramTracker &tracker;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const {
      tracker.turn_.push_back(h);
      tracker.advance();
    }
    void await_resume() const {}
  };
  Fence fence() { return {*this}; }
  /// Whether no program is outstanding.
  bool none() const { return count_[0] == 0 && count_[1] == 0; }

 private:
  void advance();

  Simulation &sim_;
  uint32_t count_[2] = {0, 0};
  bool epoch_ = false;
  std::function<void()> turning_;
  // A fence waits for the epoch to turn, then until the previous epoch is empty.
  std::vector<std::coroutine_handle<>> turn_;
  std::vector<std::coroutine_handle<>> drain_;
};

/// A fence that runs beside its owner's work. It is `pending` until it ends, and cannot be cancelled.
class FenceWatch {
 public:
  /// `news` is notified when the fence ends.
  FenceWatch(Simulation &sim, ProgramTracker &tracker, Signal &news) : tracker_(tracker), news_(news), begun_(sim) {
    process_ = run();
    process_.start(sim);
  }
  void begin() {
    pending_ = true;
    begun_.notify();
  }
  bool pending() const { return pending_; }

 private:
  Process run() {
    for (;;) {
      while (!pending_) co_await begun_.wait();
      co_await tracker_.fence();
      pending_ = false;
      news_.notify();
    }
  }

  ProgramTracker &tracker_;
  Signal &news_;
  Signal begun_;
  bool pending_ = false;
  Process process_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PROGRAM_TRACKER_H
