// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_RTL_DEVICE_H
#define OPENREMAP_RTL_DEVICE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capabilities.h"
#include "firmware_port.h"
#include "pcie_function.h"
#include "rtl_core.h"
#include "sim_device.h"

namespace orm {

struct RtlDeviceOptions {
  uint32_t superblocks = 0;        // that a new device uses; 0: all that the hardware has
  uint32_t least_superblocks = 1;  // that the firmware can do with
  uint32_t segments = 0;           // of the remap table that a new device uses; 0: all that the hardware has
  std::string image_dir;           // empty: flash and NVRAM in memory
  bool images_unchanged = false;   // they must be there, and changes to them go with the device
  bool reserve_image = false;      // the images get their room now
  std::string trace_file;          // of the first power cycle; later ones get ".2", ".3" ... before the extension
  uint64_t seed = 0;
  bool time_skip = true;
  bool bus_stalls = false;
  NandTiming nand_timing;
  NandFaultOptions nand_faults;
  MemoryTiming memory_timing;
  SharedMemory dram;             // where the DRAM lies; by default in this process alone
  std::shared_ptr<CpuLink> cpu;  // of a controller with a CPU (SocSide)
};

/// A Verilated controller with its memories, its firmware and a host: a whole device, and its power switch.
///
/// Errors are exceptions (SimError) in here; after the first the device is dead. pcie_device.cc turns them into errno.
class RtlDevice final : public Device, private Machine {
 public:
  /// `host` must outlive the device. Power is off at first. Throws OptionError, then ImageError, ConfigError.
  /// A kind with a CPU needs `options.cpu`, and `firmware` then only shows what the CPU's does.
  RtlDevice(const RtlDeviceOptions &options, const CoreKind &kind, FirmwareMaker firmware, const pcie_host &host);
  ~RtlDevice() override;

  bool powered() const override { return core_ != nullptr; }
  void power_on() override;
  void power_cut() override;
  void finish_start_up() override;

  uint32_t bar0_read(uint32_t offset) override;
  void bar0_write(uint32_t offset, uint32_t value) override;
  uint64_t run(uint64_t max_ns) override;
  void function_reset() override;

  uint32_t superblocks() override;
  const Capabilities &capabilities() const { return caps_; }

  const SimClock &clock() const override { return clock_; }
  uint64_t now_ns() const override { return clock_.now_ns(); }
  NandModel &nand() override { return nand_; }
  MediaEvents &media() override { return media_; }
  MediaEvents *cpu_stores() override { return options_.cpu ? &cpu_stores_ : nullptr; }
  DramModel &dram() override { return dram_; }
  Machine &firmware_side() override { return *this; }
  uint64_t counter(uint32_t index) override;
  NvramModel &nvram() override { return nvram_; }
  std::vector<StartUpStep> start_up() const override;
  const Firmware *firmware() const override { return firmware_.get(); }
  void hang_firmware() override;
  void upset_firmware(uint32_t trial) override;
  bool fail_access(bool nvram, const MemoryFault &fault) override;
  void set_temperature(uint16_t kelvin) override;

 private:
  uint32_t mmio_read(uint32_t offset) override;
  void mmio_write(uint32_t offset, uint32_t value) override;
  uint64_t power_on_ns() const override { return clock_.now_ns() - power_on_at_ns_; }
  uint16_t temperature_k() const override { return kelvin_; }

  ImageFile image(const char *name) const;
  std::string trace_file() const;
  void poll_firmware();
  void serve_firmware();
  /// Lets time pass until the firmware does not compute: what checkers access must not be between two accesses of its.
  void finish_poll();

  RtlDeviceOptions options_;
  CoreKind kind_;
  FirmwareMaker make_firmware_;
  Capabilities caps_;
  MediaEvents media_;
  NandModel nand_;
  NvramModel nvram_;
  DramModel dram_;
  HostMemory host_memory_;
  DramMemory dram_memory_;
  NvramMemory nvram_memory_;
  MediaEvents cpu_stores_;
  NvramMemory cpu_nvram_memory_;
  DramMemory cpu_dram_memory_;
  DramModel flash_;  // of a controller whose flash is in DRAM; keeps its content over power cuts, as flash does
  DramMemory flash_memory_;
  SimClock clock_;
  unsigned power_cycles_ = 0;
  uint64_t power_on_at_ns_ = 0;
  uint64_t poll_cycle_ = 0;     // when the firmware is to be polled without an interrupt
  bool firmware_idle_ = false;  // it has nothing to do until then
  bool in_poll_ = false;        // it is running now
  bool poll_again_ = false;     // when this poll has ended
  uint16_t kelvin_ = kWorkingKelvin;
  std::unique_ptr<Firmware> firmware_;
  std::unique_ptr<RtlCore> core_;
};

}  // namespace orm
#endif  // OPENREMAP_RTL_DEVICE_H
