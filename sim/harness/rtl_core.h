// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_RTL_CORE_H
#define OPENREMAP_RTL_CORE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cpu_link.h"
#include "memories.h"
#include "nand_model.h"

namespace orm {

/// 100 MHz, as the controller's time constants assume.
constexpr uint64_t kPeriodNs = 10;

/// Simulated time and what it cost. Lives as long as the device; cores come and go with its power.
struct SimClock {
  uint64_t cycle = 0;       // simulated
  uint64_t evaluated = 0;   // of them, evaluated
  double wall_seconds = 0;  // spent evaluating, firmware and models included
  double cpu_seconds = 0;   // of them, on a CPU: what a busy machine does not change

  uint64_t now_ns() const { return cycle * kPeriodNs; }
};

/// What the controller's ports are wired to.
struct Board {
  HostMemory &host;
  DramMemory &dram;
  NvramMemory &nvram;
  NandModel &nand;
  // Ports of the SoC's CPU.
  NvramMemory &cpu_nvram;
  DramMemory &cpu_dram;
  DramMemory &flash;  // of a controller whose flash is in DRAM
};

struct CoreOptions {
  std::string trace_file;  // empty: none
  uint64_t seed = 0;       // what registers without a reset hold at power-on
  bool time_skip = true;
  bool bus_stalls = false;  // the buses hold back and answer late, by the seed
  CpuLink *cpu = nullptr;   // of a controller with a CPU; without one it runs no program
  NandTiming nand_timing;   // of a controller whose flash is in DRAM
};

/// A controller with power: one Verilated model and the bus models at its ports. It moves only inside its calls. Any
/// call may throw a SimError; the core is of no use afterwards.
class RtlCore {
 public:
  enum class Stop {
    kLimit,     // the given cycle was reached
    kFirmware,  // the firmware interrupt is high
    kMsix,      // an MSI-X vector was raised
    kIdle       // nothing will happen until the host or firmware does something
  };
  enum class Window { kBar, kFirmware };

  virtual ~RtlCore() = default;

  /// Runs to cycle `limit` at most. With `may_idle`, returns kIdle when nothing is under way; otherwise such time
  /// passes too. With `until_firmware`, returns kFirmware as soon as the interrupt is high.
  virtual Stop advance(uint64_t limit, bool may_idle, bool until_firmware) = 0;

  virtual bool firmware_interrupt() = 0;

  /// 32-bit register accesses; false: the controller has no such register.
  virtual bool read(Window window, uint32_t addr, uint32_t *value) = 0;
  virtual bool write(Window window, uint32_t addr, uint32_t value) = 0;

  /// Holds the function reset input for some cycles.
  virtual void function_reset() = 0;
};

/// A way to make cores of one Verilated model.
struct CoreKind {
  size_t nand_ports;
  std::unique_ptr<RtlCore> (*make)(const CoreOptions &options, const Board &board, SimClock &clock);
  /// The flash is RTL, in front of a DRAM of its own. The NandModel is only compared with it.
  bool flash_in_dram = false;
};

}  // namespace orm
#endif  // OPENREMAP_RTL_CORE_H
