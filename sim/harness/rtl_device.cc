// SPDX-License-Identifier: Apache-2.0
#include "rtl_device.h"

#include <algorithm>
#include <utility>

#include "device_checks.h"
#include "orm_regs.h"
#include "sim_error.h"
#include "trace_file.h"

namespace orm {
namespace {

// Start-up probes flash pages at some ten cycles each; a start-up longer than this hangs.
constexpr uint64_t kStartUpEvaluatedCycles = 100'000'000;
constexpr uint64_t kStartUpSliceNs = 1'000'000;

// The models draw from one seed without sharing a sequence, so that what one draws does not depend on the others.
constexpr uint64_t kNandSalt = 0x6E616E64;
constexpr uint64_t kNvramSalt = 0x6E767261;

constexpr unsigned kCpuPort = 1;  // to NVRAM; the controller's is 0

/// What the hardware can do, once the options are known to be among it. No file is made before that.
Capabilities checked(const RtlDeviceOptions &options, const Capabilities &caps) {
  check_superblocks(options.superblocks, options.least_superblocks, caps.nand.blocks_per_die);
  check_segments(options.segments, caps.gc_reserve_segments, caps.segments);
  check_shared_dram(options.dram, caps.dram_bytes);
  check_image_folder(options.image_dir, options.images_unchanged, options.reserve_image);
  if (!options.trace_file.empty()) check_trace_file(options.trace_file);
  return caps;
}

/// What NandInDram takes at most (hw/src/board/FlashLayout.scala): slots with their spare areas, a record for each page
/// and block, and the rounding of each part of each channel.
size_t flash_dram_bytes(const NandGeometry &g) {
  constexpr size_t kRecord = 16, kParts = 8, kAlign = 4096;
  return g.pages() * (g.page_bytes() + g.page_spare_bytes() + kRecord) + g.blocks() * kRecord +
         g.channels * kParts * kAlign;
}

}  // namespace

RtlDevice::RtlDevice(const RtlDeviceOptions &options, const CoreKind &kind, FirmwareMaker firmware,
                     const pcie_host &host)
    : options_(options),
      kind_(kind),
      make_firmware_(std::move(firmware)),
      caps_(checked(options, read_capabilities(kind))),
      nand_(caps_.nand, options.nand_timing, image(kFlashImage), options.seed ^ kNandSalt, options.nand_faults),
      nvram_(caps_.nvram_bytes, image(kNvramImage), options.seed ^ kNvramSalt),
      dram_(caps_.dram_bytes, options.dram),
      host_memory_(host, options.memory_timing, kPeriodNs),
      dram_memory_(dram_, options.memory_timing, kPeriodNs),
      nvram_memory_(nvram_, options.memory_timing, kPeriodNs),
      cpu_nvram_memory_(nvram_, options.memory_timing, kPeriodNs, kCpuPort, &cpu_stores_),
      cpu_dram_memory_(dram_, options.memory_timing, kPeriodNs, &cpu_stores_),
      flash_(kind.flash_in_dram ? flash_dram_bytes(caps_.nand) : 0),
      flash_memory_(flash_, options.memory_timing, kPeriodNs) {
  nand_.report_to(&media_);
  nvram_.report_to(&media_);
  check_formatted(options.superblocks, formatted_superblocks(nvram_, caps_.nv_header), options.image_dir);
}

RtlDevice::~RtlDevice() = default;

ImageFile RtlDevice::image(const char *name) const {
  if (options_.image_dir.empty()) return std::string();
  ImageFile file(options_.image_dir + "/" + name, options_.images_unchanged);
  file.reserve = options_.reserve_image;
  return file;
}

std::string RtlDevice::trace_file() const {
  if (options_.trace_file.empty() || power_cycles_ == 1) return options_.trace_file;
  std::string name = options_.trace_file;
  return name.insert(name.rfind('.'), "." + std::to_string(power_cycles_));
}

void RtlDevice::power_on() {
  ++power_cycles_;
  power_on_at_ns_ = clock_.now_ns();
  if (options_.cpu) options_.cpu->kelvin = kelvin_;
  const CoreOptions core{trace_file(),       options_.seed + power_cycles_, options_.time_skip, options_.bus_stalls,
                         options_.cpu.get(), options_.nand_timing};
  core_ = kind_.make(
      core, {host_memory_, dram_memory_, nvram_memory_, nand_, cpu_nvram_memory_, cpu_dram_memory_, flash_memory_},
      clock_);
  firmware_ = make_firmware_(*this);
  in_poll_ = poll_again_ = false;
  poll_cycle_ = clock_.cycle;
  firmware_idle_ = false;
}

void RtlDevice::power_cut() {
  core_.reset();
  firmware_.reset();
  nand_.power_cut(clock_.now_ns());
  nvram_.power_cut();
  dram_.power_cut();
}

void RtlDevice::finish_start_up() {
  const uint64_t give_up = clock_.evaluated + kStartUpEvaluatedCycles;
  while (firmware_->phase() == Firmware::Phase::kStarting) {
    const uint64_t before = clock_.cycle;
    run(kStartUpSliceNs);
    if (clock_.evaluated > give_up || clock_.cycle == before) {
      throw ConfigError("firmware start-up does not end: " + firmware_->describe());
    }
  }
  if (firmware_->phase() == Firmware::Phase::kFailed) throw ConfigError("firmware: " + firmware_->describe());
}

uint32_t RtlDevice::superblocks() {
  const uint32_t formatted = formatted_superblocks(nvram_, caps_.nv_header);
  return formatted != 0 ? formatted : caps_.nand.blocks_per_die;
}

void RtlDevice::poll_firmware() {
  in_poll_ = true;
  uint64_t wait_ns = firmware_->poll();
  in_poll_ = false;
  if (!firmware_->busy() && std::exchange(poll_again_, false)) wait_ns = 0;
  firmware_idle_ = wait_ns == Firmware::kIdle;
  // At least a cycle, so that time passes even when the firmware asks for nothing but to be called again.
  poll_cycle_ = clock_.cycle + std::max<uint64_t>(1, std::min(wait_ns, Firmware::kMostNs) / kPeriodNs);
}

uint64_t RtlDevice::run(uint64_t max_ns) {
  const uint64_t start = clock_.cycle;
  const uint64_t limit = start + max_ns / kPeriodNs;
  bool polled = false;
  while (clock_.cycle < limit) {
    // A level interrupt may stay high over a poll: then too a cycle passes before the next.
    const RtlCore::Stop stop = polled
                                   ? core_->advance(clock_.cycle + 1, false, false)
                                   : core_->advance(std::min(limit, poll_cycle_), firmware_idle_, !firmware_->busy());
    polled = false;
    if (stop == RtlCore::Stop::kMsix || stop == RtlCore::Stop::kIdle) break;
    if (stop == RtlCore::Stop::kFirmware || clock_.cycle >= poll_cycle_) {
      poll_firmware();
      polled = !firmware_->busy();
    }
  }
  return (clock_.cycle - start) * kPeriodNs;
}

void RtlDevice::serve_firmware() {
  // A host that only looks at registers, without ever calling run, still lets the firmware get on.
  if ((!firmware_->busy() && core_->firmware_interrupt()) || clock_.cycle >= poll_cycle_) poll_firmware();
}

void RtlDevice::finish_poll() {
  while (firmware_ && firmware_->busy()) {
    core_->advance(poll_cycle_, false, false);
    if (clock_.cycle >= poll_cycle_) poll_firmware();
  }
}

uint32_t RtlDevice::bar0_read(uint32_t offset) {
  uint32_t value = 0;
  if (!core_->read(RtlCore::Window::kBar, offset, &value)) value = UINT32_MAX;
  serve_firmware();
  return value;
}

void RtlDevice::bar0_write(uint32_t offset, uint32_t value) {
  core_->write(RtlCore::Window::kBar, offset, value);
  serve_firmware();
}

void RtlDevice::function_reset() {
  core_->function_reset();
  serve_firmware();
}

std::vector<StartUpStep> RtlDevice::start_up() const {
  return firmware_ ? firmware_->start_up() : std::vector<StartUpStep>();
}

void RtlDevice::hang_firmware() {
  if (firmware_) firmware_->hang();
}

void RtlDevice::upset_firmware(uint32_t trial) {
  if (firmware_) firmware_->misbehave(trial);
}

bool RtlDevice::fail_access(bool nvram, const MemoryFault &fault) {
  if (nvram) {
    nvram_memory_.fail(fault);
  } else {
    dram_memory_.fail(fault);
  }
  return true;
}

void RtlDevice::set_temperature(uint16_t kelvin) {
  kelvin_ = kelvin;
  if (options_.cpu) options_.cpu->kelvin = kelvin;
  if (firmware_ && firmware_->busy()) {  // it may have looked already in this poll
    poll_again_ = true;
    return;
  }
  poll_cycle_ = clock_.cycle;
  firmware_idle_ = false;
}

uint64_t RtlDevice::counter(uint32_t index) {
  mmio_write(ORM_FW_COUNTER_SELECT, ORM_PUT(ORM_FW_COUNTER_SELECT_INDEX, index));
  const uint64_t low = mmio_read(ORM_FW_COUNTER_LO);
  return low | uint64_t(mmio_read(ORM_FW_COUNTER_HI)) << 32;
}

uint32_t RtlDevice::mmio_read(uint32_t offset) {
  if (!in_poll_) finish_poll();
  uint32_t value = 0;
  if (!core_->read(RtlCore::Window::kFirmware, offset, &value))
    throw RtlStopped("firmware read no register, at " + hex(offset));
  return value;
}

void RtlDevice::mmio_write(uint32_t offset, uint32_t value) {
  if (!in_poll_) finish_poll();
  if (!core_->write(RtlCore::Window::kFirmware, offset, value)) {
    throw RtlStopped("firmware wrote no register, at " + hex(offset));
  }
}

}  // namespace orm
