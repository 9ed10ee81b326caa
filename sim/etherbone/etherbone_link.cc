// SPDX-License-Identifier: Apache-2.0
#include "etherbone_link.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

namespace orm {
namespace {

// A packet: magic, version 1, addresses and data of 32 bits, 4 bytes of padding; then its record: flags, byte enables,
// words to write, words to read, the base address of the writes (or where answers go: our mark), the words.
constexpr size_t kHead = 16;
constexpr size_t kLargest = kHead + 4 * 255;
constexpr uint8_t kStart[10] = {0x4E, 0x6F, 0x10, 0x44, 0, 0, 0, 0, 0, 0x0F};

void put(std::vector<uint8_t> *packet, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) packet->push_back(uint8_t(word >> shift));
}

uint32_t get(const uint8_t *at) { return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3]; }

std::vector<uint8_t> packet_of(size_t writes, size_t reads, uint32_t base) {
  std::vector<uint8_t> packet(kStart, kStart + sizeof kStart);
  packet.push_back(uint8_t(writes));
  packet.push_back(uint8_t(reads));
  put(&packet, base);
  return packet;
}

/// The name's first IPv4 address.
sockaddr_in address_of(const std::string &host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo *found = nullptr;
  const int rc = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (rc != 0) throw LinkError("board " + host + ": " + gai_strerror(rc));
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof address);
  freeaddrinfo(found);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

EtherboneLink::EtherboneLink(const Options &options) : options_(options), mark_(std::random_device{}()) {
  if (options_.words < 2 || options_.words > 255)
    fail("a record cannot have " + std::to_string(options_.words) + " words");
  const sockaddr_in there = address_of(options_.host, options_.port);
  const auto *peer = reinterpret_cast<const sockaddr *>(&there);
  // Which of this machine's addresses leads there: a first socket, connected, tells. Only that one's port is taken.
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) fail(std::strerror(errno));
  sockaddr_in here{};
  socklen_t size = sizeof here;
  const bool reached =
      connect(probe, peer, sizeof there) == 0 && getsockname(probe, reinterpret_cast<sockaddr *>(&here), &size) == 0;
  const int why = errno;
  close(probe);
  if (!reached) fail(std::strerror(why));
  here.sin_port = htons(options_.port);
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail(std::strerror(errno));
  std::string wrong;
  if (bind(socket_, reinterpret_cast<const sockaddr *>(&here), sizeof here) != 0) {
    wrong = "UDP port " + std::to_string(options_.port) + " of this machine: " + std::strerror(errno) +
            "; another program may have the board";
  } else if (connect(socket_, peer, sizeof there) != 0) {
    wrong = std::strerror(errno);
  }
  if (wrong.empty()) return;
  close(socket_);
  fail(wrong);
}

EtherboneLink::~EtherboneLink() { close(socket_); }

void EtherboneLink::fail(const std::string &why) const { throw LinkError("board " + options_.host + ": " + why); }

void EtherboneLink::send(const std::vector<uint8_t> &packet) {
  ++counts_.sent;
  if (::send(socket_, packet.data(), packet.size(), 0) == ssize_t(packet.size())) return;
  // Nobody has the port: an answer of the network to an earlier packet. The board may be starting, so this counts as
  // no answer.
  if (errno != ECONNREFUSED) fail(std::strerror(errno));
}

bool EtherboneLink::take_answer(uint32_t *words, size_t count) {
  uint8_t packet[kLargest + 1];
  const ssize_t got = recv(socket_, packet, sizeof packet, MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNREFUSED) return false;
    fail(std::strerror(errno));
  }
  const bool ours = size_t(got) >= kHead + 4 * count && std::memcmp(packet, kStart, 2) == 0 && packet[2] >> 4 == 1 &&
                    packet[10] == count && get(packet + 12) == mark_;
  if (!ours) {
    ++counts_.strays;
    return false;
  }
  ++counts_.answers;
  for (size_t i = 0; i < count; ++i) words[i] = get(packet + kHead + 4 * i);
  return true;
}

void EtherboneLink::ask(uint32_t address, uint32_t *words, size_t count) {
  using Clock = std::chrono::steady_clock;
  ++mark_;
  std::vector<uint8_t> packet = packet_of(0, count, mark_);
  for (size_t i = 0; i < count; ++i) put(&packet, uint32_t(address + 4 * i));
  for (unsigned t = 0; t < options_.tries; ++t) {
    if (t != 0) ++counts_.repeats;
    send(packet);
    const Clock::time_point end = Clock::now() + options_.patience;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::microseconds>(end - Clock::now()).count();
      if (left <= 0) break;
      pollfd waits{socket_, POLLIN, 0};
      const timespec limit{time_t(left / 1000000), long(left % 1000000 * 1000)};
      if (ppoll(&waits, 1, &limit, nullptr) < 0 && errno != EINTR) fail(std::strerror(errno));
      if ((waits.revents & (POLLIN | POLLERR)) != 0 && take_answer(words, count)) return;
    }
  }
  const double waited = double(options_.tries) * std::chrono::duration<double>(options_.patience).count();
  char text[64];
  std::snprintf(text, sizeof text, "no answer within %.1f s", waited);
  fail(text);
}

void EtherboneLink::read(uint32_t address, uint32_t *words, size_t count) {
  for (size_t done = 0; done < count; done += most()) {
    ask(uint32_t(address + 4 * done), words + done, std::min(count - done, most()));
  }
}

uint32_t EtherboneLink::read(uint32_t address) {
  uint32_t word = 0;
  read(address, &word, 1);
  return word;
}

void EtherboneLink::write(uint32_t address, const uint32_t *words, size_t count) {
  for (size_t done = 0; done < count; done += most()) {
    const size_t part = std::min(count - done, most());
    std::vector<uint8_t> packet = packet_of(part, 0, uint32_t(address + 4 * done));
    for (size_t i = 0; i < part; ++i) put(&packet, words[done + i]);
    send(packet);
  }
}

void EtherboneLink::store(uint32_t address, const uint32_t *words, size_t count) {
  std::vector<uint32_t> back(most());
  // A packet at a time: the board has room for few, and what it drops would have to be sent again.
  for (size_t done = 0; done < count; done += most()) {
    const size_t part = std::min(count - done, most());
    const auto place = uint32_t(address + 4 * done);
    bool same = false;
    for (unsigned t = 0; t < options_.tries && !same; ++t) {
      if (t != 0) ++counts_.repeats;
      write(place, words + done, part);
      read(place, back.data(), part);
      same = std::memcmp(back.data(), words + done, 4 * part) == 0;
    }
    if (same) continue;
    char text[80];
    std::snprintf(text, sizeof text, "memory at %#x does not read as it was written", place);
    fail(text);
  }
}

}  // namespace orm
