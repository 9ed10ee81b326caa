// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace orm {
namespace {

// Register accesses run the controller's model on this stack.
constexpr size_t kStackBytes = size_t(1) << 20;

[[noreturn]] void fail(const char *what) { throw std::system_error(errno, std::generic_category(), what); }

// Sanitizers have to know which stack is in use. AddressSanitizer keeps something of the one that is left, in `kept`.
#ifdef __SANITIZE_ADDRESS__
void leaving(void **kept, const void *stack, size_t bytes) { __sanitizer_start_switch_fiber(kept, stack, bytes); }
void arrived(void *kept, const void **stack, size_t *bytes) { __sanitizer_finish_switch_fiber(kept, stack, bytes); }
void forget(void *stack, size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
#else
void leaving(void **, const void *, size_t) {}
void arrived(void *, const void **, size_t *) {}
void forget(void *, size_t) {}
#endif
#ifdef __SANITIZE_THREAD__
void *thread_here() { return __tsan_get_current_fiber(); }
void *thread_begins() { return __tsan_create_fiber(0); }
void thread_goes_to(void *thread) { __tsan_switch_to_fiber(thread, 0); }
void thread_ends(void *thread) { __tsan_destroy_fiber(thread); }
#else
void *thread_here() { return nullptr; }
void *thread_begins() { return nullptr; }
void thread_goes_to(void *) {}
void thread_ends(void *) {}
#endif

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  const size_t guard = size_t(sysconf(_SC_PAGESIZE));
  map_bytes_ = guard + kStackBytes;
  map_ = mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (map_ == MAP_FAILED) fail("stack of the firmware");
  if (mprotect(map_, guard, PROT_NONE) != 0 || getcontext(&own_) != 0) {
    const int error = errno;
    munmap(map_, map_bytes_);
    errno = error;
    fail("stack of the firmware");
  }
  own_.uc_stack.ss_sp = static_cast<char *>(map_) + guard;
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);  // makecontext() hands over ints
  own_thread_ = thread_begins();
  makecontext(&own_, reinterpret_cast<void (*)()>(enter), 2, unsigned(uint64_t(self) >> 32), unsigned(self));
  // swapcontext() does not need the size any more. AddressSanitizer's would clear the marks of the whole stack at each
  // switch: slowly, and errors in frames that wait would not be found.
  own_.uc_stack.ss_size = 0;
}

Fiber::~Fiber() {
  thread_ends(own_thread_);
  forget(own_.uc_stack.ss_sp, kStackBytes);  // what comes to this address next must not inherit its marks
  munmap(map_, map_bytes_);
}

void Fiber::enter(unsigned high, unsigned low) {
  auto *self = reinterpret_cast<Fiber *>(uintptr_t(uint64_t(high) << 32 | low));
  self->arrived_from_caller(nullptr);
  self->body_();
}

void Fiber::arrived_from_caller(void *kept) { arrived(kept, &caller_stack_, &caller_bytes_); }

void Fiber::resume() {
  caller_thread_ = thread_here();
  leaving(&caller_kept_, own_.uc_stack.ss_sp, kStackBytes);
  thread_goes_to(own_thread_);
  swapcontext(&caller_, &own_);
  arrived(caller_kept_, nullptr, nullptr);
}

void Fiber::suspend() {
  leaving(&own_kept_, caller_stack_, caller_bytes_);
  thread_goes_to(caller_thread_);
  swapcontext(&own_, &caller_);
  arrived_from_caller(own_kept_);
}

}  // namespace orm
