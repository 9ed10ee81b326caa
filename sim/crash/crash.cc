// SPDX-License-Identifier: Apache-2.0
//
// crash - cuts the power at events of flash and NVRAM, while commands run and while the device starts, and checks against an
// oracle what each page holds after the recovery, and the device's tables against its media (docs/crash.md). Last line: N
// cuts, N violations.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.h"
#include "crash_run.h"
#include "lockstep_generator.h"
#include "lockstep_pair.h"

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Stream;
using Ull = unsigned long long;

struct Options {
  lockstep::DeviceOptions device;
  std::string kind = "model";
  std::vector<std::string> scripts;
  bool exhaustive = false;
  bool shutdowns = false;
  uint64_t every = 1;
  uint64_t cuts = 100;
  uint64_t commands = 60;
  uint64_t start_cuts = 1;
  Cuts at;
  std::string trace;
  std::string reproducer = "crash-reproducer.txt";
  uint64_t most_violations = 10;
};

std::string to_text(const Cuts &cuts) {
  std::string text;
  for (const uint64_t cut : cuts) text += (text.empty() ? "" : ",") + std::to_string(cut);
  return text;
}

class Explorer {
 public:
  explicit Explorer(const Options &o) : o_(o), random_(o.device.seed) {}

  /// Cuts at each event of the commands, and for each of these at events of the start-up after it.
  void exhaust(const Stream &stream, const std::string &name) {
    const RunResult whole = once(stream, {}, name);
    if (!whole.wrong.empty()) return;
    const orm_remap_log &log = whole.log;
    std::printf(
        "%s: %zu commands on %llu pages, %llu events; %llu pages written, %llu remapped, %llu moved by GC, %llu chains "
        "compacted, %llu destaged\n",
        name.c_str(), stream.commands.size(), Ull(whole.pages), Ull(whole.events), Ull(log.host_write_pages),
        Ull(log.remap_pages), Ull(log.gc_moved_pages), Ull(log.chain_compactions), Ull(log.chains_destaged));
    std::fflush(stdout);
    const uint64_t cuts = cuts_, violations = violations_;
    for (uint64_t event = 1 + random_.below(o_.every); event <= whole.events && go_on(); event += o_.every) {
      const RunResult first = once(stream, {event}, name);
      in_starts(stream, event, first, name);
      std::fprintf(stderr, "\r%s: event %llu of %llu", name.c_str(), Ull(event), Ull(whole.events));
    }
    std::fputc('\r', stderr);
    std::printf("  %llu cuts, %llu violations\n", Ull(cuts_ - cuts), Ull(violations_ - violations));
    std::fflush(stdout);
  }

  /// The host shuts the device down before it resets it, or lets power go.
  static void in_order(lockstep::Command *c) {
    if (c->kind != lockstep::Kind::kReset && c->kind != lockstep::Kind::kPowerCycle) return;
    c->flag = c->kind == lockstep::Kind::kReset;
    c->kind = lockstep::Kind::kShutdown;
  }

  /// Random commands; of each stream one cut, and cuts of the start-ups after it.
  void explore() {
    const uint64_t pages = lockstep::namespace_pages(o_.device, o_.kind.c_str());
    for (uint64_t seed = o_.device.seed; cuts_ < o_.cuts && go_on(); ++seed) {
      Stream stream{o_.device, {}};
      stream.device.seed = seed;
      lockstep::Generator generator(seed, pages, {lockstep::Mix::kUsual, o_.device.wide, false});
      for (uint64_t n = 0; n < o_.commands; ++n) {
        stream.commands.push_back(generator.next());
        if (o_.shutdowns) in_order(&stream.commands.back());
      }
      const std::string name = "seed " + std::to_string(seed);
      const RunResult whole = once(stream, {}, name);
      if (!whole.wrong.empty() || whole.events == 0) continue;
      const uint64_t event = 1 + random_.below(whole.events);
      in_starts(stream, event, once(stream, {event}, name), name);
      std::fprintf(stderr, "\r%llu of %llu cuts", Ull(cuts_), Ull(o_.cuts));
    }
    std::fputc('\n', stderr);
  }

  RunResult once(const Stream &stream, const Cuts &cuts, const std::string &name) {
    RunOptions options;
    options.device = stream.device;
    options.kind = o_.kind.c_str();
    options.cuts = cuts;
    if (!o_.trace.empty()) options.trace_file = o_.trace.c_str();
    const RunResult result = run(stream.commands, options);
    cuts_ += result.cuts;
    bad_ += result.bad;
    worn_out_ += result.worn_out;
    if (result.wrong.empty()) return result;
    ++violations_;
    std::printf("VIOLATION in %s, cut at %s, in %s: %s\n", name.c_str(),
                cuts.empty() ? "no event" : to_text(cuts).c_str(), result.at.c_str(), result.wrong.c_str());
    if (violations_ == 1) {
      write_stream(o_.reproducer, stream);
      std::printf("  again with: crash --script %s%s%s; on the RTL: --device rtl --trace FILE\n", o_.reproducer.c_str(),
                  cuts.empty() ? "" : " --at ", to_text(cuts).c_str());
    }
    std::fflush(stdout);
    return result;
  }

  int end() const {
    if (!o_.device.faults.empty())
      std::printf("%llu blocks went bad, %llu runs ended with a worn-out device\n", Ull(bad_), Ull(worn_out_));
    std::printf("%llu cuts, %llu violations\n", Ull(cuts_), Ull(violations_));
    return violations_ == 0 ? 0 : 1;
  }

 private:
  bool go_on() const { return violations_ < o_.most_violations; }

  /// Cuts the start-up after a cut at `event` at events drawn from all that it has, and the start-up after that at one more.
  void in_starts(const Stream &stream, uint64_t event, const RunResult &first, const std::string &name) {
    if (first.starts.empty() || first.starts.front() == 0) return;
    for (uint64_t n = 0; n < o_.start_cuts && go_on(); ++n) {
      Cuts cuts{event, 1 + random_.below(first.starts.front())};
      if (n % 2 != 0) cuts.push_back(1 + random_.below(first.starts.front()));
      (void)once(stream, cuts, name);
    }
  }

  const Options &o_;
  SeededRandom random_;
  uint64_t cuts_ = 0;
  uint64_t violations_ = 0;
  uint64_t bad_ = 0;
  uint64_t worn_out_ = 0;
};

int start(const Options &o) {
  try {
    Explorer explorer(o);
    if (o.scripts.empty()) {
      std::printf("crash: seed %llu, %s\n", Ull(o.device.seed), o.kind.c_str());
      explorer.explore();
    }
    for (const std::string &path : o.scripts) {
      const Stream stream = lockstep::read_stream(path);
      const std::string name = std::filesystem::path(path).filename().string();
      if (o.exhaustive) {
        explorer.exhaust(stream, name);
      } else {
        (void)explorer.once(stream, o.at, name);
      }
    }
    return explorer.end();
  } catch (const lockstep::StreamError &e) {
    std::fprintf(stderr, "crash: %s\n", e.what());
    return tools::kWrongUse;
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
  o.device.seed = orm::tools::default_seed();
  CLI::App app(
      "Cuts the power of a device at events of its flash and NVRAM, lets it recover, and checks each page against what "
      "it may hold, and its tables against its media. Random commands, or scripts (lines as of lockstep --record). "
      "Exit code: 0 no violation, 1 some, 2 wrong use.",
      "crash");
  orm::tools::add_seed(&app, &o.device.seed);
  app.add_option("--device", o.kind, "rtl: the Verilated controller; model: the fast model")
      ->check(CLI::IsMember({"rtl", "model"}))
      ->capture_default_str();
  CLI::Option *script = app.add_option("--script", o.scripts, "files with commands; instead of random ones");
  app.add_flag("--exhaustive", o.exhaustive, "cut at every event of the scripts")->needs(script);
  app.add_option("--every", o.every, "with --exhaustive: at every so manieth event")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--at", o.at, "cut one run of a script there: events, of the commands, then of each start-up after it")
      ->delimiter(',')
      ->needs(script);
  app.add_option("--cuts", o.cuts, "random commands: cuts in all")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--commands", o.commands, "random commands of a run")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--start-cuts", o.start_cuts, "for each cut, so many runs in which the start-up after it is cut, too")
      ->check(CLI::Range(0u, 10'000u))
      ->capture_default_str();
  app.add_option("--superblocks", o.device.superblocks, "random commands: size of the device")
      ->check(CLI::Range(kLeastSuperblocks, kMostSuperblocks))
      ->capture_default_str();
  app.add_option("--segments", o.device.segments,
                 "random commands: segments of the remap table that are used; few make chains go to flash")
      ->check(CLI::Range(1u, UINT32_MAX));
  app.add_flag("--shutdowns", o.shutdowns, "random commands: resets and power cycles come after a shutdown");
  app.add_flag("--wide", o.device.wide, "random commands: devices with pages of four slots, 16 KiB");
  app.add_option(
      "--faults", o.device.faults,
      "random commands: what goes wrong in flash, erase-fail=0.01 (docs/simulation.md); the host may not see it");
  app.add_option("--trace", o.trace, "waveform file of a run with --at (rtl)")->needs("--at");
  app.add_option("--reproducer", o.reproducer, "file for the commands of the first violation")->capture_default_str();
  app.add_option("--violations", o.most_violations, "end after so many")->capture_default_str();
  if (const auto code = orm::tools::parse(&app, argc, argv)) return *code;
  return orm::crash::start(o);
}
