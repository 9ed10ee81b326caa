// SPDX-License-Identifier: Apache-2.0
#include "client/user_client.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "descriptors.h"

namespace orm::client {
namespace {

using namespace orm::vfio;

constexpr uint64_t kDoorbells = 0x1000, kDoorbellBytes = 0x1000;
constexpr uint32_t kPciCommand = 4, kMemoryAndMaster = 0x0406;  // interrupts by pin off
// SPDK asks for a region with the buffer of a whole page as payload.
constexpr uint32_t kAskBytes = 4096 - sizeof(RegionInfo);

template <class T>
std::vector<uint8_t> bytes_of(const T &value, size_t size = sizeof(T)) {
  std::vector<uint8_t> bytes(size);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

[[noreturn]] void fail(const std::string &what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

}  // namespace

Answered::Answered(uint16_t command, uint32_t error)
    : std::runtime_error("the device answers command " + std::to_string(command) +
                         " with: " + std::strerror(int(error))),
      code(error) {}

UserClient::UserClient(const std::string &socket, Doorbells doorbells, size_t memory_bytes)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), memory_bytes_(memory_bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) throw std::runtime_error(socket + ": too long for a socket");
  std::memcpy(address.sun_path, socket.c_str(), socket.size());
  const timeval patience = {kPatienceSeconds, 0};
  if (!socket_ || setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
      connect(socket_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    fail(socket);
  ask(kVersion, bytes_of(Version{0, 1}));
  ask(kGetInfo, bytes_of(DeviceInfo{sizeof(DeviceInfo), 0, 0, 0}));
  if (doorbells == Doorbells::kPage) map_doorbells();
  share_memory();
}

UserClient::~UserClient() {
  if (page_ != nullptr) munmap(const_cast<uint32_t *>(page_), kDoorbellBytes);
  if (memory_ != nullptr) munmap(memory_, memory_bytes_);
}

void UserClient::map_doorbells() {
  UniqueFd file;
  const auto answer =
      ask(kGetRegionInfo, bytes_of(RegionInfo{kAskBytes, 0, kRegionBar0, 0, 0, 0}, kAskBytes), {}, &file);
  const auto info = take<RegionInfo>(answer);
  if ((info.flags & kRegionCanMap) == 0 || !file) return;
  if ((info.flags & kRegionHasCapabilities) == 0 || info.capabilities + sizeof(SparseMmap) > answer.size())
    throw std::runtime_error("BAR0 may be mapped, but nothing says which part of it");
  const auto sparse = take<SparseMmap>(answer, info.capabilities);
  if (sparse.id != kSparseMmapId || sparse.areas != 1 || sparse.offset != kDoorbells || sparse.size != kDoorbellBytes)
    throw std::runtime_error("what may be mapped of BAR0 is not the doorbells");
  void *place =
      mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), off_t(info.offset + kDoorbells));
  if (place == MAP_FAILED) fail("doorbells");
  page_ = static_cast<volatile uint32_t *>(place);
}

void UserClient::share_memory() {
  file_ = UniqueFd(memfd_create("client", MFD_CLOEXEC));
  if (!file_ || ftruncate(file_.get(), off_t(memory_bytes_)) != 0) fail("memory");
  void *place = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (place == MAP_FAILED) fail("memory");
  memory_ = static_cast<uint8_t *>(place);
  ask(kDmaMap, bytes_of(DmaMap{sizeof(DmaMap), kDmaRead | kDmaWrite, 0, kBus, memory_bytes_}), {file_.get()});
}

uint64_t UserClient::take_page() {
  if (taken_ + kPage > memory_bytes_) throw std::runtime_error("the client's memory is full");
  const uint64_t bus = kBus + taken_;
  taken_ += kPage;
  return bus;
}

// ---------------------------------------------------------------- messages

void UserClient::send(const std::vector<uint8_t> &bytes, const std::vector<int> &fds) {
  if (send_some(socket_.get(), bytes.data(), bytes.size(), fds) != ssize_t(bytes.size())) throw Closed();
}

void UserClient::receive(void *to, size_t bytes, UniqueFd *got) {
  for (size_t have = 0; have < bytes;) {
    std::vector<UniqueFd> fds;
    const ssize_t n = receive_some(socket_.get(), static_cast<uint8_t *>(to) + have, bytes - have, &fds).bytes;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("the device does not answer");
    if (n <= 0) throw Closed();
    if (!fds.empty() && got != nullptr) *got = std::move(fds.front());
    have += size_t(n);
  }
}

std::vector<uint8_t> UserClient::ask(uint16_t command, const std::vector<uint8_t> &payload, const std::vector<int> &fds,
                                     UniqueFd *got) {
  const Header asked{++id_, command, uint32_t(sizeof(Header) + payload.size()), 0, 0};
  std::vector<uint8_t> bytes = bytes_of(asked, asked.size);
  std::copy(payload.begin(), payload.end(), bytes.begin() + sizeof asked);
  send(bytes, fds);
  Header answer{};
  receive(&answer, sizeof answer, got);
  if (answer.id != id_ || answer.command != command || (answer.flags & kFlagTypeMask) != kTypeReply ||
      answer.size < sizeof answer || answer.size > kMostMessage)
    throw std::runtime_error("an answer to something else");
  std::vector<uint8_t> back(answer.size - sizeof answer);
  receive(back.data(), back.size(), got);
  if ((answer.flags & kFlagError) != 0) throw Answered(command, answer.error);
  return back;
}

// ---------------------------------------------------------------- registers

uint32_t UserClient::read32(uint64_t offset) {
  const auto answer = ask(kRegionRead, bytes_of(RegionAccess{offset, kRegionBar0, 4}));
  if (answer.size() != sizeof(RegionAccess) + 4) throw std::runtime_error("a register of another size");
  return take<uint32_t>(answer, sizeof(RegionAccess));
}

void UserClient::write(uint32_t region, uint64_t offset, uint32_t bytes, uint64_t value) {
  std::vector<uint8_t> payload = bytes_of(RegionAccess{offset, region, bytes}, sizeof(RegionAccess) + bytes);
  std::memcpy(payload.data() + sizeof(RegionAccess), &value, bytes);
  ask(kRegionWrite, payload);
}

void UserClient::write32(uint64_t offset, uint32_t value) { write(kRegionBar0, offset, 4, value); }
void UserClient::write64(uint64_t offset, uint64_t value) { write(kRegionBar0, offset, 8, value); }
void UserClient::set_bus_master() { write(kRegionConfig, kPciCommand, 2, kMemoryAndMaster); }
void UserClient::device_reset() { ask(kDeviceReset, {}); }

void UserClient::ring(unsigned doorbell, uint32_t value) {
  if (page_ == nullptr) {
    std::vector<uint8_t> bytes;
    append(&bytes, Header{++id_, kRegionWrite, sizeof(Header) + sizeof(RegionAccess) + 4, kFlagNoReply, 0});
    append(&bytes, RegionAccess{kDoorbells + 4 * uint64_t(doorbell), kRegionBar0, 4});
    append(&bytes, value);
    return send(bytes);
  }
  // The entries before the doorbell must be visible to whoever sees the doorbell.
  __atomic_store_n(const_cast<uint32_t *>(page_) + doorbell, value, __ATOMIC_RELEASE);
}

}  // namespace orm::client
