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

  /** The same, decided a cycle before: the choice is a register and always one-hot, so that `ready` of a port can start
    * at it. A request waits a cycle while the turn comes to it; requests that come without a gap, of one port or of
    * several, are served one a cycle. The turn stays with a request until it has been served, and where it is while
    * there is none.
    */
  def ahead(valid: Seq[Bool], taken: Bool): Vec[Bool] = {
    val turn   = RegInit(VecInit.tabulate(valid.size)(i => (i == 0).B))
    val wants  = VecInit(valid).asUInt & ~turn.asUInt
    val behind = wants & VecInit.tabulate(valid.size)(i => turn.take(i).fold(false.B)(_ || _)).asUInt
    when((taken || !Mux1H(turn, valid)) && wants.orR) {
      turn := PriorityEncoderOH(Mux(behind.orR, behind, wants)).asBools
    }
    turn
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

  /** The same with `ahead`: `ready` of a port starts at registers if `out.ready` does. `out.bits` is that of the port
    * that has its turn. `moves`: the turn changes although nobody is served, so the unit is not quiet.
    */
  def joinAhead[T <: Data](in: Seq[DecoupledIO[T]]): (DecoupledIO[T], Vec[Bool], Bool) = {
    val out  = Wire(Decoupled(chiselTypeOf(in.head.bits)))
    val turn = ahead(in.map(_.valid), out.fire)
    out.valid := Mux1H(turn, in.map(_.valid))
    out.bits  := Mux1H(turn, in.map(_.bits))
    in.zip(turn).foreach { case (i, mine) => i.ready := out.ready && mine }
    (out, turn, !out.valid && VecInit(in.map(_.valid)).asUInt.orR)
  }
}
