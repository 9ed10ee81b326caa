// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_ssd.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

#include "lockstep/lockstep_commands.h"
#include "orm_formats.h"
#include "pcie_debug.h"

namespace orm::lockstep {

namespace {

constexpr char kNoSpace[] = "too few superblocks to run";  // the firmware's words for its result NO_SPACE

/// They point into `o`.
openremap_options options_of(const char *kind, const DeviceOptions &o) {
  openremap_options options{};
  options.device.kind = kind;
  options.device.superblocks = o.superblocks;
  options.device.placement_handles = std::min(o.superblocks / 4, 4u);  // each takes a superblock of the namespace
  options.device.remap_segments = o.segments;
  if (!o.faults.empty()) options.device.nand_faults = o.faults.c_str();
  if (!o.cache.empty()) options.device.cache = o.cache.c_str();
  if (!o.firmware.empty()) options.device.firmware = o.firmware.c_str();
  options.device.seed = o.seed;
  options.device.bus_stalls = o.stalls;
  options.device.firmware_remaps = o.firmware_remaps;
  if (o.wide) options.device.geometry = PCIE_WIDE_GEOMETRY;
  if (!o.geometry.empty()) options.device.geometry = o.geometry.c_str();
  options.create = pcie_device_create;
  return options;
}

}  // namespace

void check_options(const pcie_device_options &options) {
  char error[256] = "";
  if (pcie_device_check(&options, error, sizeof error) != 0)
    throw NoDevice(std::string(options.kind) + ": " + error, true);
}

void check_options(const char *kind, const DeviceOptions &o) { check_options(options_of(kind, o).device); }

openremap_device *open_device(const openremap_options &options, const std::string &named) {
  openremap_device *dev = nullptr;
  char error[256] = "";
  const int rc = openremap_open(&options, &dev, error, sizeof error);
  if (rc == 0) return dev;
  const std::string why = named + ": " + error;
  if (options.device.nand_faults != nullptr && why.find(kNoSpace) != std::string::npos) throw WornFromNew(why);
  throw NoDevice(why, rc == -EINVAL);
}

Ssd::Ssd(const char *kind, const DeviceOptions &o, const char *named)
    : kind_(kind),
      superblocks_(o.superblocks),
      dev_(open_device(options_of(kind, o), named == nullptr ? kind : named)) {}

Ssd::~Ssd() { (void)!openremap_close(dev_); }

void Ssd::rest() { (void)lockstep::rest(dev_); }

uint64_t Ssd::counter(orm_counter which) const {
  uint64_t value = 0;
  if (pcie_device_counter(function(), which, &value) != 0) throw dead();
  return value;
}

uint32_t Ssd::reg(uint32_t offset) const {
  uint32_t value = 0;
  if (pcie_device_firmware_register(function(), offset, &value) != 0) throw dead();
  return value;
}

uint64_t Ssd::journal_used() const { return ORM_GET(reg(ORM_FW_JOURNAL_STATE), ORM_FW_JOURNAL_STATE_USED); }

bool Ssd::collecting() const { return (reg(ORM_FW_GC_QUEUE) & ORM_FW_GC_QUEUE_ROOM_MASK) == 0; }

uint32_t Ssd::lpns() const { return reg(ORM_FW_CAP_LPNS); }

std::vector<Ssd::Chain> Ssd::chains() const {
  std::vector<Chain> all;
  for (uint32_t sb = 0; sb < superblocks_; ++sb) {
    if (pcie_device_select_superblock(function(), sb) != 0) throw dead();
    all.push_back({reg(ORM_FW_SB_GEN), ORM_GET(reg(ORM_FW_SB_CHAIN), ORM_FW_SB_CHAIN_SEGMENTS)});
  }
  return all;
}

orm_remap_log Ssd::log() const {
  orm_remap_log log{};
  if (openremap_get_stats(dev_, &log) != 0) throw dead();
  return log;
}

std::vector<uint32_t> Ssd::sharing() const {
  size_t bytes = 0;
  const uint8_t *l2p = pcie_device_dram(function(), &bytes);
  std::vector<uint32_t> first(pages(), ORM_UNMAPPED);
  std::unordered_map<uint32_t, uint32_t> holder;
  for (uint32_t lpn = 0; lpn < first.size(); ++lpn) {
    const uint32_t slot = uint32_t(orm_get_le(l2p + 4 * size_t(lpn), 4));
    if (slot != ORM_UNMAPPED) first[lpn] = holder.emplace(slot, lpn).first->second;
  }
  return first;
}

double Ssd::figure(const char *name) const {
  char text[1024];
  pcie_function *fn = function();
  if (fn->ops->sim_stats(fn, text, sizeof text) < 0) return 0;
  const char *found = std::strstr(text, name);
  return found == nullptr ? 0 : std::strtod(found + std::strlen(name) + 3, nullptr);
}

crash::Tables Ssd::tables() const {
  uint32_t header = 0;
  if (pcie_device_firmware_register(function(), ORM_FW_NV_HEADER, &header) != 0) throw dead();
  return crash::read_tables(function());
}

DeadDevice Ssd::dead() const { return DeadDevice(std::string(kind_) + ": its registers cannot be read"); }

}  // namespace orm::lockstep
