// SPDX-License-Identifier: Apache-2.0
//
// crash - the crash explorer (docs/developing/crash.md). Cuts the power at events of flash and NVRAM, while commands
// run and while the device starts. After the recovery it checks each page against an oracle, and the device's tables
// against its media. The last line is: N cuts, N violations.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.h"
#include "crash/crash_run.h"
#include "crash/explorer.h"
#include "lockstep/lockstep_ssd.h"
#include "lockstep/lockstep_stream.h"
#include "output.h"
#include "test_seed.h"

namespace orm::crash {
namespace {

using lockstep::Stream;
using Ull = unsigned long long;

struct Options : ExplorerOptions {
  std::vector<std::string> scripts;
  std::string at;
  bool exhaustive = false;
};

int start(const Options &o) {
  Explorer explorer(o);
  bool as_asked = true;  // every cut that the options name was made
  try {
    if (o.scripts.empty() && o.orders == 0) {
      std::printf("crash: seed %llu, %s\n", Ull(o.device.seed), o.kind.c_str());
      explorer.explore();
    }
    for (const std::string &path : o.scripts) {
      Stream stream = lockstep::read_stream(path);
      if (!o.device.cache.empty()) stream.device.cache = o.device.cache;
      if (!o.device.firmware.empty()) stream.device.firmware = o.device.firmware;
      const std::string name = std::filesystem::path(path).filename().string();
      if (o.exhaustive) {
        explorer.exhaust(stream, name);
      } else {
        const Sessions sessions = o.at.empty() ? Sessions{} : parse_sessions(o.at);
        const RunResult result = explorer.once(stream, {sessions, o.stores}, name);
        size_t asked = 0;
        for (const Cuts &cuts : sessions) asked += cuts.size();
        if (result.wrong.empty() && result.cuts < asked) {
          std::fprintf(stderr, "crash: --at: %s: %zu of %zu cuts occurred; there are %llu events before the first\n",
                       name.c_str(), size_t(result.cuts), asked, Ull(result.events));
          as_asked = false;
        }
      }
    }
    if (o.orders > 0) explorer.orders();
    if ((o.exhaustive || o.orders > 0) && explorer.cut_nothing()) {
      std::fprintf(stderr, "crash: --every: no cut was made, as there are fewer than %llu events\n", Ull(o.every));
      as_asked = false;
    }
    const int code = explorer.end();
    output::flush();
    return code == 0 && !as_asked ? command_line::kWrongUse : code;
  } catch (const std::invalid_argument &e) {
    std::fprintf(stderr, "crash: --at: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const lockstep::StreamError &e) {
    std::fprintf(stderr, "crash: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const lockstep::NoDevice &e) {
    std::fprintf(stderr, "crash: %s\n", e.what());
    return explorer.ran() ? 1 : command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "crash: %s\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace orm::crash

int main(int argc, char **argv) {
  using orm::lockstep::kLeastSuperblocks;
  using orm::lockstep::kMostSuperblocks;
  orm::crash::Options o;
  o.device.seed = openremap::DefaultSeed();
  CLI::App app(
      "Cuts the power of a device at flash and NVRAM events, lets it recover, and checks each page against the "
      "contents "
      "that it may have, and the device's tables against its media. Runs random commands, or scripts in the format of "
      "lockstep --record. Exit code: 0 no violations, 1 violations, 2 a usage error.",
      "crash");
  orm::command_line::add_seed(&app, &o.device.seed);
  orm::command_line::add_device(&app, &o.kind);
  CLI::Option *script = app.add_option("--script", o.scripts, "files with commands to run instead of random ones")
                            ->check(CLI::ExistingFile);
  CLI::Option *exhaustive =
      app.add_flag("--exhaustive", o.exhaustive, "cut at every event of the scripts")->needs(script);
  CLI::Option *orders =
      app.add_option(
             "--orders", o.orders,
             "cut at every event of every sequence of this number of the eight operations; alone or beside scripts")
          ->check(CLI::Range(1u, 4u))
          ->expected(0, 1)
          ->default_str("3");
  CLI::Option *every = app.add_option("--every", o.every, "with --exhaustive or --orders: cut only at every Nth event")
                           ->check(CLI::Range(1u, 1'000'000u))
                           ->capture_default_str();
  app.add_option(
         "--at", o.at,
         "cut one run of a script at these events: one event count for the commands, then one for each start-up; "
         "after a '/' those of the next session, for example 720,112/300")
      ->needs(script)
      ->excludes(exhaustive);
  app.add_option("--cuts", o.cuts, "random commands: total number of power cuts")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--commands", o.commands, "random commands: number of commands in a run")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option(
         "--sessions", o.sessions,
         "random commands: number of power cuts in one run; commands follow each of them. With more than 1, some "
         "start-ups are cut too, and --start-cuts has no effect")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  app.add_option("--cuts-a-run", o.cuts_a_run,
                 "random commands: number of events of a run at which power is cut, each time from the same beginning")
      ->check(CLI::Range(1u, 1'000'000u))
      ->default_str("1; soc: " + std::to_string(orm::crash::kCutsOfSoc));
  CLI::Option *start_cuts =
      app.add_option("--start-cuts", o.start_cuts, "for each cut, number of runs that also cut the start-up after it")
          ->check(CLI::Range(0u, 10'000u))
          ->capture_default_str();
  app.add_option("--superblocks", o.device.superblocks, "random commands: flash size in superblocks")
      ->check(CLI::Range(kLeastSuperblocks, kMostSuperblocks))
      ->capture_default_str();
  app.add_option("--segments", o.device.segments,
                 "random commands: number of remap-table segments in use; with few, chains are written to flash")
      ->check(CLI::Range(1u, UINT32_MAX));
  app.add_flag(
      "--stores", o.stores,
      "soc: cut at writes of its CPU to DRAM and NVRAM, under way from its cache, instead of at events of flash "
      "and NVRAM; of the cuts of random commands every second one");
  app.add_flag("--no-last-start", o.no_last_start,
               "leave out the flush and the power cycle at the end of each run, with the checks behind them");
  app.add_flag("--shutdowns", o.shutdowns,
               "random commands: shut the device down before each reset and power cycle, and once more in each run");
  CLI::Option *wide =
      app.add_flag("--wide", o.device.wide, "random commands: use the variant with flash pages of four slots (16 KiB)");
  app.add_option("--geometry", o.device.geometry,
                 "random commands: flash geometry of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS], e.g. 4x2x64x64")
      ->excludes(wide);
  app.add_option(
      "--faults", o.device.faults,
      "random commands: flash faults to inject, for example erase-fail=0.01 (docs/design/simulation.md); the host must "
      "not notice them");
  orm::command_line::add_cache(&app, &o.device.cache);
  orm::command_line::add_firmware(&app, &o.device.firmware);
  app.add_option("--trace", o.trace,
                 "waveform file of a single run of a script (rtl; soc in builds with -DOPENREMAP_SOC_TRACE=fst)")
      ->needs(script)
      ->excludes(exhaustive)
      ->excludes(orders);
  app.add_option("--reproducer", o.reproducer, "file for the commands of the first violation")->capture_default_str();
  app.add_option("--violations", o.most_violations, "stop after this number of violations")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  // Scripts and orders bring their device and their commands along.
  for (const char *random : {"--cuts", "--commands", "--cuts-a-run", "--sessions", "--superblocks", "--segments",
                             "--shutdowns", "--wide", "--geometry", "--faults"})
    app.get_option(random)->excludes(script)->excludes(orders);
  app.get_option("--cuts-a-run")->excludes(app.get_option("--sessions"));
  app.get_option("--stores")->excludes(orders);
  app.callback([&] {
    if (o.stores && o.kind != "soc") throw CLI::ValidationError("--stores", "requires --device soc, which has a CPU");
    const bool all_events = exhaustive->count() + orders->count() != 0;
    if (every->count() != 0 && !all_events) throw CLI::RequiresError("--every", "--exhaustive or --orders");
    if (start_cuts->count() != 0 && script->count() != 0 && !all_events)
      throw CLI::RequiresError("--start-cuts with --script", "--exhaustive or --orders");
    orm::command_line::check_output("--reproducer", o.reproducer);
  });
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  return orm::crash::start(o);
}
