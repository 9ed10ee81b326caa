// SPDX-License-Identifier: Apache-2.0
#include "top/fast_device.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "device_checks.h"
#include "orm_regs.h"
#include "sim_error.h"

namespace orm::fast {
namespace {

constexpr uint64_t kNever = UINT64_MAX;
constexpr uint64_t kStartUpSliceNs = 1'000'000'000;
constexpr uint64_t kAccessNs = cycles(2);  // each half of a register access, before and after it takes effect
constexpr uint64_t kResetNs = cycles(17);

// The models draw from one seed without sharing a sequence; the salts are those of RtlDevice.
constexpr uint64_t kNandSalt = 0x6E616E64;
constexpr uint64_t kNvramSalt = 0x6E767261;

/// Checks the options and returns the geometry. No file is created before that.
Params checked(const FastDeviceOptions &options) {
  const Params params(options.geometry);
  check_superblocks(options.superblocks, options.least_superblocks, params.superblocks);
  check_segments(options.segments, params.k.gc_reserve_segments, params.k.segments);
  check_shared_dram(options.dram, params.dram_bytes);
  check_image_folder(options.image_dir, options.images_unchanged, options.reserve_image);
  return params;
}

double seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}
double wall_now() { return seconds(CLOCK_MONOTONIC); }
double thread_cpu_now() { return seconds(CLOCK_THREAD_CPUTIME_ID); }

class Stopwatch {
 public:
  explicit Stopwatch(double &sum) : sum_(sum), start_(wall_now()) {}
  ~Stopwatch() { sum_ += wall_now() - start_; }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

 private:
  double &sum_;
  double start_;
};

}  // namespace

FastDevice::FastDevice(const FastDeviceOptions &options, FirmwareMaker firmware, const pcie_host &host)
    : options_(options),
      params_(checked(options)),
      host_(host),
      make_firmware_(std::move(firmware)),
      nand_(params_.nand(), options.nand_timing, image(kFlashImage), options.seed ^ kNandSalt, options.nand_faults),
      nvram_(params_.nvram_bytes, image(kNvramImage), options.seed ^ kNvramSalt),
      dram_(params_.dram_bytes, options.dram),
      born_wall_(wall_now()),
      born_cpu_(thread_cpu_now()) {
  nand_.report_to(&media_);
  nvram_.report_to(&media_);
  nvram_.count_parts({{"header", params_.nv_header},
                      {"pointers", params_.nv_commit},
                      {"state", params_.nv_counters},
                      {"blocks", params_.nv_blocks},
                      {"journal", params_.nv_journal},
                      {"bitmap", params_.nv_bitmap},  // with its pointers
                      {"segments", params_.nv_segments}});
  check_formatted(options.superblocks, formatted_superblocks(nvram_, params_.nv_header), options.image_dir);
}

uint32_t FastDevice::superblocks() {
  const uint32_t formatted = formatted_superblocks(nvram_, params_.nv_header);
  return formatted != 0 ? formatted : params_.superblocks;
}

FastDevice::~FastDevice() = default;

ImageFile FastDevice::image(const char *name) const {
  if (options_.image_dir.empty()) return std::string();
  ImageFile file(options_.image_dir + "/" + name, options_.images_unchanged);
  file.reserve = options_.reserve_image;
  return file;
}

void FastDevice::power_on() {
  power_on_at_ns_ = off_at_ns_;
  const Board board{
      host_, dram_, nvram_, nand_, options_.memory_timing, options_.nand_timing, options_.firmware_remaps};
  controller_.emplace(params_, board, off_at_ns_);
  firmware_ = make_firmware_(*this);
  in_poll_ = poll_again_ = false;
  poll_ns_ = off_at_ns_;
  firmware_idle_ = false;
}

void FastDevice::power_cut() {
  off_at_ns_ = controller_->now();
  steps_before_ += controller_->steps();
  firmware_.reset();
  controller_.reset();
  nand_.power_cut(off_at_ns_);
  nvram_.power_cut();
  dram_.power_cut();
}

void FastDevice::finish_start_up() {
  while (firmware_->phase() == Firmware::Phase::kStarting) {
    const uint64_t before = now();
    run(kStartUpSliceNs);
    if (now() == before) throw ConfigError("firmware start-up does not end: " + firmware_->describe());
  }
  if (firmware_->phase() == Firmware::Phase::kFailed) throw ConfigError("firmware: " + firmware_->describe());
}

void FastDevice::poll_firmware() {
  in_poll_ = true;
  uint64_t wait_ns = firmware_->poll();
  in_poll_ = false;
  if (!firmware_->busy() && std::exchange(poll_again_, false)) wait_ns = 0;
  firmware_idle_ = wait_ns == Firmware::kIdle;
  // At least a cycle, so that time passes even if the firmware asks to be called again at once.
  poll_ns_ = now() + std::clamp(wait_ns, kCycleNs, Firmware::kMostNs);
}

uint64_t FastDevice::run(uint64_t max_ns) {
  const Stopwatch watch(wall_seconds_);
  const uint64_t start = now();
  const uint64_t limit = max_ns > kNever - start ? kNever - 1 : start + max_ns;
  bool polled = false;
  while (now() < limit) {
    // A level interrupt may stay high across a poll; then, too, a cycle passes before the next one.
    const Controller::Stop stop =
        polled ? controller_->advance(now() + kCycleNs, false, false)
               : controller_->advance(std::min(limit, poll_ns_), firmware_idle_, !firmware_->busy());
    polled = false;
    if (stop == Controller::Stop::kMsix || stop == Controller::Stop::kIdle) break;
    if (stop == Controller::Stop::kFirmware || now() >= poll_ns_) {
      poll_firmware();
      polled = !firmware_->busy();
    }
  }
  return now() - start;
}

void FastDevice::serve_firmware() {
  // The firmware also makes progress under a host that only reads registers and never calls run.
  if ((!firmware_->busy() && controller_->firmware_interrupt()) || now() >= poll_ns_) poll_firmware();
}

void FastDevice::finish_poll() {
  while (firmware_ && firmware_->busy()) {
    if (poll_ns_ > now()) pass(poll_ns_ - now());
    poll_firmware();
  }
}

uint32_t FastDevice::bar0_read(uint32_t offset) {
  pass(kAccessNs);
  const uint32_t value = controller_->bar().read(offset);
  pass(kAccessNs);
  serve_firmware();
  return value;
}

void FastDevice::bar0_write(uint32_t offset, uint32_t value) {
  pass(kAccessNs);
  controller_->bar().write(offset, value);
  pass(kAccessNs);
  serve_firmware();
}

void FastDevice::function_reset() {
  controller_->bar().function_reset();
  pass(kResetNs);
  serve_firmware();
}

std::vector<StartUpStep> FastDevice::start_up() const {
  return firmware_ ? firmware_->start_up() : std::vector<StartUpStep>();
}

void FastDevice::hang_firmware() {
  if (firmware_) firmware_->hang();
}

void FastDevice::set_temperature(uint16_t kelvin) {
  kelvin_ = kelvin;
  if (firmware_ && firmware_->busy()) {  // it may have looked already in this poll
    poll_again_ = true;
    return;
  }
  poll_ns_ = now();
  firmware_idle_ = false;
}

uint64_t FastDevice::counter(uint32_t index) {
  mmio_write(ORM_FW_COUNTER_SELECT, ORM_PUT(ORM_FW_COUNTER_SELECT_INDEX, index));
  const uint64_t low = mmio_read(ORM_FW_COUNTER_LO);
  return low | uint64_t(mmio_read(ORM_FW_COUNTER_HI)) << 32;
}

uint32_t FastDevice::mmio_read(uint32_t offset) {
  if (!in_poll_) finish_poll();
  pass(kAccessNs);
  const uint32_t value = controller_->firmware_window().read(offset);
  pass(kAccessNs);
  return value;
}

void FastDevice::mmio_write(uint32_t offset, uint32_t value) {
  if (!in_poll_) finish_poll();
  pass(kAccessNs);
  controller_->firmware_window().write(offset, value);
  pass(kAccessNs);
}

const SimClock &FastDevice::clock() const {
  clock_.cycle = now() / kPeriodNs;
  clock_.evaluated = steps_before_ + (controller_ ? controller_->steps() : 0);
  clock_.wall_seconds = wall_seconds_;
  // Reading the thread's CPU time costs as much as a command. So the share of CPU time is measured once over the
  // device's life, and applied to each run.
  const double lived = wall_now() - born_wall_;
  clock_.cpu_seconds = lived > 0 ? wall_seconds_ * std::min(1.0, (thread_cpu_now() - born_cpu_) / lived) : 0;
  return clock_;
}

}  // namespace orm::fast
