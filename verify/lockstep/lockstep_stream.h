// SPDX-License-Identifier: Apache-2.0
//
// Command streams of lockstep as text, with one command per line (grammar: docs/design/fast-model.md):
//
//     lockstep 1 seed 7 superblocks 8
//     write 12 4 data 77 fua
//     burst write 0 3 data 5; read 16 2; flush
//     # a comment
#ifndef OPENREMAP_LOCKSTEP_STREAM_H
#define OPENREMAP_LOCKSTEP_STREAM_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::lockstep {

/// Options of both devices, but for `firmware` and `firmware_remaps`, which are the second one's.
struct DeviceOptions {
  uint64_t seed = 1;
  uint32_t superblocks = 8;
  bool no_rest = false;          // no rest between commands
  bool stalls = false;           // the RTL's buses stall and answer late
  bool wide = false;             // pages of four slots, the same number of slots
  bool firmware_remaps = false;  // the second one is a model whose firmware carries out each remap
  uint32_t segments = 0;         // of the remap table; 0: all. The device rejects too few and too many
  std::string geometry;          // flash geometry, of a model or of a Verilated controller; empty: the RTL's usual one
  std::string faults;            // faults of the flash, see parse_nand_faults(); empty: none
  std::string cache;             // the firmware's, see parse_cache(); empty: what the environment says
  std::string firmware;          // what runs it, see parse_firmware(); empty: what the environment says

  /// Its flash pages have several slots.
  bool gathers() const;
};

inline constexpr uint32_t kLeastSuperblocks = 8;
inline constexpr uint32_t kMostSuperblocks = 64;
inline constexpr size_t kMostParts = 64;  // of a burst

struct Stream {
  DeviceOptions device;
  std::vector<Command> commands;
};

/// A stream cannot be read or written; the message has the file, the line and the error.
class StreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The first word of a line with this kind of command.
const char *word(Kind kind);
/// One line, without its newline.
std::string to_line(const Command &command);
std::string to_text(const Stream &stream);

/// Errors begin with `name`. Throws StreamError.
Stream parse_stream(const std::string &text, const std::string &name);
Stream read_stream(const std::string &path);
void write_stream(const std::string &path, const Stream &stream);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_STREAM_H
