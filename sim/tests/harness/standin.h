// SPDX-License-Identifier: Apache-2.0
//
// Test side of standin_top.sv: its registers, a firmware that a test drives step by step, a host with memory.
#ifndef OPENREMAP_TESTS_STANDIN_H
#define OPENREMAP_TESTS_STANDIN_H

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "firmware_port.h"
#include "pcie_function.h"
#include "rtl_core.h"

namespace orm {

CoreKind standin_core();
CoreKind standin_vcd_core();
CoreKind standin_fst_core();

namespace standin {

constexpr uint32_t kGo = 0x1000;  // {len in beats - 1 [15:8], bus [5:4], operation [3:0]}
constexpr uint32_t kAddrLo = 0x1004;
constexpr uint32_t kAddrHi = 0x1008;
constexpr uint32_t kStatus = 0x100C;  // {busy [31], AXI response [1:0]}
constexpr uint32_t kNand = 0x1010;    // {channel [31], page [23:16], block [15:8], die [7:4], operation [2:0]}; acts
constexpr uint32_t kStrobe = 0x1014;
constexpr uint32_t kBarClear = 0x1018;
constexpr uint32_t kBarEvent = 0x101C;
constexpr uint32_t kStall = 0x1020;
constexpr uint32_t kIrqEnable = 0x1024;
constexpr uint32_t kResults = 0x1030;  // a byte for each die: {valid [7], status [3:2], channel [1], die [0]}
constexpr uint32_t kResultClear = 0x1034;
constexpr uint32_t kBuffer = 0x2000;

constexpr uint32_t kOpRead = 1, kOpWrite = 2, kOpMsix = 3, kOpAssert = 4, kOpRetract = 5;
enum Bus : uint32_t { kHost = 0, kDram = 1, kNvram = 2 };

}  // namespace standin

/// What the controller's CPU would do, put in by the test. `script` empty: never asks for anything. Each poll computes
/// for `computes_ns` before the script runs, in two halves.
class ScriptedFirmware final : public Firmware {
 public:
  ScriptedFirmware(Machine &m, const std::function<uint64_t(Machine &)> &script, uint64_t computes_ns = 0)
      : machine_(m), script_(script), computes_ns_(computes_ns) {}
  uint64_t poll() override {
    if (computes_ns_ != 0 && halves_ < 2) {
      ++halves_;
      return computes_ns_ / 2;
    }
    halves_ = 0;
    return script_ ? script_(machine_) : kIdle;
  }
  bool busy() const override { return halves_ != 0; }
  Phase phase() const override { return Phase::kRunning; }
  std::string describe() const override { return "scripted"; }

 private:
  Machine &machine_;
  std::function<uint64_t(Machine &)> script_;
  uint64_t computes_ns_;
  unsigned halves_ = 0;
};

/// Host memory of one window; counts MSI-X.
class FakeHost {
 public:
  static constexpr uint64_t kBase = 0x1'0000'0000;
  static constexpr size_t kBytes = 64 * 1024;

  FakeHost() : memory(kBytes) {
    host.ctx = this;
    host.dma_read = [](void *ctx, uint64_t addr, void *buf, size_t len) {
      const uint8_t *at = static_cast<FakeHost *>(ctx)->find(addr, len);
      if (at == nullptr) return -EFAULT;
      std::memcpy(buf, at, len);
      return 0;
    };
    host.dma_write = [](void *ctx, uint64_t addr, const void *buf, size_t len) {
      uint8_t *at = static_cast<FakeHost *>(ctx)->find(addr, len);
      if (at == nullptr) return -EFAULT;
      std::memcpy(at, buf, len);
      static_cast<FakeHost *>(ctx)->writes.push_back({addr, len});
      return 0;
    };
    host.msix = [](void *ctx, unsigned vector) { static_cast<FakeHost *>(ctx)->vectors.push_back(vector); };
  }
  FakeHost(const FakeHost &) = delete;
  FakeHost &operator=(const FakeHost &) = delete;

  struct Write {
    uint64_t addr;
    size_t len;
  };
  pcie_host host{};
  std::vector<uint8_t> memory;
  std::vector<Write> writes;
  std::vector<unsigned> vectors;

 private:
  uint8_t *find(uint64_t addr, size_t len) {
    if (addr < kBase || addr - kBase > kBytes || len > kBytes - (addr - kBase)) return nullptr;
    return memory.data() + (addr - kBase);
  }
};

}  // namespace orm
#endif  // OPENREMAP_TESTS_STANDIN_H
