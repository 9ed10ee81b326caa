// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FULL_COMMANDS_H
#define OPENREMAP_FULL_COMMANDS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "full/full_oracle.h"
#include "openremap.h"
#include "seeded_random.h"

namespace orm::full {

enum class Kind : uint8_t {
  kRead,
  kWrite,
  kWriteFua,
  kFlush,
  kRemap,   // one page
  kRun,     // a range
  kMove,    // a range; its source becomes unmapped
  kVector,  // many ranges, atomically
  kCopy,    // a range, including holes
  kDeallocate,
  kWriteZeroes,
};
inline constexpr size_t kKinds = 11;
const char *name_of(Kind kind);
/// Remaps and copies, which the remap engine executes one after another.
bool is_remap(Kind kind);

inline constexpr uint64_t kMostWritePages = 8;
inline constexpr uint64_t kMostTrimRanges = 16;

struct Command {
  Kind kind = Kind::kFlush;
  /// A remap has source and target; other commands have targets only.
  std::vector<openremap_remap_range> ranges;
  /// Applies its effect on the pages to the oracle.
  std::vector<Change> changes;
};

/// Relative frequency of each kind of command.
struct Storm {
  const char *name;
  std::array<unsigned, kKinds> weights;
};
extern const std::array<Storm, 3> kStorms;

/// Draws commands to unclaimed pages, and claims them.
class Generator {
 public:
  Generator(Oracle *oracle, uint64_t seed) : oracle_(*oracle), random_(seed) {}

  /// The next command; no remaps unless `remaps`. Returns nothing if too many of the pages tried are claimed.
  std::optional<Command> next(const Storm &storm, bool remaps);
  /// A write of one page, with the given or a new content. Returns nothing if the page is claimed.
  std::optional<Command> write(uint64_t lpn);
  /// A write in place of a remap of the page, which is already claimed.
  Command instead(uint64_t lpn, uint64_t content) const;

 private:
  Kind kind(const Storm &storm, bool remaps);
  uint64_t length(uint64_t most);
  std::optional<uint64_t> claim(uint64_t pages, bool mapped);
  bool add_target(Command *command, uint64_t pages);
  bool add_range(Command *command, uint64_t pages, bool holes);
  bool add_fan(Command *command, uint64_t targets);
  bool draw(Command *command);
  void settle(Command *command);
  void drop(const Command &command);

  Oracle &oracle_;
  SeededRandom random_;
};

/// The claims of a command.
void release(Oracle *oracle, const Command &command);

}  // namespace orm::full
#endif  // OPENREMAP_FULL_COMMANDS_H
