// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object AllocStream extends ChiselEnum { val host, gc = Value }

class Allocation(val p: Params) extends Bundle {
  val slot = UInt(p.slotBits.W)
  val gen  = UInt(p.genBits.W)
}

/** Start-up after a clean shutdown: go on in a half-filled superblock. */
class AllocRestore(val p: Params) extends Bundle {
  val stream = AllocStream()
  val sb     = UInt(p.sbBits.W)
  val next   = UInt(p.offsetBits.W)
}

/** Hands out slots in programming order. Each stream fills a superblock of its own, striped over all dies; the list of
  * free superblocks is a FIFO, so that erases spread. The host stream leaves `reserve` superblocks to GC.
  *
  * `alloc.ready` is the wish for a slot and must not wait for `alloc.valid`: only a wish opens a superblock, and a full
  * superblock is closed when its client asks for the next slot. By then the client has mapped the last one; were it
  * closed earlier, GC could pick it, find the last slot without a sharer, and erase it.
  */
class Allocator(p: Params) extends Module {
  val io = IO(new Bundle {
    val alloc       = Vec(AllocStream.all.size, Decoupled(new Allocation(p))) // index = AllocStream
    val freed       = Flipped(Decoupled(UInt(p.sbBits.W)))                    // from GC or firmware at start-up
    val opened      = Valid(UInt(p.sbBits.W))
    val closed      = Valid(UInt(p.sbBits.W))
    val sb          = new SbReadPort(p)                                       // for the generation
    val reserve     = Input(UInt((p.sbBits + 1).W))
    val free        = Output(UInt((p.sbBits + 1).W))
    val restore     = Flipped(Valid(new AllocRestore(p)))
    val hostStalled = Output(Bool())
  })
  // --- free list: a ring of superblock numbers
  private val ring                = Mem(p.superblocks, UInt(p.sbBits.W))
  private val first               = RegInit(0.U(p.sbBits.W))
  private val count               = RegInit(0.U((p.sbBits + 1).W))
  private def wrap(x: UInt): UInt = { // x < 2 * superblocks
    val y = x.pad(p.sbBits + 1)
    Mux(y >= p.superblocks.U, y - p.superblocks.U, y)(p.sbBits - 1, 0)
  }
  private val oldest = ring(first)
  when(io.freed.fire)(ring.write(wrap(first +& count), io.freed.bits))
  io.freed.ready := count =/= p.superblocks.U
  io.free        := count
  assert(!io.freed.valid || io.freed.ready, "more free superblocks than there are")

  // --- streams
  private class Stream extends Bundle {
    val open = Bool() // `sb` was opened and not yet closed
    val full = Bool() // its last slot was handed out
    val sb   = UInt(p.sbBits.W)
    val next = UInt(p.offsetBits.W)
    val gen  = UInt(p.genBits.W)
  }
  private val streams = RegInit(VecInit.fill(AllocStream.all.size)(0.U.asTypeOf(new Stream)))
  for ((port, s) <- io.alloc.zip(streams)) {
    port.valid     := s.open && !s.full
    port.bits.slot := SlotAddress(p, s.sb, s.next)
    port.bits.gen  := s.gen
    when(port.fire) {
      s.next := s.next + 1.U
      s.full := s.next === (p.slotsPerSb - 1).U
    }
  }

  // --- one change of a stream per cycle. GC goes first: it is what makes superblocks free.
  private val order   = Seq(AllocStream.gc, AllocStream.host).map(_.asUInt.litValue.toInt)
  private val spare   = Map(order.head -> (count =/= 0.U), order(1) -> (count > io.reserve))
  private val closing = order.map(i => io.alloc(i).ready && streams(i).open && streams(i).full)
  private val opening = order.map(i => io.alloc(i).ready && !streams(i).open && spare(i))
  private val acts    = closing.zip(opening).flatMap { case (c, o) => Seq(c, o) }
  private val pick    = PriorityEncoderOH(acts.map(_ && !io.restore.valid))

  io.closed.valid := pick(0) || pick(2)
  io.closed.bits  := streams(Mux(pick(0), order.head.U, order(1).U)).sb
  io.opened.valid := pick(1) || pick(3)
  io.opened.bits  := oldest
  io.sb.sb        := Mux(io.restore.valid, io.restore.bits.sb, oldest)
  for ((i, k) <- order.zipWithIndex) {
    when(pick(2 * k))(streams(i).open := false.B)
    when(pick(2 * k + 1)) {
      streams(i).open := true.B
      streams(i).full := false.B
      streams(i).sb   := oldest
      streams(i).next := 0.U
      streams(i).gen  := io.sb.gen
    }
  }
  when(io.opened.valid)(first := wrap(first +& 1.U))
  count := count + io.freed.fire - io.opened.valid

  when(io.restore.valid) {
    val s = streams(io.restore.bits.stream.asUInt)
    s.open := true.B
    s.full := false.B
    s.sb   := io.restore.bits.sb
    s.next := io.restore.bits.next
    s.gen  := io.sb.gen
    assert(!s.open, "a stream that is running cannot be restored")
  }

  private val host = AllocStream.host.asUInt.litValue.toInt
  io.hostStalled := io.alloc(host).ready && !streams(host).open && !spare(host)
  cover(io.hostStalled && count =/= 0.U, "the host waits: what is free is GC's")
  cover(io.hostStalled && count === 0.U, "the host waits: nothing is free")
  cover(closing.reduce(_ && _), "both streams fill up at the same time")
}
