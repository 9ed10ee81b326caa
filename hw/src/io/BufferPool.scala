// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Free list of `count` page buffers numbered from `base`.
  *
  * Timing: the buffer that is offered stands in a register, and another one takes its place as it is taken.
  */
class BufferPool(p: Params, base: Int, count: Int) extends Module {
  val io = IO(new Bundle {
    val alloc   = Decoupled(UInt(p.bufBits.W))
    val free    = Flipped(Valid(UInt(p.bufBits.W)))
    val allFree = Output(Bool())
  })
  require(count >= 1 && base + count <= p.buffers)
  private val offered = RegInit(true.B)
  private val offer   = RegInit(base.U(p.bufBits.W))
  private val free    = RegInit(((BigInt(1) << count) - 2).U(count.W)) // besides the one that is offered
  private val many    = RegInit((count - 1).U(log2Ceil(count + 1).W))  // of these
  private val some    = RegInit((count > 1).B)                         // there is one
  private val allHere = RegInit(true.B)
  private val takes   = io.alloc.ready || !offered                     // the place of the offer is free
  private val direct  = takes && !some && io.free.valid                // a buffer that comes back is offered at once
  private val first   = PriorityEncoderOH(free)
  private val back    = UIntToOH(io.free.bits - base.U, count)
  private val giving  = Mux(io.free.valid && !direct, back, 0.U)
  private val next    = many + (io.free.valid && !direct) - (takes && some)
  free    := (free & ~Mux(takes, first, 0.U)) | giving
  many    := next
  some    := next =/= 0.U
  allHere := next === (count - 1).U && (!takes || some || io.free.valid)
  when(takes) {
    offered := some || io.free.valid
    offer   := Mux(some, base.U(p.bufBits.W) + OHToUInt(first), io.free.bits)
  }
  io.alloc.valid := offered
  io.alloc.bits  := offer
  io.allFree     := allHere

  assert(
    !io.free.valid || (io.free.bits >= base.U && io.free.bits - base.U < count.U),
    "a buffer of another pool came back"
  )
  assert(
    !io.free.valid || (free & back) === 0.U && !(offered && io.free.bits === offer),
    "a buffer was freed twice"
  )
  assert(many === PopCount(free) && some === free.orR && (offered || !some), "a free buffer is not offered")
  cover(io.alloc.ready && !io.alloc.valid, "BufferPool: somebody waits for a buffer")
  cover(direct, "BufferPool: a buffer is offered as it comes back")
}
