// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_SOCKET_H
#define OPENREMAP_VFIO_SOCKET_H

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "unique_fd.h"
#include "vfio_message.h"

namespace orm::vfio {

/// The client does not keep to the protocol: the connection ends, and why.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The client has closed the connection.
class Disconnected : public std::runtime_error {
 public:
  Disconnected() : std::runtime_error("the client has gone") {}
};

struct Message {
  Header header{};
  std::vector<uint8_t> payload;
  std::vector<UniqueFd> fds;
};

/// Messages with their descriptors, over a stream socket.
class Socket {
 public:
  /// `fd`: a connected stream socket; becomes non-blocking.
  explicit Socket(UniqueFd fd);

  int fd() const { return fd_.get(); }
  /// A message that has arrived in full; nothing when there is none. Never waits. Throws Refused for a header that
  /// cannot be, Disconnected.
  std::optional<Message> receive();
  /// Waits until the client takes it. Throws Disconnected, Refused when it does not for a minute.
  void send(const Header &header, const std::vector<uint8_t> &payload);

 private:
  bool fill(uint8_t *to, size_t size, size_t *have);

  UniqueFd fd_;
  Message message_;  // the one that is arriving
  size_t header_have_ = 0;
  size_t payload_have_ = 0;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_SOCKET_H
