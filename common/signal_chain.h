// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SIGNAL_CHAIN_H
#define OPENREMAP_SIGNAL_CHAIN_H

#include <csignal>

namespace orm {

using SignalAction = void (*)(int signal, siginfo_t *info, void *context);

/// Makes `action` the handler of `signal`; returns the handler before it. The signal is not blocked in the handler, so
/// the handler may leave by a jump.
inline struct sigaction handle_signal(int signal, SignalAction action) {
  struct sigaction handler {
  }, previous{};
  handler.sa_sigaction = action;
  handler.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&handler.sa_mask);
  (void)sigaction(signal, &handler, &previous);
  return previous;
}

/// What a handler does with a signal that is not its own: the handler before it gets the signal. Without one, the
/// signal ends the process. Async-signal-safe.
inline void pass_on(const struct sigaction &previous, int signal, siginfo_t *info, void *context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    (void)std::signal(signal, SIG_DFL);
    (void)std::raise(signal);
  }
}

}  // namespace orm
#endif  // OPENREMAP_SIGNAL_CHAIN_H
