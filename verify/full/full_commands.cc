// SPDX-License-Identifier: Apache-2.0
#include "full/full_commands.h"

#include <numeric>

namespace orm::full {
namespace {

constexpr uint64_t kTries = 16;         // attempts to find a page that no command has claimed
constexpr uint64_t kMostRunPages = 64;  // of a remapped range
constexpr uint64_t kMostTrimPages = 16;
constexpr uint64_t kMostVector = 64;
constexpr uint64_t kHotPages = 4;  // preferred by single remaps and fans, so that their slots reach the sharer limit

constexpr size_t index(Kind kind) { return size_t(kind); }

}  // namespace

// Weights of the storms: writes to a fully mapped device; remaps, which let chains grow; trims, which make holes.
const std::array<Storm, 3> kStorms = {{
    //             read write fua flush remap run move vector copy deallocate zeroes
    {"overwrites", {15, 80, 3, 1, 0, 0, 0, 0, 0, 0, 0}},
    {"remaps", {10, 45, 2, 1, 14, 8, 3, 6, 6, 0, 0}},
    {"trims", {12, 52, 2, 1, 8, 4, 2, 3, 4, 8, 4}},
}};

const char *name_of(Kind kind) {
  static constexpr std::array<const char *, kKinds> kNames = {
      "read",       "write",        "write FUA", "flush",      "remap, 1 page", "remap, run",
      "remap move", "remap vector", "copy",      "deallocate", "write zeroes"};
  return kNames[index(kind)];
}

bool is_remap(Kind kind) {
  return kind == Kind::kRemap || kind == Kind::kRun || kind == Kind::kMove || kind == Kind::kVector ||
         kind == Kind::kCopy;
}

void release(Oracle *oracle, const Command &command) {
  for (const openremap_remap_range &range : command.ranges) {
    if (is_remap(command.kind)) oracle->release(range.src, range.pages);
    oracle->release(range.dst, range.pages);
  }
}

Kind Generator::kind(const Storm &storm, bool remaps) {
  const auto weight = [&](size_t i) { return is_remap(Kind(i)) && !remaps ? 0 : storm.weights[i]; };
  unsigned all = 0;
  for (size_t i = 0; i < kKinds; ++i) all += weight(i);
  uint64_t left = random_.below(all);
  size_t i = 0;
  for (; left >= weight(i); ++i) left -= weight(i);
  return Kind(i);
}

// Most ranges are one page.
uint64_t Generator::length(uint64_t most) { return random_.below(3) != 0 ? 1 : 1 + random_.below(most); }

std::optional<uint64_t> Generator::claim(uint64_t pages, bool mapped) {
  for (uint64_t n = 0; n < kTries; ++n) {
    const uint64_t lpn = random_.below(oracle_.pages() - pages + 1);
    bool good = true;
    for (uint64_t i = 0; mapped && good && i < pages; ++i) good = oracle_.page(lpn + i).slot != 0;
    if (good && oracle_.claim(lpn, pages)) return lpn;
  }
  return std::nullopt;
}

bool Generator::add_target(Command *command, uint64_t pages) {
  const auto dst = claim(pages, false);
  if (dst) command->ranges.push_back({0, *dst, pages});
  return dst.has_value();
}

bool Generator::add_range(Command *command, uint64_t pages, bool holes) {
  const auto src = claim(pages, !holes);
  if (!src) return false;
  const auto dst = claim(pages, false);
  if (dst) {
    command->ranges.push_back({*src, *dst, pages});
  } else {
    oracle_.release(*src, pages);
  }
  return dst.has_value();
}

// Remaps one hot page to many. The command claims all of them, the source only once.
bool Generator::add_fan(Command *command, uint64_t targets) {
  const uint64_t src = random_.below(kHotPages) * (oracle_.pages() / kHotPages);
  if (oracle_.page(src).slot == 0 || !oracle_.claim(src, 1)) return false;
  for (uint64_t n = 0; n < targets; ++n) {
    const auto dst = claim(1, false);
    if (!dst) break;
    command->ranges.push_back({src, *dst, 1});
  }
  if (command->ranges.empty()) oracle_.release(src, 1);
  return !command->ranges.empty();
}

bool Generator::draw(Command *command) {
  switch (command->kind) {
    case Kind::kFlush:
      return true;
    case Kind::kRead:
    case Kind::kWrite:
    case Kind::kWriteFua:
      return add_target(command, length(kMostWritePages));
    case Kind::kWriteZeroes:
      return add_target(command, length(kMostTrimPages));
    case Kind::kDeallocate:
      for (uint64_t n = 1 + random_.below(kMostTrimRanges); n > 0 && add_target(command, length(kMostTrimPages));) --n;
      return !command->ranges.empty();
    case Kind::kRemap:
      return random_.coin() ? add_fan(command, 1) : add_range(command, 1, false);
    case Kind::kRun:
    case Kind::kMove:
      return add_range(command, 2 + random_.below(kMostRunPages - 1), false);
    case Kind::kCopy:
      return add_range(command, length(kMostRunPages), true);
    case Kind::kVector:
      if (random_.below(4) == 0) return add_fan(command, 2 + random_.below(kMostVector / 2));
      for (uint64_t n = 2 + random_.below(kMostVector - 1); n > 0 && add_range(command, 1, false);) --n;
      return !command->ranges.empty();
  }
  return false;
}

void Generator::settle(Command *command) {
  for (const openremap_remap_range &range : command->ranges) {
    for (uint64_t i = 0; i < range.pages; ++i) {
      switch (command->kind) {
        case Kind::kRead:
        case Kind::kFlush:
          break;
        case Kind::kWrite:
        case Kind::kWriteFua:
          command->changes.push_back({range.dst + i, oracle_.written()});
          break;
        case Kind::kDeallocate:
        case Kind::kWriteZeroes:
          command->changes.push_back({range.dst + i, {}});
          break;
        case Kind::kMove:
          command->changes.push_back({range.src + i, {}});
          [[fallthrough]];
        case Kind::kRemap:
        case Kind::kRun:
        case Kind::kVector:
        case Kind::kCopy:
          command->changes.push_back({range.dst + i, oracle_.page(range.src + i)});
          break;
      }
    }
  }
}

std::optional<Command> Generator::next(const Storm &storm, bool remaps) {
  Command command;
  command.kind = kind(storm, remaps);
  if (!draw(&command)) return std::nullopt;
  settle(&command);
  return command;
}

std::optional<Command> Generator::write(uint64_t lpn) {
  if (!oracle_.claim(lpn, 1)) return std::nullopt;
  Command command{Kind::kWrite, {{0, lpn, 1}}, {}};
  settle(&command);
  return command;
}

Command Generator::instead(uint64_t lpn, uint64_t content) const {
  return {Kind::kWrite, {{0, lpn, 1}}, {{lpn, oracle_.written(content)}}};
}

}  // namespace orm::full
