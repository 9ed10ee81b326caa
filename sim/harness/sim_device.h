// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SIM_DEVICE_H
#define OPENREMAP_SIM_DEVICE_H

#include <cstdint>
#include <vector>

#include "dram_model.h"
#include "firmware_port.h"
#include "media_events.h"
#include "memories.h"
#include "nand_model.h"
#include "nvram_model.h"
#include "rtl_core.h"

namespace orm {

/// A whole device (controller, memories, firmware) with its power switch: what pcie_device.cc puts behind the PCIe
/// function. Errors are exceptions (SimError); after the first the device is dead.
class Device {
 public:
  virtual ~Device() = default;

  virtual bool powered() const = 0;
  virtual void power_on() = 0;
  virtual void power_cut() = 0;
  /// Runs until the firmware has started; throws ConfigError with its reason if it cannot.
  virtual void finish_start_up() = 0;

  /// 32-bit; a register that does not exist reads as all ones, as an unclaimed read on PCIe does.
  virtual uint32_t bar0_read(uint32_t offset) = 0;
  virtual void bar0_write(uint32_t offset, uint32_t value) = 0;
  /// As pcie_function_ops.run.
  virtual uint64_t run(uint64_t max_ns) = 0;
  virtual void function_reset() = 0;

  /// In use by a device that has started: an image may have been formatted with fewer than the hardware has.
  virtual uint32_t superblocks() = 0;

  virtual const SimClock &clock() const = 0;
  /// The clock's time alone, which a host asks for many times a command.
  virtual uint64_t now_ns() const = 0;
  virtual NandModel &nand() = 0;
  virtual NvramModel &nvram() = 0;
  /// What the firmware did to start, since power came; empty while power is off.
  virtual std::vector<StartUpStep> start_up() const = 0;
  /// The firmware of this power cycle; nullptr while power is off.
  virtual const Firmware *firmware() const = 0;
  /// As Firmware::hang(); nothing while power is off. For tests of what a host sees of it.
  virtual void hang_firmware() = 0;
  /// As Firmware::misbehave(). Only a device with a CPU has such firmware.
  virtual void upset_firmware(uint32_t /*trial*/) {}
  /// Lets an access of the controller to NVRAM, or to DRAM, go wrong; a fault that has not happened yet is forgotten.
  /// False: this device has no buses.
  virtual bool fail_access(bool nvram, const MemoryFault &fault) = 0;
  /// What the temperature sensor shows from now on, kelvin, over power cycles too. The firmware is polled at once.
  virtual void set_temperature(uint16_t kelvin) = 0;
  /// What happens at flash and NVRAM; for checkers, which choose where power goes.
  virtual MediaEvents &media() = 0;
  /// Likewise the writes at the memory ports of its CPU, DRAM's and NVRAM's; nullptr: it has no CPU.
  virtual MediaEvents *cpu_stores() { return nullptr; }
  /// The controller's DRAM, for checkers.
  virtual DramModel &dram() = 0;
  /// The controller as its firmware sees it, for checkers. Firmware that computes comes to the end of its poll first,
  /// which takes device time.
  virtual Machine &firmware_side() = 0;
  /// A hardware counter (orm_counter), for checkers; the firmware's own choice of counter is lost, and it makes one
  /// before each reading.
  virtual uint64_t counter(uint32_t index) = 0;
};

}  // namespace orm
#endif  // OPENREMAP_SIM_DEVICE_H
