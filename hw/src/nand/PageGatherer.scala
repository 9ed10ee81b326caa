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

/** Collects the slots that one client programs into flash pages of several slots. Instantiated if a page has more than
  * one.
  *
  * An entry is a page whose first slots have come. Its last slot is taken in the cycle in which the scheduler takes the
  * whole page, so no full page ever waits here. A slot that was accepted has its place in the order of its die, or is
  * in a page that `reader` watches.
  *
  * A page is marked when another unit waits for it before it is full: a fence or the end of a GC batch (`closeAll`), a
  * reader of one of its slots, or a client that needs an entry and finds none. Then it is closed. `closing` tells the
  * Allocator and the client, in one cycle, that no more slots of the page are programmed. The rest of the page is
  * filled with padding (an OobRecord that names no LPN), and the page goes to the scheduler. One page is closed at a
  * time. The client waits meanwhile, so that no later page of a stream overtakes it.
  *
  * `hold` says that the client has a slot that it can no longer give up. The slot comes to this port in the next
  * cycles. No page is closed until it is known which page the slot belongs to. Nor is one closed while the scheduler
  * has been offered something else: an offer stands until it is accepted.
  */
class PageGatherer(p: Params, client: NandClient.Type, entries: Int, readers: Int) extends Module with Quiesces {
  val io = IO(new Bundle {
    val slot     = Flipped(Decoupled(new NandRequest(p))) // reads, probes and erases pass
    val slotDone = Decoupled(new NandDone(p))
    val page     = Decoupled(new NandPageRequest(p))
    val pageDone = Flipped(Decoupled(new NandPageDone(p)))
    val reader   = Vec(
      readers,
      new Bundle { val in = Flipped(Decoupled(new NandRequest(p))); val out = Decoupled(new NandRequest(p)) }
    )
    val closeAll = Input(Bool())             // every page that is here, with what is accepted in this cycle
    val hold     = Input(Bool())
    val closing  = Valid(UInt(p.slotBits.W))
    val padded   = Output(UInt(p.subBits.W)) // padding slots that were programmed
  })
  private val slotsPerPage = p.g.slotsPerPage
  require(slotsPerPage > 1, "a page of one slot is never gathered")
  require(entries >= 1)

  private class Entry extends Bundle {
    val valid  = Bool()
    val marked = Bool()
    val page   = UInt((p.slotBits - p.subBits).W)
    val count  = UInt(p.subBits.W) // slots that have come: the first ones
    val buf    = UInt(p.bufBits.W) // of the last of them
  }
  private object State extends ChiselEnum { val gather, pad, send = Value }
  private val state                = RegInit(State.gather)
  private val pages                = RegInit(VecInit.fill(entries)(0.U.asTypeOf(new Entry)))
  private val indexBits            = log2Ceil(entries).max(1)
  private def page(i: UInt): Entry = if (entries == 1) pages.head else pages(i)
  private val contents = Seq.fill(slotsPerPage)(Mem(entries, new NandPageSlot(p))) // by slot of the page, then by entry

  // --- what the client asks for
  private val asked     = io.slot.bits
  private val program   = io.slot.valid && asked.op === NandRequestOp.program
  private val askedPage = SlotAddress.pageOf(p, asked.slot)
  private val askedSub  = SlotAddress.sub(p, asked.slot)
  private val completes = askedSub === (slotsPerPage - 1).U
  private val hits      = VecInit(pages.map(e => e.valid && e.page === askedPage))
  private val hit       = hits.asUInt.orR
  private val full      = VecInit(pages.map(_.valid)).asUInt.andR
  private val at        = Mux(hit, PriorityEncoder(hits), PriorityEncoder(pages.map(!_.valid))).pad(indexBits)

  // --- which page is to be closed
  private val chosen = VecInit(
    pages.map(e => e.valid && e.marked && (!io.hold || program && askedPage =/= e.page))
  )
  private val offered = RegNext(io.page.valid && !io.page.ready, false.B) // and an offer is not taken back
  private val closes  = state === State.gather && !offered && chosen.asUInt.orR
  private val closed  = Reg(UInt(indexBits.W))                            // entry that is being closed
  private val closeAt = PriorityEncoder(chosen).pad(indexBits)
  private val padAt   = Reg(UInt(p.subBits.W))                            // slot of it that gets its padding
  private val leaving = page(closed)
  io.closing.valid := closes
  io.closing.bits  := Cat(page(closeAt).page, 0.U(p.subBits.W))

  // --- client to scheduler
  private val open    = state === State.gather && !closes
  private val gathers = open && program && !completes && (hit || !full)
  private val passes  = open && io.slot.valid && (!program || completes)
  private val sends   = state === State.send
  io.slot.ready := gathers || passes && io.page.ready
  io.page.valid := passes || sends

  private val found  = contents.map(_.read(Mux(state === State.gather, at, closed)))
  private val out    = io.page.bits
  private val single = !sends && asked.op =/= NandRequestOp.program
  out.op     := Mux(sends, NandRequestOp.program, asked.op)
  out.client := client
  out.slot   := Mux(single, asked.slot, Cat(Mux(sends, leaving.page, askedPage), 0.U(p.subBits.W)))
  out.buf    := Mux(single, asked.buf, found.head.buf)
  out.oob    := Mux(single, asked.oob, found.head.oob)
  out.last   := Mux(sends, leaving.count - 1.U, (slotsPerPage - 1).U)
  for ((slot, known) <- out.rest.zip(found.tail)) slot := known
  when(!sends) {
    out.rest.last.buf := asked.buf
    out.rest.last.oob := asked.oob
  }

  // --- padding: a slot a cycle. Its data is the last slot's once more, since something has to be programmed.
  private val padding = WireInit(
    found.head.oob.asTypeOf(new Formats.OobRecord)
  ) // whose page it is, the first slot says
  padding.lpn  := Formats.Unmapped.U
  padding.seq  := 0.U
  padding.slot := Cat(leaving.page, padAt)

  private val pads    = state === State.pad
  private val writeAt = Mux(pads, padAt, askedSub)
  private val written = Wire(new NandPageSlot(p))
  written.buf := Mux(pads, leaving.buf, asked.buf)
  written.oob := Mux(pads, Formats.OobRecord.seal(padding).asUInt, asked.oob)
  for ((slot, i) <- contents.zipWithIndex)
    when((pads || gathers) && writeAt === i.U)(slot.write(Mux(pads, closed, at), written))

  // --- readers
  private val blocked = io.reader.map(r =>
    pages.map(e =>
      r.in.valid && r.in.bits.op === NandRequestOp.read && e.valid && e.page === SlotAddress.pageOf(p, r.in.bits.slot)
    )
  )
  for ((reader, wants) <- io.reader.zip(blocked)) {
    val waits = VecInit(wants).asUInt.orR
    reader.out.valid := reader.in.valid && !waits
    reader.out.bits  := reader.in.bits
    reader.in.ready  := reader.out.ready && !waits
    cover(waits, "a reader waits for a page that is not full")
    assert(
      !reader.in.valid || reader.in.bits.op =/= NandRequestOp.erase || !VecInit(
        pages.map(e =>
          e.valid && (e.page >> (p.offsetBits - p.subBits)) === SlotAddress.superblock(p, reader.in.bits.slot)
        )
      ).asUInt.orR,
      "an erase of a superblock that is still being programmed"
    )
  }

  // --- entries. There is one for each stream, so a client runs out of them only when a stream has gone on elsewhere in
  // the middle of a page. No other slot will come for that page.
  private val stuck   = state === State.gather && program && !completes && !hit && full
  private val starved = stuck && !VecInit(pages.map(_.marked)).asUInt.orR
  for ((e, i) <- pages.zipWithIndex) {
    val takes = gathers && at === i.U
    when(takes) {
      e.valid := true.B
      e.page  := askedPage
      e.count := askedSub + 1.U
      e.buf   := asked.buf
    }
    when(passes && io.page.ready && program && hits(i) || sends && io.page.ready && closed === i.U)(e.valid := false.B)
    val wanted = io.closeAll || starved || blocked.map(_(i)).fold(false.B)(_ || _)
    e.marked := (e.valid && e.marked || wanted) && (e.valid || takes)
  }
  switch(state) {
    is(State.gather) {
      when(closes) {
        closed := closeAt
        padAt  := page(closeAt).count
        state  := State.pad
      }
    }
    is(State.pad) {
      padAt := padAt + 1.U
      when(padAt === (slotsPerPage - 1).U)(state := State.send)
    }
    is(State.send)(when(io.page.ready)(state := State.gather))
  }

  // --- answers: a page's slot by slot; padding has none
  private val landed   = Module(new Queue(new NandPageDone(p), 1))
  private val answered = RegInit(0.U(p.subBits.W)) // slots answered of the page in hand
  private val answer   = landed.io.deq.bits
  private val isPage   = answer.op === NandRequestOp.program
  private val lastGive = !isPage || answered === answer.last
  landed.io.enq <> io.pageDone
  landed.io.deq.ready     := io.slotDone.ready && lastGive
  io.slotDone.valid       := landed.io.deq.valid
  io.slotDone.bits.op     := answer.op
  io.slotDone.bits.client := answer.client
  io.slotDone.bits.slot   := Mux(isPage, SlotAddress.inPage(p, answer.slot, answered), answer.slot)
  io.slotDone.bits.buf    := VecInit(answer.buf +: answer.rest)(answered)
  io.slotDone.bits.status := answer.status
  io.slotDone.bits.oob    := answer.oob
  when(io.slotDone.fire)(answered := Mux(lastGive, 0.U, answered + 1.U))
  private val landing = io.pageDone.bits
  io.padded               := Mux(
    io.pageDone.fire && landing.op === NandRequestOp.program,
    (slotsPerPage - 1).U - landing.last,
    0.U
  )

  quiet := !closes && !pads && !io.slot.fire && !io.page.fire && !landed.io.deq.valid && !io.pageDone.valid

  assert(!io.slot.valid || asked.client === client, "a request of another client")
  assert(!program || askedSub === Mux(hit, page(at).count, 0.U), "the slots of a page come in their order")
  assert(!program || state === State.gather || askedPage =/= leaving.page, "a slot of a page that was closed")
  assert(!closes || !program || askedPage =/= page(closeAt).page, "a page is closed under a slot of it")
  assert(PopCount(hits) <= 1.U, "a page stands twice")
  assert(answered === 0.U || landed.io.deq.valid, "part of a page was answered")
  cover(passes && program && !io.page.ready, "a full page waits for its die")
  cover(sends && !io.page.ready, "a padded page waits for its die")
  cover(io.closeAll && gathers, "a slot comes as all pages are to be closed")
  cover(chosen.asUInt.orR && PopCount(chosen) > 1.U, "several pages are to be closed")
  cover(
    state === State.gather && VecInit(pages.map(e => e.valid && e.marked)).asUInt.orR && !closes,
    "a slot is waited for"
  )
  cover(closes && io.hold, "closed while the client waits with a slot of another page")
  cover(passes && io.page.ready && program && page(at).marked, "a page becomes full before it is closed")
  cover(starved, "no entry for a new page")
  cover(io.slotDone.valid && !io.slotDone.ready, "the client takes no answer")
}
