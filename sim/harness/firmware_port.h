// SPDX-License-Identifier: Apache-2.0
//
// The two sides of the firmware seam inside the simulation: what a firmware may do to the machine, and what the device
// asks of a firmware. The native port (native_firmware.h) puts the shipped firmware between them; tests put scripts
// there.
#ifndef OPENREMAP_FIRMWARE_PORT_H
#define OPENREMAP_FIRMWARE_PORT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dram_model.h"
#include "nvram_model.h"

namespace orm {

/// The controller as its CPU sees it. Register accesses let the clock run; memory accesses take no time.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual uint32_t mmio_read(uint32_t offset) = 0;
  virtual void mmio_write(uint32_t offset, uint32_t value) = 0;
  virtual DramModel &dram() = 0;
  virtual NvramModel &nvram() = 0;
  /// Device time since power-on.
  virtual uint64_t power_on_ns() const = 0;
  /// Kelvin, what the sensor shows.
  virtual uint16_t temperature_k() const { return kWorkingKelvin; }
  /// Nothing here gets warm: 40 degrees Celsius, what a drive at work shows.
  static constexpr uint16_t kWorkingKelvin = 313;
};

/// A step of a start-up: device time, and accesses to memory, which take none.
struct StartUpStep {
  std::string name;
  uint64_t ns = 0;
  uint64_t nvram_read = 0, nvram_written = 0;  // bytes
};

/// How much of a kind of work a firmware has done (fw_work.h).
struct FirmwareWork {
  std::string kind;
  uint64_t count = 0;
};

/// One power cycle of a firmware.
class Firmware {
 public:
  static constexpr uint64_t kIdle = UINT64_MAX;
  /// Longest device time between two polls, as far as time passes: an idle device lets none pass.
  static constexpr uint64_t kMostNs = 1'000'000'000;
  /// Bounds on one poll: device time, and accesses (those to memory take no time). The watchdog stops a firmware that
  /// passes either. Start-up writes all of NVRAM in one poll when it formats, some hundred thousand accesses.
  static constexpr uint64_t kWatchdogNs = 100'000'000;
  static constexpr uint64_t kWatchdogAccesses = 50'000'000;
  enum class Phase { kStarting, kRunning, kFailed };

  virtual ~Firmware() = default;
  /// Does a bounded piece of work; returns the ns until it wants to be called again without an interrupt, or kIdle.
  virtual uint64_t poll() = 0;
  /// A poll has not come to its end: it computes for as long as the last call of poll() has returned. The next call,
  /// which is due then and not before, goes on with it.
  virtual bool busy() const { return false; }
  /// Device time for which it has computed or accessed registers.
  virtual uint64_t busy_ns() const { return 0; }
  /// What it has done; empty: nobody counts.
  virtual std::vector<FirmwareWork> work() const { return {}; }
  virtual Phase phase() const = 0;
  /// What it is doing, or why it failed.
  virtual std::string describe() const = 0;
  /// The steps of the start-up that have ended.
  virtual std::vector<StartUpStep> start_up() const { return {}; }
  /// The next poll hangs, and its watchdog's time is up at its first access. A firmware without a watchdog does not.
  virtual void hang() {}
};

using FirmwareMaker = std::function<std::unique_ptr<Firmware>(Machine &)>;

}  // namespace orm
#endif  // OPENREMAP_FIRMWARE_PORT_H
