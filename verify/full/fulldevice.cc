// SPDX-License-Identifier: Apache-2.0
//
// fulldevice - a device that is full all the time: its whole logical space is mapped, then storms of overwrites, remaps
// and trims go on for some drive writes, with so few segments in the remap table that it is compacted and destaged
// throughout. No command may fail, but for remaps without room, or take longer than a limit; every page is compared
// with what it must hold (docs/developing/full-device.md).
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "command_line.h"
#include "full/full_host.h"
#include "output.h"
#include "support/bad_option.h"
#include "test_seed.h"

namespace orm::full {
namespace {

using Ull = unsigned long long;

struct Options {
  HostOptions host;
  uint32_t drive_writes = 10;
  uint64_t limit_ms = 1000;
  std::string json;
};

constexpr uint64_t kPermille[] = {500, 990, 999, 1000};
constexpr const char *kNames[] = {"p50", "p99", "p99.9", "max"};

struct Figures {
  orm_remap_log log;
  double amplification;
  double mean_segments;
};

Figures figures_of(const Host &host) {
  const orm_remap_log log = host.log();
  const uint64_t programmed = openremap_nand_pages(&log);
  const SegmentSamples &s = host.segments();
  return {log, double(programmed) / double(log.host_write_pages), s.count == 0 ? 0 : double(s.sum) / double(s.count)};
}

void print(const Host &host, const Figures &f) {
  std::printf("\n%-14s %9s", "us", "commands");
  for (const char *name : kNames) std::printf(" %10s", name);
  for (size_t i = 0; i < kKinds; ++i) {
    const tools::Latencies &l = host.latencies(Kind(i));
    if (l.count() == 0) continue;
    std::printf("\n%-14s %9llu", name_of(Kind(i)), Ull(l.count()));
    for (const uint64_t share : kPermille) std::printf(" %10.1f", double(l.permille(share)) / 1000);
  }
  const Refusals &r = host.refusals();
  const orm_remap_log &log = f.log;
  std::printf("\n\nwrite amplification  %.3f: slots of the host %llu, GC %llu, metadata %llu, padding %llu\n",
              f.amplification, Ull(log.nand_program_host), Ull(log.nand_program_gc), Ull(log.nand_program_meta),
              Ull(log.nand_program_pad));
  std::printf("superblocks          %llu collected, %llu die blocks erased\n", Ull(log.gc_victims),
              Ull(log.nand_erase));
  std::printf("chains               %llu compacted (%llu stale entries dropped), %llu destaged (%llu entries)\n",
              Ull(log.chain_compactions), Ull(log.stale_dropped), Ull(log.chains_destaged), Ull(log.entries_destaged));
  std::printf("free segments        %u at least, %.1f on average, of %u\n", host.segments().least, f.mean_segments,
              log.segments_total);
  std::printf(
      "remaps               %llu done (%llu pages), %llu refused without room, %llu at the sharer limit of %u\n",
      Ull(r.done), Ull(log.remap_pages), Ull(r.no_room), Ull(r.sharer_limit), log.sharer_limit);
  std::printf("trims                %llu pages, %llu checkpoints\n", Ull(log.host_trim_pages),
              Ull(log.trim_checkpoints));
}

void write_json(const Options &o, const Host &host, const Figures &f) {
  const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(o.json.c_str(), "w"), std::fclose);
  if (file == nullptr) throw std::runtime_error(o.json + ": " + std::strerror(errno));
  FILE *const out = file.get();
  const orm_remap_log &log = f.log;
  std::fprintf(out,
               "{\"seed\": %llu, \"geometry\": \"%s\", \"pages\": %llu, \"drive_writes\": %u, \"depth\": %u, "
               "\"limit_ms\": %llu,\n \"latency_ns\": {",
               Ull(o.host.seed), o.host.geometry.c_str(), Ull(host.pages()), o.drive_writes, o.host.depth,
               Ull(o.limit_ms));
  const char *comma = "";
  for (size_t i = 0; i < kKinds; ++i) {
    const tools::Latencies &l = host.latencies(Kind(i));
    std::fprintf(out, "%s\n  \"%s\": {\"commands\": %llu", comma, name_of(Kind(i)), Ull(l.count()));
    for (size_t p = 0; p < 4; ++p) std::fprintf(out, ", \"%s\": %llu", kNames[p], Ull(l.permille(kPermille[p])));
    std::fprintf(out, "}");
    comma = ",";
  }
  const Refusals &r = host.refusals();
  std::fprintf(out,
               "},\n \"pages_written\": %llu, \"pages_compared\": %llu, \"device_ns\": %llu, \"write_amplification\": "
               "%.4f, \"nand_program_host\": %llu, \"nand_program_gc\": %llu, \"nand_program_meta\": %llu, "
               "\"nand_program_pad\": %llu, \"gc_victims\": %llu, \"chains_compacted\": %llu, \"stale_dropped\": %llu, "
               "\"chains_destaged\": %llu, \"entries_destaged\": %llu, \"segments_total\": %u, "
               "\"segments_free_least\": %u, \"segments_free_mean\": %.2f, \"remaps\": %llu, \"remap_pages\": %llu, "
               "\"refused_no_room\": %llu, \"refused_sharer_limit\": %llu, \"trim_checkpoints\": %llu}\n",
               Ull(host.written()), Ull(host.compared()), Ull(host.now_ns()), f.amplification,
               Ull(log.nand_program_host), Ull(log.nand_program_gc), Ull(log.nand_program_meta),
               Ull(log.nand_program_pad), Ull(log.gc_victims), Ull(log.chain_compactions), Ull(log.stale_dropped),
               Ull(log.chains_destaged), Ull(log.entries_destaged), log.segments_total, host.segments().least,
               f.mean_segments, Ull(r.done), Ull(log.remap_pages), Ull(r.no_room), Ull(r.sharer_limit),
               Ull(log.trim_checkpoints));
  output::flush(out, o.json);
}

void run(const Options &o, Host *host) {
  host->fill();
  host->verify();
  std::printf("%llu pages, full after %.3f s of device time\n", Ull(host->pages()), double(host->now_ns()) * 1e-9);
  for (uint32_t n = 1; n <= o.drive_writes; ++n) {
    const uint64_t begin = host->written();
    for (size_t i = 0; i < kStorms.size(); ++i) {
      host->storm(kStorms[i], begin + host->pages() * (i + 1) / kStorms.size());
    }
    host->verify();
    const orm_remap_log log = host->log();
    std::printf(
        "drive write %u: %llu pages written, %llu remapped, %llu moved by GC, %llu chains compacted, %llu "
        "destaged, %llu remaps refused without room\n",
        n, Ull(host->written()), Ull(log.remap_pages), Ull(log.gc_moved_pages), Ull(log.chain_compactions),
        Ull(log.chains_destaged), Ull(host->refusals().no_room));
    output::flush();
    host->fill();  // maps pages again that remaps and trims have released
  }
  host->verify();
  const Figures figures = figures_of(*host);
  print(*host, figures);
  if (!o.json.empty()) write_json(o, *host, figures);
  host->flush();
  host->power_cycle();
  host->verify_pages();
  std::printf("%llu pages compared, also after a power cut; %.3f s of device time\n", Ull(host->compared()),
              double(host->now_ns()) * 1e-9);
}

int start(Options o) {
  o.host.limit_ns = o.limit_ms * 1'000'000;
  try {
    std::printf("fulldevice --seed %llu --drive-writes %u --depth %u --segments %u%s%s\n", Ull(o.host.seed),
                o.drive_writes, o.host.depth, o.host.segments, o.host.geometry.empty() ? "" : " --geometry ",
                o.host.geometry.c_str());
    output::flush();
    Host host(o.host);
    run(o, &host);
    output::flush();
    return 0;
  } catch (const Violation &violation) {
    std::printf("VIOLATION: %s\n", violation.what());
  } catch (const tools::BadOption &e) {
    std::fprintf(stderr, "fulldevice: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fulldevice: %s\n", e.what());
  }
  return 1;
}

}  // namespace
}  // namespace orm::full

int main(int argc, char **argv) {
  orm::full::Options o;
  o.host.seed = openremap::DefaultSeed();
  o.host.segments = 100;
  CLI::App app(
      "Fills the fast model, then overwrites, remaps and trims it while it stays full, and compares every page. Exit "
      "code: "
      "0 everything as expected, 1 a difference, 2 a usage error.",
      "fulldevice");
  app.add_option("--drive-writes", o.drive_writes, "number of drive writes after the fill")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--depth", o.host.depth, "queue depth: commands in flight")
      ->check(CLI::Range(1, 255))
      ->capture_default_str();
  app.add_option("--segments", o.host.segments,
                 "number of remap-table segments in use; with few, chains are destaged to flash. 0: all")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--geometry", o.host.geometry,
                 "flash geometry, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] (default: that of the RTL)");
  app.add_option("--superblocks", o.host.superblocks, "number of superblocks in use; 0: all")
      ->check(CLI::Range(0, 8192));
  app.add_option("--over-provisioning", o.host.over_provision_pct,
                 "over-provisioning in percent; 0: the firmware's default")
      ->check(CLI::Range(0, 99));
  app.add_option("--limit-ms", o.limit_ms, "limit of a command's device time in ms")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  orm::command_line::add_seed(&app, &o.host.seed);
  app.add_option("--json", o.json, "file for the results")->check(orm::output::unwritable);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  return orm::full::start(o);
}
