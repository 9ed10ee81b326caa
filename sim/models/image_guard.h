// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IMAGE_GUARD_H
#define OPENREMAP_IMAGE_GUARD_H

#include <csignal>
#include <cstddef>
#include <string>

namespace orm {

/// Ends the program as a device whose image has failed ends it: one line on stderr, which begins with the program's
/// name, and exit code 1. Nothing else runs: the image must stay as it is, as after a power cut.
[[noreturn]] void end_program(const std::string &why);

/// Watches a mapped image file. An access that the file system cannot serve raises SIGBUS: the file was truncated, its
/// medium fails, or a file system that copies on write is full. The guard then ends the program with a line that names
/// the file and the reason, and exit code 1. Other bus errors go to the handler that was there before.
class ImageGuard {
 public:
  static constexpr size_t kMost = 64;  // files watched at a time; more of them are not watched

  /// `path` and the mapping of `bytes` bytes at `base` must outlive the guard. `writes`: `fd` is open for writing.
  ImageGuard(const std::string &path, int fd, bool writes, const void *base, size_t bytes);
  ~ImageGuard();
  ImageGuard(const ImageGuard &) = delete;
  ImageGuard &operator=(const ImageGuard &) = delete;

 private:
  struct Watched *watched_ = nullptr;
};

/// Keeps SIGXFSZ away from calls of this thread that may pass the file size limit (RLIMIT_FSIZE) while the object
/// lives; they fail with EFBIG instead.
class NoSizeSignal {
 public:
  NoSizeSignal();
  ~NoSizeSignal();
  NoSizeSignal(const NoSizeSignal &) = delete;
  NoSizeSignal &operator=(const NoSizeSignal &) = delete;

 private:
  sigset_t before_;
};

}  // namespace orm
#endif  // OPENREMAP_IMAGE_GUARD_H
