// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"

#include <sys/socket.h>

#include <cstring>

#include "vfio_message.h"

namespace orm::vfio {

ssize_t send_some(int socket, const void *bytes, size_t size, const std::vector<int> &fds) {
  iovec piece = {const_cast<void *>(bytes), size};
  std::vector<uint8_t> control(fds.empty() ? 0 : CMSG_SPACE(sizeof(int) * fds.size()));
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

Received receive_some(int socket, void *to, size_t size, std::vector<UniqueFd> *fds, int flags) {
  iovec piece = {to, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t bytes = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  if (bytes < 0) return {bytes, false};
  for (cmsghdr *c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds->emplace_back(fd);
    }
  }
  return {bytes, (message.msg_flags & MSG_CTRUNC) != 0};
}

}  // namespace orm::vfio
