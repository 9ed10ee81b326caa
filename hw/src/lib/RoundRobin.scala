// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Chooses the first of `valid` behind the one taken last, or else the first of all. The choice is one-hot, or zero
  * while nothing is valid. So the data is selected by an AND and an OR, which are far smaller than a multiplexer that
  * decodes a number.
  *
  * Timing: combinational from `valid` to the choice; `taken` (the choice of this cycle has been served) takes effect a
  * cycle later.
  */
object RoundRobin {
  def apply(valid: Seq[Bool], taken: Bool): Vec[Bool] = {
    val wants  = VecInit(valid).asUInt
    val behind = RegInit(0.U(valid.size.W)) // those behind the one taken last
    val choice = PriorityEncoderOH(Mux((wants & behind).orR, wants & behind, wants))
    when(taken)(behind := VecInit.tabulate(valid.size)(i => if (i == 0) false.B else choice(i - 1, 0).orR).asUInt)
    VecInit(choice.asBools)
  }

  /** One port out of many, and which of them it is. `out.bits` may change until it is taken. */
  def join[T <: Data](in: Seq[DecoupledIO[T]]): (DecoupledIO[T], Vec[Bool]) = {
    val out    = Wire(Decoupled(chiselTypeOf(in.head.bits)))
    val choice = apply(in.map(_.valid), out.fire)
    out.valid := choice.asUInt.orR
    out.bits  := Mux1H(choice, in.map(_.bits))
    in.zip(choice).foreach { case (i, mine) => i.ready := out.ready && mine }
    (out, choice)
  }
}
