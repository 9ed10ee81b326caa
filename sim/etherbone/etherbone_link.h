// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ETHERBONE_LINK_H
#define OPENREMAP_ETHERBONE_LINK_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace orm {

/// The board does not answer, or this machine cannot send. The message has one line.
struct LinkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Words on a board's bus, by Etherbone over UDP: packets of one record, 32-bit addresses and data, as LiteEth takes
/// them. Addresses are of bytes and multiples of 4.
///
/// UDP loses packets. A read that is not answered is asked again; each question has a mark of its own, so that a late
/// or doubled answer is not taken for that of another. A write has no answer.
class EtherboneLink {
 public:
  struct Options {
    std::string host;  // IPv4 address, or a name of one
    uint16_t port = 1234;
    unsigned words = 128;                        // of a record, its address included; 2 to 255
    std::chrono::microseconds patience{200000};  // for an answer
    unsigned tries = 8;
  };
  struct Counts {
    uint64_t sent = 0, answers = 0, repeats = 0, strays = 0;  // packets; strays: answers to nothing that is asked
  };

  /// Throws LinkError. The board answers to `port` of this machine, whatever port asks, so one program at a time has
  /// the board; another one's attempt fails here.
  explicit EtherboneLink(const Options &options);
  ~EtherboneLink();
  EtherboneLink(const EtherboneLink &) = delete;
  EtherboneLink &operator=(const EtherboneLink &) = delete;

  /// Throws LinkError when `tries` questions have no answer.
  void read(uint32_t address, uint32_t *words, size_t count);
  uint32_t read(uint32_t address);

  /// Sends each word once. It may get lost.
  void write(uint32_t address, const uint32_t *words, size_t count);
  void write(uint32_t address, uint32_t word) { write(address, &word, 1); }

  /// For memory: writes, reads back, and writes again what differs. Throws LinkError when it keeps differing.
  void store(uint32_t address, const uint32_t *words, size_t count);

  const Counts &counts() const { return counts_; }

 private:
  size_t most() const { return options_.words - 1; }
  void ask(uint32_t address, uint32_t *words, size_t count);
  bool take_answer(uint32_t *words, size_t count);
  void send(const std::vector<uint8_t> &packet);
  [[noreturn]] void fail(const std::string &why) const;

  Options options_;
  Counts counts_;
  int socket_ = -1;
  uint32_t mark_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_ETHERBONE_LINK_H
