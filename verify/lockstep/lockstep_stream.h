// SPDX-License-Identifier: Apache-2.0
//
// Command streams of lockstep as text, one command a line (docs/design/fast-model.md has the grammar):
//
//     lockstep 1 seed 7 superblocks 8
//     write 12 4 data 77 fua
//     burst write 0 3 data 5; read 16 2; flush
//     # a remark
#ifndef OPENREMAP_LOCKSTEP_STREAM_H
#define OPENREMAP_LOCKSTEP_STREAM_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::lockstep {

/// What both devices are made with.
struct DeviceOptions {
  uint64_t seed = 1;
  uint32_t superblocks = 8;
  bool no_rest = false;   // no rest between commands
  bool stalls = false;    // the RTL's buses hold back and answer late
  bool wide = false;      // pages of four slots, as many slots in all
  uint32_t segments = 0;  // of the remap table; 0: all that there are. The device refuses too few and too many
  std::string geometry;   // "4x2x64x64": another flash than the RTL's, which a model alone has; empty: that
  std::string faults;     // what goes wrong in flash, parse_nand_faults(); empty: nothing
};

inline constexpr uint32_t kLeastSuperblocks = 8;
inline constexpr uint32_t kMostSuperblocks = 64;
inline constexpr size_t kMostParts = 64;  // of a burst

struct Stream {
  DeviceOptions device;
  std::vector<Command> commands;
};

/// A stream that cannot be read or written; the text names the file, the line and what is wrong with it.
class StreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The word that a line of such a command begins with.
const char *word(Kind kind);
/// One line, without its end.
std::string to_line(const Command &command);
std::string to_text(const Stream &stream);

/// `name` stands for the text in errors. Throws StreamError.
Stream parse_stream(const std::string &text, const std::string &name);
Stream read_stream(const std::string &path);
void write_stream(const std::string &path, const Stream &stream);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_STREAM_H
