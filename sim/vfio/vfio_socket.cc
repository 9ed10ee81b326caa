// SPDX-License-Identifier: Apache-2.0
#include "vfio_socket.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "descriptors.h"

namespace orm::vfio {
namespace {

constexpr int kMostWaitMs = 60'000;

}  // namespace

Socket::Socket(UniqueFd fd) : fd_(std::move(fd)) {
  const int flags = fcntl(fd_.get(), F_GETFL);
  if (flags < 0 || fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "vfio-user socket");
}

/// Reads until `size` bytes have arrived. False: more are to come. Header and payload are read separately, so that
/// descriptors received with a read belong to its message.
bool Socket::fill(uint8_t *to, size_t size, size_t *have) {
  while (*have < size) {
    const auto [got, lost] = receive_some(fd_.get(), to + *have, size - *have, &message_.fds);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
      throw Disconnected();
    }
    if (got == 0) throw Disconnected();
    if (lost || message_.fds.size() > kMostDescriptors)
      throw Refused("more than " + std::to_string(kMostDescriptors) + " descriptors in a message");
    *have += size_t(got);
  }
  return true;
}

std::optional<Message> Socket::receive() {
  Header &header = message_.header;
  if (header_have_ < sizeof header) {
    if (!fill(reinterpret_cast<uint8_t *>(&header), sizeof header, &header_have_)) return std::nullopt;
    if (header.size < sizeof header || header.size > kMostMessage)
      throw Refused("a message of " + std::to_string(header.size) + " bytes");
    message_.payload.resize(header.size - sizeof header);
    payload_have_ = 0;
  }
  if (!fill(message_.payload.data(), message_.payload.size(), &payload_have_)) return std::nullopt;
  header_have_ = 0;
  Message whole = std::move(message_);
  message_ = Message();
  return whole;
}

void Socket::send(const Header &header, const std::vector<uint8_t> &payload, int descriptor) {
  std::vector<uint8_t> bytes;
  bytes.reserve(sizeof header + payload.size());
  append(&bytes, header);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  std::vector<int> fds;
  if (descriptor >= 0) fds.push_back(descriptor);
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t put = send_some(fd_.get(), bytes.data() + sent, bytes.size() - sent, fds);
    if (put >= 0) {
      sent += size_t(put);
      fds.clear();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait[] = {{fd_.get(), POLLOUT, 0}, {end_fd_, POLLIN, 0}};
      const int ready = poll(wait, 2, kMostWaitMs);
      if (ready > 0 && wait[1].revents != 0) throw ToEnd();
      if (ready == 0) throw Refused("the client has taken no answer for " + std::to_string(kMostWaitMs / 1000) + " s");
    } else if (errno != EINTR) {
      throw Disconnected();
    }
  }
}

}  // namespace orm::vfio
