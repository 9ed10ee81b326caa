// SPDX-License-Identifier: Apache-2.0
#include "native_firmware.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axi_rules.h"
#include "cpu_costs.h"
#include "fiber.h"
#include "firmware.h"
#include "firmware_limits.h"
#include "fw_work.h"
#include "namespace_pages.h"
#include "orm_regs.h"
#include "platform.h"
#include "rtl_core.h"
#include "shadow_dram.h"

namespace orm {
namespace {

static_assert(FW_POLL_IDLE == Firmware::kIdle && FW_POLL_MOST_NS == Firmware::kMostNs, "the port passes them on");

constexpr uint64_t kCyclePs = kPeriodNs * 1000;

/// Everything that a `struct platform` member does. The firmware is C: an exception must not pass through its frames,
/// so a failed access is kept until fw_poll() has returned; until then reads give all ones and writes vanish, as
/// platform.h says.
///
/// Firmware that takes time runs on a stack of its own. Before each access, and at the end of a poll, it hands back to
/// the device until the time has passed that its work since the last one takes: the device goes on meanwhile.
///
/// The watchdog looks at each access. When time is up fw_watchdog() leaves the poll by longjmp(), over frames of C and
/// of the static members here, which have nothing to destroy.
class NativeFirmware final : public Firmware {
 public:
  NativeFirmware(Machine &machine, const NativeFirmwareOptions &options)
      : machine_(machine),
        identity_(options.identity),
        memory_(::operator new(fw_size())),
        fw_(static_cast<struct fw *>(memory_)) {
    std::memset(memory_, 0xA5, fw_size());  // RAM at power-on; fw_init sets what it needs
    platform_.ctx = this;
    platform_.mmio_read = mmio_read;
    platform_.mmio_write = mmio_write;
    platform_.dram = machine.dram().data();
    platform_.dram_fill = dram_fill;
    if (options.cache.mode != CacheOptions::Mode::kNone) {
      shadow_.emplace(machine.dram(), options.cache, options.seed);
      platform_.dram = shadow_->view();
      platform_.cache_clean = cache_clean;
    }
    platform_.cache_invalidate = cache_invalidate;
    platform_.nvram_read = nvram_read;
    platform_.nvram_write = nvram_write;
    platform_.time_ns = time_ns;
    platform_.watchdog_pet = watchdog_pet;
    platform_.temperature_k = temperature_k;
    platform_.log = log;
    platform_.log_level = options.log ? PLATFORM_LOG_DEBUG : PLATFORM_LOG_ERROR;
    platform_.options.superblocks = options.superblocks;
    platform_.options.over_provision_pct = options.over_provision_pct;
    platform_.options.placement_handles = options.placement_handles;
    platform_.options.remap_segments = options.remap_segments;
    platform_.identity.serial = identity_.serial.c_str();
    platform_.work = work_.data();
    std::copy(identity_.eui64.begin(), identity_.eui64.end(), platform_.identity.eui64);
    if (const CpuCosts *costs = cpu_costs(options.cpu)) {
      costs_ = *costs;
      fiber_.emplace([this] {
        for (;;) {
          poll_to_end();
          fiber_->suspend();
        }
      });
    }
    work_[FW_WORK_START] = 1;
    fw_init(fw_, &platform_);
  }
  ~NativeFirmware() override { ::operator delete(memory_); }
  NativeFirmware(const NativeFirmware &) = delete;
  NativeFirmware &operator=(const NativeFirmware &) = delete;

  uint64_t poll() override {
    if (!polling_) {
      polling_ = true;
      starting_ = fw_phase(fw_) == FW_STARTING;
      if (starting_) step_ = fw_describe(fw_);
    }
    if (fiber_)
      fiber_->resume();
    else
      poll_to_end();
    if (polling_) return spends_ns_;
    if (failure_) std::rethrow_exception(failure_);
    if (starting_ && (fw_phase(fw_) != FW_STARTING || step_ != fw_describe(fw_))) end_step(step_);
    return wait_;
  }

  bool busy() const override { return polling_; }
  uint64_t busy_ns() const override { return busy_ns_; }
  std::vector<FirmwareWork> work() const override {
    std::vector<FirmwareWork> out;
    for (size_t kind = 0; kind < FW_WORK_KINDS; ++kind) out.push_back({kWorkNames[kind], done_[kind] + work_[kind]});
    return out;
  }

  std::vector<StartUpStep> start_up() const override { return steps_; }

  void hang() override { hangs_ = true; }

  Phase phase() const override {
    switch (fw_phase(fw_)) {
      case FW_STARTING:
        return Phase::kStarting;
      case FW_RUNNING:
        return Phase::kRunning;
      case FW_FATAL:
        return Phase::kFailed;
    }
    return Phase::kFailed;
  }
  std::string describe() const override { return fw_describe(fw_); }

 private:
  void poll_to_end() {
    count(fw_phase(fw_) == FW_STARTING ? FW_WORK_START_POLL : FW_WORK_POLL);
    wait_ = fw_poll(fw_);
    if (starting_ && fw_phase(fw_) != FW_STARTING) count(FW_WORK_LINE);  // images say so
    take_time();
    polling_ = false;
  }

  void count(enum fw_work kind, uint64_t n = 1) { work_[kind] += n; }
  void add_up() {
    for (size_t kind = 0; kind < FW_WORK_KINDS; ++kind) {
      owed_ps_ += work_[kind] * costs_[kind];
      done_[kind] += std::exchange(work_[kind], 0);
    }
  }
  /// Lets the time pass that the work since the last call takes. What is no whole clock cycle is kept for the next.
  void take_time() {
    if (!fiber_ || failure_) return;
    add_up();
    const uint64_t cycles = owed_ps_ / kCyclePs;
    if (cycles == 0) return;
    owed_ps_ %= kCyclePs;
    spends_ns_ = cycles * kCyclePs / 1000;
    fiber_->suspend();
    busy_ns_ += spends_ns_;
  }

  void end_step(const std::string &name) {
    const uint64_t now = machine_.power_on_ns();
    steps_.push_back({name, now - step_begun_ns_, nvram_read_, nvram_written_});
    step_begun_ns_ = now;
    nvram_read_ = nvram_written_ = 0;
  }

  static NativeFirmware &self(void *ctx) { return *static_cast<NativeFirmware *>(ctx); }

  template <class Access>
  void guarded(Access &&access) noexcept {
    if (failure_) return;
    try {
      if (shadow_) shadow_->moment();
      access();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// One that takes device time.
  template <class Access>
  void access(Access &&access) {
    const uint64_t before = machine_.power_on_ns();
    guarded(access);
    if (!failure_) busy_ns_ += machine_.power_on_ns() - before;
  }

  static void watchdog_pet(void *ctx) {
    NativeFirmware &f = self(ctx);
    f.accesses_ = 0;
    f.petted_ns_ = f.machine_.power_on_ns();
    f.watching_ = true;
  }
  void watch() {
    if (!watching_) return;
    ++accesses_;
    if (!hangs_ && accesses_ <= kWatchdogAccesses && (failure_ || machine_.power_on_ns() - petted_ns_ <= kWatchdogNs))
      return;
    watching_ = false;  // it takes the same members
    fw_watchdog(fw_);
  }

  static uint32_t mmio_read(void *ctx, uint32_t offset) {
    self(ctx).count(FW_WORK_REGISTER_READ);
    self(ctx).take_time();
    self(ctx).watch();
    uint32_t value = UINT32_MAX;
    self(ctx).access([&] { value = self(ctx).machine_.mmio_read(offset); });
    return value;
  }
  static void mmio_write(void *ctx, uint32_t offset, uint32_t value) {
    self(ctx).count(FW_WORK_REGISTER_WRITE);
    self(ctx).take_time();
    self(ctx).watch();
    self(ctx).access([&] { self(ctx).machine_.mmio_write(offset, value); });
  }
  static void dram_fill(void *ctx, uint32_t addr, uint8_t byte, size_t len) {
    self(ctx).guarded([&] {
      std::optional<ShadowDram> &shadow = self(ctx).shadow_;
      if (!(shadow ? shadow->fill(addr, byte, len) : self(ctx).machine_.dram().fill(addr, byte, len))) {
        throw RtlStopped("firmware filled DRAM outside of it, at " + hex(addr));
      }
    });
  }
  static void cache_clean(void *ctx, uint32_t addr, size_t len) {
    self(ctx).guarded([&] { self(ctx).shadow_->clean(addr, len); });
  }
  static void cache_invalidate(void *ctx, uint32_t addr, size_t len) {
    self(ctx).count(FW_WORK_INVALIDATE);
    if (!self(ctx).shadow_) return;
    self(ctx).guarded([&] { self(ctx).shadow_->invalidate(addr, len); });
  }
  static void nvram_read(void *ctx, uint32_t addr, void *buf, size_t len) {
    self(ctx).count(FW_WORK_NVRAM_READ);
    self(ctx).count(FW_WORK_NVRAM_READ_UNIT, len / 8);
    self(ctx).take_time();
    self(ctx).watch();
    self(ctx).nvram_read_ += len;
    self(ctx).guarded([&] {
      if (!self(ctx).machine_.nvram().read(addr, static_cast<uint8_t *>(buf), len)) {
        throw RtlStopped("firmware read NVRAM outside of it, at " + hex(addr));
      }
    });
  }
  static void nvram_write(void *ctx, uint32_t addr, const void *buf, size_t len) {
    self(ctx).count(FW_WORK_NVRAM_WRITE);
    self(ctx).count(FW_WORK_NVRAM_WRITE_UNIT, len / 8);
    self(ctx).take_time();
    self(ctx).watch();
    self(ctx).nvram_written_ += len;
    self(ctx).guarded([&] {
      if (!self(ctx).machine_.nvram().write_durable(addr, static_cast<const uint8_t *>(buf), len)) {
        throw RtlStopped("firmware wrote NVRAM outside of it, at " + hex(addr));
      }
    });
  }
  static uint64_t time_ns(void *ctx) {
    self(ctx).take_time();
    return self(ctx).machine_.power_on_ns();
  }
  static uint16_t temperature_k(void *ctx) { return self(ctx).machine_.temperature_k(); }
  // Firmware that has lost its machine (a power cut) finds many things wrong; none of it is news.
  static void log(void *ctx, enum platform_log_level, const char *line) {
    if (!self(ctx).failure_) std::fprintf(stderr, "firmware: %s\n", line);
  }

  Machine &machine_;
  const Identity identity_;
  std::optional<ShadowDram> shadow_;  // the CPU's view of DRAM, where it has a cache
  struct platform platform_ {};
  void *memory_;
  struct fw *fw_;
  std::exception_ptr failure_;
  std::array<uint64_t, FW_WORK_KINDS> work_{};  // since time was taken
  std::array<uint64_t, FW_WORK_KINDS> done_{};  // before that
  CpuCosts costs_{};                            // of a processor that takes no time, if there is no fiber_
  std::optional<Fiber> fiber_;                  // runs the polls, if they take time
  bool polling_ = false;
  bool starting_ = false;  // when the poll began,
  std::string step_;       // in this step
  uint64_t wait_ = 0;      // what the last poll asked for
  uint64_t owed_ps_ = 0;   // of computing, that has not passed yet
  uint64_t spends_ns_ = 0;
  uint64_t busy_ns_ = 0;
  bool watching_ = false;  // since the first poll
  bool hangs_ = false;
  uint64_t accesses_ = 0;  // of this poll
  uint64_t petted_ns_ = 0;
  std::vector<StartUpStep> steps_;
  uint64_t step_begun_ns_ = 0;
  uint64_t nvram_read_ = 0, nvram_written_ = 0;  // bytes, of the step that runs
};

}  // namespace

uint32_t least_superblocks() { return FW_MIN_SUPERBLOCKS; }
uint32_t most_handles() { return FW_MAX_HANDLES; }

uint32_t pages_with(const orm_nv_header &header, uint32_t destage_lpn, uint32_t over_provision_pct) {
  const uint32_t pages = ORM_GET(header.flash, ORM_FW_CAP_FLASH_CHANNELS) *
                         ORM_GET(header.flash, ORM_FW_CAP_FLASH_DIES_PER_CHANNEL) *
                         ORM_GET(header.flash, ORM_FW_CAP_FLASH_PAGES_PER_BLOCK);  // of a superblock
  if (pages == 0 || header.handles == 0 || header.bad > header.superblocks) return 0;
  const uint32_t sure = fw_sure_slots(header.slots_per_sb - header.summary_slots, header.slots_per_sb / pages);
  const fw_namespace_room room{header.superblocks - header.bad, sure, header.handles, destage_lpn};
  return fw_namespace_pages(&room, over_provision_pct);
}

FirmwareMaker native_firmware(const NativeFirmwareOptions &options) {
  return [each = options](Machine &machine) mutable {
    ++each.seed;  // another one each power cycle
    return std::make_unique<NativeFirmware>(machine, each);
  };
}

}  // namespace orm
