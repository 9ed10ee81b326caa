// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_AXI_LITE_MASTER_H
#define OPENREMAP_AXI_LITE_MASTER_H

#include <cstdint>
#include <string>

#include "axi_rules.h"

namespace orm {

/// Makes single accesses on an AXI4-Lite slave port, letting the clock run until each is answered. `Pins` binds the
/// port; `Clock` has `void settle()` (signals follow the inputs) and `void edge()` (one clock edge, on settled
/// signals). Both calls return false when the slave answers with an error (there is no such register).
template <class Pins, class Clock>
class AxiLiteMaster {
 public:
  /// A slave that has not answered after this many clock cycles is taken for dead.
  static constexpr unsigned kTimeoutCycles = 100'000;

  AxiLiteMaster(const char *port, Pins pins, Clock &clock) : port_(port), pins_(pins), clock_(clock) {}

  bool read(uint32_t addr, uint32_t *value) {
    pins_.drive_ar(true, addr);
    pins_.set_r_ready(true);
    bool accepted = false;
    for (unsigned i = 0; i < kTimeoutCycles; ++i) {
      clock_.settle();
      const bool ar_fires = !accepted && pins_.ar_ready();
      const bool r_fires = pins_.r_valid();
      const uint32_t data = pins_.r_data();
      const unsigned resp = pins_.r_resp();
      clock_.edge();
      if (ar_fires) {
        accepted = true;
        pins_.drive_ar(false, 0);
      }
      if (!r_fires) continue;
      if (!accepted) throw PortViolation(std::string(port_) + " R: an answer to no question");
      pins_.set_r_ready(false);
      *value = data;
      return resp == kAxiOkay;
    }
    throw RtlStopped(std::string(port_) + ": no answer to a read of " + hex(addr));
  }

  bool write(uint32_t addr, uint32_t data) {
    pins_.drive_aw(true, addr);
    pins_.drive_w(true, data);
    pins_.set_b_ready(true);
    bool aw_accepted = false;
    bool w_accepted = false;
    for (unsigned i = 0; i < kTimeoutCycles; ++i) {
      clock_.settle();
      const bool aw_fires = !aw_accepted && pins_.aw_ready();
      const bool w_fires = !w_accepted && pins_.w_ready();
      const bool b_fires = pins_.b_valid();
      const unsigned resp = pins_.b_resp();
      clock_.edge();
      if (aw_fires) {
        aw_accepted = true;
        pins_.drive_aw(false, 0);
      }
      if (w_fires) {
        w_accepted = true;
        pins_.drive_w(false, 0);
      }
      if (!b_fires) continue;
      if (!aw_accepted || !w_accepted) throw PortViolation(std::string(port_) + " B: an answer to no write");
      pins_.set_b_ready(false);
      return resp == kAxiOkay;
    }
    throw RtlStopped(std::string(port_) + ": no answer to a write of " + hex(addr));
  }

 private:
  const char *port_;
  Pins pins_;
  Clock &clock_;
};

}  // namespace orm
#endif  // OPENREMAP_AXI_LITE_MASTER_H
