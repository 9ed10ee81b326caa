// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_rounds.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_shrink.h"
#include "output.h"

namespace orm::lockstep {
namespace {

using Ull = unsigned long long;

// This number of rounds may diverge in races, whatever their share.
constexpr uint64_t kFewRounds = 4;

PairOptions pair_options(const RoundsOptions &o, const Stream &stream) {
  PairOptions pair;
  pair.device = stream.device;
  pair.first = o.first.c_str();
  pair.second = o.second.c_str();
  return pair;
}

/// Commands after the one that showed the difference are irrelevant.
Stream until_difference(Stream stream, const Verdict &verdict) {
  stream.commands.resize(std::min(stream.commands.size(), verdict.at));
  return stream;
}

void shorten(const RoundsOptions &o, const Stream &stream) {
  ShrinkOptions options;
  options.most_runs = o.shrink_runs;
  options.fails = [&](const std::vector<Command> &commands) {
    return !compare(commands, pair_options(o, stream)).equal();
  };
  // If the program is interrupted, the file has the shortest stream so far.
  size_t written = stream.commands.size();
  write_stream(o.reproducer, stream);
  options.progress = [&](uint64_t runs, const std::vector<Command> &best) {
    if (best.size() < written) write_stream(o.reproducer, {stream.device, best});
    written = best.size();
    std::printf("  run %llu: %zu commands\n", Ull(runs), best.size());
    output::flush();
  };
  std::printf("shrinking %zu commands, %llu runs at most\n", stream.commands.size(), Ull(o.shrink_runs));
  const Shrunk shrunk = shrink(stream.commands, options);
  write_stream(o.reproducer, {stream.device, shrunk.commands});
  std::printf("%zu commands%s, in %s; again with: lockstep --replay %s\n", shrunk.commands.size(),
              shrunk.minimal ? ", none of which can be left out" : "", o.reproducer.c_str(), o.reproducer.c_str());
  if (shrunk.commands.size() > 40) return;
  for (const Command &c : shrunk.commands) std::printf("    %s\n", to_line(c).c_str());
}

/// A round, or a replay.
struct Round {
  Stream stream;
  bool storms = false;
  uint64_t before = 0;  // commands of earlier rounds
};

uint64_t count_commands(const std::vector<Command> &commands, size_t steps) {
  uint64_t n = 0;
  for (size_t i = 0; i < std::min(steps, commands.size()); ++i) n += commands[i].commands();
  return n;
}

Verdict run(const RoundsOptions &o, const Round &round) {
  const Stream &stream = round.stream;
  std::printf("lockstep: seed %llu, %zu commands, %u superblocks%s%s%s%s%s%s\n", Ull(stream.device.seed),
              stream.commands.size(), stream.device.superblocks, round.storms ? ", with storms" : "",
              stream.device.gathers() ? ", pages of several slots" : "", stream.device.no_rest ? ", without rest" : "",
              stream.device.stalls ? ", on buses that stall" : "", stream.device.faults.empty() ? "" : ", with ",
              stream.device.faults.c_str());
  output::flush();
  PairOptions pair = pair_options(o, stream);
  if (o.verbose) {
    pair.progress = [](size_t index, const Command &c, uint64_t cycles) {
      std::printf("%zu: %s (%llu cycles)\n", index, to_line(c).c_str(), Ull(cycles));
    };
  }
  const Verdict v = compare(stream.commands, pair);
  std::printf(
      "  %llu pages written, %llu remapped, %llu moved by GC, %llu chains compacted, %llu destaged, the longest chain "
      "of %llu segments, of %llu collected; %llu cycles, %.1f s\n",
      Ull(v.host_written), Ull(v.remapped), Ull(v.gc_moved), Ull(v.compactions), Ull(v.destaged), Ull(v.longest),
      Ull(v.collected), Ull(v.evaluated_cycles), v.cpu_seconds);
  if (o.costs) {
    for (const auto &[kind, cost] : v.costs) {
      std::printf("  %8llu %-12s %10llu cycles, %llu each\n", Ull(cost.commands), word(kind), Ull(cost.cycles),
                  Ull(cost.cycles / cost.commands));
    }
  }
  for (const Apart &a : v.apart) {
    std::printf("  %s: %s %llu, %s %llu: %s\n", a.name.c_str(), o.first.c_str(), Ull(a.first), o.second.c_str(),
                Ull(a.second), a.why.c_str());
  }
  if (v.equal()) {
    std::puts(v.over            ? "  equal until only one had room for a remap, as the collections differ"
              : v.parted        ? "  equal; the collections parted in a race"
              : v.apart.empty() ? "  equal"
                                : "  equal but for these counters");
    return v;
  }
  std::printf("NOT equal after step %zu: %s\n", v.at, v.difference.c_str());
  std::printf("different after %llu commands\n", Ull(round.before + count_commands(stream.commands, v.at)));
  output::flush();
  if (o.shrink_runs != 0) shorten(o, until_difference(stream, v));
  return v;
}

/// Totals of the comparison. The devices rest and are compared after each step; the commands of a burst are one step.
struct Size {
  uint64_t steps = 0, commands = 0, in_bursts = 0;
  uint64_t rounds = 0, storms = 0;            // random rounds; those with storms
  uint64_t moved = 0, remapped = 0;           // pages moved by GC, pages remapped
  uint64_t by_hardware = 0, handed_over = 0;  // remaps of the first device: carried out, given to its firmware
  uint64_t destaged = 0;                      // chains
  uint64_t collected = 0;                     // segments of the longest chain whose superblock was erased
  uint64_t failed = 0, retries = 0;           // slots whose program failed; reads with a retry
  Tally tally;

  /// Counts the first `count` steps of the stream: those that ran.
  void add(const Stream &stream, size_t count) {
    steps += count;
    for (size_t i = 0; i < count; ++i) {
      commands += stream.commands[i].commands();
      in_bursts += stream.commands[i].parts.size();
    }
  }
  void add(const Verdict &v) {
    moved += v.gc_moved;
    remapped += v.remapped;
    by_hardware += v.by_hardware;
    handed_over += v.handed_over;
    destaged += v.destaged;
    collected = std::max(collected, v.collected);
    failed += v.program_fails;
    retries += v.read_retries;
    tally += v.tally;
  }
};

void print(const Size &size) {
  const auto share = [](const char *what, const Tally::Share &s) {
    std::printf("%s %llu of %llu (%.0f %%)", what, Ull(s.done), Ull(s.tried),
                s.tried == 0 ? 0.0 : 100.0 * double(s.done) / double(s.tried));
  };
  std::printf("%llu pages remapped, GC moved %llu; succeeded:", Ull(size.remapped), Ull(size.moved));
  share(" REMAP", size.tally.remaps);
  share(", VECTOR", size.tally.vectors);
  share(", Copy of data", size.tally.copies);
  share("; reads that found data", size.tally.reads);
  if (size.tally.pages.tried != 0) share("; pages mapped, of all at all steps,", size.tally.pages);
  std::printf("; remaps by hardware %llu, handed over %llu", Ull(size.by_hardware), Ull(size.handed_over));
  if (size.failed + size.retries != 0)
    std::printf("; programs of %llu slots failed, %llu reads took a retry", Ull(size.failed), Ull(size.retries));
  std::puts("");
}

/// For the test that adds up all runs.
void write_summary(const std::string &path, const Size &size) {
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error(path + ": cannot be written");
  std::fprintf(file, "{\"commands\": %llu, \"rounds\": %llu, \"storms\": %llu}\n", Ull(size.commands), Ull(size.rounds),
               Ull(size.storms));
  if (std::fclose(file) != 0) throw std::runtime_error(path + ": cannot be written");
}

/// A run fails, too, if it has too few of the events that make the comparison worthwhile.
bool enough(const RoundsOptions &o, const Size &size) {
  print(size);
  bool all = true;
  const auto least = [&](const char *what, uint64_t found, uint64_t asked) {
    if (found >= asked) return;
    std::printf("NOT equal: %s: %llu; expected at least %llu for a meaningful comparison\n", what, Ull(found),
                Ull(asked));
    all = false;
  };
  least("commands", size.commands, o.least_commands);
  least("rounds with storms", size.storms, o.least_storms);
  least("pages that GC moved", size.moved, o.least_moved);
  least("pages remapped", size.remapped, o.least_remapped);
  least("vectors that succeeded", size.tally.vectors.done, o.least_vectors);
  least("remaps that the hardware carried out", size.by_hardware, o.least_by_hardware);
  least("chains destaged", size.destaged, o.least_destaged);
  least("segments of a chain whose superblock was erased", size.collected, o.least_collected);
  least("slots whose program failed", size.failed, o.least_failed);
  least("reads that took a retry", size.retries, o.least_retries);
  if (all && !o.summary.empty()) write_summary(o.summary, size);
  return all;
}

/// The round with this number.
Round draw(const RoundsOptions &o, uint64_t number, uint64_t commands, uint64_t pages) {
  Round round{{o.device, {}}, o.storms != 0 && number % o.storms == 0};
  Stream &stream = round.stream;
  stream.device.seed = o.device.seed + number;
  Generator generator(stream.device.seed, pages, {o.mix, o.device.gathers(), true, round.storms, true});
  for (uint64_t drawn = 0; drawn < commands; drawn += stream.commands.back().commands()) {
    stream.commands.push_back(generator.next());
  }
  // From the last place to the first, so that those before stay what they are.
  Command power_cycle;
  power_cycle.kind = Kind::kPowerCycle;
  const size_t drawn = stream.commands.size();
  for (uint64_t n = o.power_cycles; n > 0; --n) {
    stream.commands.insert(stream.commands.begin() + ptrdiff_t(drawn * n / (o.power_cycles + 1)), power_cycle);
  }
  return round;
}

}  // namespace

void clear_summary(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "a");
  if (file == nullptr) throw StreamError(path + ": " + std::strerror(errno));
  (void)std::fclose(file);
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown)) (void)std::remove(path.c_str());
}

int random_rounds(const RoundsOptions &o) {
  if (o.record.empty()) check_options(pair_options(o, {o.device, {}}));
  const uint64_t pages = namespace_pages(o.device, o.second.c_str());
  if (!o.record.empty()) {
    const Stream stream = draw(o, o.first_round, o.commands, pages).stream;
    write_stream(o.record, stream);
    Size size;
    size.add(stream, stream.commands.size());
    std::printf("%llu commands in %s\n", Ull(size.commands), o.record.c_str());
    return 0;
  }
  uint64_t parted = 0;
  Size done;
  while (done.commands < o.commands) {
    Round round = draw(o, o.first_round + done.rounds, std::min(o.round, o.commands - done.commands), pages);
    round.before = done.commands;
    const Verdict v = run(o, round);
    if (!v.equal()) return 1;
    parted += v.parted;
    ++done.rounds;
    done.storms += round.storms;
    done.add(round.stream, v.at);
    done.add(v);
  }
  const uint64_t first = o.device.seed + o.first_round;
  std::printf(
      "equal: %llu steps with %llu commands (%llu of them in bursts), seeds %llu to %llu; %llu of %llu rounds had "
      "storms, %llu parted in a race\n",
      Ull(done.steps), Ull(done.commands), Ull(done.in_bursts), Ull(first), Ull(first + done.rounds - 1),
      Ull(done.storms), Ull(done.rounds), Ull(parted));
  if (!enough(o, done)) return 1;
  if (parted < kFewRounds || parted <= done.rounds / 2) return 0;
  std::puts("NOT equal: the garbage collections were hardly compared, because too many commands raced with them");
  return 1;
}

int replay(const RoundsOptions &o) {
  const Round round{read_stream(o.replay)};
  const Verdict v = run(o, round);
  if (!v.equal()) return 1;
  Size done;
  done.add(round.stream, v.at);
  done.add(v);
  if (!enough(o, done)) return 1;
  if (!v.parted || o.may_part) return 0;
  std::puts("NOT equal: garbage collection diverged in a race, so it was hardly compared (--may-part accepts that)");
  return 1;
}

}  // namespace orm::lockstep
