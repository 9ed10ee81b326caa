// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object PageGatherer {

  /** Those whose requests pass the pages that the host fills: they may read a slot that waits there. */
  object Reader extends Clients { val hostRead, gc = Value }

  /** The one that collects what the host writes: a page for each placement handle may be begun. */
  def ofHost(p: Params): PageGatherer =
    new PageGatherer(p, NandClient.hostWrite, p.k.placementHandles, readers = Reader.size)

  /** GC's. Nobody reads what it has programmed before the mapping shows it. */
  def ofGc(p: Params): PageGatherer = new PageGatherer(p, NandClient.gc, entries = 1, readers = 0)
}

/** An offer of a request that may have to wait for a page. */
class NandOffer(val p: Params) extends Bundle {
  val op   = NandRequestOp()
  val slot = UInt(p.slotBits.W)
}

/** CRC of a padding slot's spare record. It has its own module so that the proof of PageGatherer can leave it out. */
class PaddingCrc extends Module {
  val io = IO(new Bundle {
    val of  = Input(new Formats.OobRecord)
    val crc = Output(UInt(32.W))
  })
  io.crc := Formats.OobRecord.crcOf(io.of)
}

/** Collects the slots that one client programs into flash pages of several slots. Instantiated if a page has more than
  * one.
  *
  * An entry is a page whose first slots have come. Its last slot is taken in the cycle after the one in which the
  * scheduler takes the whole page, so no full page ever waits here. A slot that was accepted has its place in the order
  * of its die, or is in a page that `reader` watches.
  *
  * A page is marked when another unit waits for it before it is full: a fence or the end of a GC batch (`closeAll`), a
  * reader of one of its slots, or a client that needs an entry and finds none. Then it is closed. `closing` tells the
  * Allocator and the client, in one cycle, that no more slots of the page are programmed. The rest of the page is
  * filled with padding (an OobRecord that names no LPN), and the page goes to the scheduler. One page is closed at a
  * time. The client waits meanwhile, so that no later page of a stream overtakes it.
  *
  * `hold` says that the client has a slot that it can no longer give up, except in the first cycle of `hold`: `closing`
  * is decided a cycle before it is seen. The slot comes to this port in the next cycles, not in the first one. No page
  * is closed until it is known which page the slot belongs to. Nor is one closed while the scheduler has been offered
  * something else: an offer stands until it is accepted.
  *
  * A reader's request does not pass through here. Its offer goes on (NandGate) while `may` is high, which is decided
  * from registers. No slot of a page is gathered that is being read: who reads a slot has found it in the mapping, and
  * the superblock's earlier content was read before the erase.
  *
  * Timing: registers on all sides. The client's `ready` comes in the third cycle of an offer at the earliest; for what
  * the scheduler takes, in the cycle after it. The transfer of a slot's data takes hundreds of cycles. `may` comes in
  * the second cycle of a reader's offer.
  */
class PageGatherer(p: Params, client: NandClient.Type, entries: Int, readers: Int) extends Module with Quiesces {
  val io = IO(new Bundle {
    val slot     = Flipped(Decoupled(new NandRequest(p))) // reads, probes and erases pass
    val slotDone = Decoupled(new NandDone(p))
    val page     = Decoupled(new NandPageRequest(p))
    val pageDone = Flipped(Decoupled(new NandPageDone(p)))
    val reader   = Vec(
      readers,
      new Bundle {
        val offer = Flipped(Valid(new NandOffer(p))) // stands until it is taken
        val taken = Input(Bool())
        val may   = Output(Bool())                   // it may go on, until it is taken
      }
    )
    val closeAll = Input(Bool())             // every page that is here, with what is accepted in this cycle
    val hold     = Input(Bool())
    val closing  = Valid(UInt(p.slotBits.W))
    val padded   = Output(UInt(p.subBits.W)) // padding slots that were programmed
  })
  private val slotsPerPage = p.g.slotsPerPage
  private val lastSub      = (slotsPerPage - 1).U(p.subBits.W)
  require(slotsPerPage > 1, "a page of one slot is never gathered")
  require(entries >= 1)

  private class Entry extends Bundle {
    val valid  = Bool()
    val marked = Bool()
    val page   = UInt((p.slotBits - p.subBits).W)
    val count  = UInt(p.subBits.W) // slots that have come: the first ones
    val buf    = UInt(p.bufBits.W) // of the last of them
  }
  private object State extends ChiselEnum {
    val idle  = Value
    val look  = Value // the client offers a slot: what becomes of it
    val store = Value // it goes to its place
    val send  = Value // a page, or a request that passes, is offered to the scheduler
    val pick  = Value // a page was chosen to be closed
    val head  = Value // `closing` is seen; what padding takes from the page's first slot
    val seal  = Value // CRC of a padding slot
    val pad   = Value // it goes to its place
  }
  private def some(of: Iterable[Bool]): Bool = of.foldLeft(false.B)(_ || _)
  private val state                          = RegInit(State.idle)
  private val pages                          = RegInit(VecInit.fill(entries)(0.U.asTypeOf(new Entry)))
  private val told                           = RegInit(false.B) // the client's request is accepted in this cycle

  // What goes to the scheduler lies in memories: the slots of a page, by entry. A request that passes has a row behind
  // those, in the first memory.
  private val rows                = entries + 1
  private val row                 = Reg(UInt(log2Ceil(rows).W))
  private val mine                = RegInit(0.U(entries.W)) // the entry in that row, one-hot
  private def at(rows: Int): UInt = if (rows == 1) 0.U else row(log2Ceil(rows) - 1, 0)
  private val contents = Seq.tabulate(slotsPerPage)(i => Mem(if (i == 0) rows else entries, new NandPageSlot(p)))
  private val found    = contents.zipWithIndex.map { case (slot, i) => slot.read(at(if (i == 0) rows else entries)) }
  private def of[T <: Data](field: Entry => T): T = Mux1H(mine, pages.map(field))

  // --- what the client asks for: the request stands until it is told
  private val asked     = io.slot.bits
  private val askedPage = SlotAddress.pageOf(p, asked.slot)
  private val askedSub  = SlotAddress.sub(p, asked.slot)
  private val comes     = state === State.idle && io.slot.valid && !told
  private val program   = RegNext(asked.op === NandRequestOp.program)
  private val completes = RegNext(askedSub === lastSub)
  private val hits      = Reg(UInt(entries.W))
  private val hit       = hits.orR
  hits := VecInit(pages.map(e => e.valid && e.page === askedPage)).asUInt
  private val valids  = VecInit(pages.map(_.valid)).asUInt
  private val marks   = VecInit(pages.map(e => e.valid && e.marked)).asUInt
  private val noEntry = program && !hit && valids.andR
  private val starved = state === State.look && noEntry && !marks.orR

  // --- which page is to be closed: a marked one that the client can add nothing to
  private val fromLook = RegInit(false.B) // the client's slot is at the port, and of another page
  private val others   = marks & (~hits | Fill(entries, !program)).asUInt
  private val may      = Mux(state === State.look, program || !io.hold, !io.hold && !comes)
  private val picks    = Mux(state === State.look, others, marks)
  private val closes   = (state === State.idle || state === State.look) && may && picks.orR
  private val sure     = state === State.pick && (fromLook || !io.hold)
  private val closing  = RegInit(false.B) // since when it is closed, until it has gone to the scheduler
  private val tells    = RegNext(sure, false.B)

  // --- what goes to the scheduler
  private val offered = RegInit(false.B)
  private val outOp   = Reg(NandRequestOp())
  private val outSlot = Reg(UInt(p.slotBits.W))
  private val outLast = Reg(UInt(p.subBits.W))
  private val goes    = offered && io.page.ready
  io.slot.ready                                                 := told
  io.closing.valid                                              := tells
  io.closing.bits                                               := outSlot
  io.page.valid                                                 := offered
  io.page.bits.op                                               := outOp
  io.page.bits.client                                           := client
  io.page.bits.slot                                             := outSlot
  io.page.bits.buf                                              := found.head.buf
  io.page.bits.oob                                              := found.head.oob
  io.page.bits.last                                             := outLast
  for ((slot, known) <- io.page.bits.rest.zip(found.tail)) slot := known

  // --- padding: its data is the last slot's once more, since something has to be programmed
  private val padAt   = Reg(UInt(p.subBits.W))          // slot of the page that gets its padding
  private val lastBuf = Reg(UInt(p.bufBits.W))
  private val first   = Reg(new Formats.OobRecord)
  private val padding = WireInit(first)
  when(state === State.head)(first := found.head.oob.asTypeOf(new Formats.OobRecord)) // whose page it is
  padding.lpn := Formats.Unmapped.U
  padding.version := Formats.FormatVersion.U
  padding.reserved := 0.U
  padding.seq := 0.U
  padding.slot := SlotAddress.inPage(p, outSlot, padAt)
  private val summed  = Module(new PaddingCrc)
  private val crc     = RegNext(summed.io.crc)          // of what stands still since `seal`
  summed.io.of := padding
  private val sealing = WireInit(padding)
  sealing.crc := crc
  private val pads    = state === State.pad
  private val stores  = state === State.store
  private val gathers = stores && program && !completes // else it goes on at once
  private val written = Wire(new NandPageSlot(p))
  private val writeAt = Mux(pads, padAt, Mux(program, askedSub, 0.U))
  written.buf := Mux(pads, lastBuf, asked.buf)
  written.oob := Mux(pads, sealing.asUInt, asked.oob)
  for ((slot, i) <- contents.zipWithIndex)
    when((pads || stores) && writeAt === i.U)(slot.write(at(if (i == 0) rows else entries), written))

  // --- readers
  private val blocked = for (reader <- io.reader) yield {
    val reads = reader.offer.valid && reader.offer.bits.op === NandRequestOp.read
    val wants = VecInit(
      pages.map(e => reads && e.valid && e.page === SlotAddress.pageOf(p, reader.offer.bits.slot))
    ).asUInt
    val stands = reader.offer.valid && !reader.taken
    val waits  = RegNext(wants, 0.U) // what it waits for
    val clear  = RegNext(!wants.orR, false.B)
    val comes  = RegNext(stands, false.B)
    val may    = clear && comes
    reader.may := may
    cover(wants.orR && !may, "a reader waits for a page that is not full")
    assert(!may || !wants.orR || !reader.offer.valid, "a slot is gathered of a page that is being read")
    assert(!reader.taken || reader.offer.valid && may, "a reader's offer goes on before it may")
    assert(
      !reader.offer.valid || reader.offer.bits.op =/= NandRequestOp.erase || !some(
        pages.map(e =>
          e.valid && (e.page >> (p.offsetBits - p.subBits)) === SlotAddress.superblock(p, reader.offer.bits.slot)
        )
      ),
      "an erase of a superblock that is still being programmed"
    )
    val settled = waits === wants && clear === !wants.orR && comes === stands
    (waits, settled)
  }

  // --- entries. There is one for each stream, so a client runs out of them only when a stream has gone on elsewhere in
  // the middle of a page. No other slot will come for that page.
  for ((e, i) <- pages.zipWithIndex) {
    val takes = gathers && mine(i)
    when(takes) {
      e.valid := true.B
      e.page  := askedPage
      e.count := askedSub + 1.U
      e.buf   := asked.buf
    }
    when(goes && mine(i))(e.valid := false.B)
    val wanted = io.closeAll || starved || some(blocked.map(_._1(i)))
    e.marked := e.valid && (e.marked || wanted) && !(goes && mine(i))
  }

  told := gathers || goes && !closing
  switch(state) {
    is(State.idle) {
      when(comes)(state := State.look).elsewhen(closes) {
        state    := State.pick
        fromLook := false.B
        mine     := PriorityEncoderOH(marks)
      }
    }
    is(State.look) {
      val goesTo = Mux(hit, hits, PriorityEncoderOH((~valids).asUInt))
      when(closes) {
        state    := State.pick
        fromLook := program
        mine     := PriorityEncoderOH(others)
      }.elsewhen(noEntry)(state := State.idle).otherwise {
        state := State.store
        mine  := Mux(program, goesTo, 0.U)
        row   := Mux(program, OHToUInt(goesTo), entries.U)
      }
    }
    is(State.store) {
      outOp   := asked.op
      outSlot := Mux(program, Cat(askedPage, 0.U(p.subBits.W)), asked.slot)
      outLast := lastSub
      offered := !gathers
      state   := Mux(gathers, State.idle, State.send)
    }
    is(State.send) {
      when(goes) {
        state   := State.idle
        offered := false.B
        closing := false.B
      }
    }
    is(State.pick) {
      state := Mux(sure, State.head, State.idle)
      when(sure) {
        closing := true.B
        row     := OHToUInt(mine)
        outOp   := NandRequestOp.program
        outSlot := Cat(of(_.page), 0.U(p.subBits.W))
        outLast := of(_.count) - 1.U
        padAt   := of(_.count)
        lastBuf := of(_.buf)
      }
    }
    is(State.head)(state := State.seal)
    is(State.seal)(state := State.pad)
    is(State.pad) {
      padAt   := padAt + 1.U
      offered := padAt === lastSub
      state   := Mux(padAt === lastSub, State.send, State.seal)
    }
  }

  // --- answers: a page's slot by slot; padding has none
  private val landing = io.pageDone.bits
  private val landed  = RegInit(false.B)
  private val answer  = Reg(new NandPageDone(p)) // `slot` and `buf` are those of the slot that is answered,
  private val count   = Reg(UInt(p.subBits.W))   // which is this one of the page
  private val isPage  = answer.op === NandRequestOp.program
  private val ends    = !isPage || count === answer.last
  io.pageDone.ready       := !landed
  io.slotDone.valid       := landed
  io.slotDone.bits.op     := answer.op
  io.slotDone.bits.client := answer.client
  io.slotDone.bits.slot   := answer.slot
  io.slotDone.bits.buf    := answer.buf
  io.slotDone.bits.status := answer.status
  io.slotDone.bits.oob    := answer.oob
  when(io.pageDone.fire) {
    landed := true.B
    answer := io.pageDone.bits
    count  := 0.U
    when(landing.op === NandRequestOp.program)(answer.slot := SlotAddress.inPage(p, landing.slot, 0.U))
  }
  when(io.slotDone.fire) {
    landed := !ends
    count  := count + 1.U
    when(isPage) {
      answer.slot                                              := SlotAddress.inPage(p, answer.slot, count + 1.U)
      answer.buf                                               := answer.rest.head
      for ((to, from) <- answer.rest.zip(answer.rest.tail)) to := from
    }
  }
  io.padded := RegNext(
    Mux(io.pageDone.fire && landing.op === NandRequestOp.program, lastSub - landing.last, 0.U),
    0.U(p.subBits.W)
  )

  private val waits   = state === State.idle && !comes && !closes && !told || state === State.send && !goes
  private val marking = some(pages.zipWithIndex.map { case (e, i) =>
    e.valid && !e.marked && (io.closeAll || some(blocked.map(_._1(i))))
  })
  quiet := waits && !marking && blocked.map(_._2).fold(true.B)(_ && _) && !landed && !io.pageDone.valid

  assert(!io.slot.valid || asked.client === client, "a request of another client")
  assert(told === RegNext(gathers || goes && !closing, false.B) && (!told || io.slot.valid), "an offer was taken back")
  assert(
    !stores || !program || askedSub === Mux(hit, Mux1H(hits, pages.map(_.count)), 0.U),
    "the slots of a page come in their order"
  )
  private val offersMine =
    io.slot.valid && asked.op === NandRequestOp.program && askedPage === SlotAddress.pageOf(p, outSlot)
  assert(!closing || !offersMine, "a slot of a page that was closed")
  assert((state =/= State.look || PopCount(hits) <= 1.U) && PopCount(mine) <= 1.U, "a page stands twice")
  assert(offered === (state === State.send), "what is sent is offered")
  cover(state === State.send && !closing && !goes && outOp === NandRequestOp.program, "a full page waits for its die")
  cover(state === State.send && closing && !goes, "a padded page waits for its die")
  cover(io.closeAll && gathers, "a slot comes as all pages are to be closed")
  cover(PopCount(marks) > 1.U, "several pages are to be closed")
  cover(state === State.idle && marks.orR && !closes, "a slot is waited for")
  cover(sure && io.hold, "closed while the client waits with a slot of another page")
  cover(tells && io.hold && !fromLook, "closed as the client begins to hold")
  cover(state === State.pick && !sure, "the client holds as a page is about to be closed")
  cover(stores && program && completes && of(_.marked), "a page becomes full before it is closed")
  cover(starved, "no entry for a new page")
  cover(io.slotDone.valid && !io.slotDone.ready, "the client takes no answer")
}
