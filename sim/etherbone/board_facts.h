// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_BOARD_FACTS_H
#define OPENREMAP_BOARD_FACTS_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace orm {

/// The name of a board, its facts, or options beside it are wrong. The message has one line.
struct BoardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "board:HOST[:PORT][,facts=FILE][,slower=N]", a device's kind.
struct BoardName {
  std::string host;
  uint16_t port = 0;    // 0: as the facts say
  std::string facts;    // host.json; empty: that of this build
  unsigned slower = 1;  // the board's time passes so many times slower than that of the clock on the wall
};

/// Whether the kind of a device names a board.
bool is_board(const std::string &kind);

/// Throws BoardError.
BoardName parse_board(const std::string &kind);

/// Of host.json, which the build of a board's bitstream writes (soc/boards/generate.py). Addresses are on the board's
/// bus.
struct BoardFacts {
  uint32_t bar = 0;                                           // the controller's BAR0
  uint32_t memory = 0, memory_bytes = 0;                      // what host and controller share
  uint32_t control = 0, messages = 0, taken = 0, faults = 0;  // registers board_*
  uint16_t port = 1234;  // a simulation has no link section: these are the defaults
  unsigned words = 128;
};

/// Throws BoardError, naming the file.
BoardFacts read_facts(const std::string &file);

/// The whole numbers of a JSON document by their path, "places.bar"; elements of lists, texts and others are left out.
/// Throws BoardError.
std::map<std::string, uint64_t> json_numbers(const std::string &text);

}  // namespace orm
#endif  // OPENREMAP_BOARD_FACTS_H
