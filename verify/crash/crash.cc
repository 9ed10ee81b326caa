// SPDX-License-Identifier: Apache-2.0
//
// crash - the crash explorer (docs/developing/crash.md). Cuts the power at events of flash and NVRAM, while commands
// run and while the device starts. After the recovery it checks each page against an oracle, and the device's tables
// against its media. The last line is: N cuts, N violations.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command_line.h"
#include "crash/branches.h"
#include "crash/crash_run.h"
#include "crash/orders.h"
#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_ssd.h"
#include "output.h"
#include "progress_line.h"
#include "test_seed.h"

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Stream;
using Ull = unsigned long long;
using After = decltype(RunOptions::after);

constexpr uint64_t kStormSeeds = 3;  // one seed in this many has storms
constexpr uint64_t kCutsOfSoc = 20;  // of each run, because a start of the soc takes long

struct Options {
  lockstep::DeviceOptions device;
  std::string kind = "model";
  std::vector<std::string> scripts;
  size_t orders = 0;  // operations in each order; 0: none
  bool exhaustive = false;
  bool shutdowns = false;
  bool stores = false;
  bool no_last_start = false;
  uint64_t every = 1;
  uint64_t cuts = 100;
  uint64_t commands = 60;
  uint64_t start_cuts = 1;
  uint64_t cuts_a_run = 0;  // 0: one, or kCutsOfSoc
  uint64_t sessions = 1;
  std::string at;
  std::string trace;
  std::string reproducer = "crash-reproducer.txt";
  uint64_t most_violations = 10;
};

class Explorer {
 public:
  explicit Explorer(const Options &o) : o_(o), random_(o.device.seed) {}

  /// Cuts at each event of the commands, and for each cut at events of the start-up after it.
  void exhaust(const Stream &stream, const std::string &name) {
    const RunResult whole = uncut(stream, name);
    if (!whole.wrong.empty()) return;
    const orm_remap_log &log = whole.log;
    std::printf(
        "%s: %zu commands on %llu pages, %llu events; %llu pages written, %llu remapped, %llu moved by GC, %llu chains "
        "compacted, %llu destaged, %llu snapshots, %u summaries, %llu slots of metadata, %llu programs failed\n",
        name.c_str(), stream.commands.size(), Ull(whole.pages), Ull(whole.events), Ull(log.host_write_pages),
        Ull(log.remap_pages), Ull(log.gc_moved_pages), Ull(log.chain_compactions), Ull(log.chains_destaged),
        Ull(whole.snapshots), whole.summaries, Ull(log.nand_program_meta), Ull(log.nand_program_fails));
    output::flush();
    const uint64_t cuts = cuts_, violations = violations_;
    const uint64_t events = o_.stores ? whole.stores : whole.events;
    for (uint64_t event = 1 + random_.below(o_.every); event <= events && go_on(); event += o_.every) {
      cut_at(stream, event, o_.stores, name);
      progress_.show(name + ": event", event, events);
    }
    progress_.clear();
    std::printf("  %llu cuts, %llu violations\n", Ull(cuts_ - cuts), Ull(violations_ - violations));
    output::flush();
  }

  /// Cuts at each event of the operations of all orders, and for each cut at events of the start-up after it. The
  /// preparation is not cut.
  void orders() {
    const std::vector<std::vector<Operation>> all = all_orders(o_.orders);
    std::array<uint64_t, kOperations> did{}, among{};
    uint64_t events = 0;
    const uint64_t cuts = cuts_;
    for (size_t n = 0; n < all.size() && go_on(); ++n) {
      Order order = make_order(all[n], o_.device.seed + n);
      order.stream.device.cache = o_.device.cache;
      order.stream.device.firmware = o_.device.firmware;
      Witness witness(order);
      const auto look = [&](size_t command, uint64_t at, openremap_device *dev) { witness.after(command, at, dev); };
      const RunResult whole = uncut(order.stream, order.name, look);
      if (!whole.wrong.empty()) continue;
      const std::vector<uint64_t> done = witness.did();
      for (size_t i = 0; i < done.size(); ++i) {
        ++among[size_t(order.parts[i].operation)];
        did[size_t(order.parts[i].operation)] += done[i] > 0;
      }
      uint64_t skip = random_.below(o_.every);
      for (const auto &[first, last] : witness.events()) {
        uint64_t event = first + skip;
        for (; event <= last && go_on(); event += o_.every) cut_at(order.stream, event, false, order.name);
        skip = event - last - 1;
        events += last + 1 - first;
      }
      progress_.show("orders", n + 1, all.size());
    }
    progress_.clear();
    std::printf("%zu orders of %zu operations: %llu events, %llu cuts; did something:", all.size(), o_.orders,
                Ull(events), Ull(cuts_ - cuts));
    for (size_t i = 0; i < kOperations; ++i) {
      std::printf("%s %s %llu of %llu", i == 0 ? "" : ",", name(Operation(i)), Ull(did[i]), Ull(among[i]));
      idle_ = idle_ || (violations_ == 0 && did[i] == 0);
    }
    std::printf("\n");
    output::flush();
  }

  /// Inserts a shutdown before each reset and power cycle.
  static void in_order(lockstep::Command *c) {
    if (c->kind != lockstep::Kind::kReset && c->kind != lockstep::Kind::kPowerCycle) return;
    c->flag = c->kind == lockstep::Kind::kReset;
    c->kind = lockstep::Kind::kShutdown;
  }

  /// Resets and power cycles are rare, so one more is added in the second half of the commands.
  void put_shutdown(std::vector<Command> *commands) {
    Command c;
    c.kind = lockstep::Kind::kShutdown;
    c.flag = random_.below(2) == 0;
    const uint64_t half = commands->size() / 2;
    commands->insert(commands->begin() + ptrdiff_t(half + random_.below(commands->size() - half + 1)), c);
  }

  /// Random commands: cuts of each stream, and cuts of the start-ups after them.
  void explore() {
    // The soc has the rtl's size, and starts more slowly.
    const uint64_t pages = lockstep::namespace_pages(o_.device, is_soc() ? "rtl" : o_.kind.c_str());
    const uint64_t cuts_a_run = o_.cuts_a_run != 0 ? o_.cuts_a_run : is_soc() ? kCutsOfSoc : 1;
    for (uint64_t seed = o_.device.seed; cuts_ < o_.cuts && go_on(); ++seed) {
      Stream stream{o_.device, {}};
      stream.device.seed = seed;
      const bool storms = seed % kStormSeeds == 0;
      lockstep::Generator generator(seed, pages, {lockstep::Mix::kUsual, o_.device.wide, false, storms});
      for (uint64_t n = 0; n < o_.commands; ++n) {
        stream.commands.push_back(generator.next());
        if (o_.shutdowns) in_order(&stream.commands.back());
      }
      if (o_.shutdowns) put_shutdown(&stream.commands);
      const std::string name = "seed " + std::to_string(seed);
      const RunResult whole = o_.sessions == 1 ? uncut(stream, name) : once(stream, {}, name);
      if (!whole.wrong.empty() || whole.events == 0) continue;
      for (const Command &c : stream.commands) shutdowns_ += c.kind == lockstep::Kind::kShutdown;
      snapshots_ += whole.snapshots;
      destaged_ += whole.log.chains_destaged;
      summaries_ += whole.summaries;
      if (o_.sessions != 1) (void)once(stream, {draw_sessions(whole.events), o_.stores}, name);
      for (uint64_t n = 0; o_.sessions == 1 && n < cuts_a_run && cuts_ < o_.cuts && go_on(); ++n) {
        const bool at_store = o_.stores && n % 2 != 0;
        cut_at(stream, 1 + random_.below(at_store ? whole.stores : whole.events), at_store, name);
        progress_.show("cuts", cuts_, o_.cuts);
      }
      progress_.show("cuts", cuts_, o_.cuts);
    }
    progress_.clear();
    branches_.reset();
    std::printf("runs without a cut: %llu shutdowns, %llu snapshots, %llu chains destaged, %llu summaries\n",
                Ull(shutdowns_), Ull(snapshots_), Ull(destaged_), Ull(summaries_));
  }

  /// A run without a cut, and those of its cuts that follow: on the soc all of them begin as this one did.
  RunResult uncut(const Stream &stream, const std::string &name, After after = {}) {
    branches_.reset();
    if (!is_soc()) return once(stream, {}, name, std::move(after));
    branches_ = std::make_unique<Branches>(stream.commands, options_of(stream, std::move(after)));
    return note(branches_->whole(), stream, {}, name);
  }

  RunResult once(const Stream &stream, const Plan &plan, const std::string &name, After after = {}) {
    RunOptions options = options_of(stream, std::move(after));
    options.sessions = plan.sessions;
    options.stores = plan.stores;
    return note(run(stream.commands, options), stream, plan, name);
  }

  /// Counts the result, and prints a violation.
  RunResult note(const RunResult &result, const Stream &stream, const Plan &plan, const std::string &name) {
    ++runs_;
    cuts_ += result.cuts;
    if (plan.stores) store_cuts_ += result.cuts;
    bad_ += result.bad;
    worn_out_ += result.worn_out;
    if (result.wrong.empty()) return result;
    ++violations_;
    const auto first = plan.sessions.begin();
    const Sessions led(first, first + ptrdiff_t(result.sessions));  // up to that session
    const std::string at = to_text(led);
    progress_.clear();
    std::printf("VIOLATION in %s, cut at %s%s, in %s: %s\n", name.c_str(), plan.stores ? "store " : "",
                led.empty() ? "no event" : at.c_str(), result.at.c_str(), result.wrong.c_str());
    if (violations_ == 1) {
      write_stream(o_.reproducer, stream);
      std::printf("  again with: crash --script %s%s%s%s%s; %s --trace FILE\n", o_.reproducer.c_str(),
                  led.empty() ? "" : " --at ", at.c_str(), o_.kind == "model" ? "" : (" --device " + o_.kind).c_str(),
                  plan.stores ? " --stores" : "", o_.kind == "model" ? "on the RTL: --device rtl" : "with a waveform:");
    }
    output::flush();
    return result;
  }

  /// Whether cuts were to be made and none was: --every is larger than the number of events.
  bool cut_nothing() const { return cuts_ == 0 && violations_ == 0; }
  /// Whether a device can be created with these options.
  bool ran() const { return runs_ != 0; }

  int end() const {
    if (!o_.device.faults.empty())
      std::printf("%llu blocks went bad, %llu runs ended with a worn-out device\n", Ull(bad_), Ull(worn_out_));
    if (idle_) std::printf("an operation had no effect in any sequence, so nothing was tested\n");
    if (o_.stores) std::printf("%llu cuts at stores of the CPU\n", Ull(store_cuts_));
    std::printf("%llu cuts, %llu violations\n", Ull(cuts_), Ull(violations_));
    return violations_ == 0 && !idle_ ? 0 : 1;
  }

 private:
  bool go_on() const { return violations_ < o_.most_violations; }

  bool is_soc() const { return o_.kind == "soc"; }

  RunOptions options_of(const Stream &stream, After after) const {
    RunOptions options;
    options.device = stream.device;
    options.kind = o_.kind.c_str();
    options.last_start = !o_.no_last_start;
    options.after = std::move(after);
    if (!o_.trace.empty()) options.trace_file = o_.trace.c_str();
    return options;
  }

  /// A run of the stream that was last given to uncut().
  RunResult cut(const Stream &stream, const Cuts &cuts, bool stores, const std::string &name) {
    const Plan plan{{cuts}, stores};
    return branches_ ? note(branches_->cut(cuts, stores), stream, plan, name) : once(stream, plan, name);
  }

  /// Cuts at `event`, then also the start-up after it at random events, and the start-up after that at one more.
  void cut_at(const Stream &stream, uint64_t event, bool stores, const std::string &name) {
    const RunResult first = cut(stream, {event}, stores, name);
    if (first.starts.empty() || first.starts.front() == 0) return;
    for (uint64_t n = 0; n < o_.start_cuts && go_on(); ++n) {
      Cuts cuts{event, 1 + random_.below(first.starts.front())};
      if (n % 2 != 0) cuts.push_back(1 + random_.below(first.starts.front()));
      (void)cut(stream, cuts, stores, name);
    }
  }

  /// Draws cuts: some follow each other closely, and after some the start-up is cut, too.
  Sessions draw_sessions(uint64_t events) {
    Sessions sessions;
    for (uint64_t n = 0; n < o_.sessions; ++n) {
      const uint64_t most = random_.below(3) == 0 ? kSoon : std::max<uint64_t>(kSoon, 2 * events / o_.sessions);
      Cuts cuts{1 + random_.below(most)};
      while (cuts.size() < 4 && random_.below(2) == 0) cuts.push_back(1 + random_.below(kSoon << random_.below(5)));
      sessions.push_back(cuts);
    }
    return sessions;
  }

  static constexpr uint64_t kSoon = 40;  // events

  const Options &o_;
  SeededRandom random_;
  ProgressLine progress_;
  std::unique_ptr<Branches> branches_;
  uint64_t runs_ = 0;
  uint64_t cuts_ = 0;
  uint64_t store_cuts_ = 0;  // of them
  uint64_t violations_ = 0;
  uint64_t bad_ = 0;
  uint64_t worn_out_ = 0;
  // Random commands: totals of all runs without a cut.
  uint64_t shutdowns_ = 0, snapshots_ = 0, destaged_ = 0, summaries_ = 0;
  bool idle_ = false;  // an operation had no effect in any sequence
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
  app.add_option("--trace", o.trace, "waveform file of a single run of a script (rtl)")
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
