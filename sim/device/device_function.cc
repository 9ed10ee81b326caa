// SPDX-License-Identifier: Apache-2.0
#include "device_function.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orm {
namespace {

constexpr uint64_t kBar0Bytes = 16 * 1024;

bool bad_access(uint64_t offset, unsigned size) {
  return (size != 4 && size != 8) || offset % size != 0 || offset > kBar0Bytes - size;
}

int bar0_read(pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value) {
  if (bad_access(offset, size)) return -EINVAL;
  return int(guarded_powered(self(fn), [&](Device &d) {
    *value = d.bar0_read(uint32_t(offset));
    if (size == 8) *value |= uint64_t(d.bar0_read(uint32_t(offset) + 4)) << 32;
    return 0;
  }));
}

int bar0_write(pcie_function *fn, uint64_t offset, unsigned size, uint64_t value) {
  if (bad_access(offset, size)) return -EINVAL;
  return int(guarded_powered(self(fn), [&](Device &d) {
    d.bar0_write(uint32_t(offset), uint32_t(value));
    if (size == 8) d.bar0_write(uint32_t(offset) + 4, uint32_t(value >> 32));
    return 0;
  }));
}

int64_t run(pcie_function *fn, uint64_t max_ns) {
  return guarded_powered(self(fn), [&](Device &d) { return int64_t(d.run(std::min<uint64_t>(max_ns, INT64_MAX))); });
}

uint64_t now_ns(pcie_function *fn) { return self(fn).device->now_ns(); }

int reset(pcie_function *fn) {
  return int(guarded_powered(self(fn), [](Device &d) {
    d.function_reset();
    return 0;
  }));
}

int power_cut(pcie_function *fn) {
  return int(guarded_powered(self(fn), [](Device &d) {
    const uint64_t left = d.media().left();
    d.media().cut_before(0);  // not in the middle of this one
    d.power_cut();
    d.media().cut_before(left);
    return 0;
  }));
}

int power_on(pcie_function *fn) {
  return int(guarded(self(fn), [](Device &d) {
    if (d.powered()) return -EALREADY;
    d.power_on();
    return 0;
  }));
}

/// "all_written" for a device whose NVRAM is not counted in parts.
std::string nvram_members(const NvramModel &nvram) {
  uint64_t all = 0;
  std::string members;
  for (const NvramModel::Part &part : nvram.parts()) {
    all += part.written;
    members += ", \"" + part.name + "_written\": " + std::to_string(part.written);
  }
  return "\"bytes\": " + std::to_string(nvram.size()) + ", \"bytes_written\": " + std::to_string(all) + members;
}

int sim_stats(pcie_function *fn, char *buf, size_t len) {
  Device &d = *self(fn).device;
  const SimClock &c = d.clock();
  const NandCounters &n = d.nand().counters();
  const NandGeometry &g = d.nand().geometry();
  const auto u = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  return std::snprintf(
      buf, len,
      "\"sim_cycles\": %llu, \"evaluated_cycles\": %llu, \"wall_seconds\": %.6f, \"cpu_seconds\": "
      "%.6f, \"cycles_per_second\": %.0f, "
      "\"channels\": %u, \"dies\": %u, \"superblocks\": %u, \"pages_per_block\": %u, \"slots_per_page\": %u, "
      "\"nand_model\": {\"reads\": %llu, \"probes\": %llu, \"programs\": %llu, \"erases\": %llu, "
      "\"failed_programs\": %llu, \"failed_erases\": %llu, \"disturbed_pages\": %llu, \"uncorrectable\": %llu, "
      "\"miscorrected\": %llu, "
      "\"corrected_bits\": %llu, \"retries\": %llu, \"weak\": %llu}, "
      "\"nvram_model\": {%s}, \"dram_bytes\": %llu, \"firmware_busy_ns\": %llu",
      u(c.cycle), u(c.evaluated), c.wall_seconds, c.cpu_seconds,
      c.cpu_seconds > 0 ? double(c.evaluated) / c.cpu_seconds : 0.0, g.channels, g.channels * g.dies_per_channel,
      d.superblocks(), g.pages_per_block, g.slots_per_page, u(n.reads), u(n.probes), u(n.programs), u(n.erases),
      u(n.failed_programs), u(n.failed_erases), u(n.disturbed_pages), u(n.uncorrectable), u(n.miscorrected),
      u(n.corrected_bits), u(n.retries), u(n.weak), nvram_members(d.nvram()).c_str(), u(d.dram().size()),
      u(d.firmware() != nullptr ? d.firmware()->busy_ns() : 0));
}

void close(pcie_function *fn) {
  (void)guarded(self(fn), [](Device &d) {
    d.nand().check_kept();
    d.nvram().check_kept();
    return 0;
  });
  delete &self(fn);
}

constexpr pcie_function_ops kOps = {bar0_read, bar0_write, run,   now_ns,  reset,   power_cut,
                                    power_on,  sim_stats,  close, nullptr, nullptr, nullptr};

}  // namespace

std::unique_ptr<DeviceFunction> make_function(std::unique_ptr<Device> device) {
  auto function = std::make_unique<DeviceFunction>();
  function->base.ops = &kOps;
  function->device = std::move(device);
  return function;
}

}  // namespace orm
