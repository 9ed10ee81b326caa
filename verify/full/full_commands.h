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
  kMove,    // a range, whose source becomes unmapped
  kVector,  // many ranges, all or none
  kCopy,    // a range, holes included
  kDeallocate,
  kWriteZeroes,
};
inline constexpr size_t kKinds = 11;
const char *name_of(Kind kind);
/// Remaps and copies: what the remap engine does, one after the other.
bool is_remap(Kind kind);

inline constexpr uint64_t kMostWritePages = 8;
inline constexpr uint64_t kMostTrimRanges = 16;

struct Command {
  Kind kind = Kind::kFlush;
  /// Of a remap source and target; all else has targets only.
  std::vector<openremap_remap_range> ranges;
  /// What it makes of the pages once it is done.
  std::vector<Change> changes;
};

/// How often each kind of command comes, in no unit.
struct Storm {
  const char *name;
  std::array<unsigned, kKinds> weights;
};
extern const std::array<Storm, 3> kStorms;

/// Draws commands to pages that no other command has, and claims them.
class Generator {
 public:
  Generator(Oracle *oracle, uint64_t seed) : oracle_(*oracle), random_(seed) {}

  /// Without `remaps` none of those. Nothing if it met too many claimed pages.
  std::optional<Command> next(const Storm &storm, bool remaps);
  /// A write to the page alone, of a content or of a new one; nothing if the page is claimed.
  std::optional<Command> write(uint64_t lpn);
  /// A write in the place of a remap of the page, which is claimed.
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
