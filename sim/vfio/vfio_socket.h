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

/// The client violates the protocol, which ends the connection. The message says how.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The client has closed the connection.
class Disconnected : public std::runtime_error {
 public:
  Disconnected() : std::runtime_error("the client has gone") {}
};

/// The program is to end (Socket::end_by) while the client does not take an answer.
class ToEnd : public std::runtime_error {
 public:
  ToEnd() : std::runtime_error("told to end") {}
};

struct Message {
  Header header{};
  std::vector<uint8_t> payload;
  std::vector<UniqueFd> fds;
};

/// Sends and receives messages with their descriptors over a stream socket.
class Socket {
 public:
  /// `fd` is a connected stream socket, which becomes non-blocking.
  explicit Socket(UniqueFd fd);

  int fd() const { return fd_.get(); }
  /// Returns a completely received message, or nothing. Never waits. Throws Refused for an impossible header,
  /// Disconnected.
  std::optional<Message> receive();
  /// From now on no send waits longer than until `fd` is readable; negative, as at first: nothing ends it early.
  void end_by(int fd) { end_fd_ = fd; }
  /// Sends a message, with a descriptor unless `descriptor` is negative, and waits until the client accepts it. Throws
  /// Disconnected, Refused after a minute, or ToEnd.
  void send(const Header &header, const std::vector<uint8_t> &payload, int descriptor = -1);

 private:
  bool fill(uint8_t *to, size_t size, size_t *have);

  UniqueFd fd_;
  int end_fd_ = -1;
  Message message_;  // message being received
  size_t header_have_ = 0;
  size_t payload_have_ = 0;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_SOCKET_H
