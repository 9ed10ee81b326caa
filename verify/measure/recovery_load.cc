// SPDX-License-Identifier: Apache-2.0
#include "measure/recovery_load.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

#include "orm_bytes.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "support/bad_option.h"
#include "support/shut_down.h"
#include "support/sim_figures.h"

namespace orm::recovery {
namespace {

constexpr uint32_t kDepth = 64;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kStartUpNs = 3600 * kSecond;  // a large full device takes minutes
constexpr uint64_t kMostShutdownNs = 3600 * kSecond;
constexpr uint64_t kRestNs = kSecond / 10;
constexpr uint64_t kVector = 64;
constexpr uint64_t kTrimRun = 16;
constexpr uint64_t kMoreWrites = 1000;  // before each restart, so that superblocks are open

uint64_t share(uint64_t of, double percent) { return uint64_t(std::llround(double(of) * percent / 100)); }

}  // namespace

Device::Device(const Load &load) : load_(load), random_(load.seed) {
  openremap_options options{};
  options.device.kind = "model";
  options.device.geometry = load.geometry.c_str();
  options.device.seed = load.seed;
  options.create = pcie_device_create;
  options.queue_depth = kDepth;
  options.ready_timeout_ns = kStartUpNs;
  char error[256] = "";
  if (const int rc = openremap_open(&options, &dev_, error, sizeof error)) tools::no_device(rc, error);
  fn_ = openremap_pcie_function(dev_);
  const tools::SimFigures figures(fn_);
  flash_slots_ = figures["dies"] * figures["superblocks"] * figures["pages_per_block"] * figures["slots_per_page"];
  // The flash model stores pages of zeroes without memory, so that a large device can be filled.
  const size_t bytes = openremap_get_info(dev_)->max_transfer_pages * OPENREMAP_PAGE_BYTES;
  zeroes_ = static_cast<uint8_t *>(openremap_dma_alloc(dev_, bytes));
  if (zeroes_ == nullptr) throw std::runtime_error("cannot allocate DMA memory");
  std::fill_n(zeroes_, bytes, uint8_t(0));
  filled_ = std::max(share(pages(), load.fill), 4 * kVector * kTrimRun);
  if (filled_ > pages()) throw tools::BadOption("the flash is too small for the runs of trims");
}

void Device::ok(int status, const char *what) const {
  char text[128];
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + openremap_describe(status, text, sizeof text));
}

void Device::each(uint64_t count, const Submit &submit, const char *what) {
  int failed = 0;
  const openremap_done done = [](void *arg, int status, uint32_t) {
    if (status != 0) *static_cast<int *>(arg) = status;
  };
  for (uint64_t i = 0; i < count && failed == 0; ++i) {
    ok(submit(i, done, &failed), what);
    while (openremap_in_flight(dev_) >= kDepth) ok(std::min(openremap_poll(dev_, kSecond), 0), what);
  }
  ok(openremap_wait_all(dev_), what);
  ok(failed, what);
}

void Device::fill() {
  const uint64_t step = openremap_get_info(dev_)->max_transfer_pages;
  each((filled_ + step - 1) / step,
       [&](uint64_t i, openremap_done done, void *arg) {
         return openremap_submit_write(dev_, i * step, std::min(step, filled_ - i * step), zeroes_, false, done, arg);
       },
       "filling");
}

void Device::overwrite(uint64_t count) {
  each(
      count,
      [&](uint64_t, openremap_done done, void *arg) {
        return openremap_submit_write(dev_, random_.below(filled_), 1, zeroes_, false, done, arg);
      },
      "overwriting");
}

// Sources are in the lower half, targets in the upper half, which is divided among the ranges of a command.
void Device::remap(uint64_t pages) {
  const uint64_t half = filled_ / 2, part = half / kVector;
  for (uint64_t done = 0; done < pages; done += kVector) {
    std::vector<openremap_remap_range> ranges;
    for (uint64_t r = 0; r < kVector; ++r) {
      ranges.push_back({random_.below(half), half + r * part + random_.below(part), 1});
    }
    const int status = openremap_remap_vector(dev_, ranges.data(), ranges.size(), OPENREMAP_SHARE);
    if (openremap_should_write_instead(status)) {
      ++refused_;
    } else {
      ok(status, "remapping");
    }
  }
}

void Device::trim(uint64_t pages) {
  for (uint64_t done = 0; done < pages; done += kTrimRun) {
    const openremap_range range{random_.below(filled_ - kTrimRun), kTrimRun};
    ok(openremap_deallocate(dev_, &range, 1), "deallocating");
  }
}

/// Waits until no background work can move a page.
void Device::rest() {
  ok(openremap_flush(dev_), "flush");
  const uint64_t end = openremap_now_ns(dev_) + kRestNs;
  while (openremap_now_ns(dev_) < end) {
    const uint64_t before = openremap_now_ns(dev_);
    ok(std::min(openremap_poll(dev_, kRestNs), 0), "resting");
    if (openremap_now_ns(dev_) == before) return;  // idle until the host's next access
  }
}

std::vector<NvramPart> Device::nvram_written() const {
  const tools::SimFigures figures(fn_);
  std::vector<NvramPart> parts;
  for (const char *name : {"segments", "pointers", "blocks", "journal", "bitmap", "state"}) {
    parts.push_back({name, figures[std::string(name) + "_written"]});
  }
  return parts;
}

Cost Device::apply() {
  const std::vector<NvramPart> before = nvram_written();
  fill();
  overwrite(share(filled_, load_.overwrite));
  ok(openremap_flush(dev_), "flush");
  remap(share(filled_, load_.remap));
  trim(share(filled_, load_.trim));
  rest();
  Cost cost;
  ok(openremap_get_stats(dev_, &cost.log), "counters");
  cost.remaps_refused = refused_;
  cost.nvram = nvram_written();
  for (size_t i = 0; i < before.size(); ++i) cost.nvram[i].bytes -= before[i].bytes;
  const tools::SimFigures figures(fn_);
  cost.flash_bytes = flash_slots_ * ORM_SLOT_BYTES;
  cost.nvram_bytes = figures["bytes"];
  cost.dram_bytes = figures["dram_bytes"];
  return cost;
}

/// For each LPN the first one that has the same slot, or ORM_UNMAPPED. The slots themselves change as soon as the
/// firmware runs: what a cut has closed may make it collect.
std::vector<uint32_t> Device::mapping() const {
  size_t bytes = 0;
  const uint8_t *l2p = pcie_device_dram(fn_, &bytes);
  std::vector<uint32_t> first_of_slot(flash_slots_, ORM_UNMAPPED), mapping(pages(), ORM_UNMAPPED);
  for (uint32_t lpn = 0; lpn < mapping.size(); ++lpn) {
    const uint64_t slot = orm_get_le(l2p + 4ull * lpn, 4);
    if (slot == ORM_UNMAPPED) continue;
    uint32_t &first = first_of_slot.at(slot);
    if (first == ORM_UNMAPPED) first = lpn;
    mapping[lpn] = first;
  }
  return mapping;
}

void Device::compare(const std::vector<uint32_t> &before) const {
  const std::vector<uint32_t> after = mapping();
  const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin());
  if (was == before.end()) return;
  throw std::runtime_error("LPN " + std::to_string(was - before.begin()) + " shared the slot of LPN " +
                           std::to_string(*was) + " before the power cut, and now that of LPN " + std::to_string(*is));
}

StartUp Device::restart(bool clean) {
  overwrite(kMoreWrites);
  rest();
  const std::vector<uint32_t> before = mapping();
  StartUp start;
  if (clean) {
    uint64_t slots_before = 0;
    ok(pcie_device_counter(fn_, ORM_COUNTER_NAND_PROGRAM_META, &slots_before), "counters");
    const uint64_t begin = openremap_now_ns(dev_);
    tools::shut_down(dev_, kMostShutdownNs);
    start.shutdown_ns = openremap_now_ns(dev_) - begin;
    ok(pcie_device_counter(fn_, ORM_COUNTER_NAND_PROGRAM_META, &start.snapshot_slots), "counters");
    start.snapshot_slots -= slots_before;
  }
  ok(fn_->ops->power_cut(fn_), "power cut");
  ok(fn_->ops->power_on(fn_), "power on");
  ok(openremap_reset(dev_), "start-up");
  start.steps.resize(pcie_device_start_up(fn_, nullptr, 0));
  (void)pcie_device_start_up(fn_, start.steps.data(), start.steps.size());
  for (const pcie_device_step &step : start.steps) start.ns += step.ns;
  compare(before);
  return start;
}

}  // namespace orm::recovery
