// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_SERVER_H
#define OPENREMAP_VFIO_SERVER_H

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_socket.h"

namespace orm::vfio {

/// The simulation has stopped; it has said why on stderr.
class DeviceStopped : public std::runtime_error {
 public:
  DeviceStopped() : std::runtime_error("the device has stopped") {}
};

/// One client's connection to a function: answers its messages, in order, each at once.
///
/// What a client may not say at all (sizes, commands, descriptors that no client sends) ends the connection; what it
/// may say and cannot have is answered with an error.
class Server {
 public:
  /// `function` was made with `guest.host()`. Both outlive the server.
  Server(UniqueFd socket, pcie_function *function, Guest *guest);
  /// Nobody drives the function any more: it is reset, and what the client lent is given back.
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  int fd() const { return socket_.fd(); }
  /// Answers what has arrived; how many messages that were. Throws Refused, Disconnected, DeviceStopped.
  unsigned serve();
  /// Whether the two have agreed on a version.
  bool agreed() const { return agreed_; }

 private:
  void answer(Message message);
  int handle(Message *message, std::vector<uint8_t> *reply);
  void version(const Message &message, std::vector<uint8_t> *reply);
  int dma_map(const Message &message);
  int dma_unmap(const Message &message, std::vector<uint8_t> *reply);
  int region_info(const Message &message, std::vector<uint8_t> *reply);
  int irq_info(const Message &message, std::vector<uint8_t> *reply);
  int set_irqs(Message *message);
  int region_read(const Message &message, std::vector<uint8_t> *reply);
  int region_write(const Message &message, std::vector<uint8_t> *reply);

  void bar0_read(uint64_t offset, uint32_t count, uint8_t *out);
  void bar0_write(uint64_t offset, uint32_t count, const uint8_t *in);
  void reset();

  Socket socket_;
  pcie_function *function_;
  Guest *guest_;
  bool agreed_ = false;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_SERVER_H
