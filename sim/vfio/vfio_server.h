// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_SERVER_H
#define OPENREMAP_VFIO_SERVER_H

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "doorbell_buffer.h"
#include "doorbell_page.h"
#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_socket.h"

namespace orm::vfio {

/// The simulation has stopped; the reason is on stderr.
class DeviceStopped : public std::runtime_error {
 public:
  DeviceStopped() : std::runtime_error("the device has stopped") {}
};

/// A client's connection to a function. It answers the messages in order, each immediately.
///
/// Protocol errors (sizes, commands or descriptors that no client sends) end the connection. Valid requests that cannot
/// be served are answered with an error.
class Server {
 public:
  /// How the client rings doorbells: by messages alone, or also by stores to a page that it maps.
  enum class Doorbells { kMessages, kPage };

  /// `function` must have been created with `guest.host()`, or with that of `buffer`, which adds Doorbell Buffer Config
  /// to it (null: the function is as it is). All must outlive the server.
  Server(UniqueFd socket, pcie_function *function, Guest *guest, Doorbells doorbells = Doorbells::kMessages,
         DoorbellBuffer *buffer = nullptr);
  /// Resets the function and releases the client's memory and descriptors.
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  int fd() const { return socket_.fd(); }
  /// Most messages that serve() answers at a time. A client that sends without a pause would keep it for ever.
  static constexpr unsigned kMostAtOnce = 64;

  /// Answers the messages that have arrived, up to kMostAtOnce, and returns their number. Throws Refused, Disconnected,
  /// DeviceStopped, ToEnd.
  unsigned serve();
  /// As Socket::end_by().
  void end_by(int fd) { socket_.end_by(fd); }
  /// Passes on the doorbells that the client has rung by stores, to the page or to shadows in its memory, and returns
  /// their number. Throws DeviceStopped.
  unsigned ring();
  /// The submission queues that the client has rung since the last call, a bit for each.
  uint32_t take_rung() { return std::exchange(rung_, 0); }
  /// The host's shadow doorbells, if there are any.
  DoorbellBuffer *shadows() const { return buffer_ != nullptr && buffer_->active() ? buffer_ : nullptr; }
  /// Whether the client has the page of doorbells. What it stores there comes without a message.
  bool rings_by_stores() const { return page_given_; }
  /// Whether a protocol version has been negotiated.
  bool agreed() const { return agreed_; }

 private:
  void answer(Message message);
  int handle(Message *message, std::vector<uint8_t> *reply, int *descriptor);
  void version(const Message &message, std::vector<uint8_t> *reply);
  int dma_map(const Message &message);
  int dma_unmap(const Message &message, std::vector<uint8_t> *reply);
  int region_info(const Message &message, std::vector<uint8_t> *reply, int *descriptor);
  int irq_info(const Message &message, std::vector<uint8_t> *reply);
  int set_irqs(Message *message);
  int region_read(const Message &message, std::vector<uint8_t> *reply);
  int region_write(const Message &message, std::vector<uint8_t> *reply);

  void bar0_read(uint64_t offset, uint32_t count, uint8_t *out);
  void bar0_write(uint64_t offset, uint32_t count, const uint8_t *in);
  void write_register(uint64_t offset, uint32_t value);
  void ring_function(unsigned doorbell, uint32_t value);
  void configure(uint32_t cc);
  void reset();

  Socket socket_;
  pcie_function *function_;
  Guest *guest_;
  bool agreed_ = false;
  std::optional<DoorbellPage> page_;  // of this client alone: the next one gets another page
  bool page_given_ = false;
  uint32_t rung_ = 0;  // submission queues
  DoorbellBuffer *buffer_;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_SERVER_H
