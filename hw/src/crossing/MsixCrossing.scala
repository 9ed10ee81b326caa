// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Interrupts, by vector. The controller is at the side `from`. An interrupt that a reset of one side loses has been of
  * before that reset.
  */
class MsixCrossing(vectorBits: Int, clocks: Between) extends BusCrossing(clocks) {
  val io = IO(new Bundle {
    val in  = Flipped(Decoupled(UInt(vectorBits.W)))
    val out = Decoupled(UInt(vectorBits.W))
  })
  def width: Int = vectorBits

  forth(io.in, io.out, 4, "vectors")
}
