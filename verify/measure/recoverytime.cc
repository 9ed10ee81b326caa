// SPDX-License-Identifier: Apache-2.0
//
// recoverytime - how long the firmware takes to start after a power cut and after a clean shutdown, step by step, in
// device time, for devices of several sizes and fills; and what the metadata costs that recovery lives on
// (docs/design/recovery.md). A benchmark to look at, not a timed test.
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "command_line.h"
#include "measure/recovery_load.h"
#include "output.h"
#include "support/bad_option.h"

namespace orm::recovery {
namespace {

using Ull = unsigned long long;

constexpr double kGiB = double(1u << 30);
constexpr double kMiB = double(1u << 20);

struct Options {
  std::vector<uint32_t> sizes{1};
  std::vector<double> fills{100};
  Load load;
  std::string json;
};

struct Result {
  double fill;
  uint64_t pages, filled;
  Cost cost;
  StartUp cut, clean;
};

/// Flash geometry of a raw size in GiB: 32 dies, the largest 64.
const char *geometry_of(uint32_t gib) {
  switch (gib) {
    case 1:
      return "8x4x128x64";
    case 16:
      return "8x4x512x256";
    default:
      return "8x8x4096x256";
  }
}

Result measure(const Load &load) {
  Device device(load);
  Result r{load.fill, device.pages(), device.filled(), device.apply(), {}, {}};
  r.cut = device.restart(false);
  r.clean = device.restart(true);
  return r;
}

uint64_t total(const std::vector<NvramPart> &parts) {
  uint64_t bytes = 0;
  for (const NvramPart &part : parts) bytes += part.bytes;
  return bytes;
}

void print(const Load &load, const Result &r) {
  const orm_remap_log &log = r.cost.log;
  const double host = double(log.host_write_pages) * OPENREMAP_PAGE_BYTES;
  std::printf(
      "\n%s (%.0f GiB), filled to %g %%: %llu of %llu pages in order, %llu written in all, %llu remapped, %llu "
      "trimmed, %llu vectors refused; %llu slots programmed\n",
      load.geometry.c_str(), double(r.cost.flash_bytes) / kGiB, r.fill, Ull(r.filled), Ull(r.pages),
      Ull(log.host_write_pages), Ull(log.remap_pages), Ull(log.host_trim_pages), Ull(r.cost.remaps_refused),
      Ull(openremap_nand_pages(&log)));
  std::printf("%-26s %14s %14s %14s %14s\n", "step", "cut, ms", "shutdown, ms", "NVRAM read, B", "written, B");
  for (size_t i = 0; i < r.cut.steps.size(); ++i) {
    const pcie_device_step &step = r.cut.steps[i];
    std::printf("%-26s %14.3f %14.3f %14llu %14llu\n", step.name, double(step.ns) * 1e-6,
                i < r.clean.steps.size() ? double(r.clean.steps[i].ns) * 1e-6 : 0, Ull(step.nvram_read),
                Ull(step.nvram_written));
  }
  std::printf("%-26s %14.3f %14.3f\n", "in all", double(r.cut.ns) * 1e-6, double(r.clean.ns) * 1e-6);
  std::printf("shutdown: %.3f ms, a snapshot of %llu slots\n", double(r.clean.shutdown_ns) * 1e-6,
              Ull(r.clean.snapshot_slots));
  const uint64_t nvram = total(r.cost.nvram);
  std::printf("metadata written: %.4f %% of the host's writes to NVRAM (", 100 * double(nvram) / host);
  const char *comma = "";
  for (const NvramPart &part : r.cost.nvram) {
    std::printf("%s%s %llu", comma, part.name, Ull(part.bytes));
    comma = ", ";
  }
  std::printf(" B), %.4f %% to flash (%llu slots of destaged chains and summaries)\n",
              100 * double(log.nand_program_meta) / double(log.host_write_pages), Ull(log.nand_program_meta));
  const double gib = double(r.cost.flash_bytes) / kGiB;
  std::printf("memory for a GiB of flash: DRAM %.3f MiB, NVRAM %.3f MiB\n", double(r.cost.dram_bytes) / kMiB / gib,
              double(r.cost.nvram_bytes) / kMiB / gib);
  output::flush();
}

void write_start(FILE *out, const char *name, const StartUp &start) {
  std::fprintf(out, ",\n  \"%s\": {\"ns\": %llu, \"shutdown_ns\": %llu, \"snapshot_slots\": %llu, \"steps\": [", name,
               Ull(start.ns), Ull(start.shutdown_ns), Ull(start.snapshot_slots));
  const char *comma = "";
  for (const pcie_device_step &step : start.steps) {
    std::fprintf(out, "%s\n   {\"name\": \"%s\", \"ns\": %llu, \"nvram_read\": %llu, \"nvram_written\": %llu}", comma,
                 step.name, Ull(step.ns), Ull(step.nvram_read), Ull(step.nvram_written));
    comma = ",";
  }
  std::fprintf(out, "]}");
}

void write_result(FILE *out, const Load &load, const Result &r) {
  const orm_remap_log &log = r.cost.log;
  std::fprintf(out,
               "{\"geometry\": \"%s\", \"seed\": %llu, \"fill_percent\": %g, \"overwrite_percent\": %g, "
               "\"remap_percent\": %g, \"trim_percent\": %g,\n  \"flash_bytes\": %llu, \"pages\": %llu, \"filled\": "
               "%llu, \"host_write_pages\": %llu, \"remap_pages\": %llu, \"host_trim_pages\": %llu, "
               "\"vectors_refused\": %llu, \"slots_programmed\": %llu, \"nand_program_meta\": %llu, \"dram_bytes\": "
               "%llu, \"nvram_bytes\": %llu,\n  \"nvram_written\": {",
               load.geometry.c_str(), Ull(load.seed), r.fill, load.overwrite, load.remap, load.trim,
               Ull(r.cost.flash_bytes), Ull(r.pages), Ull(r.filled), Ull(log.host_write_pages), Ull(log.remap_pages),
               Ull(log.host_trim_pages), Ull(r.cost.remaps_refused), Ull(openremap_nand_pages(&log)),
               Ull(log.nand_program_meta), Ull(r.cost.dram_bytes), Ull(r.cost.nvram_bytes));
  const char *comma = "";
  for (const NvramPart &part : r.cost.nvram) {
    std::fprintf(out, "%s\"%s\": %llu", comma, part.name, Ull(part.bytes));
    comma = ", ";
  }
  std::fprintf(out, "}");
  write_start(out, "after_cut", r.cut);
  write_start(out, "after_shutdown", r.clean);
  std::fprintf(out, "}");
}

int start(Options o) {
  std::vector<std::string> geometries;
  if (!o.load.geometry.empty()) {
    geometries.push_back(o.load.geometry);
  } else {
    for (const uint32_t gib : o.sizes) geometries.emplace_back(geometry_of(gib));
  }
  try {
    for (const std::string &geometry : geometries) {
      o.load.geometry = geometry;
      const Device device(o.load);  // before a file is written
    }
  } catch (const tools::BadOption &e) {
    std::fprintf(stderr, "recoverytime: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "recoverytime: %s\n", e.what());
    return 1;
  }
  FILE *out = o.json.empty() ? nullptr : std::fopen(o.json.c_str(), "w");
  if (!o.json.empty() && out == nullptr) {
    std::fprintf(stderr, "recoverytime: %s: %s\n", o.json.c_str(), std::strerror(errno));
    return 1;
  }
  int code = 0;
  const char *comma = "[";
  try {
    for (const std::string &geometry : geometries) {
      for (const double fill : o.fills) {
        o.load.geometry = geometry;
        o.load.fill = fill;
        const Result result = measure(o.load);
        print(o.load, result);
        if (out == nullptr) continue;
        std::fprintf(out, "%s", comma);
        write_result(out, o.load, result);
        comma = ",\n";
        output::flush(out, o.json);
      }
    }
    if (out != nullptr) {
      std::fputs("]\n", out);
      output::flush(out, o.json);
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "recoverytime: %s\n", e.what());
    code = 1;
  }
  if (out != nullptr) (void)std::fclose(out);  // it is flushed
  return code;
}

/// Every comparison with "nan" is false, so that no range refuses it.
std::string is_number(const std::string &text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is not a number" : std::string();
}

}  // namespace
}  // namespace orm::recovery

int main(int argc, char **argv) {
  orm::recovery::Options o;
  CLI::App app(
      "Measures the device time from power-on until the firmware runs, after a power cut and after a clean shutdown, "
      "step "
      "by step, and the cost of metadata. Fills a fast model sequentially, then overwrites, remaps and trims at "
      "random. "
      "Exit code: 0 success, 1 a device failed or lost its mapping, 2 a usage error.",
      "recoverytime");
  app.add_option("--size", o.sizes, "flash size in GiB")->check(CLI::IsMember({1, 16, 256}))->capture_default_str();
  app.add_option("--geometry", o.load.geometry, "flash geometry instead of --size, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]");
  app.add_option("--fill", o.fills, "percentage of the namespace to write sequentially")
      ->check(CLI::Range(0.0, 100.0) & CLI::Validator(orm::recovery::is_number, ""))
      ->capture_default_str();
  app.add_option("--overwrite", o.load.overwrite, "percentage of the filled pages to overwrite at random")
      ->check(CLI::Range(0.0, 10'000.0) & CLI::Validator(orm::recovery::is_number, ""))
      ->capture_default_str();
  app.add_option("--remap", o.load.remap, "percentage of the filled pages that become remap targets")
      ->check(CLI::Range(0.0, 1000.0) & CLI::Validator(orm::recovery::is_number, ""))
      ->capture_default_str();
  app.add_option("--trim", o.load.trim, "percentage of the filled pages to deallocate")
      ->check(CLI::Range(0.0, 1000.0) & CLI::Validator(orm::recovery::is_number, ""))
      ->capture_default_str();
  orm::command_line::add_seed(&app, &o.load.seed);
  app.add_option("--json", o.json, "file for the results")->check(orm::output::unwritable);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  return orm::recovery::start(o);
}
