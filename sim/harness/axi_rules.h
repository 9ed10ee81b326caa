// SPDX-License-Identifier: Apache-2.0
//
// Rules of AXI4 (ARM IHI 0022) that a master must keep, as far as OpenRemap's ports use it: INCR bursts of full-width
// beats.
#ifndef OPENREMAP_AXI_RULES_H
#define OPENREMAP_AXI_RULES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "sim_error.h"

namespace orm {

constexpr size_t kBeatBytes = 16;
constexpr unsigned kBeatSizeLog2 = 4;
constexpr size_t kMaxBurstBytes = 256 * kBeatBytes;
constexpr unsigned kAxiOkay = 0;
constexpr unsigned kAxiSlverr = 2;
constexpr unsigned kAxiDecerr = 3;
constexpr unsigned kAxiIncr = 1;

/// Address channel payload.
struct AxiBurst {
  uint64_t addr = 0;
  uint32_t beats = 0;
  uint32_t size_log2 = kBeatSizeLog2;
  uint32_t burst = kAxiIncr;

  bool operator==(const AxiBurst &o) const {
    return addr == o.addr && beats == o.beats && size_log2 == o.size_log2 && burst == o.burst;
  }
};

inline std::string hex(uint64_t value) {
  static const char *digits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

inline void check_burst(const char *port, const char *channel, const AxiBurst &b) {
  const std::string where =
      std::string(port) + " " + channel + " of address " + hex(b.addr) + ", " + std::to_string(b.beats) + " beats: ";
  if (b.burst != kAxiIncr) throw PortViolation(where + "not an INCR burst");
  if (b.size_log2 != kBeatSizeLog2) throw PortViolation(where + "beats are not of the bus width");
  if (b.addr % kBeatBytes != 0) throw PortViolation(where + "not aligned to the bus width");
  if (b.addr / 4096 != (b.addr + b.beats * kBeatBytes - 1) / 4096)
    throw PortViolation(where + "crosses a 4 KiB boundary");
}

/// Watches one valid/ready channel driven by the controller: once valid, it stays valid with the same payload until
/// ready. `Payload` needs ==.
template <class Payload>
class StableChecker {
 public:
  StableChecker(const char *port, const char *channel) : port_(port), channel_(channel) {}

  /// Of a cycle in which the channel is not valid.
  void absent() {
    if (stalled_) throw PortViolation(std::string(port_) + " " + channel_ + ": valid fell before ready");
  }
  /// Of a cycle in which it is.
  void present(const Payload &now, bool ready) {
    if (stalled_ && !(now == held_))
      throw PortViolation(std::string(port_) + " " + channel_ + ": changed before ready");
    stalled_ = !ready;
    if (stalled_) held_ = now;
  }

 private:
  const char *port_;
  const char *channel_;
  bool stalled_ = false;
  Payload held_{};
};

}  // namespace orm
#endif  // OPENREMAP_AXI_RULES_H
