// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The result of a compaction. */
class CompactorOutcome(val p: Params) extends Bundle {
  val ok       = Bool()                   // 0: the chain is as it was
  val full     = Bool()                   // as it was, for want of segments to write the new one to
  val segments = UInt(p.chainSegBits.W)   // given back
  val dropped  = UInt(p.chainEntryBits.W) // entries left out
}

/** Compacts a chain of the remap table. The live entries, which GcLoader has put into GcLookup, become a new chain; the
  * old chain goes back to the free list. No data moves.
  *
  * The order of the steps makes it crash-safe:
  *   1. a fence: the writes that made entries stale may still be in the volatile buffer. They are durable before the
  *      stale entries go (I7). Remaps and trims are durable before they show;
  *   2. the old chain is set aside, and the live entries go into new segments under the next epoch, with their own
  *      seqs. Until step 4 recovery ignores them, because the superblock's record has the old epoch;
  *   3. the new entries are durable;
  *   4. the superblock's record, 8 bytes, gets the new epoch. From here on recovery ignores the old chain;
  *   5. the old chain's segments go to the free list.
  *
  * It runs under the shareLock: nobody else appends, and no entry that is missing in the lists can become live. Old and
  * new chain exist side by side. So a chain is left alone if there is no room for the new one, if the new one would not
  * be shorter, or if the epoch is the last one (after 65535 compactions without an erase).
  */
class GcCompactor(p: Params) extends Module {
  val io = IO(new Bundle {
    val start     = Flipped(Decoupled(UInt(p.sbBits.W)))
    val done      = Valid(new CompactorOutcome(p))
    val found     = Input(UInt(p.chainEntryBits.W)) // entries of the old chain that GcLoader saw
    val live      = Input(UInt(p.chainEntryBits.W)) // of them, those in GcLookup
    val segments  = Input(UInt(p.chainSegBits.W))   // of the old chain
    val free      = Input(UInt((p.segBits + 1).W))  // segments on the free list
    val gen       = Input(UInt(p.genBits.W))        // of the superblock, as the next
    val epoch     = Input(UInt(p.epochBits.W))
    val set       = Input(UInt(2.W))                // of the destaged part of the chain
    val list      = Decoupled(UInt(p.offsetBits.W))
    val sharer    = Flipped(Decoupled(new GcSharer(p)))
    val append    = new RemapAppendPort(p)
    val setAside  = Decoupled(UInt(p.sbBits.W))
    val compacted = Valid(UInt(p.sbBits.W))         // the next epoch begins
    val journal   = new JournalPort(p)
    val fence     = new FencePort
    val dropOld   = Decoupled()
    val waiting   = Output(Bool())                  // for host programs
  })
  private object State extends ChiselEnum {
    val idle, measure, weigh, fence, setAside, list, sharer, drain, record, recorded, dropOld, report = Value
  }
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "GcCompactor: which step it is in")
    inStep
  }
  private val sb     = Reg(UInt(p.sbBits.W))
  private val offset = Reg(UInt(p.offsetBits.W))                   // slot whose list is taken
  private val result = Reg(new CompactorOutcome(p))
  private val needed = RegNext(DivideUp(io.live, p.entriesPerSeg)) // segments of the new chain, in `weigh`
  private val last   = RegNext(offset === (p.slotsPerSb - 1).U)    // the list in hand is the last one
  private val made   = Reg(UInt(p.chainEntryBits.W))               // entries of the new chain
  when(io.start.fire)(made := 0.U).elsewhen(io.append.entry.fire)(made := made + 1.U)

  io.start.ready     := now(State.idle)
  io.done.valid      := now(State.report)
  io.done.bits       := result
  io.fence.req       := now(State.fence)
  io.waiting         := state === State.fence && !io.fence.done
  io.setAside.valid  := now(State.setAside)
  io.setAside.bits   := sb
  io.compacted.valid := io.setAside.fire
  io.compacted.bits  := sb
  io.list.valid      := now(State.list)
  io.list.bits       := offset
  io.dropOld.valid   := now(State.dropOld)

  private val entry = io.sharer.bits
  private val takes = now(State.sharer)
  io.sharer.ready             := takes && (entry.endOfList || io.append.entry.ready)
  io.append.entry.valid       := takes && io.sharer.valid && !entry.endOfList
  io.append.entry.bits.sb     := sb
  io.append.entry.bits.offset := offset
  io.append.entry.bits.lpn    := entry.lpn
  io.append.entry.bits.seq    := entry.seq

  io.journal.req.valid      := now(State.record)
  io.journal.req.bits.op    := JournalOp.block
  io.journal.req.bits.lpn   := sb
  io.journal.req.bits.gen   := io.gen
  io.journal.req.bits.epoch := io.epoch // the new one, since `compacted`
  io.journal.req.bits.set   := io.set   // what is destaged stays where it is
  io.journal.req.bits.pages := DontCare
  io.journal.req.bits.seq   := DontCare

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb     := io.start.bits
        offset := 0.U
        step   := State.measure
      }
    }
    is(State.measure)(step := State.weigh)
    is(State.weigh) {
      val gains = needed < io.segments && !io.epoch.andR
      val room  = needed <= io.free
      result.ok       := gains && room
      result.full     := gains && !room
      result.segments := io.segments - needed
      result.dropped  := io.found - io.live
      step            := Mux(gains && room, State.fence, State.report)
    }
    is(State.fence)(when(io.fence.done)(step := State.setAside))
    is(State.setAside)(when(io.setAside.ready)(step := State.list))
    is(State.list)(when(io.list.ready)(step := State.sharer))
    is(State.sharer) {
      when(io.sharer.valid && entry.endOfList) {
        offset := offset + 1.U
        step   := Mux(last, State.drain, State.list)
      }
    }
    is(State.drain)(when(io.append.drained)(step := State.record))
    is(State.record)(when(io.journal.req.ready)(step := State.recorded))
    is(State.recorded)(when(io.journal.done)(step := State.dropOld))
    is(State.dropOld)(when(io.dropOld.ready)(step := State.report))
    is(State.report)(step := State.idle)
  }

  assert(state =/= State.measure || io.live <= io.found, "GcCompactor: more live entries than there are")
  assert(state =/= State.drain || made === io.live, "GcCompactor: not as many entries as were counted")
  assert(!io.append.entry.valid || entry.live, "GcCompactor: an entry that GcLoader left out")
  assert(state =/= State.record || io.append.drained, "GcCompactor: the new chain counts before it is durable")
  cover(state === State.fence && !io.fence.done, "GcCompactor: waits for host programs")
  cover(io.append.entry.valid && !io.append.entry.ready, "GcCompactor: waits for the remap table")
  cover(state === State.drain && !io.append.drained, "GcCompactor: waits for NVRAM")
  cover(state === State.report && result.ok && io.live === 0.U, "GcCompactor: nothing of a chain is live")
  cover(state === State.report && !result.ok && !result.full, "GcCompactor: nothing to give back")
  cover(state === State.report && result.full, "GcCompactor: no room for the new chain")
}
