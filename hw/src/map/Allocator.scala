// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A stream of writes: GC's, or the host's of one placement handle. Each stream fills its own superblocks. */
class StreamId(val p: Params) extends Bundle {
  val gc     = Bool()
  val handle = UInt(p.handleBits.W) // of the host; 0 with `gc`
}
object StreamId {
  require(Formats.StreamHost == 0 && Formats.StreamGc == 1 && Formats.StreamHandle == 2, "bit 0 is GC's")

  /** From its number in OobRecord and in the register map. */
  def apply(p: Params, number: UInt): StreamId = {
    val id = Wire(new StreamId(p))
    id.gc     := number(0)
    id.handle := number(p.handleBits, 1)
    id
  }

  /** OobRecord.stream of what the host writes. */
  def ofHost(handle: UInt): UInt = Cat(handle, 0.U(1.W)).pad(8)
}

/** A slot that is handed out. */
class Allocation(val p: Params) extends Bundle {
  val slot = UInt(p.slotBits.W)
  val gen  = UInt(p.genBits.W)
}

/** Start-up after a clean shutdown: a stream continues in a half-filled superblock. */
class AllocRestore(val p: Params) extends Bundle {
  val stream = new StreamId(p)
  val sb     = UInt(p.sbBits.W)
  val next   = UInt(p.offsetBits.W)
}

/** The superblock that one stream is filling, for firmware. */
class StreamLookPort(val p: Params) extends Bundle {
  val stream = Input(new StreamId(p))
  val open   = Output(Bool())
  val full   = Output(Bool())
  val sb     = Output(UInt(p.sbBits.W))
  val next   = Output(UInt(p.offsetBits.W)) // when full: p.dataSlots, or 0 where those are all slots
}

/** Hands out slots in programming order. Each stream fills its own superblock, striped over all dies. The list of free
  * superblocks is a FIFO, so that erases spread. The host's streams leave `reserve` superblocks to GC. A superblock is
  * full when its first `dataSlots` have been handed out; firmware programs the rest with its summary.
  *
  * The host writes one page after the other, each with a placement handle, so its streams share a port: `hostHandle`
  * selects the stream and stays until the slot is given.
  *
  * The host says whose slot it wishes for a cycle before it asks for it, and until it has it.
  *
  * `ready` is the request for a slot and must not wait for `valid`. Only a request opens a superblock. A full
  * superblock is closed when its client requests the next slot, of any stream. By then the client has mapped the last
  * slot. If the superblock were closed earlier, GC could pick it, find the last slot without a sharer, and erase it.
  *
  * A page of the host whose program failed (`hostUrgent`) gets another slot without waiting for GC, since GC may wait
  * for that page. The slot comes from the first of these that has one:
  *   1. the open superblock of its own stream, or a new one for it that leaves GC's reserve whole
  *   1. the open superblock of another host stream (`hostStream` names it)
  *   1. a superblock of GC's reserve
  *
  * Three rules make sure that there is a slot, and that GC keeps what it needs:
  *   - While GC's reserve is not whole, the host's streams keep the last `keptSlots` of a superblock for such pages. So
  *     GC lends one superblock, and a second one only when the first is full of pages that failed.
  *   - GC takes the last free superblock only when a host stream has room beyond its kept slots, or when no program of
  *     the host is under way (`hostBusy`). Otherwise GC could leave none, with two victims under way.
  *   - What GC has begun fits into the superblock that it opened for it, and gives one back.
  * If there is no slot nevertheless (`hostNone`; erases must have failed, too), the page is lost.
  *
  * A flash page that goes to flash before all its slots were handed out (`closing`, PageGatherer) ends there: its
  * stream gives no slot in that cycle and continues with the next page.
  */
class Allocator(p: Params) extends Module {
  val io = IO(new Bundle {
    val host        = Decoupled(new Allocation(p))
    val hostHandle  = Input(UInt(p.handleBits.W))
    val hostUrgent  = Input(Bool())                        // for a page whose program failed
    val hostStream  = Output(UInt(p.handleBits.W))         // whose slot is offered: with `hostUrgent` any handle's
    val hostNone    = Output(Bool())                       // with `hostUrgent`: there is no slot
    val hostBusy    = Input(Bool())                        // programs of the host are under way, or about to be
    val gcHeld      = Output(Bool())                       // GC waits for these
    val gc          = Decoupled(new Allocation(p))
    val freed       = Flipped(Decoupled(UInt(p.sbBits.W))) // from GC or firmware at start-up
    val opened      = Valid(UInt(p.sbBits.W))
    val closed      = Valid(UInt(p.sbBits.W))
    val whole       = Output(Bool())                       // with `closed`: up to its summary, if it has any
    val sb          = new SbReadPort(p)                    // for the generations
    val reserve     = Input(UInt((p.sbBits + 1).W))
    val free        = Output(UInt((p.sbBits + 1).W))
    val forget      = Input(Bool())                        // no superblock is free: firmware makes a new list
    val restore     = Flipped(Valid(new AllocRestore(p)))
    val close       = Flipped(Valid(UInt(p.handleBits.W))) // this handle's superblock counts as full from now on
    val closing     =
      SlotWriter.ports(Flipped(Valid(UInt(p.slotBits.W)))) // any slot of a page that the host's streams, GC's fill
    val look        = new StreamLookPort(p)
    val hostStalled = Output(Bool())
  })
  // --- free list: numbers of superblocks. The oldest one is in a register, a few cycles after it has become so.
  private val ring   = Module(new Queue(UInt(p.sbBits.W), p.superblocks, useSyncReadMem = true, hasFlush = true))
  private val count  = RegInit(0.U((p.sbBits + 1).W))
  private val oldest = RegInit(0.U.asTypeOf(Valid(UInt(p.sbBits.W))))
  ring.io.enq.valid := io.freed.fire
  ring.io.enq.bits  := io.freed.bits
  ring.io.flush.get := io.forget
  ring.io.deq.ready := !oldest.valid
  io.freed.ready    := count =/= p.superblocks.U
  io.free           := count
  when(ring.io.deq.fire) {
    oldest.valid := true.B
    oldest.bits  := ring.io.deq.bits
  }
  assert(!io.freed.valid || io.freed.ready, "more free superblocks than there are")

  // --- streams: the host's in order of their handles, then GC's
  private class Stream extends Bundle {
    val open  = Bool() // `sb` was opened and not yet closed
    val full  = Bool() // its last slot was handed out, or firmware has ended it
    val known = Bool() // `gen` is its generation, for which the table is asked when it is opened
    val sb    = UInt(p.sbBits.W)
    val next  = UInt(p.offsetBits.W)
    val gen   = UInt(p.genBits.W)
  }
  private val hosts                  = p.k.placementHandles
  private val streams                = RegInit(VecInit.fill(hosts + 1)(0.U.asTypeOf(new Stream)))
  private val indexBits              = log2Ceil(hosts + 1)
  private val gcAt                   = hosts.U(indexBits.W)
  private val wished                 = io.hostHandle.pad(indexBits) // a cycle before the slot is asked for
  private val hostAt                 = RegNext(wished)
  private val urgent                 = RegNext(io.hostUrgent, false.B)
  private def at(id: StreamId): UInt = Mux(id.gc, gcAt, id.handle.pad(indexBits))
  private def exists(id: UInt): Bool = id < hosts.U
  private val rooms                  = VecInit(streams.init.map(s => s.open && !s.full))
  private val rests                  = RegInit(false.B)             // SuperblockTable wants a cycle between two changes
  // What `count` is compared with is a cycle old. A superblock that is opened is contained all the same: after it no
  // other one is opened for a cycle (`rests`). One that becomes free counts a cycle later.
  private val hostSpare = RegNext(count > io.reserve, false.B)
  private val short     = RegNext(count < io.reserve, false.B)
  private val lastOne   = RegNext(count === 1.U, false.B)
  private val lends     = urgent && !rooms.asUInt.orR && count =/= 0.U
  // Whose slot is offered to the host, by what was a cycle ago: any stream that has one will do for an urgent page.
  private val borrowing =
    io.hostUrgent && !(streams(wished).open && !streams(wished).full) && !hostSpare && rooms.asUInt.orR
  private val borrows                = RegNext(borrowing, false.B)
  private val servedAt               = RegNext(Mux(borrowing, PriorityEncoder(rooms).pad(indexBits), wished))
  private def atEnd(s: Stream): Bool = s.next >= (p.dataSlots - p.keptSlots).U
  private val keeps                  = (short || rests) && !urgent && atEnd(streams(hostAt))
  private val ports                  = Seq(io.gc -> gcAt, io.host -> servedAt)
  io.hostStream := servedAt(p.handleBits - 1, 0)
  assert(!io.host.ready || exists(hostAt), "a placement handle that there is not")
  assert(
    !io.host.ready || hostAt === wished && urgent === io.hostUrgent,
    "a slot is asked for before its handle is known"
  )

  /** This stream's next slot lies inside of the page that is being closed. */
  private def ends(s: Stream, closing: Valid[UInt]): Bool = closing.valid && s.open &&
    SlotAddress.pageOf(p, SlotAddress(p, s.sb, s.next)) === SlotAddress.pageOf(p, closing.bits) &&
    SlotAddress.sub(p, s.next) =/= 0.U
  private val closings = Seq.fill(hosts)(io.closing(SlotWriter.host)) :+ io.closing(SlotWriter.gc)
  private val ending   = VecInit(streams.zip(closings).map { case (s, c) => ends(s, c) })
  for ((s, end) <- streams.zip(ending)) when(end) {
    val after = ((s.next >> p.subBits) +& 1.U) << p.subBits
    s.next := after
    when(after === p.dataSlots.U)(s.full := true.B)
  }

  for ((port, i) <- ports) {
    val s = streams(i)
    port.valid     := s.open && s.known && !s.full && !ending(i) && (if (port eq io.host) !keeps else true.B)
    port.bits.slot := SlotAddress(p, s.sb, s.next)
    port.bits.gen  := s.gen
    when(port.fire) {
      s.next := s.next + 1.U
      s.full := s.next === (p.dataSlots - 1).U
    }
  }
  when(io.close.valid) {
    streams(io.close.bits.pad(indexBits)).full := true.B // means nothing while none is open
    assert(exists(io.close.bits), "firmware bug: it closes a placement handle that there is not")
  }

  // --- one change of a stream per cycle. GC goes first: it is what makes superblocks free.
  private val hostFull = streams.init.map(s => s.open && s.full && s.known)
  private val gcCloses = io.gc.ready && streams.last.open && streams.last.full && streams.last.known
  private val gcWants  = io.gc.ready && !streams.last.open
  private val roomy    = VecInit(streams.init.map(s => s.open && !s.full && !atEnd(s))).asUInt.orR
  private val gcOpens  = gcWants && oldest.valid && !io.gcHeld
  private val closes   = io.host.ready && VecInit(hostFull).asUInt.orR
  private val closesAt = PriorityEncoder(hostFull).pad(indexBits)
  private val opens    = io.host.ready && !streams(hostAt).open && oldest.valid && (hostSpare || lends)
  private val pick     =
    PriorityEncoderOH(Seq(gcCloses, gcOpens, closes, opens).map(_ && !rests && !io.restore.valid && !io.forget))
  rests := VecInit(pick).asUInt.orR

  // A cycle late where it falls. It rises with a slot.
  private val busy = RegNext(io.hostBusy || io.host.fire, true.B)
  assert(!io.hostBusy || busy, "a program of the host's that has got no slot")
  io.gcHeld   := gcWants && lastOne && busy && !roomy
  io.hostNone := io.host.ready && urgent && !rooms.asUInt.orR && !VecInit(hostFull).asUInt.orR && count === 0.U

  io.closed.valid := pick(0) || pick(2)
  io.closed.bits  := streams(Mux(pick(0), gcAt, closesAt)).sb
  io.whole        := (if (p.summarySlots == 0) false.B
               else io.closed.valid && streams(Mux(pick(0), gcAt, closesAt)).next === p.dataSlots.U)
  io.opened.valid := pick(1) || pick(3)
  io.opened.bits  := oldest.bits
  when(io.closed.valid)(streams(Mux(pick(0), gcAt, closesAt)).open := false.B)
  when(io.opened.valid) {
    val s = streams(Mux(pick(1), gcAt, hostAt))
    s.open       := true.B
    s.full       := false.B
    s.known      := false.B
    s.sb         := oldest.bits
    s.next       := 0.U
    oldest.valid := false.B
  }
  when(io.forget)(oldest.valid := false.B)
  count := Mux(io.forget, 0.U, count + io.freed.fire - io.opened.valid)
  assert(!io.forget || !io.freed.valid && !io.opened.valid, "firmware bug: it empties a list that is in use")

  when(io.restore.valid) {
    val s = streams(at(io.restore.bits.stream))
    s.open  := true.B
    s.full  := false.B
    s.known := false.B
    s.sb    := io.restore.bits.sb
    s.next  := io.restore.bits.next
    assert(!s.open, "a stream that is running cannot be restored")
    assert(SlotAddress.sub(p, io.restore.bits.next) === 0.U, "firmware bug: it restores the middle of a flash page")
    assert(io.restore.bits.next < p.dataSlots.U, "firmware bug: it restores a superblock that is full")
    assert(
      io.restore.bits.stream.gc || exists(io.restore.bits.stream.handle),
      "firmware bug: it restores a placement handle that there is not"
    )
  }

  // --- generations, of one superblock after the other
  private val asks    = RegInit(false.B)
  private val asked   = RegInit(false.B)
  private val askedAt = Reg(UInt(indexBits.W))
  private val unknown = streams.map(s => s.open && !s.known)
  io.sb.ask.valid := asks
  io.sb.ask.bits  := streams(askedAt).sb
  when(!asked && VecInit(unknown).asUInt.orR) {
    askedAt := PriorityEncoder(unknown)
    asked   := true.B
    asks    := true.B
  }
  when(io.sb.ask.fire)(asks := false.B)
  when(io.sb.answer.valid) {
    streams(askedAt).known := true.B
    streams(askedAt).gen   := io.sb.answer.bits.gen
    asked                  := false.B
  }
  assert(!asked || streams(askedAt).open && !streams(askedAt).known, "a superblock is closed before its first slot")

  private val looked = streams(at(io.look.stream))
  io.look.open := looked.open
  io.look.full := looked.open && looked.full
  io.look.sb   := looked.sb
  io.look.next := looked.next

  private val noSuperblock = !streams(hostAt).open && !hostSpare && !lends && !borrows
  io.hostStalled := io.host.ready && (noSuperblock || streams(hostAt).open && keeps)
  assert(
    !io.opened.valid || !io.gcHeld || !pick(1),
    "GC takes the last superblock before the host's programs have landed"
  )
  cover(borrows && io.host.fire, "a page whose program failed goes to the superblock of another placement handle")
  cover(lends && pick(3) && !hostSpare, "a page whose program failed takes a superblock of GC's reserve")
  cover(
    io.host.ready && keeps && streams(hostAt).open && !streams(hostAt).full,
    "the end of a superblock is kept for pages whose program fails"
  )
  cover(io.gcHeld, "GC waits with the last superblock until the host's programs have landed")
  cover(io.hostNone, "no slot for a page whose program failed")
  cover(io.hostStalled && count =/= 0.U, "the host waits: what is free is GC's")
  cover(io.hostStalled && count === 0.U, "the host waits: nothing is free")
  cover(gcCloses && closes, "GC's and a host stream are full at the same time")
  cover(PopCount(streams.init.map(_.open)) === hosts.U, "every placement handle has a superblock open")
  cover(closes && closesAt =/= hostAt, "a superblock that firmware has ended is closed by a write elsewhere")
  cover(io.close.valid && io.host.fire && io.close.bits === io.hostHandle, "ended as it hands out a slot")
  for (s <- streams) assert(!s.open || s.next <= p.dataSlots.U, "a slot of a summary was handed out")
}
