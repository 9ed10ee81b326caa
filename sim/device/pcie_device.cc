// SPDX-License-Identifier: Apache-2.0
//
// pcie_function.h on top of a Device: C calls in, errno out, no exception passes.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core_kinds.h"
#include "native_firmware.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "rtl_device.h"
#include "sim_error.h"
#include "top/fast_device.h"

namespace orm {
namespace {

constexpr uint64_t kBar0Bytes = 16 * 1024;
constexpr NandTiming kInstantNand = {1, 1, 1};  // ns: the model rounds up to a clock cycle

struct DeviceFunction {
  pcie_function base;  // first: the seam's pointer is a pointer to the whole
  std::unique_ptr<Device> device;
  bool dead = false;
};

DeviceFunction &self(pcie_function *fn) { return *reinterpret_cast<DeviceFunction *>(fn); }

/// Runs `action` (returning int64_t) unless the device is dead; an error kills it and says why, once.
template <class Action>
int64_t guarded(DeviceFunction &f, Action &&action) {
  if (f.dead) return -EIO;
  try {
    return action(*f.device);
  } catch (const PowerGone &) {
    f.device->power_cut();
    return -ENODEV;
  } catch (const std::exception &e) {
    f.dead = true;
    std::fprintf(stderr, "openremap device stopped at %llu ns: %s\n",
                 static_cast<unsigned long long>(f.device->now_ns()), e.what());
    return -EIO;
  }
}

template <class Action>
int64_t guarded_powered(DeviceFunction &f, Action &&action) {
  if (!f.dead && !f.device->powered()) return -ENODEV;
  return guarded(f, action);
}

/// Fields of a slot number: {superblock, page, die in channel, channel, slot in its page}.
NandAddress address_of(const NandGeometry &g, uint32_t slot) {
  const uint32_t page_of_die = slot / g.slots_per_page;
  const uint32_t page = page_of_die / g.dies();
  return {page_of_die % g.channels, page_of_die / g.channels % g.dies_per_channel, page / g.pages_per_block,
          page % g.pages_per_block, slot % g.slots_per_page};
}

pcie_slot_state to_slot_state(NandModel::PageState state) {
  switch (state) {
    case NandModel::PageState::kErased:
      return PCIE_SLOT_ERASED;
    case NandModel::PageState::kProgrammed:
      return PCIE_SLOT_PROGRAMMED;
    case NandModel::PageState::kTorn:
    case NandModel::PageState::kTornButSpare:
      break;
  }
  return PCIE_SLOT_TORN;
}

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
      "\"nvram_model\": {%s}, \"dram_bytes\": %llu",
      u(c.cycle), u(c.evaluated), c.wall_seconds, c.cpu_seconds,
      c.cpu_seconds > 0 ? double(c.evaluated) / c.cpu_seconds : 0.0, g.channels, g.channels * g.dies_per_channel,
      d.superblocks(), g.pages_per_block, g.slots_per_page, u(n.reads), u(n.probes), u(n.programs), u(n.erases),
      u(n.failed_programs), u(n.failed_erases), u(n.disturbed_pages), u(n.uncorrectable), u(n.miscorrected),
      u(n.corrected_bits), u(n.retries), u(n.weak), nvram_members(d.nvram()).c_str(), u(d.dram().size()));
}

void close(pcie_function *fn) { delete &self(fn); }

constexpr pcie_function_ops kOps = {bar0_read, bar0_write, run, now_ns, reset, power_cut, power_on, sim_stats, close};

std::string text(const char *s) { return s == nullptr ? std::string() : std::string(s); }

/// The controller as it was Verilated for these options: by its flash, or by the waveforms that it writes.
CoreKind core_for(const pcie_device_options &options) {
  const std::string trace_file = text(options.trace_file);
  if (options.geometry == nullptr) return core_for_trace(trace_file);
  if (!trace_file.empty()) throw OptionError("trace file: only the rtl without a geometry writes waveforms");
  const fast::Geometry g = fast::parse_geometry(options.geometry);
  return core_for_flash({g.channels, g.dies_per_channel, g.blocks_per_die, g.pages_per_block, ORM_SLOT_BYTES,
                         ORM_OOB_RECORD_BYTES, g.slots_per_page});
}

std::unique_ptr<Device> make_rtl(const pcie_device_options &options, const FirmwareMaker &firmware,
                                 const pcie_host &host) {
  RtlDeviceOptions rtl;
  rtl.superblocks = options.superblocks;
  rtl.least_superblocks = least_superblocks();
  rtl.image_dir = text(options.image_dir);
  rtl.images_unchanged = options.images_unchanged != 0;
  rtl.trace_file = text(options.trace_file);
  rtl.seed = options.seed;
  rtl.time_skip = options.no_time_skip == 0;
  rtl.bus_stalls = options.bus_stalls != 0;
  if (options.instant_nand != 0) rtl.nand_timing = kInstantNand;
  rtl.nand_faults = parse_nand_faults(text(options.nand_faults));
  return std::make_unique<RtlDevice>(rtl, core_for(options), firmware, host);
}

std::unique_ptr<Device> make_model(const pcie_device_options &options, const FirmwareMaker &firmware,
                                   const pcie_host &host) {
  if (options.trace_file != nullptr) throw OptionError("the model has no signals: only the rtl writes waveforms");
  fast::FastDeviceOptions model;
  model.superblocks = options.superblocks;
  model.least_superblocks = least_superblocks();
  model.image_dir = text(options.image_dir);
  model.images_unchanged = options.images_unchanged != 0;
  if (options.geometry != nullptr) model.geometry = fast::parse_geometry(options.geometry);
  model.seed = options.seed;
  if (options.instant_nand != 0) model.nand_timing = kInstantNand;
  model.nand_faults = parse_nand_faults(text(options.nand_faults));
  return std::make_unique<fast::FastDevice>(model, firmware, host);
}

std::unique_ptr<DeviceFunction> create(const pcie_device_options &options, const pcie_host &host) {
  const std::string kind = options.kind == nullptr ? "rtl" : options.kind;
  if (kind != "rtl" && kind != "model") {
    throw OptionError("device: '" + kind + "' is not one of: rtl, model");
  }
  if (options.over_provision_pct > 99) {
    throw OptionError("over-provisioning: " + std::to_string(options.over_provision_pct) + " is not from 0 to 99 %");
  }
  if (options.placement_handles > most_handles()) {
    throw OptionError("placement handles: " + std::to_string(options.placement_handles) + " is not from 0 to " +
                      std::to_string(most_handles()));
  }
  const FirmwareMaker firmware = native_firmware(
      {options.superblocks, options.over_provision_pct, options.placement_handles, options.remap_segments});
  auto function = std::make_unique<DeviceFunction>();
  function->base.ops = &kOps;
  function->device = kind == "rtl" ? make_rtl(options, firmware, host) : make_model(options, firmware, host);
  function->device->power_on();
  // Here rather than in the first run: a device that cannot start (another format in NVRAM, say) must not be handed
  // out.
  function->device->finish_start_up();
  return function;
}

}  // namespace
}  // namespace orm

extern "C" pcie_function *pcie_device_create(const pcie_device_options *options, const pcie_host *host, char *error,
                                             size_t error_len) {
  int code = EIO;
  try {
    return &orm::create(*options, *host).release()->base;
  } catch (const orm::OptionError &e) {
    code = EINVAL;
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
  } catch (const std::exception &e) {
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
  }
  errno = code;
  return nullptr;
}

extern "C" const uint8_t *pcie_device_dram(pcie_function *fn, size_t *bytes) {
  const orm::DramModel &dram = orm::self(fn).device->dram();
  *bytes = dram.size();
  return dram.data();
}

extern "C" const uint8_t *pcie_device_nvram(pcie_function *fn, size_t *bytes) {
  const orm::NvramModel &nvram = orm::self(fn).device->firmware_side().nvram();
  *bytes = nvram.size();
  return nvram.data();
}

extern "C" int pcie_device_blank_nvram(pcie_function *fn, uint8_t byte) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  d.firmware_side().nvram().blank(byte);
  return 0;
}

extern "C" int pcie_device_damage_nvram(pcie_function *fn, uint64_t addr, const uint8_t *data, size_t len) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  return d.firmware_side().nvram().damage(addr, data, len) ? 0 : -EINVAL;
}

extern "C" int pcie_device_blank_flash(pcie_function *fn) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  d.nand().blank();
  return 0;
}

extern "C" int pcie_device_slot(pcie_function *fn, uint32_t slot, pcie_slot *out) {
  const orm::NandModel &nand = orm::self(fn).device->nand();
  const orm::NandGeometry &g = nand.geometry();
  if (slot / g.slots_per_page >= g.pages()) return -EINVAL;
  const orm::NandAddress at = orm::address_of(g, slot);
  const orm::NandModel::SlotBytes bytes = nand.stored(at, slot % g.slots_per_page);
  *out = {orm::to_slot_state(nand.page_state(at)), bytes.data, bytes.spare};
  return 0;
}

extern "C" int pcie_device_firmware_register(pcie_function *fn, uint32_t offset, uint32_t *value) {
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    *value = d.firmware_side().mmio_read(offset);
    return 0;
  }));
}

extern "C" int pcie_device_select_superblock(pcie_function *fn, uint32_t superblock) {
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    d.firmware_side().mmio_write(ORM_FW_SB_SELECT, ORM_PUT(ORM_FW_SB_SELECT_SB, superblock));
    return 0;
  }));
}

extern "C" int pcie_device_counter(pcie_function *fn, unsigned index, uint64_t *value) {
  if (index >= ORM_COUNTERS) return -EINVAL;
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    *value = d.counter(index);
    return 0;
  }));
}

extern "C" size_t pcie_device_start_up(pcie_function *fn, pcie_device_step *out, size_t max) {
  const std::vector<orm::StartUpStep> steps = orm::self(fn).device->start_up();
  for (size_t i = 0; i < steps.size() && i < max; ++i) {
    out[i] = {{}, steps[i].ns, steps[i].nvram_read, steps[i].nvram_written};
    std::snprintf(out[i].name, sizeof out[i].name, "%s", steps[i].name.c_str());
  }
  return steps.size();
}

extern "C" int pcie_device_nand_fault(pcie_function *fn, pcie_nand_fault fault, uint64_t where) {
  using orm::EccResult;
  orm::NandModel &nand = orm::self(fn).device->nand();
  orm::NandFaults &faults = nand.faults();
  if (fault == PCIE_FAULT_PROGRAM) {
    faults.fail_program(where);
    return 0;
  }
  const orm::NandGeometry &g = nand.geometry();
  if (where / g.slots_per_page >= g.pages()) return -EINVAL;
  const orm::NandAddress at = orm::address_of(g, uint32_t(where));
  const size_t slot = nand.slot_number(at);
  switch (fault) {
    case PCIE_FAULT_ERASE:
      faults.fail_erase(nand.block_number(at));
      return 0;
    case PCIE_FAULT_DATA_LOST:
      faults.spoil(slot, EccResult::kLost, EccResult::kGood);
      return 0;
    case PCIE_FAULT_DATA_MISCORRECTED:
      faults.spoil(slot, EccResult::kMiscorrected, EccResult::kGood);
      return 0;
    case PCIE_FAULT_SPARE_MISCORRECTED:
      faults.spoil(slot, EccResult::kGood, EccResult::kMiscorrected);
      return 0;
    case PCIE_FAULT_SLOT_LOST:
      faults.spoil(slot, EccResult::kLost, EccResult::kLost);
      return 0;
    case PCIE_FAULT_SLOT_DRIFTED:
      faults.spoil(slot, EccResult::kLost, EccResult::kLost, 2);
      return 0;
    case PCIE_FAULT_PROGRAM:
      break;
  }
  return -EINVAL;
}

extern "C" uint64_t pcie_device_media_events(pcie_function *fn) { return orm::self(fn).device->media().count(); }

extern "C" void pcie_device_cut_before(pcie_function *fn, uint64_t event) {
  orm::self(fn).device->media().cut_before(event);
}

extern "C" void pcie_device_hang_firmware(pcie_function *fn) { orm::self(fn).device->hang_firmware(); }
