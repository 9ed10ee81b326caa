// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_USER_CLIENT_H
#define OPENREMAP_USER_CLIENT_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "unique_fd.h"
#include "vfio_message.h"

namespace orm::client {

/// The server has closed the connection.
class Closed : public std::runtime_error {
 public:
  Closed() : std::runtime_error("the device has closed the connection") {}
};

/// The server has answered with an error; `code` is its errno.
class Answered : public std::runtime_error {
 public:
  Answered(uint16_t command, uint32_t error);
  uint32_t code;
};

/// A client of a vfio-user server, as a user-space driver is one: it asks as SPDK's client does, in its order and with
/// its sizes (lib/vfio_user/host of SPDK), maps the doorbells if it may, and shares memory for the device's DMA.
class UserClient {
 public:
  /// Whether to ask for the page of doorbells.
  enum class Doorbells { kMessages, kPage };
  /// Connects, and makes `memory_bytes` of memory that the device may use. Throws Answered, Closed or
  /// std::runtime_error; no answer in kPatienceSeconds is one.
  UserClient(const std::string &socket, Doorbells doorbells, size_t memory_bytes = size_t{4} << 20);
  ~UserClient();
  UserClient(const UserClient &) = delete;
  UserClient &operator=(const UserClient &) = delete;

  static constexpr int kPatienceSeconds = 60;
  static constexpr size_t kPage = 4096;

  /// Whether the doorbells are a page that this process has mapped; else each is a message without an answer, as QEMU's
  /// are.
  bool maps_doorbells() const { return page_ != nullptr; }
  int fd() const { return socket_.get(); }

  uint32_t read32(uint64_t offset);
  void write32(uint64_t offset, uint32_t value);
  void write64(uint64_t offset, uint64_t value);
  /// Doorbell 2q is the tail of submission queue q, 2q + 1 the head of completion queue q.
  void ring(unsigned doorbell, uint32_t value);
  void set_bus_master();
  void device_reset();

  /// A page of the memory, zeroed: its bus address, and its place here.
  uint64_t take_page();
  uint8_t *at(uint64_t bus) { return memory_ + (bus - kBus); }

  /// One message and its answer, whose payload is returned. Throws Answered, Closed.
  std::vector<uint8_t> ask(uint16_t command, const std::vector<uint8_t> &payload, const std::vector<int> &fds = {},
                           UniqueFd *got = nullptr);
  /// Sends bytes as they are.
  void send(const std::vector<uint8_t> &bytes, const std::vector<int> &fds = {});

 private:
  static constexpr uint64_t kBus = uint64_t{2} << 40;

  void receive(void *to, size_t bytes, UniqueFd *got);
  void map_doorbells();
  void share_memory();
  void write(uint32_t region, uint64_t offset, uint32_t bytes, uint64_t value);

  UniqueFd socket_;
  UniqueFd file_;
  uint8_t *memory_ = nullptr;
  size_t memory_bytes_;
  size_t taken_ = 0;
  volatile uint32_t *page_ = nullptr;
  uint16_t id_ = 0;
};

}  // namespace orm::client
#endif  // OPENREMAP_USER_CLIENT_H
