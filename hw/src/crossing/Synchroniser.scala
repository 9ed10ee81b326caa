// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Flip-flops in a row, in which a bit of another clock settles. Its clock is the one that the bits come to.
  *
  * The bits must come straight from registers, and no two of them may have to be seen together unless at most one
  * changes at a time (Gray code). They have no reset, as what they follow may change in a reset.
  *
  * @param stages
  *   flip-flops for each bit
  */
class Synchroniser(val width: Int, val clocks: Between, stages: Int = Synchroniser.stages)
    extends Module
    with Crossing {
  require(width >= 1 && stages >= 2, "a bit needs a cycle to settle in")
  val io = IO(new Bundle {
    val in  = Input(UInt(width.W))
    val out = Output(UInt(width.W))
  })
  // For simulations in which bits come late: `in` a cycle of its own clock ago.
  val before = Option.when(Crossings.skews)(IO(Input(UInt(width.W))).suggestName("io_before"))

  private val flops = Seq.tabulate(stages)(i => Reg(UInt(width.W)).suggestName(s"stage_$i"))

  // FPGA tools keep flip-flops with this attribute next to each other, and make no shift register of them.
  flops.foreach(util.addAttribute(_, """ASYNC_REG = "TRUE""""))
  flops.head := before.map(late(io.in, _, flops.head)).getOrElse(io.in)
  flops.zip(flops.tail).foreach { case (before, behind) => behind := before }
  io.out := flops.last

  private def late(in: UInt, before: UInt, now: UInt): UInt = {
    // A shift register with an exclusive nor runs from zero, so it needs no reset either.
    val random = Reg(UInt(16.W))
    random := random(14, 0) ## ~(random(15) ^ random(14) ^ random(12) ^ random(3))
    val delayed = Reg(UInt(width.W)) // they do not wait twice
    val delays  = (in ^ now) & (in ^ before) & Fill((width + 15) / 16, random)(width - 1, 0) & ~delayed
    delayed := delays
    in & ~delays | now & delays
  }
}

object Synchroniser {

  /** The usual number of flip-flops for a bit. */
  val stages = 2
}
