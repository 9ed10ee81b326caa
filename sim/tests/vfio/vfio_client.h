// SPDX-License-Identifier: Apache-2.0
//
// The client's end of a vfio-user connection, and a function behind it that only remembers what it was asked.
#ifndef OPENREMAP_TESTS_VFIO_CLIENT_H
#define OPENREMAP_TESTS_VFIO_CLIENT_H

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "descriptors.h"
#include "orm_bytes.h"
#include "orm_nvme.h"
#include "orm_regs.h"
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
    if (f.on_write) f.on_write();
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
    if (f.on_run) f.on_run();
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
  std::function<void()> on_run;    // before each run
  std::function<void()> on_write;  // after each write of a register
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

/// A connection to the server's socket; none if nobody listens.
inline UniqueFd connect_to(const std::string &path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) fd.reset();
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
    if (send_some(fd_.get(), bytes.data(), bytes.size(), fds) != ssize_t(bytes.size()))
      throw std::runtime_error("sendmsg");
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
    std::vector<UniqueFd> fds;
    const ssize_t got = receive_some(fd_.get(), &reply.header, sizeof reply.header, &fds, MSG_DONTWAIT).bytes;
    if (got != ssize_t(sizeof reply.header)) return std::nullopt;
    if (!fds.empty()) reply.fd = std::move(fds.front());
    reply.payload.resize(reply.header.size - sizeof reply.header);
    if (!reply.payload.empty() &&
        recv(fd_.get(), reply.payload.data(), reply.payload.size(), 0) != ssize_t(reply.payload.size()))
      throw std::runtime_error("a reply in pieces");
    return reply;
  }
  /// The first message of a client.
  void send_version(uint16_t minor = 0) {
    std::vector<uint8_t> payload;
    append(&payload, Version{0, minor});
    send(kVersion, payload);
  }
  /// A register's write that wants no answer, as doorbells are.
  void post(uint64_t offset, uint32_t value) {
    std::vector<uint8_t> payload;
    append(&payload, RegionAccess{offset, kRegionBar0, sizeof value});
    append(&payload, value);
    send(kRegionWrite, payload, {}, kFlagNoReply);
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
  void write32(uint64_t offset, uint32_t value) {
    client->post(offset, value);
    server->serve();
  }

  RecordingFunction function;
  Guest guest;
  DoorbellBuffer buffer{&guest};
  std::optional<Client> client;
  std::optional<Server> server;
};

/// A host with an enabled controller, I/O queue pair 1 and shadow doorbells, on a Connection that has a buffer. The
/// function has no queues, so this fetches commands and completes them in its place.
class ShadowHost {
 public:
  static constexpr uint64_t kBus = 0x1'0000'0000, kPage = GuestMemory::kPage;
  static constexpr uint64_t kSq = kBus, kCq = kBus + kPage, kShadows = kBus + 2 * kPage, kEvents = kBus + 3 * kPage;
  static constexpr uint32_t kEnabled =
      ORM_BAR0_CC_EN_MASK | ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4);

  explicit ShadowHost(Connection *c) : c_(c) {
    c->ask(kDmaMap, DmaMap{sizeof(DmaMap), kDmaRead | kDmaWrite, 0, kBus, kPages * kPage}, {}, {file_.get()});
    c->set_bus_master();
    enable();
  }

  /// The controller, with an admin queue of 16 entries.
  void enable() {
    c_->write32(ORM_BAR0_AQA, ORM_PUT(ORM_BAR0_AQA_ASQS, 15) | ORM_PUT(ORM_BAR0_AQA_ACQS, 15));
    c_->write32(ORM_BAR0_ASQ_LO, uint32_t(kSq));
    c_->write32(ORM_BAR0_ASQ_HI, uint32_t(kSq >> 32));
    c_->write32(ORM_BAR0_ACQ_LO, uint32_t(kCq));
    c_->write32(ORM_BAR0_ACQ_HI, uint32_t(kCq >> 32));
    c_->write32(ORM_BAR0_CC, kEnabled);
  }
  /// Makes the queue pair and gives the buffers.
  void use_shadows() {
    admin(NVME_ADMIN_OPCODE_CREATE_IO_CQ, kBus + 4 * kPage, 0, 1);
    admin(NVME_ADMIN_OPCODE_CREATE_IO_SQ, kBus + 5 * kPage, 0, 1);
    admin(DoorbellBuffer::kOpcode, kShadows, kEvents, 0);
  }
  /// An admin command from its entry to its completion, whose status word is returned, without the phase.
  uint16_t admin(uint8_t opcode, uint64_t prp1, uint64_t prp2, uint32_t cdw10) {
    fetch(opcode, prp1, prp2, cdw10);
    return complete();
  }
  void fetch(uint8_t opcode, uint64_t prp1, uint64_t prp2, uint32_t cdw10) {
    nvme_submission_entry e{};
    e.opcode = opcode;
    e.cid = ++cid_;
    e.prp1 = prp1;
    e.prp2 = prp2;
    e.cdw10 = cdw10;
    uint8_t bytes[NVME_SUBMISSION_ENTRY_BYTES];
    nvme_submission_entry_pack(&e, bytes);
    put(kSq, bytes, sizeof bytes);
    const pcie_host *host = c_->buffer.host();
    if (host->dma_read(host->ctx, kSq, bytes, sizeof bytes) != 0) throw std::runtime_error("no submission queue");
  }
  uint16_t complete() {
    nvme_completion_entry e{};
    e.cid = cid_;
    uint8_t bytes[NVME_COMPLETION_ENTRY_BYTES];
    nvme_completion_entry_pack(&e, bytes);
    const pcie_host *host = c_->buffer.host();
    if (host->dma_write(host->ctx, kCq, bytes, sizeof bytes) != 0) throw std::runtime_error("no completion queue");
    if (pread(file_.get(), bytes, sizeof bytes, off_t(kCq - kBus)) != ssize_t(sizeof bytes))
      throw std::runtime_error("pread");
    return uint16_t(orm_get_le(bytes + NVME_COMPLETION_ENTRY_STATUS_OFFSET, 2));
  }
  /// Rings by a store.
  void store(unsigned doorbell, uint32_t value) { put(kShadows + 4 * doorbell, &value, sizeof value); }

 private:
  static constexpr uint64_t kPages = 8;

  void put(uint64_t bus, const void *data, size_t bytes) {
    if (pwrite(file_.get(), data, bytes, off_t(bus - kBus)) != ssize_t(bytes)) throw std::runtime_error("pwrite");
  }

  Connection *c_;
  const UniqueFd file_ = memory_file(kPages * kPage);
  uint16_t cid_ = 0;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_TESTS_VFIO_CLIENT_H
