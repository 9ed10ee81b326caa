// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DESCRIPTORS_H
#define OPENREMAP_DESCRIPTORS_H

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "unique_fd.h"

namespace orm::vfio {

/// Bytes over a socket, with descriptors.

/// Sends what the socket takes of the bytes; the descriptors go with the first one. Returns what sendmsg(2) does, with
/// errno, without a signal where the other end has gone.
ssize_t send_some(int socket, const void *bytes, size_t size, const std::vector<int> &fds = {});

struct Received {
  ssize_t bytes;  // as of recvmsg(2), with errno
  bool lost;      // descriptors that came, but were too many
};
/// Receives up to `size` bytes. Descriptors that come with them are added to `fds`: up to kMostDescriptors in a call.
Received receive_some(int socket, void *to, size_t size, std::vector<UniqueFd> *fds, int flags = 0);

}  // namespace orm::vfio
#endif  // OPENREMAP_DESCRIPTORS_H
