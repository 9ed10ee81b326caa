// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** A value whose bits belong together: settings, which seldom change. It is sent again and again: held in a register,
  * announced, taken, answered. `out` is a value that `in` has had, at most two round trips ago; values that last
  * shorter may be left out. After a reset of the receiving side `out` is `initial` until the next one has come.
  */
class ValueCrossing[T <: Data](gen: T, initial: T, clocks: Between, stages: Int = Synchroniser.stages)
    extends TwoClockModule(clocks) {
  val io = IO(new Bundle {
    val in  = Input(gen)
    val out = Output(gen)
  })
  def width: Int = gen.getWidth

  // The value is new when `sent` differs from `taken`. They have no reset: any pair of them is a state of the
  // handshake.
  private val held  = inFrom(Reg(gen))
  private val sent  = inFrom(Reg(Bool()))
  private val taken = inTo(Reg(Bool()))

  inFrom {
    val back = seenByFrom(taken, stages).asBool
    when(sent === back) {
      held := io.in
      sent := !sent
    }
  }
  inTo {
    val announced = seenByTo(sent, stages).asBool
    val out       = RegInit(gen, initial)
    when(announced =/= taken)(out := held)
    taken := announced
    io.out := out
    cover(announced =/= taken && out.asUInt =/= held.asUInt, "ValueCrossing: another value comes")
  }
}
