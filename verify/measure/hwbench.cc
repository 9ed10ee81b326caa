// SPDX-License-Identifier: Apache-2.0
//
// hwbench - what an operation costs the Verilated controller, in clock cycles: lookups at the MapUnit, all else seen
// from the host, as commands through NVMe queues with everything between doorbell and completion inside. One JSON
// object on standard output.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "command_line.h"
#include "measure/hwbench_device.h"
#include "measure/hwbench_gc.h"
#include "measure/hwbench_lookup.h"
#include "openremap.h"
#include "openremap_cmd.h"
#include "orm_formats.h"
#include "output.h"
#include "rtl_core.h"

namespace {

using orm::hwbench::check;
using orm::hwbench::Device;
using orm::hwbench::die;
using orm::hwbench::kDepth;
using orm::hwbench::Plan;
using orm::hwbench::Result;

constexpr int kWideSlots = 4;  // slots per page of PCIE_WIDE_GEOMETRY

// ---------------------------------------------------------------------------------------- instant NAND
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

// Copy commands at queue depth 1.
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

/// A range to each sixteenth page or so of the upper half, from anywhere in the lower half.
std::vector<openremap_remap_range> random_ranges(Device &d) {
  const uint64_t half = d.pages() / 2, first = d.random_page() % (half - kRemapRanges * 16);
  std::vector<openremap_remap_range> ranges;
  for (uint64_t r = 0; r < kRemapRanges; ++r) {
    ranges.push_back({d.random_page() % half, half + first + r * 16 + d.random_page() % 16, 1});
  }
  return ranges;
}

// Vectors at queue depth 2: while one runs, the controller makes the next one ready.
void vectors(Device &d, std::vector<Result> *out) {
  out->push_back(d.measure("remap_vector_qd2", 32, 2, kRemapRanges, [&](uint64_t i, openremap_done done, void *arg) {
    uint8_t *list = d.page(i % 4);
    size_t at = 0;
    for (const openremap_remap_range &r : random_ranges(d)) {
      const orm_remap_range range = {r.src, r.dst, uint32_t(r.pages), 0, 0};
      orm_remap_range_pack(&range, list + at++ * ORM_REMAP_RANGE_BYTES);
    }
    nvme_submission_entry command{};
    command.opcode = ORM_VENDOR_OPCODES_REMAP_VECTOR;
    command.nsid = 1;
    command.cdw10 = uint32_t(kRemapRanges);
    return openremap_submit_command(d.get(), false, &command, list, kRemapRanges * ORM_REMAP_RANGE_BYTES, done, arg);
  }));
}

// Remap commands at queue depth 1. Sources are durable and targets are mapped.
void remaps(Device &d, const Plan &plan, std::vector<Result> *out) {
  check(openremap_flush(d.get()), "flush");
  const uint64_t half = d.pages() / 2;
  const Timed timed = [&](const std::string &name, uint64_t count, uint64_t pages_each,
                          const std::function<int(uint64_t)> &one) {
    std::fprintf(stderr, "hwbench: %s\n", name.c_str());
    Result result{name, count, count * pages_each, 0, 0, 0, 0, {}};
    const uint64_t by_hardware = d.by_hardware(), begin = d.cycle();
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t start = d.cycle();
      check(one(i), name.c_str());
      result.latencies.push_back(d.cycle() - start);
    }
    result.cycles = d.cycle() - begin;
    result.by_hardware = d.by_hardware() - by_hardware;
    std::sort(result.latencies.begin(), result.latencies.end());
    out->push_back(result);
  };
  timed("remap_single", plan.commands / 16, 1,
        [&](uint64_t i) { return openremap_remap(d.get(), i, half + i, 1, OPENREMAP_SHARE); });
  timed("remap_run", 3, kRemapRun, [&](uint64_t i) {
    return openremap_remap(d.get(), i * kRemapRun, half + i * kRemapRun, kRemapRun, OPENREMAP_SHARE);
  });
  timed("remap_vector_random", 16, kRemapRanges, [&](uint64_t) {
    const std::vector<openremap_remap_range> ranges = random_ranges(d);
    return openremap_remap_vector(d.get(), ranges.data(), ranges.size(), OPENREMAP_SHARE);
  });
  vectors(d, out);
  copies(d, plan, timed);
}

/// On a device whose every page has been written.
void remaps_from_full(const Plan &plan, std::vector<Result> *out) {
  Device d({/*instant_nand=*/true, /*superblocks=*/0, /*over_provision_pct=*/0, plan.seed, plan.wide, /*io_queues=*/1,
            plan.device.c_str()});
  std::fprintf(stderr, "hwbench: filling the device\n");
  d.fill();
  remaps(d, plan, out);
}

// ---------------------------------------------------------------------------------------- output
void print(const Plan &plan, const std::vector<Result> &results) {
  const auto u = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  std::printf("{\"device\": \"%s\", \"clock_ns\": %llu, \"seed\": %llu, \"slots_per_page\": %d, \"cases\": [",
              plan.device.c_str(), u(orm::kPeriodNs), u(plan.seed), plan.wide ? kWideSlots : 1);
  for (size_t i = 0; i < results.size(); ++i) {
    const Result &r = results[i];
    const auto at = [&](size_t percent) { return r.latencies[(r.latencies.size() - 1) * percent / 100]; };
    std::printf(
        "%s\n {\"name\": \"%s\", \"commands\": %llu, \"pages\": %llu, \"cycles\": %llu, \"cycles_per_page\": %.2f, "
        "\"gc_pages\": %llu, \"by_hardware\": %llu, \"stall_alloc\": %llu, \"latency\": {\"p50\": %llu, \"p99\": %llu, "
        "\"max\": %llu}}",
        i == 0 ? "" : ",", r.name.c_str(), u(r.commands), u(r.pages), u(r.cycles), double(r.cycles) / double(r.pages),
        u(r.gc_pages), u(r.by_hardware), u(r.stall_alloc), u(at(50)), u(at(99)), u(r.latencies.back()));
  }
  std::printf("\n]}\n");
  try {
    orm::output::flush();
  } catch (const std::exception &e) {
    die(e.what());
  }
}

}  // namespace

int main(int argc, char **argv) {
  Plan plan;
  CLI::App app(
      "Measures reads, writes, remaps and garbage collection on the Verilated controller in clock cycles. Prints one "
      "JSON object. Progress goes to standard error.",
      "hwbench");
  app.add_option("--commands", plan.commands,
                 "number of commands in the longer cases; with many more than the default, GC also runs in cases meant "
                 "to be free "
                 "of it")
      ->check(CLI::Range(160, 100'000))
      ->capture_default_str();
  orm::command_line::add_seed(&app, &plan.seed);
  app.add_flag("--wide", plan.wide, "use the variant with flash pages of four slots (16 KiB)");
  app.add_option("--device", plan.device,
                 "rtl: the controller, with firmware that takes no time; soc: the same with a CPU that runs the "
                 "firmware, of which only remaps and copies are measured")
      ->check(CLI::IsMember({"rtl", "soc"}))
      ->capture_default_str();
  app.callback([&] {
    if (plan.wide && plan.device == "soc") throw CLI::ValidationError("--wide", "the soc has flash pages of one slot");
  });
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  std::vector<Result> results;
  if (plan.device == "soc") {
    remaps_from_full(plan, &results);
    print(plan, results);
    return 0;
  }
  std::fprintf(stderr, "hwbench: lookups\n");
  try {
    results = orm::hwbench::lookups(4 * plan.commands, plan.seed);
  } catch (const std::exception &e) {
    die(e.what());
  }
  {
    // Enough over-provisioning that no case on this device needs GC.
    Device d({/*instant_nand=*/true, /*superblocks=*/0, /*over_provision_pct=*/50, plan.seed, plan.wide});
    d.fill();
    host_io(d, plan, &results);
  }
  remaps_from_full(plan, &results);
  orm::hwbench::collections(plan, &results);
  orm::hwbench::collections_alone(plan, &results);
  print(plan, results);
  return 0;
}
