// SPDX-License-Identifier: Apache-2.0
//
// Output of a program: results on standard output and in files that the user names. A program that loses its results,
// for example on a full disk, must not end with success, and must not run for hours before it says that it cannot write
// them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace orm::output {

/// Writes what `out` has buffered. Throws std::runtime_error with `name` and the reason if that or an earlier write
/// failed. A program calls it while it runs, so that its progress is seen and a failure ends it early; and once before
/// it ends, while an exception still decides the exit code.
inline void flush(std::FILE *out = stdout, const std::string &name = "standard output") {
  errno = 0;
  if (std::fflush(out) == 0 && std::ferror(out) == 0) return;
  throw std::runtime_error(name + ": " + (errno != 0 ? std::strerror(errno) : "cannot be written"));
}

/// Why no file can be written at `path`; empty: one can. Changes no file and leaves none. It is also a check of CLI11.
inline std::string unwritable(const std::string &path) {
  std::error_code unknown;
  const bool there = std::filesystem::exists(path, unknown);
  const auto reason = [&] { return path + ": " + std::strerror(errno); };
  if (there && !std::filesystem::is_regular_file(path, unknown)) {  // opening a pipe would wait for its reader
    if (std::filesystem::is_directory(path, unknown)) return path + ": is a folder";
    return access(path.c_str(), W_OK) == 0 ? std::string() : reason();
  }
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return reason();
  (void)close(fd);
  // `path` may be a link to a file that was not there.
  if (!there) std::filesystem::remove(std::filesystem::canonical(path, unknown), unknown);
  return std::string();
}

}  // namespace orm::output
