// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FIRMWARE_SIDE_H
#define OPENREMAP_FIRMWARE_SIDE_H

#include <cstdint>

#include "axi_lite_master.h"
#include "rtl_core.h"
#include "top_pins.h"

namespace orm {

/// The firmware's side of OpenRemapTop: its window and its interrupt are ports, and the firmware runs outside of the
/// model. `Core` is the VerilatedCore that this is a part of. SocSide is the other one.
template <class Top, class Core>
class FirmwareSide {
 public:
  static constexpr size_t kNandPorts = 0;  // whose flash is in the model

  FirmwareSide(Top &top, const CoreOptions &, const Board &, Core &core)
      : top_(top), fw_("s_axil_fw", FwPins<Top>(top), core) {}

  /// Calls `f` with each bus model of this side.
  template <class F>
  void each_port(F &&) {}
  /// Clock cycles that this side needs while reset is held, to load memories; `load` sets the inputs of each.
  unsigned load_cycles() const { return 0; }
  void load(unsigned) {}
  void sample(uint64_t) {}
  void drive() {}

  bool interrupt() const { return top_.fw_irq != 0; }
  /// Nothing happens on this side until the controller or time does something.
  bool still() const { return true; }
  /// Nor will time alone do anything.
  bool idle() const { return true; }
  /// The cycle at which time does, from cycle `now` on.
  uint64_t next_cycle(uint64_t) const { return UINT64_MAX; }

  bool read(uint32_t offset, uint32_t *value) { return fw_.read(offset, value); }
  bool write(uint32_t offset, uint32_t value) { return fw_.write(offset, value); }

 private:
  Top &top_;
  AxiLiteMaster<FwPins<Top>, Core> fw_;
};

}  // namespace orm
#endif  // OPENREMAP_FIRMWARE_SIDE_H
