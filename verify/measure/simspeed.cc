// SPDX-License-Identifier: Apache-2.0
//
// simspeed - speed of the Verilated controller on this machine, with random 4 KiB writes and some reads. A benchmark,
// not a test with limits. Prints one JSON object to standard output.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "command_line.h"
#include "openremap.h"
#include "output.h"
#include "pcie_function.h"
#include "progress_line.h"
#include "seeded_random.h"

namespace {

struct Options {
  std::string device = "rtl";
  uint64_t pages = 2000;
  uint64_t seed = 1;
  uint32_t superblocks = 0;
  bool no_time_skip = false;
};

struct Load {
  openremap_device *dev;
  uint64_t failed = 0;
};

void done(void *arg, int status, uint32_t) {
  if (status != 0) ++static_cast<Load *>(arg)->failed;
}

int run(const Options &o) {
  openremap_options options{};
  options.device.kind = o.device.c_str();
  options.device.seed = o.seed;
  options.device.superblocks = o.superblocks;
  options.device.no_time_skip = o.no_time_skip ? 1 : 0;
  options.create = pcie_device_create;
  options.queue_depth = 32;
  char error[256] = "";
  Load load{};
  if (openremap_open(&options, &load.dev, error, sizeof error) != 0) {
    std::fprintf(stderr, "simspeed: %s\n", error);
    return 1;
  }
  const uint64_t pages = openremap_get_info(load.dev)->pages;
  constexpr size_t kSlots = 32;
  auto *data = static_cast<uint8_t *>(openremap_dma_alloc(load.dev, 2 * kSlots * OPENREMAP_PAGE_BYTES));
  orm::SeededRandom random(o.seed);
  for (size_t i = 0; data != nullptr && i < kSlots * OPENREMAP_PAGE_BYTES; ++i) data[i] = uint8_t(random.next());
  const uint64_t start_ns = openremap_now_ns(load.dev);
  int status = data == nullptr ? -1 : 0;
  orm::ProgressLine progress;
  for (uint64_t i = 0; i < o.pages && status >= 0 && load.failed == 0; ++i) {
    const uint8_t *page = data + i % kSlots * OPENREMAP_PAGE_BYTES;
    const uint64_t lpn = random.below(pages);
    status = openremap_submit_write(load.dev, lpn, 1, page, false, done, &load);
    if (status == 0 && i % 8 == 7) {
      uint8_t *target = data + (kSlots + i % kSlots) * OPENREMAP_PAGE_BYTES;
      status = openremap_submit_read(load.dev, random.below(pages), 1, target, done, &load);
    }
    while (status >= 0 && openremap_in_flight(load.dev) >= kSlots) status = openremap_poll(load.dev, 1'000'000);
    progress.show("pages", i + 1, o.pages);
  }
  if (status >= 0) status = openremap_wait_all(load.dev);
  if (status >= 0) status = openremap_flush(load.dev);
  progress.clear();
  if (status != 0 || load.failed != 0) {
    char text[128];
    std::fprintf(stderr, "simspeed: %llu commands failed; %s\n", static_cast<unsigned long long>(load.failed),
                 openremap_describe(status, text, sizeof text));
    openremap_close(load.dev);
    return 1;
  }
  pcie_function *fn = openremap_pcie_function(load.dev);
  char stats[1024];
  fn->ops->sim_stats(fn, stats, sizeof stats);
  const double device_seconds = double(openremap_now_ns(load.dev) - start_ns) / 1e9;
  std::printf("{\"pages\": %llu, \"device_seconds\": %.6f, %s}\n", static_cast<unsigned long long>(o.pages),
              device_seconds, stats);
  const bool closed = openremap_close(load.dev) == 0;
  orm::output::flush();
  return closed ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  Options o;
  CLI::App app(
      "Measures how fast the Verilated controller runs on this machine, alone or with the CPU of the soc. Writes "
      "random "
      "pages, reads every eighth page back and prints one JSON object.",
      "simspeed");
  app.add_option("--pages", o.pages, "number of pages to write")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  orm::command_line::add_device(&app, &o.device);
  orm::command_line::add_seed(&app, &o.seed);
  app.add_option("--superblocks", o.superblocks, "flash size in superblocks; the soc formats a smaller device sooner")
      ->check(CLI::Range(8u, 64u))
      ->default_str("all");
  app.add_flag("--no-time-skip", o.no_time_skip,
               "evaluate every clock cycle, including those in which nothing can happen");
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    return run(o);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "simspeed: %s\n", e.what());
    return 1;
  }
}
