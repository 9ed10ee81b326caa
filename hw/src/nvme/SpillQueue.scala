// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A FIFO with many entries. The first ones are in registers, so that its user sees no delay of a block RAM; the others
  * are in block RAM. An entry that comes while the FIFO is empty is out in the next cycle, as with chisel3.util.Queue.
  *
  * @param entries
  *   in all
  */
class SpillQueue[T <: Data](gen: T, entries: Int) extends Module with Quiesces {
  private val ahead = 2 // in registers: one leaves while the block RAM gives the next
  require(entries > ahead)
  val io = IO(new Bundle {
    val in    = Flipped(Decoupled(gen))
    val out   = Decoupled(gen)
    val count = Output(UInt(log2Ceil(entries + 1).W))
  })
  private val front = Module(new Queue(gen, ahead))
  private val spill = Module(new Queue(gen, entries - ahead, useSyncReadMem = true))
  private val empty = !spill.io.deq.valid
  private val past  = empty && front.io.enq.ready // nobody waits behind whom to stand

  front.io.enq.valid := !empty || io.in.valid
  front.io.enq.bits  := Mux(empty, io.in.bits, spill.io.deq.bits)
  spill.io.deq.ready := front.io.enq.ready
  spill.io.enq.valid := io.in.valid && !past
  spill.io.enq.bits  := io.in.bits
  io.in.ready        := spill.io.enq.ready // an empty one is
  io.out <> front.io.deq
  io.count := spill.io.count +& front.io.count
  quiet    := empty || !front.io.enq.ready

  assert(!past || io.in.ready, "who goes past the block RAM need not ask whether it has room")
  cover(io.in.valid && !io.in.ready, "SpillQueue: full")
  cover(spill.io.enq.fire && spill.io.deq.fire, "SpillQueue: through the block RAM in both directions")
}
