// SPDX-License-Identifier: Apache-2.0
//
// The ECPIX-5's SoC in RTL, but for the pins of DDR3 and Ethernet: DDR3 is a memory behind AXI, and the Ethernet is a
// UDP socket that speaks as much Etherbone as the board does. So `./openremap board start ecpix5` starts it.
//
//   ecpix5 ADDRESS PORT [CYCLES]     answers at UDP ADDRESS:PORT, to PORT of whoever asks; ends after CYCLES
//
// The console goes to stdout. The last line of stderr tells the cycles.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "VOpenRemapEcpix5Simulation.h"
#include "verilated.h"

namespace {

using Top = VOpenRemapEcpix5Simulation;

constexpr uint64_t kMemory = uint64_t{1} << 29;
constexpr unsigned kBeat = 16;     // bytes
constexpr unsigned kLatency = 20;  // cycles from an address to its first beat or its response; a guess at LiteDRAM's
constexpr unsigned kPoll = 500;    // cycles between looks at the socket while nothing is asked

volatile std::sig_atomic_t stop = 0;

void end(int) { stop = 1; }

[[noreturn]] void die(const char *what) {
  std::perror(what);
  std::exit(2);
}

/// DDR3 and its controller: one burst at a time in each direction, in order. `held` drops what is under way.
class Dram {
 public:
  Dram() : bytes_(static_cast<uint8_t *>(std::calloc(kMemory, 1))) {
    if (bytes_ == nullptr) die("512 MiB of memory");
  }
  ~Dram() { std::free(bytes_); }
  Dram(const Dram &) = delete;
  Dram &operator=(const Dram &) = delete;

  void drive(Top &top, uint64_t cycle) {
    top.ar_ready = read_left_ == 0;
    top.r_valid = read_left_ != 0 && cycle >= read_due_;
    top.r_last = read_left_ == 1;
    top.r_resp = 0;
    if (top.r_valid) std::memcpy(top.r_data.data(), bytes_ + read_at_, kBeat);
    top.aw_ready = write_left_ == 0 && !answers_;
    top.w_ready = write_left_ != 0;
    top.b_valid = answers_ && cycle >= answer_due_;
    top.b_resp = 0;
  }

  void sample(const Top &top, uint64_t cycle) {
    if (top.held) {
      read_left_ = write_left_ = 0;
      answers_ = false;
      return;
    }
    if (top.r_valid && top.r_ready) {
      read_at_ += kBeat;
      --read_left_;
    }
    if (top.ar_valid && top.ar_ready) {
      read_at_ = place(top.ar_addr);
      read_left_ = top.ar_len + 1u;
      read_due_ = cycle + kLatency;
    }
    if (top.b_valid && top.b_ready) answers_ = false;
    if (top.w_valid && top.w_ready) {
      uint8_t data[kBeat];
      std::memcpy(data, top.w_data.data(), kBeat);
      for (unsigned i = 0; i < kBeat; ++i) {
        if (top.w_strb >> i & 1) bytes_[write_at_ + i] = data[i];
      }
      write_at_ += kBeat;
      if ((--write_left_ == 0) != (top.w_last != 0)) {
        std::fprintf(stderr, "ecpix5: the last beat of a burst is not where its length says\n");
        std::exit(1);
      }
      if (write_left_ == 0) {
        answers_ = true;
        answer_due_ = cycle + kLatency;
      }
    }
    if (top.aw_valid && top.aw_ready) {
      write_at_ = place(top.aw_addr);
      write_left_ = top.aw_len + 1u;
    }
  }

 private:
  static uint64_t place(uint64_t address) {
    if (address >= kMemory || address % kBeat != 0) {
      std::fprintf(stderr, "ecpix5: a burst at %#llx\n", static_cast<unsigned long long>(address));
      std::exit(1);
    }
    return address;
  }

  uint8_t *bytes_;
  uint64_t read_at_ = 0, read_due_ = 0, write_at_ = 0, answer_due_ = 0;
  unsigned read_left_ = 0, write_left_ = 0;  // beats
  bool answers_ = false;
};

/// The link: takes a packet, carries out its record on the bus, and answers.
class Link {
 public:
  Link(const char *address, uint16_t port) : socket_(socket(AF_INET, SOCK_DGRAM, 0)), port_(port) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(port);
    if (socket_ < 0 || inet_pton(AF_INET, address, &here.sin_addr) != 1 ||
        bind(socket_, reinterpret_cast<sockaddr *>(&here), sizeof here) != 0 ||
        fcntl(socket_, F_SETFL, O_NONBLOCK) != 0) {
      die(address);
    }
  }
  ~Link() { close(socket_); }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  void drive(Top &top) const {
    const bool asks = !accesses_.empty();
    top.link_cyc = top.link_stb = asks;
    if (!asks) return;
    top.link_we = accesses_.front().write;
    top.link_adr = accesses_.front().address >> 2;
    top.link_dat_w = accesses_.front().data;
  }

  void sample(const Top &top, uint64_t cycle) {
    if (!accesses_.empty()) {
      if (!top.link_ack) return;
      if (!accesses_.front().write) found_.push_back(top.link_dat_r);
      accesses_.pop_front();
      if (accesses_.empty() && !found_.empty()) answer();
      return;
    }
    if (cycle % kPoll == 0) receive();
  }

 private:
  struct Access {
    uint32_t address;
    bool write;
    uint32_t data;
  };
  static constexpr size_t kHead = 16;  // header, record, address

  static uint32_t word(const uint8_t *at) {
    return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
  }

  void receive() {
    uint8_t packet[2048];
    socklen_t size = sizeof peer_;
    const ssize_t got = recvfrom(socket_, packet, sizeof packet, 0, reinterpret_cast<sockaddr *>(&peer_), &size);
    if (got < static_cast<ssize_t>(kHead) || packet[0] != 0x4E || packet[1] != 0x6F) return;
    const size_t writes = packet[10], reads = packet[11];
    if (static_cast<size_t>(got) != kHead + 4 * (writes + reads) || (writes != 0) == (reads != 0)) return;
    const uint32_t base = word(packet + 12);
    mark_ = base;
    for (size_t i = 0; i < writes + reads; ++i) {
      const uint32_t value = word(packet + kHead + 4 * i);
      const auto at = static_cast<uint32_t>(base + 4 * i);
      accesses_.push_back(writes != 0 ? Access{at, true, value} : Access{value, false, 0});
    }
  }

  void answer() {
    std::vector<uint8_t> packet = {0x4E, 0x6F, 0x10, 0x44, 0, 0, 0, 0, 0, 0xF, static_cast<uint8_t>(found_.size()), 0};
    found_.insert(found_.begin(), mark_);
    for (const uint32_t value : found_) {
      for (int shift = 24; shift >= 0; shift -= 8) packet.push_back(static_cast<uint8_t>(value >> shift));
    }
    found_.clear();
    peer_.sin_port = htons(port_);
    sendto(socket_, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr *>(&peer_), sizeof peer_);
  }

  int socket_;
  uint16_t port_;
  sockaddr_in peer_{};
  std::deque<Access> accesses_;
  std::vector<uint32_t> found_;
  uint32_t mark_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: ecpix5 ADDRESS PORT [CYCLES]\n");
    return 2;
  }
  const uint64_t most = argc == 4 ? std::strtoull(argv[3], nullptr, 10) : UINT64_MAX;
  std::signal(SIGTERM, end);
  std::signal(SIGINT, end);
  VerilatedContext context;
  context.randReset(2);
  const auto top = std::make_unique<Top>(&context);
  Dram dram;
  Link link(argv[1], static_cast<uint16_t>(std::strtoul(argv[2], nullptr, 10)));
  uint64_t cycle = 0;
  for (; cycle < most && !stop && !context.gotFinish(); ++cycle) {
    top->clock = 0;
    top->reset = cycle < 10;
    top->uart_source_ready = 1;
    dram.drive(*top, cycle);
    link.drive(*top);
    top->eval();
    if (!top->reset) {
      dram.sample(*top, cycle);
      link.sample(*top, cycle);
      if (top->uart_source_valid) {
        std::putchar(top->uart_source_data);
        if (top->uart_source_data == '\n') std::fflush(stdout);
      }
    }
    top->clock = 1;
    top->eval();
  }
  top->final();
  std::fprintf(stderr, "%llu cycles\n", static_cast<unsigned long long>(cycle));
  return 0;
}
