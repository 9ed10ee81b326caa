// SPDX-License-Identifier: Apache-2.0
#include "crash/explorer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "crash/orders.h"
#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_ssd.h"
#include "output.h"

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Stream;
using Ull = unsigned long long;

constexpr uint64_t kStormSeeds = 3;  // one seed in this many has storms

/// Inserts a shutdown before each reset and power cycle.
void in_order(Command *c) {
  if (c->kind != lockstep::Kind::kReset && c->kind != lockstep::Kind::kPowerCycle) return;
  c->flag = c->kind == lockstep::Kind::kReset;
  c->kind = lockstep::Kind::kShutdown;
}

}  // namespace

void Explorer::exhaust(const Stream &stream, const std::string &name) {
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

void Explorer::orders() {
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

void Explorer::put_shutdown(std::vector<Command> *commands) {
  Command c;
  c.kind = lockstep::Kind::kShutdown;
  c.flag = random_.below(2) == 0;
  const uint64_t half = commands->size() / 2;
  commands->insert(commands->begin() + ptrdiff_t(half + random_.below(commands->size() - half + 1)), c);
}

uint64_t Explorer::namespace_pages() const {
  lockstep::DeviceOptions device = o_.device;
  for (uint64_t worn = 0;; ++worn, ++device.seed) {
    try {
      return lockstep::namespace_pages(device, o_.kind.c_str());
    } catch (const lockstep::WornFromNew &) {
      if (worn == kMostWorn) throw;
    }
  }
}

void Explorer::explore() {
  check(options_of({o_.device, {}}, {}));
  const uint64_t pages = namespace_pages();
  uint64_t worn = 0;
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
    worn = whole.events == 0 && whole.wrong.empty() ? worn + 1 : 0;
    if (worn > kMostWorn) throw lockstep::NoDevice("with such --faults every device is worn out before its first cut");
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

RunResult Explorer::uncut(const Stream &stream, const std::string &name, After after) {
  branches_.reset();
  if (o_.kind == "model") return once(stream, {}, name, std::move(after));
  branches_ = std::make_unique<Branches>(stream.commands, options_of(stream, std::move(after)));
  return note(branches_->whole(), stream, {}, name);
}

RunResult Explorer::once(const Stream &stream, const Plan &plan, const std::string &name, After after) {
  RunOptions options = options_of(stream, std::move(after));
  options.sessions = plan.sessions;
  options.stores = plan.stores;
  return note(run(stream.commands, options), stream, plan, name);
}

RunResult Explorer::note(const RunResult &result, const Stream &stream, const Plan &plan, const std::string &name) {
  devices_ += result.pages != 0;
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
    const char *const waveform = o_.kind == "model" ? "on the RTL: --device rtl"
                                 : is_soc()         ? "with a waveform, in a build with -DOPENREMAP_SOC_TRACE=fst:"
                                                    : "with a waveform:";
    std::printf("  again with: crash --script %s%s%s%s%s; %s --trace FILE\n", o_.reproducer.c_str(),
                led.empty() ? "" : " --at ", at.c_str(), o_.kind == "model" ? "" : (" --device " + o_.kind).c_str(),
                plan.stores ? " --stores" : "", waveform);
  }
  output::flush();
  return result;
}

int Explorer::end() const {
  if (!o_.device.faults.empty())
    std::printf("%llu blocks went bad, %llu runs ended with a worn-out device\n", Ull(bad_), Ull(worn_out_));
  if (idle_) std::printf("an operation had no effect in any sequence, so nothing was tested\n");
  if (o_.stores) std::printf("%llu cuts at stores of the CPU\n", Ull(store_cuts_));
  std::printf("%llu cuts, %llu violations\n", Ull(cuts_), Ull(violations_));
  return violations_ == 0 && !idle_ ? 0 : 1;
}

RunOptions Explorer::options_of(const Stream &stream, After after) const {
  RunOptions options;
  options.device = stream.device;
  options.kind = o_.kind.c_str();
  options.last_start = !o_.no_last_start;
  options.after = std::move(after);
  if (!o_.trace.empty()) options.trace_file = o_.trace.c_str();
  return options;
}

RunResult Explorer::cut(const Stream &stream, const Cuts &cuts, bool stores, const std::string &name) {
  const Plan plan{{cuts}, stores};
  return branches_ ? note(branches_->cut(cuts, stores), stream, plan, name) : once(stream, plan, name);
}

void Explorer::cut_at(const Stream &stream, uint64_t event, bool stores, const std::string &name) {
  const RunResult first = cut(stream, {event}, stores, name);
  if (first.starts.empty() || first.starts.front() == 0) return;
  for (uint64_t n = 0; n < o_.start_cuts && go_on(); ++n) {
    Cuts cuts{event, 1 + random_.below(first.starts.front())};
    if (n % 2 != 0) cuts.push_back(1 + random_.below(first.starts.front()));
    (void)cut(stream, cuts, stores, name);
  }
}

Sessions Explorer::draw_sessions(uint64_t events) {
  Sessions sessions;
  for (uint64_t n = 0; n < o_.sessions; ++n) {
    const uint64_t most = random_.below(3) == 0 ? kSoon : std::max<uint64_t>(kSoon, 2 * events / o_.sessions);
    Cuts cuts{1 + random_.below(most)};
    while (cuts.size() < 4 && random_.below(2) == 0) cuts.push_back(1 + random_.below(kSoon << random_.below(5)));
    sessions.push_back(cuts);
  }
  return sessions;
}

}  // namespace orm::crash
