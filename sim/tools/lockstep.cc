// SPDX-License-Identifier: Apache-2.0
//
// lockstep - gives the same random commands to the Verilated controller and to the fast model and compares every status,
// every byte read, and at the end the mapping and the counters.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "arguments.h"
#include "lockstep_commands.h"
#include "openremap_stats.h"
#include "orm_formats.h"
#include "pcie_debug.h"
#include "pcie_function.h"

namespace orm::lockstep {
namespace {

struct Options {
  uint64_t seed = 1;
  uint64_t commands = 1000;
  uint64_t superblocks = 12;
  bool hurry = false;
  bool verbose = false;
};

struct Device {
  Device(const char *kind, const Options &o) : kind_(kind) {
    openremap_options options{};
    options.device.kind = kind;
    options.device.superblocks = uint32_t(o.superblocks);
    options.device.seed = o.seed;
    options.create = pcie_device_create;
    char error[256] = "";
    if (openremap_open(&options, &dev, error, sizeof error) == 0) return;
    std::fprintf(stderr, "lockstep: %s: %s\n", kind, error);
    std::exit(1);
  }
  ~Device() { openremap_close(dev); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Lets it finish what it does by itself (programs, garbage collection), for a while at most.
  void settle() {
    pcie_function *fn = openremap_pcie_function(dev);
    for (int i = 0; i < 100 && fn->ops->run(fn, 1'000'000) > 0; ++i) continue;
  }
  /// For each LPN the first LPN that names the same flash; ORM_UNMAPPED where there is none.
  std::vector<uint32_t> sharing() const {
    size_t bytes = 0;
    const uint8_t *l2p = pcie_device_dram(openremap_pcie_function(dev), &bytes);
    std::vector<uint32_t> first(openremap_get_info(dev)->pages, ORM_UNMAPPED);
    std::unordered_map<uint32_t, uint32_t> holder;
    for (uint32_t lpn = 0; lpn < first.size(); ++lpn) {
      const uint32_t slot = uint32_t(orm_get_le(l2p + 4 * size_t(lpn), 4));
      if (slot != ORM_UNMAPPED) first[lpn] = holder.emplace(slot, lpn).first->second;
    }
    return first;
  }

  const char *kind_;
  openremap_device *dev = nullptr;
};

std::string describe(const Outcome &o) {
  std::string text = "statuses";
  for (const int status : o.statuses) text += " " + std::to_string(status);
  return text;
}

/// Counters that must agree; those of the garbage collection only when both devices had time to finish it.
bool same_counters(Device &rtl, Device &model, bool hurry) {
  orm_remap_log a{}, b{};
  if (openremap_get_stats(rtl.dev, &a) != 0 || openremap_get_stats(model.dev, &b) != 0) {
    std::puts("counters: a device does not give its log");
    return false;
  }
  bool same = true;
  const auto compare = [&same](const char *name, uint64_t x, uint64_t y, bool must) {
    if (x == y) return;
    std::printf("%s: rtl %llu, model %llu%s\n", name, static_cast<unsigned long long>(x),
                static_cast<unsigned long long>(y), must ? "  DIFFERENT" : "");
    same = same && !must;
  };
#define COMPARE(field, must) compare(#field, a.field, b.field, must)
  COMPARE(host_read_pages, true);
  COMPARE(host_write_pages, true);
  COMPARE(host_trim_pages, true);
  COMPARE(remap_pages, true);
  COMPARE(remap_commands, true);
  COMPARE(remap_refused_sharers, true);
  COMPARE(remap_refused_nvram, true);
  COMPARE(remap_refused_other, true);
  COMPARE(nand_program_host, true);
  COMPARE(nand_program_meta, true);
  COMPARE(nand_read_host, true);
  COMPARE(bad_entries, true);
  COMPARE(nand_program_gc, !hurry);
  COMPARE(nand_read_gc, !hurry);
  COMPARE(nand_read_meta, !hurry);
  COMPARE(nand_erase, !hurry);
  COMPARE(gc_victims, !hurry);
  COMPARE(gc_moved_pages, !hurry);
  COMPARE(gc_moved_shared, !hurry);
  COMPARE(gc_lost_races, !hurry);
  COMPARE(remap_entries, !hurry);
  COMPARE(segments_freed, !hurry);
  COMPARE(segments_free, !hurry);
  COMPARE(superblocks_free, !hurry);
  COMPARE(trim_checkpoints, !hurry);
  COMPARE(journal_used, !hurry);
  COMPARE(map_lookups, !hurry);
  COMPARE(map_updates, !hurry);
#undef COMPARE
  std::printf("host pages written %llu, trimmed %llu, remapped %llu; NAND programs %llu host, %llu GC; erases %llu\n",
              static_cast<unsigned long long>(a.host_write_pages), static_cast<unsigned long long>(a.host_trim_pages),
              static_cast<unsigned long long>(a.remap_pages), static_cast<unsigned long long>(a.nand_program_host),
              static_cast<unsigned long long>(a.nand_program_gc), static_cast<unsigned long long>(a.nand_erase));
  return same;
}

bool same_content(Device &rtl, Device &model) {
  const uint64_t pages = openremap_get_info(rtl.dev)->pages;
  bool same = true;
  for (uint64_t lpn = 0; lpn < pages; ++lpn) {
    Command read;
    read.kind = Kind::kRead;
    read.lpn = lpn;
    read.pages = 1;
    if (execute(rtl.dev, read) == execute(model.dev, read)) continue;
    std::printf("LPN %llu reads differently\n", static_cast<unsigned long long>(lpn));
    same = false;
  }
  const std::vector<uint32_t> a = rtl.sharing(), b = model.sharing();
  for (uint64_t lpn = 0; lpn < pages; ++lpn) {
    if (a[lpn] == b[lpn]) continue;
    std::printf("LPN %llu shares its flash with LPN %u on the rtl, %u on the model\n",
                static_cast<unsigned long long>(lpn), a[lpn], b[lpn]);
    same = false;
  }
  return same;
}

int run(const Options &o) {
  std::printf("lockstep --seed %llu --commands %llu --superblocks %llu%s\n", static_cast<unsigned long long>(o.seed),
              static_cast<unsigned long long>(o.commands), static_cast<unsigned long long>(o.superblocks),
              o.hurry ? " --hurry" : "");
  Device rtl("rtl", o), model("model", o);
  const uint64_t pages = openremap_get_info(rtl.dev)->pages;
  if (pages != openremap_get_info(model.dev)->pages) {
    std::puts("the devices differ in size");
    return 1;
  }
  Generator generator(o.seed, pages);
  for (uint64_t i = 0; i < o.commands; ++i) {
    const Command command = generator.next();
    if (o.verbose) std::printf("%llu: %s\n", static_cast<unsigned long long>(i), command.text().c_str());
    const Outcome a = execute(rtl.dev, command), b = execute(model.dev, command);
    if (!(a == b)) {
      std::printf("command %llu: %s\n  rtl   %s\n  model %s%s\n", static_cast<unsigned long long>(i),
                  command.text().c_str(), describe(a).c_str(), describe(b).c_str(),
                  a.data == b.data ? "" : "\n  the data read differ");
      return 1;
    }
    if (!o.hurry) {
      rtl.settle();
      model.settle();
    }
  }
  const bool content = same_content(rtl, model);
  const bool counters = same_counters(rtl, model, o.hurry);
  std::puts(content && counters ? "equal" : "NOT equal");
  return content && counters ? 0 : 1;
}

}  // namespace
}  // namespace orm::lockstep

int main(int argc, char **argv) {
  orm::lockstep::Options o;
  CLI::App app(
      "Gives the same random commands to the Verilated controller and to the fast model and compares every status, "
      "every byte read, and at the end the mapping (which pages share flash) and the counters. Exit code: 0 equal, "
      "1 not, 2 wrong use.",
      "lockstep");
  orm::tools::add_seed(&app, &o.seed);
  app.add_option("--commands", o.commands, "commands; a burst counts as one")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--superblocks", o.superblocks, "size of the devices; a smaller one collects garbage sooner")
      ->check(CLI::Range(8, 64))
      ->capture_default_str();
  app.add_flag(
      "--hurry", o.hurry,
      "do not let the devices finish what they do between commands: what the garbage collection finds then depends "
      "on its speed, and the counters of it are not compared");
  app.add_flag("--verbose", o.verbose, "print each command");
  if (const auto code = orm::tools::parse(&app, argc, argv)) return *code;
  return orm::lockstep::run(o);
}
