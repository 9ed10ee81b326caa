// SPDX-License-Identifier: Apache-2.0
#include "client_memory.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace orm::vfio {

pid_t client_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

bool maps_privately(pid_t process, int fd) {
  struct stat file {};
  if (process <= 0 || fstat(fd, &file) != 0) return false;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  bool privately = false;
  for (std::string line; std::getline(maps, line);) {
    // First and last address, permissions of which the fourth is p or s, offset, device, inode, path.
    char shared = 0;
    unsigned major_number = 0, minor_number = 0;
    unsigned long long inode = 0;
    if (std::sscanf(line.c_str(), "%*x-%*x %*c%*c%*c%c %*x %x:%x %llu", &shared, &major_number, &minor_number,
                    &inode) != 4)
      continue;
    if (inode != file.st_ino || makedev(major_number, minor_number) != file.st_dev) continue;
    if (shared == 's') return false;
    privately = true;
  }
  return privately;
}

}  // namespace orm::vfio
