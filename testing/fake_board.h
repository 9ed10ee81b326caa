// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAKE_BOARD_H
#define OPENREMAP_FAKE_BOARD_H

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orm::testing {

/// A bus behind Etherbone, at a port of the loopback, in a thread of its own. What goes wrong is counted, not drawn: it
/// is the same in each run. `read` and `write` are called from that thread.
class FakeBoard {
 public:
  using Read = std::function<uint32_t(uint32_t address)>;
  using Write = std::function<void(uint32_t address, uint32_t word)>;
  /// Each N: every Nth packet; 0: none.
  struct Faults {
    std::atomic<unsigned> lose_question{0};  // it never arrives
    std::atomic<unsigned> lose_answer{0};    // the board has done what was asked
    std::atomic<unsigned> twice{0};          // the answer comes twice
    std::atomic<unsigned> late{0};           // the answer comes behind the next one
    std::atomic<unsigned> wrong_mark{0};     // the answer is that to another question
    std::atomic<unsigned> cut{0};            // the answer ends early
    std::atomic<unsigned> noise{0};          // something that is no Etherbone comes before the answer
    std::atomic<bool> silent{false};
  };

  static constexpr char kAddress[] = "127.0.0.2";  // another than the asking side's, whose port is the same

  FakeBoard(Read read, Write write) : read_(std::move(read)), write_(std::move(write)) {
    socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    inet_pton(AF_INET, kAddress, &here.sin_addr);
    socklen_t size = sizeof here;
    if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr *>(&here), size) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr *>(&here), &size) != 0) {
      throw std::runtime_error("no socket for a fake board");
    }
    port_ = ntohs(here.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeBoard() {
    stop_ = true;
    thread_.join();
    close(socket_);
  }
  FakeBoard(const FakeBoard &) = delete;
  FakeBoard &operator=(const FakeBoard &) = delete;

  uint16_t port() const { return port_; }
  unsigned longest() const { return longest_; }  // words of the longest record, the address not counted
  Faults faults;

 private:
  using Packet = std::vector<uint8_t>;
  static constexpr size_t kHead = 16;

  static uint32_t get(const uint8_t *at) {
    return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
  }
  static void put(Packet *packet, uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) packet->push_back(uint8_t(word >> shift));
  }
  static bool due(unsigned every, unsigned count) { return every != 0 && count % every == 0; }

  void serve() {
    while (!stop_) {
      pollfd waits{socket_, POLLIN, 0};
      if (poll(&waits, 1, 5) <= 0) continue;
      uint8_t packet[2048];
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      const ssize_t got = recvfrom(socket_, packet, sizeof packet, 0, reinterpret_cast<sockaddr *>(&peer), &size);
      if (got >= ssize_t(kHead)) take(packet, size_t(got), peer);
    }
  }

  void take(const uint8_t *packet, size_t got, const sockaddr_in &peer) {
    if (faults.silent || due(faults.lose_question, ++questions_)) return;
    const size_t writes = packet[10], reads = packet[11];
    if (packet[0] != 0x4E || packet[1] != 0x6F || got != kHead + 4 * (writes + reads)) return;
    if (writes + reads > longest_) longest_ = unsigned(writes + reads);
    const uint32_t base = get(packet + 12);
    for (size_t i = 0; i < writes; ++i) write_(uint32_t(base + 4 * i), get(packet + kHead + 4 * i));
    if (reads == 0) return;
    Packet answer = {0x4E, 0x6F, 0x10, 0x44, 0, 0, 0, 0, 0, 0xF, uint8_t(reads), 0};
    put(&answer, base);
    for (size_t i = 0; i < reads; ++i) put(&answer, read_(get(packet + kHead + 4 * i)));
    give(std::move(answer), peer);
  }

  void give(Packet answer, const sockaddr_in &peer) {
    const unsigned n = ++answers_;
    if (due(faults.lose_answer, n)) return;
    if (due(faults.noise, n)) send(Packet{1, 2, 3}, peer);
    if (due(faults.cut, n)) answer.resize(answer.size() - 4);
    if (due(faults.wrong_mark, n)) answer[15] ^= 0xFF;
    if (due(faults.late, n)) {
      held_ = std::move(answer);
      return;
    }
    send(answer, peer);
    if (due(faults.twice, n)) send(answer, peer);
    if (!held_.empty()) send(held_, peer);
    held_.clear();
  }

  void send(const Packet &packet, sockaddr_in peer) const {
    peer.sin_port = htons(port_);  // as LiteEth: whatever the port of the question
    (void)!sendto(socket_, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr *>(&peer), sizeof peer);
  }

  Read read_;
  Write write_;
  int socket_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> longest_{0};
  unsigned questions_ = 0, answers_ = 0;
  Packet held_;
  std::thread thread_;
};

}  // namespace orm::testing
#endif  // OPENREMAP_FAKE_BOARD_H
