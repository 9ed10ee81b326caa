// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Free list of `count` page buffers numbered from `base`. `alloc.bits` may change until it is taken. */
class BufferPool(p: Params, base: Int, count: Int) extends Module {
  val io = IO(new Bundle {
    val alloc   = Decoupled(UInt(p.bufBits.W))
    val free    = Flipped(Valid(UInt(p.bufBits.W)))
    val allFree = Output(Bool())
  })
  require(count >= 1 && base + count <= p.buffers)
  private val free   = RegInit(((BigInt(1) << count) - 1).U(count.W))
  private val first  = PriorityEncoder(free)
  private val back   = io.free.bits - base.U
  private val taking = Mux(io.alloc.fire, UIntToOH(first, count), 0.U)
  private val giving = Mux(io.free.valid, UIntToOH(back, count), 0.U)
  free := (free & ~taking) | giving

  io.alloc.valid := free.orR
  io.alloc.bits  := base.U(p.bufBits.W) + first
  io.allFree     := free.andR

  assert(!io.free.valid || (io.free.bits >= base.U && back < count.U), "a buffer of another pool came back")
  assert((free & giving) === 0.U, "a buffer was freed twice")
  cover(io.alloc.ready && !io.alloc.valid, "BufferPool: somebody waits for a buffer")
}
