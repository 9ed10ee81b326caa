// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_GENERATOR_H
#define OPENREMAP_LOCKSTEP_GENERATOR_H

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/lockstep_claims.h"
#include "lockstep/lockstep_commands.h"
#include "lockstep/lockstep_mapping.h"
#include "seeded_random.h"

namespace orm::lockstep {

/// How often each kind of command is drawn. Pages that move cost the RTL most of its time. kQuick moves few pages, so a
/// run executes several times as many commands in the same time. Most of these are parts of bursts, which run in
/// parallel, are of many kinds, and share sources in some bursts.
enum class Mix : uint8_t { kUsual, kQuick };

struct GeneratorOptions {
  Mix mix = Mix::kUsual;
  /// For devices with pages of several slots. Some commands make the device program a page that is not full. In a
  /// burst the order of commands would decide how full that page is, and the RTL and the model may choose different
  /// orders. So a burst consists of writes alone, or has no writes.
  bool wide = false;
  /// Begins with writes to most of the namespace.
  bool fill = true;
  /// Remaps the same pages again and again to other places: chains of the remap table grow, go stale and are compacted.
  bool storms = false;
  /// Remaps that come again or come back, so that a chain names an LPN twice for one slot; slots with one sharer less
  /// than the limit, the limit, and one more; copies of pages without data over pages that have some; ranges that end
  /// with the namespace, or one page behind.
  bool corners = false;
};

/// Draws commands from a seed, for a namespace of `pages` pages. Most commands are valid; some must be refused. Most of
/// the namespace stays mapped, and the writes keep garbage collection busy.
class Generator {
 public:
  Generator(uint64_t seed, uint64_t pages, const GeneratorOptions &options = {});
  Command next();

  /// The mapping after all commands so far.
  const Mapping &mapping() const { return mapping_; }

 private:
  Command draw();
  void arrange(Command *c);
  Kind kind();
  Kind part_kind();
  Command fill();
  Command storm();
  std::optional<Command> corner();
  std::optional<Command> again();
  std::optional<Command> crowd();
  std::optional<Command> hole();
  Command edge();
  int handle();
  uint64_t count();
  uint64_t lpn(uint64_t count);
  uint64_t source(uint64_t count);
  uint64_t target(uint64_t src, uint64_t count);
  std::vector<openremap_remap_range> remap_ranges(size_t n);
  std::vector<openremap_remap_range> trim_ranges(size_t n);

  // Sources of a burst's parts, and the pages that they share.
  struct Sources {
    std::optional<uint64_t> common;  // first of kPartPages pages that no part changes
    bool mapped = true;              // whether they have data
  };
  Command burst();
  bool place(Command *part, const Sources &from, Claims *claims);
  bool part_ranges(Command *part, const Sources &from, Claims *claims);
  std::optional<uint64_t> changed(uint64_t pages, Claims *claims);
  std::optional<uint64_t> taken(const Command &part, uint64_t pages, const Sources &from, Claims *claims);

  SeededRandom random_;
  GeneratorOptions o_;
  Mapping mapping_;
  bool storms_;
  bool stormed_ = false;
  std::optional<Command> remapped_;  // the last REMAP or Copy by itself that was carried out
  std::optional<uint64_t> crowded_;  // LPN of a slot at the sharer limit, or next to it
  uint64_t filled_ = 0;              // LPNs filled so far
  uint64_t value_ = 0;
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_GENERATOR_H
