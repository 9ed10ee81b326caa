// SPDX-License-Identifier: Apache-2.0
#include "measure/firmware_load.h"

#include <algorithm>
#include <stdexcept>

#include "orm_nvme.h"
#include "pcie_debug.h"
#include "support/bad_option.h"
#include "support/shut_down.h"
#include "support/sim_figures.h"

namespace orm::firmware_time {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint32_t kDepth = 16;

constexpr size_t kLogBytes = 512;

constexpr uint64_t kCheckpointNs = 5'000'000;  // in which a checkpoint of the trims ends

}  // namespace

Load::Load(const Target &target, Told told) : told_(std::move(told)), random_(target.seed) {
  openremap_options options{};
  options.device.kind = target.kind.c_str();
  options.device.superblocks = target.superblocks;
  options.device.remap_segments = target.segments;
  options.device.seed = target.seed;
  if (!target.cpu.empty()) options.device.firmware_cpu = target.cpu.c_str();
  options.create = pcie_device_create;
  options.queue_depth = kDepth;
  options.ready_timeout_ns = 10 * kSecond;
  char error[256] = "";
  if (const int rc = openremap_open(&options, &dev_, error, sizeof error)) tools::no_device(rc, error);
  fn_ = openremap_pcie_function(dev_);
  const size_t bytes = openremap_get_info(dev_)->max_transfer_pages * OPENREMAP_PAGE_BYTES;
  data_ = static_cast<uint8_t *>(openremap_dma_alloc(dev_, bytes));
  if (data_ == nullptr) throw std::runtime_error("cannot allocate DMA memory");
  std::fill_n(data_, bytes, uint8_t(0));
  end("format and start", true);
}

Load::Now Load::now() const {
  const tools::SimFigures figures(fn_);
  Now now{openremap_now_ns(dev_), figures["firmware_busy_ns"], {}};
  std::vector<pcie_device_work> work(pcie_device_work_done(fn_, nullptr, 0));
  (void)pcie_device_work_done(fn_, work.data(), work.size());
  for (const pcie_device_work &w : work) now.work.emplace_back(w.kind, w.count);
  return now;
}

void Load::end(const std::string &name, bool since_power_on) {
  const Now ended = now();
  Window window{name, ended.device_ns - begun_.device_ns, ended.busy_ns, ended.work};
  if (!since_power_on) {
    window.busy_ns -= begun_.busy_ns;
    for (size_t i = 0; i < window.work.size(); ++i) window.work[i].second -= begun_.work[i].second;
  }
  begun_ = ended;
  told_(window);
}

void Load::ok(int status, const char *what) const {
  char text[128];
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + openremap_describe(status, text, sizeof text));
}

void Load::restart(const std::string &name) {
  rest(0);
  begun_ = now();
  ok(openremap_power_cycle(dev_), "power cycle");
  end(name, true);
}

void Load::restart_clean(const std::string &name) {
  rest(0);
  begun_ = now();
  tools::shut_down(dev_);
  end("shutdown");
  ok(openremap_power_cycle(dev_), "power cycle");
  end(name, true);
}

void Load::identify(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    nvme_identify_controller controller;
    ok(openremap_identify_controller(dev_, &controller), "Identify");
  }
  end("Identify");
}

void Load::logs(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    uint8_t log[kLogBytes];
    ok(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, log, sizeof log), "log page");
  }
  end("SMART log");
  for (unsigned i = 0; i < count; ++i) {
    uint8_t log[kLogBytes];
    ok(openremap_get_log_page(dev_, NVME_LOG_PAGE_ERROR_INFORMATION, 0, log, sizeof log), "log page");
  }
  end("error log");
}

void Load::fill(uint64_t pages, uint64_t each) {
  for (uint64_t at = 0; at < pages; at += each)
    ok(openremap_write(dev_, at, std::min(each, pages - at), data_, false), "write");
  ok(openremap_flush(dev_), "flush");
  end("fill");
}

void Load::overwrite(const std::string &name, uint64_t count, uint64_t below) {
  int failed = 0;
  const openremap_done done = [](void *arg, int status, uint32_t) {
    if (status != 0) *static_cast<int *>(arg) = status;
  };
  for (uint64_t i = 0; i < count; ++i) {
    ok(openremap_submit_write(dev_, random_.below(below), 1, data_, false, done, &failed), "write");
    while (openremap_in_flight(dev_) >= kDepth) ok(std::min(openremap_poll(dev_, kSecond), 0), "write");
  }
  ok(openremap_wait_all(dev_), "write");
  ok(failed, "write");
  ok(openremap_flush(dev_), "flush");
  end(name);
}

void Load::remap(const std::string &name, unsigned count, unsigned ranges, uint64_t below, Targets targets) {
  const uint64_t half = below / 2, part = half / ranges;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<openremap_remap_range> list;
    for (uint64_t r = ranges; r-- > 0;) list.push_back({random_.below(half), half + r * part + random_.below(part), 1});
    if (targets == Targets::kAscend) std::reverse(list.begin(), list.end());
    const int status = openremap_remap_vector(dev_, list.data(), list.size(), OPENREMAP_SHARE);
    if (!openremap_should_write_instead(status)) ok(status, "remap");
  }
  end(name);
}

void Load::trim(unsigned count, uint64_t below) {
  for (unsigned i = 0; i < count; ++i) {
    const openremap_range range{below / 2 + random_.below(below / 2), 1};
    ok(openremap_deallocate(dev_, &range, 1), "deallocate");
  }
  end("trims");
}

void Load::trim_lists(unsigned count, unsigned ranges, uint64_t below) {
  for (unsigned i = 0; i < count; ++i) {
    std::vector<openremap_range> list(ranges);
    for (openremap_range &range : list) range = {below / 2 + random_.below(below / 2), 1};
    ok(openremap_deallocate(dev_, list.data(), list.size()), "deallocate");
  }
  rest(kCheckpointNs);
  end("lists of trims");
}

void Load::format(bool erase) {
  ok(openremap_format(dev_, erase), "format");
  end(erase ? "Format NVM with an erase" : "Format NVM");
}

void Load::rest(uint64_t ns) {
  ok(openremap_flush(dev_), "flush");
  const uint64_t end = openremap_now_ns(dev_) + ns;
  while (openremap_now_ns(dev_) < end) {
    const uint64_t before = openremap_now_ns(dev_);
    ok(std::min(openremap_poll(dev_, end - before), 0), "rest");
    if (openremap_now_ns(dev_) == before) return;  // idle until the host's next access
  }
}

void starts(Target target, const Told &told) {
  target.superblocks = 12;
  target.segments = 68;
  Load load(target, told);
  load.restart("start, empty");
  const uint64_t pages = load.pages();
  load.fill(pages, 8);
  load.remap("remaps of 64", 4, 64, pages);
  load.trim(24, pages);
  load.restart("start, full");
  load.overwrite("overwrites", 120, pages);
  load.restart_clean("start from a snapshot");
}

void commands(Target target, const Told &told) {
  target.superblocks = 8;
  target.segments = 80;
  Load load(target, told);
  load.identify(8);
  load.logs(2);
  const uint64_t pages = load.pages();
  load.fill(pages, 8);
  for (const unsigned ranges : {2u, 13u, 64u, 128u})
    load.remap("remaps of " + std::to_string(ranges), 6, ranges, pages);
  load.trim(24, pages);
  load.overwrite("overwrites", 400, pages);
  load.format(false);
  load.restart("start, formatted");
}

void trims(Target target, const Told &told) {
  target.segments = 68;
  for (const uint32_t superblocks : {8u, 64u}) {  // of a small device, records of the journal take the most of it
    target.superblocks = superblocks;
    Load load(target, told);
    // As in short_life(): the SoC and the model begin as many checkpoints.
    load.trim_lists(8, 210, load.pages());
  }
}

void short_life(Target target, const Told &told) {
  target.superblocks = 20;
  target.segments = 76;
  Load load(target, told);
  const uint64_t pages = load.pages();
  load.fill(pages, 16);
  load.remap("remaps that ascend", 8, 64, pages, Load::Targets::kAscend);
  load.remap("remap storm", 24, 64, pages);
  load.remap("remaps without room", 16, 64, pages, Load::Targets::kAscend);
  load.trim(16, pages);
  load.overwrite("overwrites", 300, pages);
  load.restart("recovery");
  // The last checkpoint but one leaves half of what begins another one: as many begin, whatever the firmware's time.
  load.trim_lists(6, 200, pages);
}

}  // namespace orm::firmware_time
