// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A FIFO in memory whose first entry is in a register, and so is `in.ready`: both sides may have logic behind them. An
  * entry that comes while the FIFO is empty is out in the next cycle, as with chisel3.util.Queue.
  *
  * @param entries
  *   in all
  * @param blockRam
  *   the memory is a block RAM
  * @param late
  *   it is a LateQueue: the first entry is in its memory, and an entry is out two cycles after it came
  */
class HeadQueue[T <: Data](gen: T, entries: Int, blockRam: Boolean = false, late: Boolean = false)
    extends Module
    with Quiesces {
  require(entries > 1)
  val io = IO(new Bundle {
    val in    = Flipped(Decoupled(gen))
    val out   = Decoupled(gen)
    val count = Output(UInt(log2Ceil(entries + 1).W))
  })
  if (late) {
    val queue = Module(new LateQueue(gen, entries))
    queue.io.enq <> io.in
    io.out <> queue.io.deq
    io.count := queue.io.count
    quiet    := Mux(io.out.valid, !io.out.ready, queue.io.count === 0.U)
  } else {
    val behind = Module(new Queue(gen, entries, useSyncReadMem = blockRam))
    val count  = RegInit(0.U(log2Ceil(entries + 1).W))
    val room   = RegInit(true.B)               // count < entries
    val full   = RegInit(false.B)              // `head` is an entry
    val head   = Reg(gen)
    val past   = !full && !behind.io.deq.valid // nobody waits behind whom to stand
    val takes  = io.out.ready || !full

    behind.io.enq.valid := io.in.fire && !past
    behind.io.enq.bits  := io.in.bits
    behind.io.deq.ready := takes
    when(takes) {
      full := behind.io.deq.valid || past && io.in.valid
      head := Mux(behind.io.deq.valid, behind.io.deq.bits, io.in.bits)
    }
    io.in.ready  := room
    io.out.valid := full
    io.out.bits  := head
    count        := count + io.in.fire - io.out.fire
    room         := Mux(io.in.fire, io.out.fire || count =/= (entries - 1).U, io.out.fire || count =/= entries.U)
    io.count     := count
    quiet        := Mux(full, !io.out.ready, !behind.io.deq.valid) // an entry that comes is an input that changes

    assert(!behind.io.enq.valid || behind.io.enq.ready, "more entries than there is room for")
    assert(room === (count =/= entries.U), "room is counted a cycle ahead")
    cover(io.in.valid && !io.in.ready, "HeadQueue: full")
    cover(!full && behind.io.deq.valid, "HeadQueue: the head comes from the memory a cycle late")
  }
}
