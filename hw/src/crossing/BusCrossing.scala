// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Several channels of one bus, some in either direction, each an asynchronous FIFO. One joint reset empties all of
  * them together.
  */
abstract class BusCrossing(clocks: Between) extends TwoClockModule(clocks) {
  private val joint = along(Module(new JointReset(clocks)))

  private def fifo[T <: Data](gen: T, depth: Int, name: String, clocks: Between): GrayFifo[T] =
    Module(new GrayFifo(gen, depth, clocks)).suggestName(name)

  /** A channel from the side `from` to the side `to`. */
  protected def forth[T <: Data](in: DecoupledIO[T], out: DecoupledIO[T], depth: Int, name: String): Unit = {
    val channel = along(fifo(chiselTypeOf(in.bits), depth, name, clocks))
    channel.io.in <> in
    out <> channel.io.out
    channel.io.fromJoint := joint.io.from
    channel.io.toJoint   := joint.io.to
  }

  /** A channel from the side `to` to the side `from`. */
  protected def back[T <: Data](in: DecoupledIO[T], out: DecoupledIO[T], depth: Int, name: String): Unit = {
    val channel = against(fifo(chiselTypeOf(in.bits), depth, name, clocks.back))
    channel.io.in <> in
    out <> channel.io.out
    channel.io.fromJoint := joint.io.to
    channel.io.toJoint   := joint.io.from
  }
}
