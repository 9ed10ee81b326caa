// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The ports of the counters' registers. */
trait FwCounterPorts extends Bundle {
  val counterIndex = Output(UInt(6.W))
  val counterValue = Input(UInt(48.W))
  val counterClear = Output(Bool())
}

/** The registers of the counters (Counters). They show one counter, which firmware selects. */
class FwCounterRegs(w: FwWindow, io: FwCounterPorts) {
  import FwRegMap._

  io.counterIndex := w.stored(CounterSelect.reg, CounterSelect.index)
  io.counterClear := w.writes(CounterSelect.reg) && CounterSelect.clear.of(w.data).asBool
  w.showsWide(CounterLo.reg, CounterHi.reg, CounterHi.value)(io.counterValue)
}
