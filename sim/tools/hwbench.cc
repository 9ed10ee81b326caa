// SPDX-License-Identifier: Apache-2.0
//
// hwbench - what an operation costs the Verilated controller, in clock cycles: lookups at the MapUnit, all else seen from
// the host, as commands through NVMe queues with everything between doorbell and completion inside. One JSON object on
// standard output.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "arguments.h"
#include "hwbench_lookup.h"
#include "openremap.h"
#include "openremap_cmd.h"
#include "openremap_stats.h"
#include "rtl_core.h"
#include "seeded_random.h"

namespace {

using orm::hwbench::Result;

constexpr uint32_t kDepth = 64;
constexpr int kWideSlots = 4;  // of a page of PCIE_WIDE_GEOMETRY

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "hwbench: %s\n", what.c_str());
  std::exit(1);
}

void check(int status, const char *what) {
  char text[128];
  if (status != 0) die(std::string(what) + ": " + openremap_describe(status, text, sizeof text));
}

// A device with its memory; closes it at the end.
class Device {
 public:
  struct Make {
    bool instant_nand;
    uint32_t superblocks;         // 0: all
    uint32_t over_provision_pct;  // 0: default
    uint64_t seed;
    bool wide;
    uint32_t io_queues = 1;  // of kDepth commands each
  };
  explicit Device(const Make &make) : random_(make.seed) {
    openremap_options options{};
    options.device.kind = "rtl";
    options.device.seed = make.seed;
    options.device.superblocks = make.superblocks;
    options.device.over_provision_pct = make.over_provision_pct;
    options.device.instant_nand = make.instant_nand ? 1 : 0;
    if (make.wide) options.device.geometry = PCIE_WIDE_GEOMETRY;
    options.create = pcie_device_create;
    options.queue_depth = kDepth;
    options.io_queues = make.io_queues;
    char error[256] = "";
    if (openremap_open(&options, &dev_, error, sizeof error) != 0) die(error);
    pages_ = openremap_get_info(dev_)->pages;
    data_ = static_cast<uint8_t *>(openremap_dma_alloc(dev_, kDataPages * OPENREMAP_PAGE_BYTES));
    if (data_ == nullptr) die("no memory for DMA");
    for (size_t i = 0; i < kDataPages * OPENREMAP_PAGE_BYTES; ++i) data_[i] = uint8_t(random_.next());
  }
  ~Device() { check(openremap_close(dev_), "shutdown"); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  openremap_device *get() const { return dev_; }
  uint64_t pages() const { return pages_; }
  uint8_t *page(uint64_t i) const { return data_ + i % kDataPages * OPENREMAP_PAGE_BYTES; }
  uint64_t random_page() { return random_.below(pages_); }
  uint64_t cycle() const { return openremap_now_ns(dev_) / orm::kPeriodNs; }

  orm_remap_log stats() const {
    orm_remap_log log{};
    check(openremap_get_stats(dev_, &log), "counters");
    return log;
  }

  // Every page, in order, durable.
  void fill() {
    const uint64_t step = openremap_get_info(dev_)->max_transfer_pages;
    for (uint64_t lpn = 0; lpn < pages_; lpn += step) {
      check(openremap_write(dev_, lpn, std::min(step, pages_ - lpn), page(0), false), "filling");
    }
    check(openremap_flush(dev_), "flush");
  }

  // `submit(i, done, arg)` sends the i-th command.
  using Submit = std::function<int(uint64_t, openremap_done, void *)>;

  // Commands that are kept in flight as long as those that are measured run, and are not measured.
  struct Beside {
    uint32_t depth;
    Submit submit;
  };

  // Keeps `depth` of `count` commands in flight.
  Result measure(const std::string &name, uint64_t count, uint32_t depth, uint64_t pages_each, const Submit &submit,
                 const Beside &beside = {0, {}}) {
    std::fprintf(stderr, "hwbench: %s\n", name.c_str());
    Result result{name, count, count * pages_each, 0, 0, 0, {}};
    std::vector<Command> commands(count);
    Others others;
    uint64_t sent = 0, ended = 0, sent_beside = 0;
    const orm_remap_log before = stats();
    const uint64_t begin = cycle();
    while (ended < count) {
      for (; sent < count && sent - ended < depth; ++sent) {
        commands[sent] = {this, &ended, cycle(), 0, 0};
        check(submit(sent, Command::done, &commands[sent]), name.c_str());
      }
      for (; others.in_flight < beside.depth; ++others.in_flight) {
        check(beside.submit(sent_beside++, Others::done, &others), name.c_str());
      }
      if (openremap_poll(dev_, 1'000'000) < 0) die(name + ": the controller is lost");
    }
    result.cycles = cycle() - begin;
    const orm_remap_log after = stats();
    result.gc_pages = after.gc_moved_pages - before.gc_moved_pages;
    result.stall_alloc = after.stall_alloc - before.stall_alloc;
    check(openremap_wait_all(dev_), name.c_str());
    check(others.status, name.c_str());
    for (const Command &c : commands) {
      check(c.status, name.c_str());
      result.latencies.push_back(c.end - c.begin);
    }
    std::sort(result.latencies.begin(), result.latencies.end());
    return result;
  }

 private:
  struct Command {
    Device *device;
    uint64_t *ended;
    uint64_t begin, end;
    int status;
    static void done(void *arg, int status, uint32_t) {
      auto *c = static_cast<Command *>(arg);
      c->end = c->device->cycle();
      c->status = status;
      ++*c->ended;
    }
  };
  struct Others {
    uint32_t in_flight = 0;
    int status = 0;
    static void done(void *arg, int status, uint32_t) {
      auto *o = static_cast<Others *>(arg);
      --o->in_flight;
      if (status != 0) o->status = status;
    }
  };
  static constexpr size_t kDataPages = 2 * kDepth;

  openremap_device *dev_ = nullptr;
  orm::SeededRandom random_;
  uint64_t pages_ = 0;
  uint8_t *data_ = nullptr;
};

struct Plan {
  uint64_t seed = 1;
  uint64_t commands = 1000;
  bool wide = false;
};

// ---------------------------------------------------------------------------------------- NAND out of the way
void host_io(Device &d, const Plan &plan, std::vector<Result> *out) {
  auto read = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_read(d.get(), d.random_page(), 1, d.page(i), done, arg);
  };
  auto write = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_write(d.get(), d.random_page(), 1, d.page(i), false, done, arg);
  };
  out->push_back(d.measure("read_qd1", plan.commands / 4, 1, 1, read));
  out->push_back(d.measure("read_qd64", plan.commands, kDepth, 1, read));
  const uint64_t run = openremap_get_info(d.get())->max_transfer_pages;
  const uint64_t runs = d.pages() / run;
  out->push_back(
      d.measure("read_sequential", plan.commands / run + 1, 8, run, [&](uint64_t i, openremap_done f, void *a) {
        return openremap_submit_read(d.get(), i % runs * run, run, d.page(i % 2 * run), f, a);
      }));
  out->push_back(d.measure("write_qd1", plan.commands / 4, 1, 1, write));
  out->push_back(d.measure("write_qd64", plan.commands, kDepth, 1, write));
  out->push_back(
      d.measure("write_sequential", plan.commands / run + 1, 8, run, [&](uint64_t i, openremap_done f, void *a) {
        return openremap_submit_write(d.get(), i % runs * run, run, d.page(i % 2 * run), false, f, a);
      }));
}

constexpr uint64_t kRemapRun = 1024, kRemapRanges = 64;
using Timed = std::function<void(const std::string &name, uint64_t count, uint64_t pages_each,
                                 const std::function<int(uint64_t)> &one)>;

// One Copy after the other.
void copies(Device &d, const Plan &plan, const Timed &timed) {
  const uint64_t half = d.pages() / 2;
  auto copy = [&](uint64_t dst, const std::vector<nvme_copy_range> &sources) {
    std::vector<uint8_t> list(sources.size() * NVME_COPY_RANGE_BYTES);
    for (size_t i = 0; i < sources.size(); ++i) nvme_copy_range_pack(&sources[i], &list[i * NVME_COPY_RANGE_BYTES]);
    nvme_submission_entry command;
    nvme_cmd_copy(&command, 1, dst, uint32_t(sources.size()));
    return openremap_io(d.get(), &command, list.data(), list.size(), nullptr);
  };
  nvme_identify_namespace ns;
  check(openremap_identify_namespace(d.get(), &ns), "identify");
  const uint64_t run = ns.mcl;
  timed("copy_single", plan.commands / 16, 1, [&](uint64_t i) { return copy(half + i, {{i, 0, 0, 0, 0}}); });
  timed("copy_run", 8, run, [&](uint64_t i) { return copy(half + i * run, {{i * run, uint16_t(run - 1), 0, 0, 0}}); });
  timed("copy_random", 16, kRemapRanges, [&](uint64_t) {
    std::vector<nvme_copy_range> sources(kRemapRanges);
    for (nvme_copy_range &s : sources) s.slba = d.random_page() % half;
    return copy(half + d.random_page() % (half - kRemapRanges), sources);
  });
}

// One command after the other: what a table's vector costs. Sources are durable before, targets are mapped.
void remaps(Device &d, const Plan &plan, std::vector<Result> *out) {
  check(openremap_flush(d.get()), "flush");
  const uint64_t half = d.pages() / 2;
  const Timed timed = [&](const std::string &name, uint64_t count, uint64_t pages_each,
                          const std::function<int(uint64_t)> &one) {
    std::fprintf(stderr, "hwbench: %s\n", name.c_str());
    Result result{name, count, count * pages_each, 0, 0, 0, {}};
    const uint64_t begin = d.cycle();
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t start = d.cycle();
      check(one(i), name.c_str());
      result.latencies.push_back(d.cycle() - start);
    }
    result.cycles = d.cycle() - begin;
    std::sort(result.latencies.begin(), result.latencies.end());
    out->push_back(result);
  };
  timed("remap_single", plan.commands / 16, 1,
        [&](uint64_t i) { return openremap_remap(d.get(), i, half + i, 1, OPENREMAP_SHARE); });
  timed("remap_run", 3, kRemapRun, [&](uint64_t i) {
    return openremap_remap(d.get(), i * kRemapRun, half + i * kRemapRun, kRemapRun, OPENREMAP_SHARE);
  });
  timed("remap_vector_random", 16, kRemapRanges, [&](uint64_t) {
    // Targets in the upper half are all different, as a command's must be.
    std::vector<openremap_remap_range> ranges;
    const uint64_t first = d.random_page() % (half - kRemapRanges * 16);
    for (uint64_t r = 0; r < kRemapRanges; ++r) {
      ranges.push_back({d.random_page() % half, half + first + r * 16 + d.random_page() % 16, 1});
    }
    return openremap_remap_vector(d.get(), ranges.data(), ranges.size(), OPENREMAP_SHARE);
  });
  copies(d, plan, timed);
}

// ---------------------------------------------------------------------------------------- NAND as it is
// Random reads and overwrites of a full device: before GC has anything to do, and when it runs all the time.
void collections(const Plan &plan, std::vector<Result> *out) {
  // Writes in flight beside measured reads: they fill the queue of their class and hold no read back on its way to its
  // engine.
  constexpr uint32_t kWritesBeside = kDepth;
  Device d(
      {/*instant_nand=*/false, /*superblocks=*/24, /*over_provision_pct=*/0, plan.seed, plan.wide, /*io_queues=*/2});
  d.fill();
  auto read = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_read(d.get(), d.random_page(), 1, d.page(kDepth + i % kDepth), done, arg);
  };
  auto write = [&](uint64_t i, openremap_done done, void *arg) {
    return openremap_submit_write(d.get(), d.random_page(), 1, d.page(i % kDepth), false, done, arg);
  };
  out->push_back(d.measure("read_nand", plan.commands, kDepth, 1, read));
  out->push_back(d.measure("write_nand", plan.commands / 4, kDepth, 1, write));
  d.measure("write_gc: until GC has become steady", plan.commands, kDepth, 1, write);
  out->push_back(d.measure("write_gc", 2 * plan.commands, kDepth, 1, write));
  out->push_back(d.measure("read_gc", plan.commands, kDepth, 1, read, {kWritesBeside, write}));
}

// ---------------------------------------------------------------------------------------- output
void print(const Plan &plan, const std::vector<Result> &results) {
  const auto u = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  std::printf("{\"clock_ns\": %llu, \"seed\": %llu, \"slots_per_page\": %d, \"cases\": [", u(orm::kPeriodNs),
              u(plan.seed), plan.wide ? kWideSlots : 1);
  for (size_t i = 0; i < results.size(); ++i) {
    const Result &r = results[i];
    const auto at = [&](size_t percent) { return r.latencies[(r.latencies.size() - 1) * percent / 100]; };
    std::printf(
        "%s\n {\"name\": \"%s\", \"commands\": %llu, \"pages\": %llu, \"cycles\": %llu, \"cycles_per_page\": %.2f, "
        "\"gc_pages\": %llu, \"stall_alloc\": %llu, \"latency\": {\"p50\": %llu, \"p99\": %llu, \"max\": %llu}}",
        i == 0 ? "" : ",", r.name.c_str(), u(r.commands), u(r.pages), u(r.cycles), double(r.cycles) / double(r.pages),
        u(r.gc_pages), u(r.stall_alloc), u(at(50)), u(at(99)), u(r.latencies.back()));
  }
  std::printf("\n]}\n");
}

}  // namespace

int main(int argc, char **argv) {
  Plan plan;
  CLI::App app(
      "What reads, writes, remaps and garbage collection cost the Verilated controller, in clock cycles, as one JSON "
      "object. Progress goes to standard error.",
      "hwbench");
  app.add_option(
         "--commands", plan.commands,
         "commands of the longer cases; with many more than the default, GC runs in cases that shall be free of it")
      ->check(CLI::Range(160, 100'000))
      ->capture_default_str();
  orm::tools::add_seed(&app, &plan.seed);
  app.add_flag("--wide", plan.wide, "flash with pages of four slots, 16 KiB");
  if (const auto code = orm::tools::parse(&app, argc, argv)) return *code;
  std::vector<Result> results;
  std::fprintf(stderr, "hwbench: lookups\n");
  try {
    results = orm::hwbench::lookups(4 * plan.commands, plan.seed);
  } catch (const std::exception &e) {
    die(e.what());
  }
  {
    // So much over-provisioning that no case of this device needs GC.
    Device d({/*instant_nand=*/true, /*superblocks=*/0, /*over_provision_pct=*/50, plan.seed, plan.wide});
    d.fill();
    host_io(d, plan, &results);
  }
  {
    Device d({/*instant_nand=*/true, /*superblocks=*/0, /*over_provision_pct=*/0, plan.seed, plan.wide});
    d.fill();
    remaps(d, plan, &results);
  }
  collections(plan, &results);
  print(plan, results);
  return 0;
}
