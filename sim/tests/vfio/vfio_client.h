// SPDX-License-Identifier: Apache-2.0
//
// The client's end of a vfio-user connection, and a function behind it that only remembers what it was asked.
#ifndef OPENREMAP_TESTS_VFIO_CLIENT_H
#define OPENREMAP_TESTS_VFIO_CLIENT_H

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pcie_function.h"
#include "unique_fd.h"
#include "vfio_guest.h"
#include "vfio_message.h"
#include "vfio_server.h"

namespace orm::vfio {

/// Registers as plain memory. `base` comes first: the seam's pointer is a pointer to the whole.
struct RecordingFunction {
  RecordingFunction() { base.ops = &kOps; }

  static RecordingFunction &of(pcie_function *fn) { return *reinterpret_cast<RecordingFunction *>(fn); }
  static int read(pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value) {
    RecordingFunction &f = of(fn);
    if (f.stopped) return -EIO;
    if (size != 4 || offset % 4 != 0 || offset >= PciConfig::kBar0Bytes) return -EINVAL;
    *value = f.registers[offset];
    return 0;
  }
  static int write(pcie_function *fn, uint64_t offset, unsigned size, uint64_t value) {
    RecordingFunction &f = of(fn);
    if (f.stopped) return -EIO;
    if (size != 4 || offset % 4 != 0 || offset >= PciConfig::kBar0Bytes) return -EINVAL;
    f.registers[offset] = uint32_t(value);
    return 0;
  }
  static int reset_it(pcie_function *fn) {
    ++of(fn).resets;
    of(fn).registers.clear();
    return of(fn).stopped ? -EIO : 0;
  }
  static int64_t run(pcie_function *fn, uint64_t max_ns) {
    RecordingFunction &f = of(fn);
    if (f.stopped) return -EIO;
    const uint64_t ran = f.work_ns < max_ns ? f.work_ns : max_ns;
    f.work_ns -= ran;
    f.ran_ns += ran;
    if (ran != 0 && f.work_ns == 0 && f.host != nullptr) f.host->msix(f.host->ctx, 0);
    return int64_t(ran);
  }

  static constexpr pcie_function_ops kOps = {read,    write,   run,     nullptr, reset_it, nullptr,
                                             nullptr, nullptr, nullptr, nullptr, nullptr,  nullptr};

  pcie_function base{};
  const pcie_host *host = nullptr;  // told by vector 0 when the work is done
  std::map<uint64_t, uint32_t> registers;
  unsigned resets = 0;
  uint64_t work_ns = 0;
  uint64_t ran_ns = 0;
  bool stopped = false;
};

inline UniqueFd memory_file(uint64_t bytes) {
  UniqueFd fd(memfd_create("guest", MFD_CLOEXEC));
  if (!fd || ftruncate(fd.get(), off_t(bytes)) != 0) throw std::runtime_error("memfd");
  return fd;
}

struct Reply {
  Header header;
  std::vector<uint8_t> payload;
  UniqueFd fd;  // that came with it
};

class Client {
 public:
  explicit Client(UniqueFd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }

  /// Sends bytes as they are, with descriptors.
  void send_raw(const std::vector<uint8_t> &bytes, const std::vector<int> &fds = {}) {
    iovec piece = {const_cast<uint8_t *>(bytes.data()), bytes.size()};
    std::vector<uint8_t> control(CMSG_SPACE(sizeof(int) * fds.size()));
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
    if (sendmsg(fd_.get(), &message, MSG_NOSIGNAL) != ssize_t(bytes.size())) throw std::runtime_error("sendmsg");
  }

  void send(uint16_t command, const std::vector<uint8_t> &payload, const std::vector<int> &fds = {},
            uint32_t flags = 0) {
    std::vector<uint8_t> bytes;
    append(&bytes, Header{++id_, command, uint32_t(sizeof(Header) + payload.size()), flags, 0});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    send_raw(bytes, fds);
  }

  /// What has arrived, if anything.
  std::optional<Reply> receive() {
    Reply reply;
    iovec piece = {&reply.header, sizeof reply.header};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != ssize_t(sizeof reply.header))
      return std::nullopt;
    if (const cmsghdr *c = CMSG_FIRSTHDR(&message); c != nullptr && c->cmsg_type == SCM_RIGHTS) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
      reply.fd = UniqueFd(fd);
    }
    reply.payload.resize(reply.header.size - sizeof reply.header);
    if (!reply.payload.empty() &&
        recv(fd_.get(), reply.payload.data(), reply.payload.size(), 0) != ssize_t(reply.payload.size()))
      throw std::runtime_error("a reply in pieces");
    return reply;
  }
  uint16_t id() const { return id_; }

 private:
  UniqueFd fd_;
  uint16_t id_ = 0;
};

/// Both ends, with the function.
struct Connection {
  /// `with_buffer`: with Doorbell Buffer Config.
  explicit Connection(Server::Doorbells doorbells = Server::Doorbells::kMessages, bool with_buffer = false) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) throw std::runtime_error("socketpair");
    client.emplace(UniqueFd(pair[0]));
    server.emplace(UniqueFd(pair[1]), &function.base, &guest, doorbells, with_buffer ? &buffer : nullptr);
  }

  /// Sends a request and serves it.
  template <class T>
  Reply ask(uint16_t command, const T &fixed, const std::vector<uint8_t> &more = {}, const std::vector<int> &fds = {}) {
    std::vector<uint8_t> payload;
    append(&payload, fixed);
    payload.insert(payload.end(), more.begin(), more.end());
    return ask_bytes(command, payload, fds);
  }
  Reply ask_bytes(uint16_t command, const std::vector<uint8_t> &payload, const std::vector<int> &fds = {}) {
    client->send(command, payload, fds);
    server->serve();
    auto reply = client->receive();
    if (!reply) throw std::runtime_error("no reply");
    return std::move(*reply);
  }
  void agree() { ask(kVersion, Version{0, 0}); }
  void set_bus_master() { ask(kRegionWrite, RegionAccess{4, kRegionConfig, 2}, {0x06, 0x00}); }

  RecordingFunction function;
  Guest guest;
  DoorbellBuffer buffer{&guest};
  std::optional<Client> client;
  std::optional<Server> server;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_TESTS_VFIO_CLIENT_H
