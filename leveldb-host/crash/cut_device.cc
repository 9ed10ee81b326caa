// SPDX-License-Identifier: Apache-2.0
#include "cut_device.h"

#include <cerrno>
#include <stdexcept>
#include <utility>

#include "orm_regs.h"
#include "pcie_debug.h"

namespace openremap {

namespace {

constexpr uint64_t kLeastBits = 4;

// Flash of 72 units of 16 pages, of which a table takes half, for tables that begin units; handles for the log, level 0
// and what is deeper.
constexpr char kUnitsGeometry[] = "2x2x72x4";
constexpr uint32_t kUnitsHandles = 3;

}  // namespace

CutDevice::CutDevice(const std::string &kind, uint64_t seed, Wrap wrap, orm::SeededRandom *random, bool units)
    : seed_(seed), wrap_(std::move(wrap)), random_(random) {
  openremap_options options{};
  options.create = pcie_device_create;
  options.device.kind = kind.c_str();
  options.device.seed = seed;
  options.device.superblocks = 18;
  options.device.placement_handles = seed % 5 == 0 ? 2 : 1;
  // The soc has pages of one slot.
  if (seed % 4 == 3 && kind != "soc") options.device.geometry = PCIE_WIDE_GEOMETRY;
  if (seed % 4 == 2) options.device.remap_segments = 68;
  if (units) {
    options.device.superblocks = 0;
    options.device.geometry = kUnitsGeometry;
    options.device.placement_handles = kUnitsHandles;
  }
  char error[300] = "";
  if (openremap_open(&options, &handle_, error, sizeof(error)) != 0) {
    throw std::runtime_error(kind + ": " + error);
  }
  nvme_ = std::make_unique<NvmePageDevice>(handle_);
  Stack();
}

CutDevice::~CutDevice() {
  wrapped_.reset();
  cache_.reset();
  nvme_.reset();
  (void)openremap_close(handle_);
}

void CutDevice::Stack() {
  pages_ = nvme_.get();
  if (seed_ % 2 == 0) {
    cache_ = std::make_unique<VolatileCache>(pages_, random_->next());
    pages_ = cache_.get();
  }
  if (!wrap_) return;
  wrapped_ = wrap_(pages_);
  pages_ = wrapped_.get();
}

bool CutDevice::Powered() const {
  uint64_t ignored = 0;
  return function()->ops->bar0_read(function(), 0, 4, &ignored) != -ENODEV;
}

void CutDevice::CutBefore(uint64_t events) { pcie_device_cut_before(function(), events); }

void CutDevice::CutWithin(uint64_t bits) {
  CutBefore(1 + random_->below(uint64_t{1} << (kLeastBits + random_->below(bits - kLeastBits + 1))));
}

int CutDevice::Start(uint64_t bits, const std::function<bool()> &may_cut, const std::function<void()> &cut) {
  gc_sampled_ = 0;
  for (;;) {
    if (may_cut() && random_->below(4) == 0) {
      CutWithin(bits);
    } else {
      CutBefore(0);
    }
    const int rc = openremap_power_cycle(handle_);
    if (rc == 0) break;
    if (Powered()) return rc;
    cut();
  }
  CutBefore(0);
  Stack();
  return 0;
}

void CutDevice::Sample() {
  uint64_t moved = 0;
  if (pcie_device_counter(function(), ORM_COUNTER_GC_MOVED_PAGES, &moved) != 0) return;
  gc_moved_pages_ += moved < gc_sampled_ ? moved : moved - gc_sampled_;
  gc_sampled_ = moved;
}

}  // namespace openremap
