// SPDX-License-Identifier: Apache-2.0
//
// wear - how evenly a device wears under a load that is not even: the whole logical space is written once, then some
// drive writes of which most go to a small part of it (docs/design/wear.md). Prints the superblocks' erase counts after
// each.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "orm_formats.h"
#include "orm_nvme.h"
#include "output.h"
#include "pcie_function.h"
#include "seeded_random.h"
#include "support/bad_option.h"

namespace {

struct Options {
  uint32_t drive_writes = 10;
  uint32_t hot_writes = 90, hot_pages = 10;  // percent
  uint64_t seed = 1;
  uint32_t depth = 64;
  uint32_t most_spread = 0;  // percent
  std::string geometry;
  std::string faults;
};

void check(int status, const char *what) {
  if (status != 0) throw std::runtime_error(std::string(what) + " failed, status " + std::to_string(status));
}

void done(void *arg, int status, uint32_t) {
  if (status != 0) ++*static_cast<uint64_t *>(arg);
}

class Host {
 public:
  explicit Host(const Options &o) : o_(o), random_(o.seed) {
    openremap_options options{};
    options.device.kind = "model";
    options.device.seed = o.seed;
    options.device.geometry = o.geometry.empty() ? nullptr : o.geometry.c_str();
    options.device.nand_faults = o.faults.empty() ? nullptr : o.faults.c_str();
    options.create = pcie_device_create;
    options.queue_depth = o.depth;
    char error[256] = "";
    if (const int rc = openremap_open(&options, &dev_, error, sizeof error)) orm::tools::no_device(rc, error);
    page_.resize(OPENREMAP_PAGE_BYTES, uint8_t(o.seed));
    pages_ = openremap_get_info(dev_)->pages;
  }
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;
  ~Host() { (void)openremap_close(dev_); }

  uint64_t pages() const { return pages_; }
  void fill() {
    for (uint64_t lpn = 0; lpn < pages_; ++lpn) write(lpn);
    settle();
  }
  void drive_write() {
    const uint64_t hot = std::max<uint64_t>(1, pages_ * o_.hot_pages / 100);
    for (uint64_t n = 0; n < pages_; ++n) {
      write(random_.below(100) < o_.hot_writes ? random_.below(hot) : random_.below(pages_));
    }
    settle();
  }
  nvme_ocp_smart_log smart() {
    uint8_t raw[512];
    nvme_ocp_smart_log s;
    check(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_OCP_SMART, 0, raw, sizeof raw), "log page C0h");
    nvme_ocp_smart_log_unpack(&s, raw);
    return s;
  }
  orm_remap_log stats() {
    orm_remap_log log;
    check(openremap_get_stats(dev_, &log), "log page CAh");
    return log;
  }

 private:
  void write(uint64_t lpn) {
    while (openremap_in_flight(dev_) >= o_.depth) {
      if (openremap_poll(dev_, 1'000'000'000) < 0) throw std::runtime_error("the device stopped");
    }
    if (openremap_submit_write(dev_, lpn, 1, page_.data(), false, done, &failed_) < 0) {
      throw std::runtime_error("a write was not accepted");
    }
  }
  void settle() {
    if (openremap_wait_all(dev_) < 0 || failed_ != 0) throw std::runtime_error("writes failed");
    check(openremap_flush(dev_), "flush");
  }

  const Options &o_;
  orm::SeededRandom random_;
  openremap_device *dev_ = nullptr;
  std::vector<uint8_t> page_;
  uint64_t pages_ = 0;
  uint64_t failed_ = 0;
};

int run(const Options &o) {
  Host host(o);
  host.fill();
  std::printf("%" PRIu64 " pages; %u %% of the writes go to %u %% of them\n", host.pages(), o.hot_writes, o.hot_pages);
  std::printf("%13s %7s %7s %7s %10s %20s\n", "drive writes", "least", "mean", "most", "spread, %",
              "write amplification");
  orm_remap_log before = host.stats();
  uint64_t spread = 0;
  for (uint32_t n = 1; n <= o.drive_writes; ++n) {
    host.drive_write();
    const nvme_ocp_smart_log s = host.smart();
    const orm_remap_log log = host.stats();
    const uint64_t programmed = log.nand_program_host + log.nand_program_gc + log.nand_program_pad -
                                before.nand_program_host - before.nand_program_gc - before.nand_program_pad;
    spread = s.avg_erase_count == 0 ? 0 : 100 * uint64_t(s.max_erase_count - s.min_erase_count) / s.avg_erase_count;
    std::printf("%13u %7u %7" PRIu64 " %7u %10" PRIu64 " %20.3f\n", n, s.min_erase_count, uint64_t(s.avg_erase_count),
                s.max_erase_count, spread, double(programmed) / double(log.host_write_pages - before.host_write_pages));
    orm::output::flush();
    before = log;
  }
  if (o.most_spread != 0 && spread > o.most_spread) {
    std::fprintf(stderr, "wear: the spread is above %u %% of the mean\n", o.most_spread);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Options o;
  CLI::App app("Measures the erase counts of a full device under a skewed load.", "wear");
  app.add_option("--drive-writes", o.drive_writes, "number of drive writes after the device was filled once")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--hot-writes", o.hot_writes, "percentage of the writes that go to the hot pages")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--hot-pages", o.hot_pages, "percentage of the pages that are hot")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--depth", o.depth, "queue depth: commands in flight")
      ->check(CLI::Range(1, 255))
      ->capture_default_str();
  app.add_option("--geometry", o.geometry, "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] (default: that of the RTL)");
  app.add_option("--faults", o.faults, "flash faults to inject, e.g. erase-fail=1e-4 (docs/design/simulation.md)");
  app.add_option("--most-spread", o.most_spread,
                 "fail if the spread of the erase counts (maximum - minimum) exceeds this percentage of the mean")
      ->check(orm::command_line::whole_number);
  orm::command_line::add_seed(&app, &o.seed);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    return run(o);
  } catch (const orm::tools::BadOption &e) {
    std::fprintf(stderr, "wear: %s\n", e.what());
    return orm::command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "wear: %s\n", e.what());
    return 1;
  }
}
