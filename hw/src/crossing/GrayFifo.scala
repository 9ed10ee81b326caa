// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The asynchronous FIFO without the joint reset of its sides, which several of them may share. `from` writes, `to`
  * reads.
  *
  * A pointer has a bit more than an address, and crosses in Gray code. The memory is distributed RAM: an item is
  * written with the one clock and read, some cycles later, into a register of the other. `in.ready` and all of `out`
  * are registers. What is offered at `out` stays until it is taken, also when the side `from` is reset.
  *
  * @param depth
  *   entries of the memory, a power of two. With eight, and two stages, an item passes in each cycle of the slower
  *   clock
  */
class GrayFifo[T <: Data](gen: T, depth: Int, clocks: Between, stages: Int = Synchroniser.stages)
    extends TwoClockModule(clocks) {
  require(isPow2(depth) && depth >= 4, "Gray code closes its circle at a power of two")
  val io = IO(new Bundle {
    val in        = Flipped(Decoupled(gen))
    val out       = Decoupled(gen)
    val fromJoint = Input(new Joint)
    val toJoint   = Input(new Joint)
  })
  def width: Int = gen.getWidth

  private val bits                     = log2Ceil(depth)
  private def pointer                  = Reg(UInt((bits + 1).W))
  private def gray(binary: UInt): UInt = binary ^ (binary >> 1)
  // Belief only: how far a pointer is ahead of another, in Gray code.
  private def binary(gray: UInt): UInt            = VecInit.tabulate(bits + 1)(i => (gray >> i).asUInt.xorR).asUInt
  private def ahead(tail: UInt, head: UInt): UInt = (tail - head)(bits, 0)

  private val memory   = inFrom(Mem(depth, gen))
  private val tail     = inFrom(pointer)
  private val tailGray = inFrom(pointer)
  private val head     = inTo(pointer)
  private val headGray = inTo(pointer)

  inFrom {
    val headSeen = seenByFrom(headGray, stages)
    val ready    = RegInit(false.B)
    val fire     = io.in.valid && ready
    val next     = pointer // tail + 1: the path to `ready` has no adder
    val after    = Mux(fire, gray(next), tailGray)
    // In Gray code, a pointer that is ahead by the depth differs in its two upper bits.
    val full = ~headSeen(bits, bits - 1) ## headSeen(bits - 2, 0)
    when(fire)(memory.write(tail(bits - 1, 0), io.in.bits, from.clock))
    when(io.fromJoint.clear) {
      tail     := 0.U
      next     := 1.U
      tailGray := 0.U
    }.elsewhen(fire) {
      tail     := next
      next     := next + 1.U
      tailGray := gray(next)
    }
    ready       := io.fromJoint.up && after =/= full
    io.in.ready := ready
    assert(!io.fromJoint.up || ahead(tail, binary(headSeen)) <= depth.U, "more entries than there is room for")
    assert(!(io.fromJoint.clear && fire), "an item comes while the pointers are cleared")
    cover(io.in.valid && io.fromJoint.up && !ready, "GrayFifo: full")
  }
  inTo {
    val tailSeen = seenByTo(tailGray, stages)
    val full     = RegInit(false.B) // `item` is offered
    val item     = Reg(gen)
    val takes    = io.out.ready || !full
    val some     = io.toJoint.up && tailSeen =/= headGray
    val next     = head + 1.U
    when(takes) {
      full := some
      item := memory.read(head(bits - 1, 0), to.clock)
    }
    when(io.toJoint.clear) {
      head     := 0.U
      headGray := 0.U
    }.elsewhen(takes && some) {
      head     := next
      headGray := gray(next)
    }
    io.out.valid := full
    io.out.bits  := item
    assert(!io.toJoint.up || ahead(binary(tailSeen), head) <= depth.U, "more entries than there are")
    cover(io.out.valid && !io.out.ready && some, "GrayFifo: an item waits behind one that is not taken")
    cover(io.toJoint.clear && full, "GrayFifo: an item stays over a reset of the side that sent it")
  }
}
