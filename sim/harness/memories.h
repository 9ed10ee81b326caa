// SPDX-License-Identifier: Apache-2.0
//
// What the AXI slaves answer from: the models, with their latencies in clock cycles.
#ifndef OPENREMAP_MEMORIES_H
#define OPENREMAP_MEMORIES_H

#include <cstddef>
#include <cstdint>

#include "axi_rules.h"
#include "dram_model.h"
#include "media_events.h"
#include "nvram_model.h"
#include "pcie_function.h"

namespace orm {

/// All ns; a burst overlaps with those before it, so these are latencies, not a bound on throughput.
struct MemoryTiming {
  uint64_t host_read_ns = 500;  // PCIe round trip
  uint64_t host_write_ns = 200;
  uint64_t dram_ns = 200;  // 20 cycles at 100 MHz
  uint64_t nvram_read_ns = 50;
  uint64_t nvram_write_ns = 500;  // for each 64 bytes begun: an xSPI MRAM's (docs/design/xspi-mram.md), not DDR's
};

constexpr size_t kNvramLine = 64;

/// An access of the controller's hardware to DRAM or NVRAM that goes wrong: the `nth` from now on (1: the next one)
/// that touches a byte of [from, to). It is answered with `response` and has no effect.
struct MemoryFault {
  bool write = false;
  uint64_t nth = 0;  // 0: none
  uint64_t from = 0, to = UINT64_MAX;
  unsigned response = kAxiSlverr;
};

/// The fault of one memory, until it has happened.
class MemoryFaults {
 public:
  void set(const MemoryFault &fault) { fault_ = fault; }
  /// The access goes wrong.
  bool hits(bool write, uint64_t addr, size_t len) {
    error_ = kAxiSlverr;
    if (fault_.nth == 0 || write != fault_.write || addr >= fault_.to || addr + len <= fault_.from) return false;
    if (--fault_.nth != 0) return false;
    error_ = fault_.response;
    return true;
  }
  unsigned error() const { return error_; }

 private:
  MemoryFault fault_;
  unsigned error_ = kAxiSlverr;
};

class HostMemory {
 public:
  HostMemory(const pcie_host &host, const MemoryTiming &timing, uint64_t period_ns)
      : host_(host), read_cycles_(timing.host_read_ns / period_ns), write_cycles_(timing.host_write_ns / period_ns) {}

  bool read(uint64_t addr, uint8_t *out, size_t len) { return host_.dma_read(host_.ctx, addr, out, len) == 0; }
  uint64_t read_cycles(size_t) const { return read_cycles_; }
  /// A burst goes to the host in runs of enabled bytes, in address order. A refused run ends it.
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len);
  void answered() {}
  uint64_t write_cycles(size_t) const { return write_cycles_; }
  unsigned error() const { return kAxiSlverr; }
  void msix(unsigned vector) { host_.msix(host_.ctx, vector); }

 private:
  const pcie_host &host_;
  uint64_t read_cycles_;
  uint64_t write_cycles_;
};

class DramMemory {
 public:
  /// `stores`: counts the writes, before each.
  DramMemory(DramModel &model, const MemoryTiming &timing, uint64_t period_ns, MediaEvents *stores = nullptr)
      : model_(model), cycles_(timing.dram_ns / period_ns), stores_(stores) {}

  bool read(uint64_t addr, uint8_t *out, size_t len) {
    return !faults_.hits(false, addr, len) && model_.read(addr, out, len);
  }
  uint64_t read_cycles(size_t) const { return cycles_; }
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
    if (stores_ != nullptr) stores_->next();
    return !faults_.hits(true, addr, len) && model_.write(addr, data, strobe, len);
  }
  void answered() {}
  uint64_t write_cycles(size_t) const { return cycles_; }
  unsigned error() const { return faults_.error(); }
  void fail(const MemoryFault &fault) { faults_.set(fault); }

 private:
  DramModel &model_;
  MemoryFaults faults_;
  uint64_t cycles_;
  MediaEvents *stores_;
};

class NvramMemory {
 public:
  /// `port`: which of the ports to the model this is. `stores`: counts the writes, before each.
  NvramMemory(NvramModel &model, const MemoryTiming &timing, uint64_t period_ns, unsigned port = 0,
              MediaEvents *stores = nullptr)
      : model_(model),
        port_(port),
        stores_(stores),
        read_cycles_(timing.nvram_read_ns / period_ns),
        write_cycles_(timing.nvram_write_ns / period_ns) {}

  bool read(uint64_t addr, uint8_t *out, size_t len) {
    return !faults_.hits(false, addr, len) && model_.read(addr, out, len);
  }
  uint64_t read_cycles(size_t len) const { return read_cycles_ * lines(len); }
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
    if (stores_ != nullptr) stores_->next();
    return !faults_.hits(true, addr, len) && model_.begin_write(addr, data, strobe, len, port_);
  }
  unsigned error() const { return faults_.error(); }
  void fail(const MemoryFault &fault) { faults_.set(fault); }
  void answered() { model_.answer(port_); }
  uint64_t write_cycles(size_t len) const { return write_cycles_ * lines(len); }

 private:
  static uint64_t lines(size_t len) { return (len + kNvramLine - 1) / kNvramLine; }

  NvramModel &model_;
  MemoryFaults faults_;
  unsigned port_;
  MediaEvents *stores_;
  uint64_t read_cycles_;
  uint64_t write_cycles_;
};

}  // namespace orm
#endif  // OPENREMAP_MEMORIES_H
