// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_DEVICE_H
#define OPENREMAP_FAST_DEVICE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware_port.h"
#include "sim_device.h"
#include "top/controller.h"

namespace orm::fast {

struct FastDeviceOptions {
  uint32_t superblocks = 0;        // superblocks of a new device; 0: all that the hardware has
  uint32_t least_superblocks = 1;  // minimum that the firmware accepts
  uint32_t segments = 0;           // remap-table segments of a new device; 0: all that the hardware has
  std::string image_dir;           // empty: flash and NVRAM in memory
  bool images_unchanged = false;   // images must exist; changes are discarded with the device
  bool reserve_image = false;      // the images get their room now
  Geometry geometry;
  uint64_t seed = 0;
  NandTiming nand_timing;
  NandFaultOptions nand_faults;
  bool firmware_remaps = false;  // the firmware gets each REMAP, REMAP VECTOR and Copy
  MemoryTiming memory_timing;
  SharedMemory dram;  // where the DRAM lies; by default in this process alone
};

/// A whole device on the fast model: controller, memories, firmware, host connection and power switch. It has the
/// interface of RtlDevice, and uses the same images.
class FastDevice final : public Device, private Machine {
 public:
  /// Creates a device with power off. `host` must outlive it. Throws OptionError, ImageError or ConfigError.
  FastDevice(const FastDeviceOptions &options, FirmwareMaker firmware, const pcie_host &host);
  ~FastDevice() override;

  bool powered() const override { return controller_.has_value(); }
  void power_on() override;
  void power_cut() override;
  void finish_start_up() override;
  uint32_t bar0_read(uint32_t offset) override;
  void bar0_write(uint32_t offset, uint32_t value) override;
  uint64_t run(uint64_t max_ns) override;
  void function_reset() override;
  uint32_t superblocks() override;

  /// Statistics as of RtlDevice. Evaluated cycles are events here. CPU time is taken to be wall time, since reading it
  /// costs as much as a command.
  const SimClock &clock() const override;
  uint64_t now_ns() const override { return now() / kPeriodNs * kPeriodNs; }
  NandModel &nand() override { return nand_; }
  MediaEvents &media() override { return media_; }
  DramModel &dram() override { return dram_; }
  Machine &firmware_side() override { return *this; }
  uint64_t counter(uint32_t index) override;
  NvramModel &nvram() override { return nvram_; }
  std::vector<StartUpStep> start_up() const override;
  const Firmware *firmware() const override { return firmware_.get(); }
  void hang_firmware() override;
  bool fail_access(bool, const MemoryFault &) override { return false; }
  void set_temperature(uint16_t kelvin) override;

 private:
  uint32_t mmio_read(uint32_t offset) override;
  void mmio_write(uint32_t offset, uint32_t value) override;
  uint64_t power_on_ns() const override { return now() - power_on_at_ns_; }
  uint16_t temperature_k() const override { return kelvin_; }

  ImageFile image(const char *name) const;
  uint64_t now() const { return controller_ ? controller_->now() : off_at_ns_; }
  void pass(uint64_t ns) { controller_->pass(controller_->now() + ns); }
  void poll_firmware();
  void serve_firmware();
  /// Lets time pass until the firmware does not compute: what checkers access must not be between two accesses of its.
  void finish_poll();

  FastDeviceOptions options_;
  Params params_;
  const pcie_host &host_;
  FirmwareMaker make_firmware_;
  MediaEvents media_;
  NandModel nand_;
  NvramModel nvram_;
  DramModel dram_;
  uint64_t off_at_ns_ = 0;
  uint64_t steps_before_ = 0;  // events of earlier power cycles
  uint64_t power_on_at_ns_ = 0;
  uint64_t poll_ns_ = 0;        // when the firmware is to be polled without an interrupt
  bool firmware_idle_ = false;  // it has nothing to do until then
  bool in_poll_ = false;        // it is running now
  bool poll_again_ = false;     // when this poll has ended
  uint16_t kelvin_ = kWorkingKelvin;
  double wall_seconds_ = 0;
  double born_wall_, born_cpu_;
  mutable SimClock clock_;
  std::unique_ptr<Firmware> firmware_;
  std::optional<Controller> controller_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_DEVICE_H
