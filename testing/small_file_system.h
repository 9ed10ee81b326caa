// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SMALL_FILE_SYSTEM_H
#define OPENREMAP_SMALL_FILE_SYSTEM_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace openremap {

/// Mounts an empty file system of `size` ("256k") on a folder, for this process and its children alone. To be called in
/// a child process: the mount ends with it. Returns what is in the way; empty: nothing.
inline std::string MountSmallFileSystem(const std::string &folder, const std::string &size, bool read_only = false) {
  const bool root = geteuid() == 0;
  if (unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)) != 0)
    return std::string("cannot make a mount namespace: ") + std::strerror(errno);
  const auto mounted = [&] {
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("small", folder.c_str(), "tmpfs", read_only ? MS_RDONLY : 0, ("size=" + size).c_str()) == 0;
  };
  return mounted() ? std::string() : std::string("cannot mount a tmpfs: ") + std::strerror(errno);
}

/// The same, tried in a child process: why a test with such a file system cannot run here; empty: it can.
inline std::string NoSmallFileSystem(const std::string &folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  const pid_t child = fork();
  if (child == 0) {
    const std::string why = MountSmallFileSystem(folder, "64k");
    _exit(write(ends[1], why.data(), why.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  char text[200];
  const ssize_t got = child < 0 ? 0 : read(ends[0], text, sizeof text);
  close(ends[0]);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return "cannot try to mount a file system";
  return got <= 0 ? std::string() : std::string(text, size_t(got));
}

}  // namespace openremap

#endif  // OPENREMAP_SMALL_FILE_SYSTEM_H
