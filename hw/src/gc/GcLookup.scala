// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A page that may share a victim's slot. */
class GcCandidate(val p: Params) extends Bundle {
  val offset = UInt(p.offsetBits.W)                        // of the slot
  val lpn    = UInt(32.W)
  val seq    = UInt(p.seqBits.W)
  val oob    = Valid(UInt(log2Ceil(p.k.gcMoves).max(1).W)) // from the spare of the slot in this place, not the chain
}

/** One beat of a slot's list. */
class GcSharer(val p: Params) extends Bundle {
  val index     = UInt(GcLookup.indexBits(p).W) // names the entry, for as long as the lists live
  val lpn       = UInt(32.W)
  val seq       = UInt(p.seqBits.W)
  val live      = Bool()                        // not dropped
  val endOfList = Bool()                        // the list is over; nothing else counts
}

object GcLookup {
  def depth(p: Params): Int     = p.chainEntries + p.k.gcMoves
  def indexBits(p: Params): Int = log2Ceil(depth(p))
}

/** The victim's chain, on chip and sorted by slot: a linked list per slot offset.
  *
  * An LPN stands in a list once, with the largest of its seqs: with a smaller one it would lose to an older event of
  * the same LPN after a power cut. There is room for every chain, because RemapTable limits chains to `chainEntries`.
  * The identities from the spare areas have extra places, one for each slot that GcMover has in hand. Such a place is
  * used again when its slot has been dealt with. That breaks the old slot's list, which is not walked any more.
  *
  * Timing: what a memory gives goes into a register first, and what is compared goes into another. A list's first beat
  * is there six cycles after `start`, each further one three cycles after the one before. An entry is inserted in five
  * cycles, and four more for each other LPN of its slot.
  */
class GcLookup(p: Params) extends Module {
  val io = IO(new Bundle {
    val clear  = Flipped(Decoupled())
    val insert = Flipped(Decoupled(new GcCandidate(p)))
    val start  = Flipped(Decoupled(UInt(p.offsetBits.W))) // list of this slot
    val sharer = Decoupled(new GcSharer(p))
    val drop   = Input(Bool())                            // as `sharer` is taken: it is not live
    val used   = Output(UInt(p.chainEntryBits.W))         // entries that came from the chain; counts once `idle`
    val idle   = Output(Bool())                           // nothing is being inserted or listed
    val wiping = Output(Bool())                           // after a reset
  })
  private val indexBits = GcLookup.indexBits(p)
  private class Link extends Bundle {
    val some  = Bool()
    val index = UInt(indexBits.W)
  }
  private class Entry extends Bundle {
    val next = new Link
    val lpn  = UInt(32.W)
    val seq  = UInt(p.seqBits.W)
    val live = Bool()
  }
  private object State extends ChiselEnum {
    val wipe, idle = Value
    // A read of a list's head or of an entry: the address goes to the memory, its word into a register.
    val head, headComes, entry, entryComes = Value
    val begin, compare, search, prepend    = Value // insert
    val beginList, offer, end              = Value // list
  }
  private val state = RegInit(State.wipe)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), false.B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcLookup: which step it is in")
    inStep
  }

  private val heads   = SyncReadMem(p.slotsPerSb, new Link)
  private val entries = SyncReadMem(GcLookup.depth(p), new Entry)
  private val op      = Reg(new GcCandidate(p))                      // of a list only the offset counts
  private val lists   = Reg(Bool())                                  // `op` is one that is listed
  private val used    = RegInit(0.U(log2Ceil(p.chainEntries + 1).W)) // entries of the chain
  private val first   = Reg(new Link)                                // head of op's list
  private val at      = Reg(new Link)                                // entry under read
  // The entry there. Its parts have different enables, or synthesis would take it for the memory's own register, behind
  // which the rules allow less logic.
  private val shown = Reg(new Entry)
  io.used := used
  private val isIdle = now(State.idle)
  io.idle   := isIdle
  io.wiping := RegNext(state === State.wipe, true.B)

  private val headNow    = heads.read(op.offset)
  private val entryNow   = entries.read(at.index)
  private val headWrite  = WireDefault(0.U.asTypeOf(Valid(new Link)))
  private val headAt     = WireDefault(op.offset)
  private val dropped    = RegInit(false.B) // the entry that was taken in the cycle before is not live
  private val droppedAt  = RegNext(at.index)
  private val entryWrite = WireDefault(0.U.asTypeOf(Valid(new Entry)))
  private val entryAt    = WireDefault(at.index)
  when(dropped) { // `shown` still is that entry
    entryWrite.valid     := true.B
    entryWrite.bits      := shown
    entryWrite.bits.live := false.B
    entryAt              := droppedAt
  }
  dropped := io.sharer.fire && io.drop
  // What is written is so a cycle later, which is before it can be read again.
  private val written   = RegNext(entryWrite, 0.U.asTypeOf(entryWrite))
  private val writtenAt = RegNext(entryAt)
  private val headed    = RegNext(headWrite, 0.U.asTypeOf(headWrite))
  private val headedAt  = RegNext(headAt)
  when(headed.valid)(heads.write(headedAt, headed.bits))
  when(written.valid)(entries.write(writtenAt, written.bits))

  private val wiped  = RegInit(0.U(p.offsetBits.W))
  private val fresh  = RegNext(Mux(op.oob.valid, p.chainEntries.U + op.oob.bits, used)) // place of a new entry
  private val isLpn  = RegNext(shown.lpn === op.lpn)
  private val newer  = RegNext(op.seq > shown.seq)
  private val revive = newer || !shown.live

  io.clear.ready           := isIdle
  io.insert.ready          := isIdle && !io.clear.valid
  io.start.ready           := isIdle && !io.clear.valid && !io.insert.valid
  io.sharer.valid          := now(State.offer, State.end)
  io.sharer.bits.index     := at.index
  io.sharer.bits.lpn       := shown.lpn
  io.sharer.bits.seq       := shown.seq
  io.sharer.bits.live      := shown.live
  io.sharer.bits.endOfList := now(State.end)

  switch(state) {
    is(State.wipe) {
      headWrite.valid := true.B
      headAt          := wiped
      wiped           := wiped + 1.U
      shown.live      := entryNow.live // means nothing: see `shown`
      used            := 0.U
      when(wiped === (p.slotsPerSb - 1).U) {
        wiped := 0.U
        step  := State.idle
      }
    }
    is(State.idle) {
      op                                                             := io.insert.bits
      lists                                                          := !io.insert.valid
      when(!io.insert.valid)(op.offset                                                          := io.start.bits)
      when(io.clear.valid)(step := State.wipe).elsewhen(io.insert.valid || io.start.valid)(step := State.head)
    }
    is(State.head)(step := State.headComes)
    is(State.headComes) {
      first := headNow
      at    := headNow
      step  := Mux(lists, State.beginList, State.begin)
    }
    is(State.entry)(step := State.entryComes)
    is(State.entryComes) {
      shown := entryNow
      step  := Mux(lists, State.offer, State.compare)
    }

    // --- insert
    is(State.begin)(step   := Mux(first.some, State.entry, State.prepend))
    is(State.compare)(step := State.search)
    is(State.search) {
      at   := shown.next
      step := Mux(isLpn, State.idle, Mux(shown.next.some, State.entry, State.prepend))
      when(isLpn) {
        entryWrite.valid     := revive
        entryWrite.bits      := shown
        entryWrite.bits.seq  := Mux(newer, op.seq, shown.seq)
        entryWrite.bits.live := true.B
      }
    }
    is(State.prepend) {
      entryWrite.valid     := true.B
      entryWrite.bits.next := first
      entryWrite.bits.lpn  := op.lpn
      entryWrite.bits.seq  := op.seq
      entryWrite.bits.live := true.B
      entryAt              := fresh
      headWrite.valid      := true.B
      headWrite.bits.some  := true.B
      headWrite.bits.index := fresh
      when(!op.oob.valid)(used := used + 1.U)
      assert(op.oob.valid || used =/= p.chainEntries.U, "GcLookup: a chain longer than any may be")
      step := State.idle
    }

    // --- list
    is(State.beginList)(step := Mux(first.some, State.entry, State.end))
    is(State.offer) {
      when(io.sharer.ready) {
        at   := shown.next
        step := Mux(shown.next.some, State.entry, State.end)
      }
    }
    is(State.end)(when(io.sharer.ready)(step := State.idle))
  }

  assert(!(state === State.end && io.drop && io.sharer.fire), "GcLookup: the end of a list is no entry")
  cover(
    state === State.search && isLpn && newer,
    "GcLookup: a newer event of an LPN it has"
  )
  cover(
    state === State.search && isLpn && op.seq < shown.seq,
    "GcLookup: an older event of an LPN it has"
  )
  cover(state === State.search && shown.next.some, "GcLookup: a slot with several sharers")
}
