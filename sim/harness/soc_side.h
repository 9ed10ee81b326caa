// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SOC_SIDE_H
#define OPENREMAP_SOC_SIDE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "axi_read_slave.h"
#include "axi_rules.h"
#include "axi_write_slave.h"
#include "bus_stalls.h"
#include "cpu_link.h"
#include "orm_soc.h"
#include "rtl_core.h"
#include "top_pins.h"

namespace orm {

/// The firmware's side of the SoC: a CPU inside of the model runs it. Here are the CPU's memories, the UART, and the
/// debugger's bus master, by which checkers reach the firmware's window.
template <class Top, class Core>
class SocSide {
 public:
  static constexpr size_t kNandPorts = 0;  // whose flash is in the model

  SocSide(Top &top, const CoreOptions &options, const Board &board, Core &core)
      : top_(top),
        core_(core),
        cpu_(options.cpu),
        dram_read_("m_axi_cpu_dram", CpuDramPins<Top>(top), board.cpu_dram, stalls(options, 0)),
        dram_write_("m_axi_cpu_dram", CpuDramPins<Top>(top), board.cpu_dram, stalls(options, 1)),
        nvram_read_("m_axi_cpu_nvram", CpuNvramPins<Top>(top), board.cpu_nvram, stalls(options, 2)),
        nvram_write_("m_axi_cpu_nvram", CpuNvramPins<Top>(top), board.cpu_nvram, stalls(options, 3)) {
    top_.load_we = 0;
    top_.load_adr = 0;
    top_.load_data = 0;
    top_.uart_source_ready = 1;
    top_.uart_sink_valid = 0;
    top_.uart_sink_data = 0;
    top_.debug_cyc = 0;
    top_.debug_stb = 0;
    top_.debug_we = 0;
    top_.debug_adr = 0;
    top_.debug_dat_w = 0;
    top_.temperature = 0;
    top_.trial_poll = 0;
    top_.trial_log = 0;
    if (cpu_ != nullptr) {
      cpu_->state = ORM_SOC_STATE_NONE;
      cpu_->busy_cycles = 0;
    }
  }

  template <class F>
  void each_port(F &&f) {
    f(dram_read_);
    f(dram_write_);
    f(nvram_read_);
    f(nvram_write_);
  }

  /// The ROM is loaded while reset holds the CPU, a word a cycle; the last cycle writes nothing.
  unsigned load_cycles() const { return cpu_ == nullptr ? 2 : unsigned(cpu_->rom.size() + cpu_->board.size()) + 1; }
  void load(unsigned cycle) {
    if (cpu_ == nullptr) {
      write_rom(cycle == 0, 0, kJumpToItself);
    } else if (cycle < cpu_->rom.size()) {
      write_rom(true, cycle, cpu_->rom[cycle]);
    } else {
      const size_t word = cycle - cpu_->rom.size();
      const bool some = word < cpu_->board.size();
      write_rom(some, (ORM_SOC_BOARD_BASE - ORM_SOC_ROM_BASE) / 4 + word, some ? cpu_->board[word] : 0);
    }
  }

  void sample(uint64_t) {
    if (cpu_ == nullptr) return;
    cpu_->state = top_.fw_state;
    cpu_->busy_cycles += top_.cpu_waiting ? 0 : 1;
    if (top_.uart_source_valid && cpu_->console) cpu_->console(char(top_.uart_source_data));
  }
  void drive() {
    if (cpu_ == nullptr) return;
    top_.temperature = cpu_->kelvin;
    top_.trial_poll = poll_trial();
    top_.trial_log = log_trial();
  }

  bool interrupt() const { return false; }  // it is the CPU's
  bool still() const { return top_.cpu_waiting && !top_.uart_source_valid && !top_.debug_cyc && felt(); }
  bool idle() const { return top_.cpu_idle != 0; }
  uint64_t next_cycle(uint64_t now) const { return now + top_.cpu_left; }

  /// The firmware's window. The accesses are a debugger's, of which the firmware does not know. So they are made while
  /// it waits, or has stopped for good; RtlStopped if it does neither within kPatienceCycles.
  bool read(uint32_t offset, uint32_t *value) { return access(offset, false, 0, value); }
  bool write(uint32_t offset, uint32_t value) { return access(offset, true, value, nullptr); }

 private:
  static constexpr uint32_t kJumpToItself = 0x0000006F;
  static constexpr uint64_t kStalls = 64;  // the ports before these are the controller's
  static constexpr unsigned kTimeoutCycles = 100'000;
  static constexpr unsigned kPatienceCycles = 5'000'000;  // 50 ms: more than any work between two waits

  static BusStalls stalls(const CoreOptions &options, uint64_t bus) {
    return options.bus_stalls ? BusStalls(options.seed, kStalls + bus) : BusStalls();
  }
  uint8_t poll_trial() const { return uint8_t(ORM_GET(cpu_->trial, ORM_SOC_TRIAL_POLL)); }
  uint8_t log_trial() const { return uint8_t(ORM_GET(cpu_->trial, ORM_SOC_TRIAL_LOG)); }
  bool felt() const {
    return cpu_ == nullptr ||
           (top_.temperature == cpu_->kelvin && top_.trial_poll == poll_trial() && top_.trial_log == log_trial());
  }

  void write_rom(bool write, size_t word, uint32_t data) {
    top_.load_we = write;
    top_.load_adr = uint16_t(word);
    top_.load_data = data;
  }

  /// Whether firmware may be between two accesses that belong together.
  bool disturbs() const { return cpu_ != nullptr && !top_.cpu_waiting && top_.fw_state != ORM_SOC_STATE_FAILED; }

  bool access(uint32_t offset, bool write, uint32_t data, uint32_t *value) {
    core_.settle();
    for (unsigned i = 0; disturbs(); ++i) {
      if (i == kPatienceCycles) {
        throw RtlStopped("debug bus: the firmware does not come to wait, so register " + hex(offset) +
                         " cannot be looked at between its accesses");
      }
      core_.edge();
      core_.settle();
    }
    top_.debug_cyc = 1;
    top_.debug_stb = 1;
    top_.debug_we = write;
    top_.debug_adr = (ORM_SOC_FW_BASE + offset) / 4;
    top_.debug_dat_w = data;
    for (unsigned i = 0; i < kTimeoutCycles; ++i) {
      core_.settle();
      const bool done = top_.debug_ack || top_.debug_err;
      const bool good = top_.debug_ack;
      if (done && value != nullptr) *value = top_.debug_dat_r;
      core_.edge();
      if (!done) continue;
      top_.debug_cyc = 0;
      top_.debug_stb = 0;
      return good;
    }
    throw RtlStopped("debug bus: no answer of register " + hex(offset));
  }

  Top &top_;
  Core &core_;
  CpuLink *cpu_;
  AxiReadSlave<CpuDramPins<Top>, DramMemory> dram_read_;
  AxiWriteSlave<CpuDramPins<Top>, DramMemory> dram_write_;
  AxiReadSlave<CpuNvramPins<Top>, NvramMemory> nvram_read_;
  AxiWriteSlave<CpuNvramPins<Top>, NvramMemory> nvram_write_;
};

}  // namespace orm
#endif  // OPENREMAP_SOC_SIDE_H
