// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_LOCK_H
#define OPENREMAP_FAST_LOCK_H

#include <array>
#include <deque>

#include "lib/invariant.h"
#include "lib/process.h"

namespace orm::fast {

/// A mutex with round-robin arbitration: when it is released, the next waiting client after the last owner gets it. It
/// never pre-empts the owner. hw/src/map/LockArbiter.scala says what the two instances are for.
class LockArbiter {
 public:
  explicit LockArbiter(Simulation &sim) : sim_(sim) {}

  struct Acquire {
    LockArbiter &lock;
    unsigned client;
    bool await_ready() const {
      if (lock.owned_) return false;
      lock.owned_ = true;
      lock.owner_ = client;
      return true;
    }
    void await_suspend(std::coroutine_handle<> h) const { lock.waiting_[client] = h; }
    void await_resume() const {}
  };
  Acquire acquire(unsigned client) { return {*this, client}; }
  void release(unsigned client) {
    believe(owned_ && owner_ == client, "a lock was given back by another client than its owner");
    owned_ = false;
    for (unsigned n = 1; n <= waiting_.size(); ++n) {
      const unsigned i = (client + n) % unsigned(waiting_.size());
      if (!waiting_[i]) continue;
      owned_ = true;
      owner_ = i;
      sim_.soon(resume, waiting_[i].address());
      waiting_[i] = nullptr;
      return;
    }
  }
  bool owns(unsigned client) const { return owned_ && owner_ == client; }
  /// Whether a client waits.
  bool contended() const {
    for (const std::coroutine_handle<> &h : waiting_) {
      if (h) return true;
    }
    return false;
  }

 private:
  Simulation &sim_;
  bool owned_ = false;
  unsigned owner_ = 0;
  std::array<std::coroutine_handle<>, 4> waiting_{};
};

/// A unit that serves one request at a time, in order of arrival.
class Turn {
 public:
  explicit Turn(Simulation &sim) : sim_(sim) {}

  struct Take {
    Turn &turn;
    bool await_ready() const {
      if (turn.busy_) return false;
      turn.busy_ = true;
      return true;
    }
    void await_suspend(std::coroutine_handle<> h) const { turn.waiting_.push_back(h); }
    void await_resume() const {}
  };
  Take take() { return {*this}; }
  void give() {
    busy_ = !waiting_.empty();
    if (!busy_) return;
    sim_.soon(resume, waiting_.front().address());
    waiting_.pop_front();
  }

 private:
  Simulation &sim_;
  bool busy_ = false;
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_LOCK_H
