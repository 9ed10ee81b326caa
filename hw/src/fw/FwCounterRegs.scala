// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

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

  // The value follows the selection after some cycles, to which the registers on both sides add two.
  private val follows  = Counters.answersAfter + 2
  private val settling = RegInit(0.U(log2Ceil(follows + 1).W)) // cycles until it has
  when(w.writes(CounterSelect.reg))(settling := follows.U).elsewhen(settling =/= 0.U)(settling := settling - 1.U)
  w.holds(settling =/= 0.U && w.awaits(CounterLo.reg))
  cover(settling =/= 0.U && w.awaits(CounterLo.reg), "FwCounterRegs: a read waits for the counter that was selected")
}
