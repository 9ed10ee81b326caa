// SPDX-License-Identifier: Apache-2.0
#include "guarded_copy.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include "signal_chain.h"

namespace orm::vfio {
namespace {

// A signal raised by an access is delivered to the thread that made it.
thread_local sigjmp_buf out;
thread_local volatile sig_atomic_t copying = 0;

struct sigaction before_us;

void on_bus_error(int signal, siginfo_t *info, void *context) {
  // The jump does not restore the signal mask, which would cost a system call for each copy.
  if (copying != 0) siglongjmp(out, 1);
  pass_on(before_us, signal, info, context);
}

bool install() {
  before_us = handle_signal(SIGBUS, on_bus_error);
  return true;
}

}  // namespace

bool guarded_copy(void *to, const void *from, size_t bytes) {
  static const bool installed = install();
  (void)installed;
  if (sigsetjmp(out, 0) != 0) {
    copying = 0;
    return false;
  }
  copying = 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copying = 0;
  return true;
}

}  // namespace orm::vfio
