// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A FIFO that is its memory and next to nothing else: an item is out two cycles after it came, where
  * chisel3.util.Queue gives it in the next one. It has the ports of a Queue, and one item a cycle passes.
  *
  * The output is the memory's. In the cycle in which an item is written the memory may be read at the same place, but
  * nobody looks at that word: synthesis need not provide for it (launcher/boards/ecpix5/tools.py, which knows the
  * memory by its name).
  */
class LateQueue[T <: Data](gen: T, entries: Int) extends Module with Fifo[T] {
  require(entries > 1)
  val io             = IO(new QueueIO(gen, entries))
  private val late   = SyncReadMem(entries, gen)
  private val in     = RegInit(0.U(log2Ceil(entries).W))
  private val out    = RegInit(0.U(log2Ceil(entries).W))
  private val count  = RegInit(0.U(log2Ceil(entries + 1).W))
  private val room   = RegInit(true.B)                       // count < entries
  private val there  = RegInit(0.U(log2Ceil(entries + 1).W)) // items that the memory has had for a cycle
  private val has    = RegInit(false.B)                      // there are such
  private val writes = RegNext(io.enq.fire, false.B)
  private val next   = Mux(io.deq.fire, after(out), out)

  private def after(place: UInt): UInt = Mux(place === (entries - 1).U, 0.U, place + 1.U)

  when(io.enq.fire) {
    late.write(in, io.enq.bits)
    in := after(in)
  }
  out          := next
  io.enq.ready := room
  io.deq.valid := has
  io.deq.bits  := late.read(next)
  io.count     := count

  private val left   = count + io.enq.fire - io.deq.fire
  private val behind = there + writes - io.deq.fire
  count := left
  room  := left =/= entries.U
  there := behind
  has   := behind =/= 0.U

  private val wasWritten = RegNext(io.enq.fire && in === next, false.B) // while it was read
  assert(!has || !wasWritten, "LateQueue: a word is looked at that was read while it was written")
  assert(count === there +& writes, "LateQueue: items that are there, or come in the next cycle")
  assert(room === (count =/= entries.U) && has === (there =/= 0.U), "LateQueue: known a cycle ahead")
  cover(io.enq.valid && !io.enq.ready, "LateQueue: full")
  cover(wasWritten, "LateQueue: a word is read while it is written, and looked at a cycle later")
}

/** What a Queue and a LateQueue have in common. */
trait Fifo[T <: Data] { val io: QueueIO[T] }

object Fifo {

  /** A LateQueue or a Queue. */
  def apply[T <: Data](late: Boolean, gen: T, entries: Int, blockRam: Boolean = false): Module with Fifo[T] =
    if (late) new LateQueue(gen, entries) else new Queue(gen, entries, useSyncReadMem = blockRam) with Fifo[T]
}
