// SPDX-License-Identifier: Apache-2.0
//
// lockstep - sends the same commands, random or from a file, to two devices (by default the Verilated controller and
// the fast model) and compares every status, every byte read, the mapping and the counters. A stream with a difference
// is shrunk to a short one.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "command_line.h"
#include "lockstep/lockstep_rounds.h"
#include "lockstep/lockstep_ssd.h"
#include "output.h"
#include "test_seed.h"

namespace orm::lockstep {
namespace {

int start(const RoundsOptions &o) {
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
  orm::lockstep::RoundsOptions o;
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
  CLI::Option *geometry =
      app.add_option("--geometry", o.device.geometry,
                     "flash geometry of both devices, for example that of a board whose controller was Verilated")
          ->excludes(wide);
  CLI::Option *record =
      app.add_option("--record", o.record, "write the commands to this file instead of running them (one round)")
          ->check(orm::output::unwritable);
  CLI::Option *replay = app.add_option("--replay", o.replay, "run the commands of this file");
  for (CLI::Option *drawn : {seed, commands, round, first, storms, power_cycles, mix, superblocks, segments, no_rest,
                             stalls, faults, firmware, firmware_remaps, wide, geometry, record})
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
  app.add_option("--least-collected", o.least_collected,
                 "fail unless a superblock was erased whose chain had at least this number of segments")
      ->check(orm::command_line::whole_number)
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
