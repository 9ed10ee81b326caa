// SPDX-License-Identifier: Apache-2.0
//
// lockstep - sends the same commands, random or from a file, to two devices (by default the Verilated controller and
// the fast model) and compares every status, every byte read, the mapping and the counters. A stream with a difference
// is shrunk to a short one.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "command_line.h"
#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_shrink.h"
#include "lockstep/lockstep_ssd.h"
#include "lockstep/lockstep_stream.h"
#include "output.h"
#include "test_seed.h"

namespace orm::lockstep {
namespace {

struct Options {
  DeviceOptions device;
  std::string first = "rtl";
  std::string second = "model";
  uint64_t commands = 1000;
  uint64_t round = 2000;
  uint64_t first_round = 0;
  uint64_t storms = 3;
  uint64_t power_cycles = 0;
  Mix mix = Mix::kUsual;
  std::string record;
  std::string replay;
  std::string reproducer = "lockstep-reproducer.txt";
  uint64_t shrink_runs = 200;
  std::string summary;
  uint64_t least_commands = 0;
  uint64_t least_storms = 0;
  uint64_t least_moved = 0;
  uint64_t least_remapped = 0;
  uint64_t least_vectors = 0;
  uint64_t least_by_hardware = 0;
  uint64_t least_destaged = 0;
  uint64_t least_failed = 0;
  uint64_t least_retries = 0;
  bool may_part = false;
  bool verbose = false;
  bool costs = false;
};

using Ull = unsigned long long;

// This number of rounds may diverge in races, whatever their share.
constexpr uint64_t kFewRounds = 4;

PairOptions pair_options(const Options &o, const Stream &stream) {
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

void shorten(const Options &o, const Stream &stream) {
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

Verdict run(const Options &o, const Round &round) {
  const Stream &stream = round.stream;
  std::printf("lockstep: seed %llu, %zu commands, %u superblocks%s%s%s%s%s%s\n", Ull(stream.device.seed),
              stream.commands.size(), stream.device.superblocks, round.storms ? ", with storms" : "",
              stream.device.wide ? ", pages of four slots" : "", stream.device.no_rest ? ", without rest" : "",
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
      "  %llu pages written, %llu remapped, %llu moved by GC, %llu chains compacted, %llu destaged; %llu "
      "cycles, %.1f s\n",
      Ull(v.host_written), Ull(v.remapped), Ull(v.gc_moved), Ull(v.compactions), Ull(v.destaged),
      Ull(v.evaluated_cycles), v.cpu_seconds);
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

/// Before the run, which may take hours: whether the summary can be written. That of an earlier run is removed; what is
/// no regular file, for example a device, stays.
void clear_summary(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "a");
  if (file == nullptr) throw StreamError(path + ": " + std::strerror(errno));
  (void)std::fclose(file);
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown)) (void)std::remove(path.c_str());
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
bool enough(const Options &o, const Size &size) {
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
  least("slots whose program failed", size.failed, o.least_failed);
  least("reads that took a retry", size.retries, o.least_retries);
  if (all && !o.summary.empty()) write_summary(o.summary, size);
  return all;
}

/// The round with this number.
Round draw(const Options &o, uint64_t number, uint64_t commands, uint64_t pages) {
  Round round{{o.device, {}}, o.storms != 0 && number % o.storms == 0};
  Stream &stream = round.stream;
  stream.device.seed = o.device.seed + number;
  Generator generator(stream.device.seed, pages, {o.mix, o.device.wide, true, round.storms, true});
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

/// Runs rounds on new devices, each with the next seed, so that a difference is close to the start of its round.
int random_rounds(const Options &o) {
  // The soc has the rtl's size, and starts more slowly.
  const uint64_t pages = namespace_pages(o.device, o.second == "soc" ? "rtl" : o.second.c_str());
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

int replay(const Options &o) {
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

int start(const Options &o) {
  try {
    if (!o.summary.empty()) clear_summary(o.summary);
    const int code = o.replay.empty() ? random_rounds(o) : replay(o);
    output::flush();
    return code;
  } catch (const StreamError &e) {
    std::fprintf(stderr, "lockstep: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const NoDevice &e) {
    std::fprintf(stderr, "lockstep: %s\n", e.what());
    return e.bad_option ? command_line::kWrongUse : 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "lockstep: %s\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace orm::lockstep

int main(int argc, char **argv) {
  using orm::lockstep::kLeastSuperblocks;
  using orm::lockstep::kMostSuperblocks;
  orm::lockstep::Options o;
  o.device.seed = openremap::DefaultSeed();
  CLI::App app(
      "Runs the same commands on two devices, by default the Verilated controller and the fast model, and compares "
      "every status, every byte read, the mapping (which pages share flash) and the counters. Shrinks a difference to "
      "a short command stream. Exit "
      "code: 0 equal, 1 different, 2 a usage error.",
      "lockstep");
  orm::command_line::add_seed(&app, &o.device.seed);
  CLI::Option *seed = app.get_option("--seed");
  const auto kinds = CLI::IsMember({"rtl", "model", "soc"});
  app.add_option("--first", o.first, "the device whose answers are taken for right: rtl, model or soc")
      ->check(kinds)
      ->capture_default_str();
  app.add_option("--second", o.second, "the device that is compared with it")->check(kinds)->capture_default_str();
  CLI::Option *commands =
      app.add_option("--commands", o.commands, "minimum number of commands; each command of a burst counts")
          ->check(CLI::Range(1, 100'000'000))
          ->capture_default_str();
  CLI::Option *round =
      app.add_option("--round", o.round, "number of commands after which new devices begin, with the next seed")
          ->check(CLI::Range(1, 1'000'000))
          ->capture_default_str();
  CLI::Option *first = app.add_option("--first-round", o.first_round, "number of rounds to skip, with their seeds")
                           ->check(CLI::Range(0, 1'000'000))
                           ->capture_default_str();
  CLI::Option *storms =
      app.add_option("--storms", o.storms,
                     "rounds whose number is a multiple of this have storms, that is, remaps of the same pages to ever "
                     "other places; 0: none")
          ->check(CLI::Range(0, 1'000'000))
          ->capture_default_str();
  CLI::Option *power_cycles =
      app.add_option("--power-cycles", o.power_cycles,
                     "power cycles to put into each round, at equal distances, besides those that are drawn")
          ->check(CLI::Range(0, 1'000))
          ->capture_default_str();
  std::string mix_name = "usual";
  CLI::Option *mix =
      app.add_option("--mix", mix_name,
                     "mix of commands; quick transfers few pages, so that each command takes the RTL less time")
          ->check(CLI::IsMember({"usual", "quick"}))
          ->capture_default_str();
  CLI::Option *superblocks =
      app.add_option("--superblocks", o.device.superblocks,
                     "flash size in superblocks; a smaller device starts garbage collection sooner")
          ->check(CLI::Range(kLeastSuperblocks, kMostSuperblocks))
          ->capture_default_str();
  CLI::Option *no_rest = app.add_flag("--no-rest", o.device.no_rest,
                                      "do not wait for background work between commands: garbage collection then "
                                      "depends on the device's speed, and its "
                                      "counters are not compared");
  CLI::Option *stalls =
      app.add_flag("--stalls", o.device.stalls,
                   "stall the buses of the RTL's memories and flash and delay their responses, depending on the seed");
  CLI::Option *firmware_remaps =
      app.add_flag("--firmware-remaps", o.device.firmware_remaps,
                   "have the second device, a model, carry out all remaps in its firmware, so that both ways are "
                   "compared");
  CLI::Option *segments = app.add_option("--segments", o.device.segments,
                                         "number of remap-table segments in use; with few, chains are written to flash")
                              ->check(CLI::Range(1u, UINT32_MAX));
  CLI::Option *faults = app.add_option("--faults", o.device.faults,
                                       "flash faults to inject, for example program-fail=0.002 "
                                       "(docs/design/simulation.md); each device draws its own, and the host must not "
                                       "notice them");
  CLI::Option *firmware = orm::command_line::add_firmware(&app, &o.device.firmware);
  firmware->description("of the second device: " + firmware->get_description());
  CLI::Option *wide = app.add_flag("--wide", o.device.wide, "use the variant with flash pages of four slots (16 KiB)");
  CLI::Option *record =
      app.add_option("--record", o.record, "write the commands to this file instead of running them (one round)")
          ->check(orm::output::unwritable);
  CLI::Option *replay = app.add_option("--replay", o.replay, "run the commands of this file");
  for (CLI::Option *drawn : {seed, commands, round, first, storms, power_cycles, mix, superblocks, segments, no_rest,
                             stalls, faults, firmware, firmware_remaps, wide, record})
    replay->excludes(drawn);
  app.add_flag("--may-part", o.may_part,
               "accept a replay whose garbage collection reached another state because of a race")
      ->needs(replay);
  app.add_option("--reproducer", o.reproducer, "file for the shortened command stream that shows a difference")
      ->capture_default_str();
  app.add_option("--shrink-runs", o.shrink_runs,
                 "maximum number of runs of both devices for shrinking the stream; 0: do not shrink")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  app.add_option("--summary", o.summary, "write the number of commands, rounds and rounds with storms to this file");
  app.add_option("--least-commands", o.least_commands, "fail unless at least this number of commands ran")
      ->capture_default_str();
  app.add_option("--least-storms", o.least_storms, "fail unless at least this number of rounds had storms")
      ->capture_default_str();
  app.add_option("--least-moved", o.least_moved, "fail unless GC moved at least this number of pages")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_option("--least-remapped", o.least_remapped,
                 "fail unless remaps and copies mapped at least this number of pages")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_option("--least-vectors", o.least_vectors,
                 "fail unless at least this number of REMAP VECTOR commands succeeded")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_option("--least-by-hardware", o.least_by_hardware,
                 "fail unless the hardware of the first device carried out at least this number of remaps")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_option("--least-destaged", o.least_destaged, "fail unless at least this number of chains were destaged")
      ->capture_default_str();
  app.add_option("--least-failed", o.least_failed, "fail unless the program of at least this number of slots failed")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_option("--least-retries", o.least_retries,
                 "fail unless at least this number of reads were repeated at another read-retry level")
      ->check(orm::command_line::whole_number)
      ->capture_default_str();
  app.add_flag("--costs", o.costs, "print the RTL's clock cycles for each kind of command");
  app.add_flag("--verbose", o.verbose, "print each command and its RTL clock cycles");
  app.callback([&] {
    if (o.record.empty() && o.shrink_runs != 0) orm::command_line::check_output("--reproducer", o.reproducer);
  });
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  o.mix = mix_name == "quick" ? orm::lockstep::Mix::kQuick : orm::lockstep::Mix::kUsual;
  return orm::lockstep::start(o);
}
