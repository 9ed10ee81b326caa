// SPDX-License-Identifier: Apache-2.0
#include "image_guard.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "signal_chain.h"

namespace orm {

/// One watched file. The signal handler reads it, so `base` is set last and cleared first.
struct Watched {
  std::atomic<bool> used{false};
  std::atomic<const uint8_t *> base{nullptr};
  size_t bytes;
  const char *path;
  int fd;
  bool writes;
};

namespace {

constexpr int kFailed = 1;  // exit code
constexpr size_t kPage = 4096;

std::array<Watched, ImageGuard::kMost> all_watched;
struct sigaction before_us;

// In the handler only async-signal-safe functions may be called; strerror is none.
const char *words(int error) {
  switch (error) {
    case ENOSPC:
      return "No space left on device";
    case EDQUOT:
      return "Disk quota exceeded";
    case EIO:
      return "Input/output error";
    case EROFS:
      return "Read-only file system";
    default:
      return "the file system does not serve it";
  }
}

void put(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

/// Tells why the page at byte `at` cannot be accessed: system calls say what the access through the mapping could not.
const char *reason(const Watched &file, size_t at) {
  struct stat now {};
  if (fstat(file.fd, &now) != 0) return words(errno);
  if (size_t(now.st_size) <= at) return "was truncated while a device used it";
  char byte = 0;
  if (pread(file.fd, &byte, 1, off_t(at)) < 0) return words(errno);
  if (file.writes && pwrite(file.fd, &byte, 1, off_t(at)) < 0) return words(errno);
  return words(0);
}

void on_bus_error(int signal, siginfo_t *info, void *context) {
  const auto *at = static_cast<const uint8_t *>(info->si_addr);
  for (const Watched &file : all_watched) {
    const uint8_t *base = file.base.load();
    if (base == nullptr || at < base || at >= base + file.bytes) continue;
    const char *why = reason(file, size_t(at - base) / kPage * kPage);
    for (const char *part :
         {static_cast<const char *>(program_invocation_short_name), ": ", file.path, ": ", why, "\n"})
      put(part);
    _exit(kFailed);
  }
  pass_on(before_us, signal, info, context);
}

}  // namespace

void end_program(const std::string &why) {
  std::fflush(stdout);  // what the program has said before stays said
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  _exit(kFailed);
}

ImageGuard::ImageGuard(const std::string &path, int fd, bool writes, const void *base, size_t bytes) {
  static const bool installed = [] {
    before_us = handle_signal(SIGBUS, on_bus_error);
    return true;
  }();
  (void)installed;
  for (Watched &file : all_watched) {
    if (file.used.exchange(true)) continue;
    file.bytes = bytes;
    file.path = path.c_str();
    file.fd = fd;
    file.writes = writes;
    file.base = static_cast<const uint8_t *>(base);
    watched_ = &file;
    return;
  }
}

ImageGuard::~ImageGuard() {
  if (watched_ == nullptr) return;
  watched_->base = nullptr;
  watched_->used = false;
}

NoSizeSignal::NoSizeSignal() {
  sigset_t size;
  sigemptyset(&size);
  sigaddset(&size, SIGXFSZ);
  (void)pthread_sigmask(SIG_BLOCK, &size, &before_);
}

NoSizeSignal::~NoSizeSignal() {
  // The signal that a failed call has left must not arrive once it is allowed again.
  if (sigismember(&before_, SIGXFSZ) == 0) {
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    const timespec at_once{};
    (void)sigtimedwait(&size, nullptr, &at_once);
  }
  (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace orm
