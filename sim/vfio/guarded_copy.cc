// SPDX-License-Identifier: Apache-2.0
#include "guarded_copy.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>

namespace orm::vfio {
namespace {

// A signal raised by an access is delivered to the thread that made it.
thread_local sigjmp_buf out;
thread_local volatile sig_atomic_t copying = 0;

void on_bus_error(int signal) {
  if (copying != 0) siglongjmp(out, 1);
  // Not from guarded_copy: it ends the process, as without this handler.
  std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
}

bool install() {
  struct sigaction action {};
  action.sa_handler = on_bus_error;
  action.sa_flags =
      SA_NODEFER;  // left by a jump that does not restore the mask, which would cost a system call for each copy
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, nullptr) == 0;
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
