// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** An asynchronous FIFO with ready and valid. A reset of one side alone empties it, and it goes on when neither side is
  * in reset: items that have been accepted before may be lost; those that come out are in order, none twice and none of
  * another time (JointReset).
  */
class AsyncFifo[T <: Data](gen: T, depth: Int, clocks: Between, stages: Int = Synchroniser.stages)
    extends TwoClockModule(clocks) {
  val io = IO(new Bundle {
    val in  = Flipped(Decoupled(gen))
    val out = Decoupled(gen)
  })
  def width: Int = gen.getWidth

  private val joint = along(Module(new JointReset(clocks, stages)))
  private val fifo  = along(Module(new GrayFifo(gen, depth, clocks, stages)))
  fifo.io.in <> io.in
  io.out <> fifo.io.out
  fifo.io.fromJoint := joint.io.from
  fifo.io.toJoint   := joint.io.to
}
