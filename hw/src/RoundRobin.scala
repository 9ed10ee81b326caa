// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Chooses among `valid` the first one behind the one taken last, else the first of all. The answer has one bit set, or
  * none while nothing is valid: what it chooses from goes through an AND and an OR, far smaller than a multiplexer that
  * decodes a number.
  *
  * Timing: combinational from `valid` to the choice; `taken` (the choice of this cycle has been served) is looked at a
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
}
