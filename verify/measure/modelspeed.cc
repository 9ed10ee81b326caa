// SPDX-License-Identifier: Apache-2.0
//
// modelspeed - 4 KiB commands a second that the fast model executes on this machine, host library included. A benchmark
// to look at, not a timed test.
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>

#include "command_line.h"
#include "openremap.h"
#include "output.h"
#include "pcie_function.h"
#include "seeded_random.h"

namespace {

struct Options {
  uint64_t commands = 1'000'000;
  uint64_t seed = 1;
  uint32_t depth = 64;
  std::string geometry;
  bool json = false;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Mix {
  const char *name;
  unsigned reads_of_ten;
  bool sequential;
};
constexpr Mix kMixes[] = {{"sequential_write", 0, true},
                          {"sequential_read", 10, true},
                          {"random_write", 0, false},
                          {"random_read", 10, false},
                          {"random_7_read_3_write", 7, false}};

void done(void *arg, int status, uint32_t) {
  if (status != 0) ++*static_cast<uint64_t *>(arg);
}

/// Returns 0, or the status of the failed command.
int run_mix(const Options &o, openremap_device *dev, const Mix &mix, uint8_t *data, bool last) {
  const uint64_t pages = openremap_get_info(dev)->pages;
  orm::SeededRandom random(o.seed + mix.reads_of_ten);
  uint64_t failed = 0;
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const uint64_t start_ns = openremap_now_ns(dev);
  int status = 0;
  for (uint64_t i = 0; i < o.commands && status >= 0 && failed == 0; ++i) {
    uint8_t *page = data + i % o.depth * OPENREMAP_PAGE_BYTES;
    const uint64_t lpn = mix.sequential ? i % pages : random.below(pages);
    status = random.below(10) < mix.reads_of_ten ? openremap_submit_read(dev, lpn, 1, page, done, &failed)
                                                 : openremap_submit_write(dev, lpn, 1, page, false, done, &failed);
    while (status >= 0 && openremap_in_flight(dev) >= o.depth) status = openremap_poll(dev, 1'000'000'000);
  }
  if (status >= 0) status = openremap_wait_all(dev);
  if (status < 0 || failed != 0) return status < 0 ? status : -1;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double used = cpu_seconds() - cpu, device = double(openremap_now_ns(dev) - start_ns) * 1e-9;
  const double n = double(o.commands);
  if (o.json) {
    std::printf("\"%s\": {\"iops_cpu\": %.0f, \"iops_wall\": %.0f, \"iops_device\": %.0f}%s", mix.name, n / used,
                n / wall, n / device, last ? "" : ", ");
  } else {
    std::printf("%-24s %9.0f IOPS (%.0f); of the simulated device %.0f\n", mix.name, n / used, n / wall, n / device);
  }
  return 0;
}

int run(const Options &o) {
  openremap_options options{};
  options.device.kind = "model";
  options.device.seed = o.seed;
  options.device.geometry = o.geometry.empty() ? nullptr : o.geometry.c_str();
  options.create = pcie_device_create;
  options.queue_depth = o.depth;
  char error[256] = "";
  openremap_device *dev = nullptr;
  const double cpu = cpu_seconds();
  if (const int rc = openremap_open(&options, &dev, error, sizeof error)) {
    std::fprintf(stderr, "modelspeed: %s\n", error);
    return rc == -EINVAL ? orm::command_line::kWrongUse : 1;
  }
  const double opened = cpu_seconds() - cpu;
  auto *data = static_cast<uint8_t *>(openremap_dma_alloc(dev, o.depth * OPENREMAP_PAGE_BYTES));
  orm::SeededRandom random(o.seed);
  for (size_t i = 0; data != nullptr && i < o.depth * OPENREMAP_PAGE_BYTES; ++i) data[i] = uint8_t(random.next());
  std::printf(o.json ? "{\"pages\": %llu, \"open_cpu_seconds\": %.3f, " : "%llu pages, opened in %.3f s of CPU time\n",
              static_cast<unsigned long long>(openremap_get_info(dev)->pages), opened);
  int status = data == nullptr ? -1 : 0;
  for (const Mix &mix : kMixes) {
    if (status == 0) status = run_mix(o, dev, mix, data, &mix == std::end(kMixes) - 1);
  }
  if (o.json) std::puts("}");
  if (status != 0) std::fprintf(stderr, "modelspeed: commands failed\n");
  const bool closed = openremap_close(dev) == 0;
  orm::output::flush();
  return closed && status == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  Options o;
  CLI::App app(
      "Measures how many 4 KiB commands of each mix the fast model executes in one second of CPU time (of wall time in "
      "brackets).",
      "modelspeed");
  app.add_option("--commands", o.commands, "number of commands of each mix")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--depth", o.depth, "queue depth: commands in flight")
      ->check(CLI::Range(1, 255))
      ->capture_default_str();
  app.add_option("--geometry", o.geometry,
                 "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS], e.g. 8x4x512x256 for 16 GiB (default: that of the RTL)");
  orm::command_line::add_seed(&app, &o.seed);
  app.add_flag("--json", o.json, "one JSON object on standard output");
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    return run(o);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "modelspeed: %s\n", e.what());
    return 1;
  }
}
