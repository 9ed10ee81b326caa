// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FIBER_H
#define OPENREMAP_FIBER_H

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace orm {

/// A function on a stack of its own, which can stop in the middle and go on later.
class Fiber {
 public:
  /// `body` begins at the first resume(). It must not return, and no exception may leave it. Throws std::system_error
  /// if there is no memory for the stack.
  explicit Fiber(std::function<void()> body);
  /// The stack goes as it is: nothing on it is destroyed.
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Runs the body until it calls suspend().
  void resume();
  /// Called by the body: returns when it is resumed.
  void suspend();

 private:
  static void enter(unsigned high, unsigned low);
  void arrived_from_caller(void *kept);

  std::function<void()> body_;
  void *map_ = nullptr;  // the stack, with a page below it that traps an overflow
  size_t map_bytes_ = 0;
  ucontext_t caller_{}, own_{};
  // What sanitizers need to know of both stacks.
  void *caller_kept_ = nullptr, *own_kept_ = nullptr;
  const void *caller_stack_ = nullptr;
  size_t caller_bytes_ = 0;
  void *caller_thread_ = nullptr, *own_thread_ = nullptr;
};

}  // namespace orm
#endif  // OPENREMAP_FIBER_H
