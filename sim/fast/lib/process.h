// SPDX-License-Identifier: Apache-2.0
//
// Units as coroutines. A process does in sequence what a state machine of the RTL does in states, and waits with
// co_await.
#ifndef OPENREMAP_FAST_PROCESS_H
#define OPENREMAP_FAST_PROCESS_H

#include <coroutine>
#include <utility>
#include <vector>

#include "lib/simulation.h"

namespace orm::fast {

inline void resume(void *frame) { std::coroutine_handle<>::from_address(frame).resume(); }

/// A unit's main coroutine. It lives as long as its unit and is destroyed with it, wherever it waits (a power cut). An
/// exception propagates through the event that resumed the process, and so through Simulation::step().
class Process {
 public:
  struct promise_type {
    Process get_return_object() { return Process(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };

  Process() = default;
  Process(Process &&other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Process &operator=(Process &&other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Process() {
    if (frame_) frame_.destroy();
  }
  void start(Simulation &sim) { sim.soon(resume, frame_.address()); }

 private:
  explicit Process(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

/// A subroutine of a process: `T result = co_await part(...)`. It starts when it is awaited.
template <class T>
class [[nodiscard]] Task {
  struct PromiseBase {
    std::coroutine_handle<> caller;
    std::suspend_always initial_suspend() { return {}; }
    struct ToCaller {
      bool await_ready() noexcept { return false; }
      template <class P>
      std::coroutine_handle<> await_suspend(std::coroutine_handle<P> me) noexcept {
        return me.promise().caller;
      }
      void await_resume() noexcept {}
    };
    ToCaller final_suspend() noexcept { return {}; }
    void unhandled_exception() { throw; }
  };
  struct ValuePromise : PromiseBase {
    T value{};
    Task get_return_object() { return Task(std::coroutine_handle<ValuePromise>::from_promise(*this)); }
    void return_value(T v) { value = std::move(v); }
  };

 public:
  using promise_type = ValuePromise;
  Task(Task &&other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  ~Task() {
    if (frame_) frame_.destroy();
  }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    frame_.promise().caller = caller;
    return frame_;
  }
  T await_resume() { return std::move(frame_.promise().value); }

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

/// Waits for a time: `co_await Delay{sim, ns}`.
struct Delay {
  Simulation &sim;
  uint64_t ns;
  bool await_ready() const { return ns == 0; }
  void await_suspend(std::coroutine_handle<> h) const { sim.after(ns, resume, h.address()); }
  void await_resume() const {}
};

/// A condition variable: `while (!condition) co_await signal.wait();`. Code that may have made the condition true calls
/// notify().
class Signal {
 public:
  explicit Signal(Simulation &sim) : sim_(sim) {}
  Signal(const Signal &) = delete;
  Signal &operator=(const Signal &) = delete;

  struct Wait {
    Signal &signal;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const { signal.waiting_.push_back(h); }
    void await_resume() const {}
  };
  Wait wait() { return {*this}; }
  void notify() {
    for (const std::coroutine_handle<> &h : waiting_) sim_.soon(resume, h.address());
    waiting_.clear();
  }
  bool awaited() const { return !waiting_.empty(); }

 private:
  Simulation &sim_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PROCESS_H
