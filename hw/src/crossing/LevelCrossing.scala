// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Levels that last: interrupts, states. Each bit is by itself. A level that is shorter than two cycles of the slower
  * clock may be missed.
  */
class LevelCrossing(val width: Int, clocks: Between, stages: Int = Synchroniser.stages) extends TwoClockModule(clocks) {
  val io = IO(new Bundle {
    val in  = Input(UInt(width.W))
    val out = Output(UInt(width.W))
  })
  // Only a register gives a level without glitches.
  private val level = inFrom(RegInit(0.U(width.W)))
  level := io.in
  private val seen = seenByTo(level, stages)
  io.out := seen
}
