// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CPU_LINK_H
#define OPENREMAP_CPU_LINK_H

#include <cstdint>
#include <functional>
#include <vector>

namespace orm {

/// What a simulated CPU and the device around it know of each other besides the buses. Lives as long as the device.
struct CpuLink {
  std::vector<uint32_t> rom;          // the ROM's first words, and
  std::vector<uint32_t> board;        // those of region `board`; loaded at each power-on
  uint16_t kelvin = 0;                // what the temperature sensor shows
  uint32_t state = 0;                 // orm_soc_state, as the firmware last told it
  uint64_t busy_cycles = 0;           // since power-on, in which it did not wait in WAIT
  std::function<void(char)> console;  // takes what the UART sends
};

}  // namespace orm
#endif  // OPENREMAP_CPU_LINK_H
