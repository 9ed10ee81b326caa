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
  * The host says whose slot it wishes for a cycle before it asks for it, and until it has it. So what it is offered is
  * in registers. All outputs are; those that tell of a change, of a lack or of firmware's look do so a cycle late.
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
  // Firmware's commands, a cycle later.
  private val forget  = RegNext(io.forget, false.B)
  private val restore = RegNext(io.restore, 0.U.asTypeOf(io.restore))
  private val close   = RegNext(io.close, 0.U.asTypeOf(io.close))

  // --- free list: numbers of superblocks. The oldest one is in a register, a few cycles after it has become so.
  private val ring   = Module(new Queue(UInt(p.sbBits.W), p.superblocks, useSyncReadMem = true, hasFlush = true))
  private val count  = RegInit(0.U((p.sbBits + 1).W))
  private val oldest = RegInit(0.U.asTypeOf(Valid(UInt(p.sbBits.W))))
  ring.io.enq.valid := io.freed.fire
  ring.io.enq.bits  := io.freed.bits
  ring.io.flush.get := forget
  ring.io.deq.ready := !oldest.valid
  // `count` follows what was accepted in the cycle before.
  io.freed.ready := RegNext(count =/= p.superblocks.U && !io.freed.fire, true.B)
  io.free        := count
  when(ring.io.deq.fire) {
    oldest.valid := true.B
    oldest.bits  := ring.io.deq.bits
  }
  assert(!io.freed.valid || count =/= p.superblocks.U, "more free superblocks than there are")

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
  private val hasRoom                = VecInit(streams.map(s => s.open && !s.full))
  private val rooms                  = VecInit(hasRoom.init)
  // SuperblockTable wants a cycle between two changes. Nor is there one as firmware's commands change something.
  private val rests = RegInit(false.B)
  // What `count` is compared with is a cycle old. A superblock that is opened is contained all the same: after it no
  // other one is opened for a cycle (`rests`). One that becomes free counts a cycle later.
  private val hostSpare = RegNext(count > io.reserve, false.B)
  private val lastOne   = RegNext(count === 1.U, false.B)
  private val lends     = RegNext(io.hostUrgent && !rooms.asUInt.orR, false.B)
  // An urgent page borrows a slot of any stream that has one, by what was a cycle ago.
  private val borrows =
    RegNext(io.hostUrgent && !hasRoom(wished) && !hostSpare && rooms.asUInt.orR, false.B)
  private val lender                 = RegNext(PriorityEncoder(rooms).pad(indexBits))
  private def atEnd(s: Stream): Bool = s.next >= (p.dataSlots - p.keptSlots).U
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

  // What is offered is in registers, of the stream as it was a cycle ago. What changes it ends the offer.
  private val gives    = VecInit(streams.map(s => s.open && s.known && !s.full))
  private val gcs      = streams.last
  private val gcOffers = RegNext(gives.last && !io.gc.fire && !ending.last, false.B)
  io.gc.valid     := gcOffers && !ending.last
  io.gc.bits.slot := SlotAddress(p, gcs.sb, gcs.next)
  io.gc.bits.gen  := gcs.gen
  when(io.gc.fire) {
    gcs.next := gcs.next + 1.U
    gcs.full := gcs.next === (p.dataSlots - 1).U
  }

  // The host's is the stream that it has wished for a cycle before. The last slots of a superblock are kept for urgent
  // pages while GC's reserve is not whole, or will no longer be in this cycle.
  private val offers    = RegInit(false.B)
  private val offer     = Reg(new Allocation(p))
  private val offeredAt = Reg(UInt(indexBits.W))
  private val gcOpens   = Wire(Bool())
  private val isWished  = wished === hostAt && io.hostUrgent === urgent // what `borrows` is about
  private val offeredTo = Mux(borrows, lender, wished)
  private val keeping   = (count < io.reserve || gcOpens) && !io.hostUrgent && VecInit(streams.map(atEnd))(wished)
  private val keeps     = RegNext(keeping, false.B)
  private val changes   = io.host.fire || close.valid || VecInit(ending.init).asUInt.orR
  offers     := Mux(borrows, gives(lender) && isWished, gives(wished)) && !changes && !keeping
  offer.slot := SlotAddress(p, streams(offeredTo).sb, streams(offeredTo).next)
  offer.gen  := streams(offeredTo).gen
  offeredAt  := offeredTo

  private val offset = SlotAddress.offset(p, offer.slot)
  io.host.valid := offers && !ending(offeredAt)
  io.host.bits  := offer
  io.hostStream := offeredAt(p.handleBits - 1, 0)
  when(io.host.fire) {
    streams(offeredAt).next := offset +& 1.U
    streams(offeredAt).full := offset === (p.dataSlots - 1).U
  }
  assert(
    !offers || gives(offeredAt) && offset === streams(offeredAt).next && offer.gen === streams(offeredAt).gen,
    "what is offered is the next slot of a stream"
  )
  when(close.valid) {
    streams(close.bits.pad(indexBits)).full := true.B // means nothing while none is open
    assert(exists(close.bits), "firmware bug: it closes a placement handle that there is not")
  }

  // --- one change of a stream per cycle. GC goes first: it is what makes superblocks free.
  // What leads to a change is of the cycle before. It holds still, as there was no change then.
  private val hostFull = streams.init.map(s => s.open && s.full && s.known)
  private val gcCloses = io.gc.ready && gcs.open && gcs.full && gcs.known
  private val gcWants  = io.gc.ready && !gcs.open
  // A cycle late where it falls. It rises with a slot.
  private val busy       = RegNext(io.hostBusy || io.host.fire, true.B)
  private val roomy      = VecInit(streams.init.map(s => s.open && !s.full && !atEnd(s))).asUInt.orR
  private val roomIsLeft = roomy && !io.host.fire && !close.valid && !VecInit(ending.init).asUInt.orR
  private val lastIsKept = RegNext(count === 1.U && (io.hostBusy || io.host.fire) && !roomIsLeft, false.B)
  private val gcHeld     = gcWants && lastOne && busy && !roomy
  gcOpens := gcWants && oldest.valid && !lastIsKept
  private val closes   = io.host.ready && VecInit(hostFull).asUInt.orR
  private val closesAt = PriorityEncoder(hostFull).pad(indexBits)
  private val homeless = RegNext(!streams(wished).open, false.B) // the stream that the host wishes for
  private val opens    = io.host.ready && homeless && oldest.valid && (hostSpare || lends)
  private val pick     = PriorityEncoderOH(Seq(gcCloses, gcOpens, closes, opens)).map(_ && !rests)
  rests := VecInit(pick).asUInt.orR || io.restore.valid || restore.valid || io.forget
  assert(!pick(3) || !streams(hostAt).open, "a stream gets a superblock where it has one")

  assert(!io.hostBusy || busy, "a program of the host's that has got no slot")
  io.gcHeld := RegNext(gcHeld, false.B)
  private val none = io.host.ready && urgent && !rooms.asUInt.orR && !VecInit(hostFull).asUInt.orR && count === 0.U
  io.hostNone := RegNext(none, false.B)

  private val closing = pick(0) || pick(2)
  private val opening = pick(1) || pick(3)
  io.closed.valid := RegNext(closing, false.B)
  io.closed.bits  := RegNext(Mux(gcCloses, gcs.sb, streams(closesAt).sb))
  private val allGiven = VecInit(streams.map(_.next === p.dataSlots.U))
  io.whole := (if (p.summarySlots == 0) false.B
               else RegNext(Mux(gcCloses, allGiven.last, allGiven(closesAt))))
  io.opened.valid := RegNext(opening, false.B)
  io.opened.bits  := RegNext(oldest.bits)
  when(opening)(oldest.valid := false.B)
  private val leaving = PriorityEncoderOH(hostFull).map(_ && pick(2)) :+ pick(0)
  private val coming = Seq.tabulate(hosts)(i => pick(3) && hostAt === i.U) :+ pick(1)
  for (((s, leaves), comes) <- streams.zip(leaving).zip(coming)) {
    when(leaves)(s.open := false.B)
    when(comes) {
      s.open  := true.B
      s.full  := false.B
      s.known := false.B
      s.sb    := oldest.bits
      s.next  := 0.U
    }
  }
  when(forget)(oldest.valid := false.B)
  count := Mux(forget, 0.U, count + io.freed.fire - opening)
  assert(!forget || !io.freed.valid && !opening, "firmware bug: it empties a list that is in use")

  when(restore.valid) {
    val s = streams(at(restore.bits.stream))
    s.open  := true.B
    s.full  := false.B
    s.known := false.B
    s.sb    := restore.bits.sb
    s.next  := restore.bits.next
    assert(!s.open, "a stream that is running cannot be restored")
    assert(SlotAddress.sub(p, restore.bits.next) === 0.U, "firmware bug: it restores the middle of a flash page")
    assert(restore.bits.next < p.dataSlots.U, "firmware bug: it restores a superblock that is full")
    assert(
      restore.bits.stream.gc || exists(restore.bits.stream.handle),
      "firmware bug: it restores a placement handle that there is not"
    )
  }

  // --- generations, of one superblock after the other
  private val asks    = RegInit(false.B)
  private val asked   = RegInit(false.B)
  private val askedAt = Reg(UInt(indexBits.W))
  private val askedSb = Reg(UInt(p.sbBits.W))
  private val unknown = streams.map(s => s.open && !s.known)
  io.sb.ask.valid := asks
  io.sb.ask.bits  := askedSb
  when(!asked && VecInit(unknown).asUInt.orR) {
    askedAt := PriorityEncoder(unknown)
    askedSb := streams(PriorityEncoder(unknown).pad(indexBits)).sb
    asked   := true.B
    asks    := true.B
  }
  when(io.sb.ask.fire)(asks := false.B)
  when(io.sb.answer.valid) {
    streams(askedAt).known := true.B
    streams(askedAt).gen   := io.sb.answer.bits.gen
    asked                  := false.B
  }
  assert(
    !asked || streams(askedAt).open && !streams(askedAt).known && streams(askedAt).sb === askedSb,
    "a superblock is closed before its first slot"
  )

  private val looked = streams(at(io.look.stream))
  io.look.open := RegNext(looked.open)
  io.look.full := RegNext(looked.open && looked.full)
  io.look.sb   := RegNext(looked.sb)
  io.look.next := RegNext(looked.next)

  private val noSuperblock = homeless && !hostSpare && !(lends && count =/= 0.U) && !borrows
  private val stalled      = io.host.ready && (noSuperblock || streams(hostAt).open && keeps)
  io.hostStalled := RegNext(stalled, false.B)
  assert(
    !gcHeld || !pick(1),
    "GC takes the last superblock before the host's programs have landed"
  )
  cover(borrows && io.host.fire, "a page whose program failed goes to the superblock of another placement handle")
  cover(lends && pick(3) && !hostSpare, "a page whose program failed takes a superblock of GC's reserve")
  cover(
    io.host.ready && keeps && streams(hostAt).open && !streams(hostAt).full,
    "the end of a superblock is kept for pages whose program fails"
  )
  cover(gcHeld, "GC waits with the last superblock until the host's programs have landed")
  cover(none, "no slot for a page whose program failed")
  cover(stalled && count =/= 0.U, "the host waits: what is free is GC's")
  cover(stalled && count === 0.U, "the host waits: nothing is free")
  cover(gcCloses && closes, "GC's and a host stream are full at the same time")
  cover(PopCount(streams.init.map(_.open)) === hosts.U, "every placement handle has a superblock open")
  cover(closes && closesAt =/= hostAt, "a superblock that firmware has ended is closed by a write elsewhere")
  cover(close.valid && io.host.fire && close.bits === io.hostHandle, "ended as it hands out a slot")
  for (s <- streams) assert(!s.open || s.next <= p.dataSlots.U, "a slot of a summary was handed out")
}
