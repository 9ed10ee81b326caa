// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CLIENT_MEMORY_H
#define OPENREMAP_CLIENT_MEMORY_H

#include <sys/types.h>

namespace orm::vfio {

/// The process at the other end of a socket; 0: unknown.
pid_t client_of(int socket);

/// Whether the process has mapped the file, and only for itself (MAP_PRIVATE). What it writes there does not reach the
/// file. False if /proc does not tell.
bool maps_privately(pid_t process, int fd);

}  // namespace orm::vfio
#endif  // OPENREMAP_CLIENT_MEMORY_H
