// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class GcRequest(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val chain = Bool() // only its chain in the remap table is to be compacted
}

class GcOutcome(val p: Params) extends Bundle {
  val sb      = UInt(p.sbBits.W)
  val chain   = Bool() // of a compaction
  val ok      = Bool() // 0: the victim stays: refused, full, or a read, program or erase failed
  val refused = Bool() // the victim was neither closed nor bad; its chain has nothing to give back
  val full    = Bool() // stopped: too few free segments for the sharers of the next slot, or a chain
  val moved    = UInt((p.offsetBits + 1).W) // slots copied
  val shared   = UInt((p.offsetBits + 1).W) // of these, slots with more than one sharer
  val segments = UInt(p.chainSegBits.W)     // given back by a compaction
}

/** Collects superblocks, or compacts its chain in the remap table (GcCompactor). Collection goes in the crash-safe
  * order of the device contract: load the chain; for each slot, `gcBuffers` of them side by side: read, find the
  * sharers that are still live, copy once with one sharer's identity and its original seq in the spare, append the
  * other sharers as remap entries of the target with their original seqs, and only when all that is durable re-point
  * each sharer that still names the old slot; then fence host programs, erase, generation in NVRAM, free the chain,
  * free list.
  *
  * Two victims may be under way: while one is fenced, erased and given back (`leaving`, GcErase by itself), the next
  * one is loaded and moved. `start` is ready as soon as the last one has been handed over. Outcomes come in the order
  * of the starts. A compaction waits for the erase: both need the fence and the journal.
  *
  * This module is the sequence and the lock; the work is GcLoader's (chain into GcLookup), GcMover's (slots), GcErase's
  * and GcCompactor's.
  *
  * shareLock is held over the moving and the loading before it, since a remap in between could give a slot a sharer
  * that the lists do not know. It is given up when a remap waits and `gcBuffers` slots have been moved since GC got it,
  * at the price of loading the chain again, and before the erase, when nothing maps to the victim any more and so no
  * remap can.
  *
  * A victim must be closed; or bad, then it is emptied and not erased. Any other is refused (nothing happens). Where
  * the remap table has too few free segments for a slot's sharers, the collection ends before that slot (`full`):
  * nothing ever waits for a segment with the shareLock held.
  */
class GcEngine(p: Params) extends Module {
  val io = IO(new Bundle {
    val start      = Flipped(Decoupled(new GcRequest(p)))
    val outcome    = Valid(new GcOutcome(p))
    val map        = new MapPort(p)
    val walk       = new RemapWalkPort(p)
    val append     = new RemapAppendPort(p)
    val capacity   = new RemapCapacityPort(p)
    val look       = new RemapLookPort(p)
    val freeChain  = Decoupled(UInt(p.sbBits.W))
    val setAside   = Decoupled(UInt(p.sbBits.W))
    val compacted  = Valid(UInt(p.sbBits.W))
    val dropOld    = Decoupled()
    val alloc      = Flipped(Decoupled(new Allocation(p)))
    val sb         = new SbReadPort(p)
    val leavingSb  = new SbReadPort(p) // GcErase's
    val erased     = Valid(UInt(p.sbBits.W))
    val freed      = Decoupled(UInt(p.sbBits.W))
    val nand       = Decoupled(new NandRequest(p))
    val nandDone   = Flipped(Decoupled(new NandDone(p)))
    val closes     = Output(Bool())    // GcMover's
    val journal    = new JournalPort(p)
    val fence      = new FencePort
    val shareLock  = new LockPort
    val readWindow = Input(Bool())     // ReadEngine is between lookup and NAND request: an erase must not overtake it
    val quiet      = Output(Bool())
    val event      = Output(new Bundle {
      val moved = Bool(); val movedShared = Bool(); val repointed = Bool(); val lostRace = Bool(); val erased = Bool()
      val compacted = Bool(); val dropped = UInt(p.chainEntryBits.W)
    })
  })
  private object State extends ChiselEnum {
    val idle, refuse, behind, lock, load, loading, batch, moving, between, erase, compact, compacting, report = Value
  }
  private val state = RegInit(State.idle)

  private val lookup    = Module(new GcLookup(p))
  private val loader    = Module(new GcLoader(p))
  private val mover     = Module(new GcMover(p))
  private val eraser    = Module(new GcErase(p))
  private val compactor = Module(new GcCompactor(p))

  private val sb     = Reg(UInt(p.sbBits.W))
  private val chain  = Reg(Bool())                     // a compaction
  private val result = Reg(new GcOutcome(p))
  private val next   = Reg(UInt((p.offsetBits + 1).W)) // first slot to look at
  private val stop   = Reg(Bool())
  private val over   = next === p.slotsPerSb.U
  io.start.ready := state === State.idle
  io.sb.sb       := sb

  // --- the victim that has been moved: GcErase has it
  private val leaving = RegInit(false.B)
  private val left    = Reg(new GcOutcome(p))
  private val hands   = state === State.erase && !leaving
  private val gone    = eraser.io.done.valid
  private val reports = state === State.report && !leaving
  when(hands) {
    leaving := true.B
    left    := result
  }
  when(gone)(leaving            := false.B)
  io.outcome.valid            := gone || reports
  io.outcome.bits             := Mux(gone, left, result)
  when(gone)(io.outcome.bits.ok := eraser.io.done.bits)
  io.leavingSb.sb             := left.sb
  eraser.io.start.valid       := hands
  eraser.io.start.bits        := sb

  // --- wiring: loader and mover take turns at the map and at the lookup
  private val loads = state === State.loading
  for ((port, mine) <- Seq((loader.io.map, loads), (mover.io.map, !loads))) {
    port.req.ready  := io.map.req.ready && mine
    port.resp.valid := io.map.resp.valid && mine
    port.resp.bits  := io.map.resp.bits
  }
  io.map.req.valid  := Mux(loads, loader.io.map.req.valid, mover.io.map.req.valid)
  io.map.req.bits   := Mux(loads, loader.io.map.req.bits, mover.io.map.req.bits)
  io.map.resp.ready := Mux(loads, loader.io.map.resp.ready, mover.io.map.resp.ready)

  lookup.io.clear <> loader.io.clear
  lookup.io.insert.valid := Mux(loads, loader.io.insert.valid, mover.io.insert.valid)
  lookup.io.insert.bits  := Mux(loads, loader.io.insert.bits, mover.io.insert.bits)
  loader.io.insert.ready := lookup.io.insert.ready && loads
  mover.io.insert.ready  := lookup.io.insert.ready && !loads
  private def either[T <: Data](
      out: DecoupledIO[T],
      compacts: DecoupledIO[T],
      collects: DecoupledIO[T],
      first: Bool = chain
  ): Unit = {
    out.valid      := Mux(first, compacts.valid, collects.valid)
    out.bits       := Mux(first, compacts.bits, collects.bits)
    compacts.ready := out.ready && first
    collects.ready := out.ready && !first
  }
  either(lookup.io.start, compactor.io.list, mover.io.list)
  for ((port, mine) <- Seq((compactor.io.sharer, chain), (mover.io.sharer, !chain))) {
    port.valid := lookup.io.sharer.valid && mine
    port.bits  := lookup.io.sharer.bits
  }
  lookup.io.sharer.ready := Mux(chain, compactor.io.sharer.ready, mover.io.sharer.ready)
  lookup.io.drop         := mover.io.drop && !chain

  io.walk <> loader.io.walk
  either(io.append.entry, compactor.io.append.entry, mover.io.append.entry)
  either(io.journal.req, compactor.io.journal.req, eraser.io.journal.req, chain && !leaving)
  for (port <- Seq(compactor.io.append, mover.io.append)) port.drained := io.append.drained
  for (port <- Seq(compactor.io.journal, eraser.io.journal)) port.done := io.journal.done
  for (port <- Seq(compactor.io.fence, eraser.io.fence)) port.done     := io.fence.done
  io.fence.req                                                         := compactor.io.fence.req || eraser.io.fence.req
  io.look.sb                                                           := sb
  compactor.io.segments                                                := io.look.segments
  compactor.io.free                                                    := io.capacity.free
  compactor.io.found                                                   := loader.io.found
  compactor.io.live                                                    := lookup.io.used
  compactor.io.gen                                                     := io.sb.gen
  compactor.io.epoch                                                   := io.sb.epoch
  io.setAside <> compactor.io.setAside
  io.compacted := compactor.io.compacted
  io.dropOld <> compactor.io.dropOld
  io.capacity <> mover.io.capacity
  io.alloc <> mover.io.alloc
  io.closes := mover.io.closes
  io.freeChain <> eraser.io.freeChain
  io.freed <> eraser.io.freed
  io.erased            := eraser.io.erased
  eraser.io.readWindow := io.readWindow
  mover.io.gen         := io.sb.gen
  eraser.io.gen        := io.leavingSb.gen
  eraser.io.valid      := io.leavingSb.valid
  eraser.io.state      := io.leavingSb.state

  // Erases first: they are few, and a superblock comes back. What has been offered stays until it is taken.
  private val erases = HeldChoice(io.nand, eraser.io.nand.valid)
  io.nand.valid        := Mux(erases, eraser.io.nand.valid, mover.io.nand.valid)
  io.nand.bits         := Mux(erases, eraser.io.nand.bits, mover.io.nand.bits)
  eraser.io.nand.ready := io.nand.ready && erases
  mover.io.nand.ready  := io.nand.ready && !erases
  io.nandDone.ready    := true.B // whoever asked has a place for the answer
  for (port <- Seq(mover.io.nandDone, eraser.io.nandDone)) {
    port.valid := io.nandDone.valid
    port.bits  := io.nandDone.bits
  }

  loader.io.start.valid     := state === State.load
  loader.io.start.bits.sb   := sb
  loader.io.start.bits.from := next(p.offsetBits - 1, 0)
  mover.io.yields           := io.shareLock.contended
  mover.io.start.valid      := state === State.batch
  mover.io.start.bits.sb    := sb
  mover.io.start.bits.from  := next(p.offsetBits - 1, 0)
  // The last entry that the loader has handed over may still be on its way into its list.
  compactor.io.start.valid := state === State.compact && lookup.io.idle
  compactor.io.start.bits  := sb
  io.shareLock.want        := Seq(
    State.lock,
    State.load,
    State.loading,
    State.batch,
    State.moving,
    State.compact,
    State.compacting
  )
    .map(_ === state)
    .reduce(_ || _) ||
    (state === State.between && !over && !stop && !io.shareLock.contended)

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb           := io.start.bits.sb
        chain        := io.start.bits.chain
        next         := 0.U
        stop         := false.B
        result       := 0.U.asTypeOf(result)
        result.ok    := true.B
        result.sb    := io.start.bits.sb
        result.chain := io.start.bits.chain
        state        := Mux(io.start.bits.chain, State.behind, State.refuse)
      }
    }
    is(State.refuse) {
      val may = io.sb.state === SbState.closed || io.sb.state === SbState.bad
      result.ok      := may
      result.refused := !may
      state          := Mux(may, State.lock, State.report)
    }
    is(State.behind)(when(!leaving)(state := State.lock))
    is(State.lock)(when(io.shareLock.granted)(state := State.load))
    is(State.load)(when(loader.io.start.ready)(state := State.loading))
    is(State.loading)(when(loader.io.done)(state := Mux(chain, State.compact, State.batch)))
    is(State.batch)(when(mover.io.start.ready)(state := State.moving))
    is(State.moving) {
      when(mover.io.done.valid) {
        next    := mover.io.done.bits.next
        stop    := mover.io.done.bits.stop
        state   := State.between
        when(mover.io.done.bits.lost)(result.ok   := false.B)
        when(mover.io.done.bits.full)(result.full := true.B)
      }
    }
    is(State.between) { // the lock is free in this cycle, or stays ours
      state := Mux(io.shareLock.contended, State.lock, State.batch)
      when(over)(state := Mux(result.ok, State.erase, State.report)).elsewhen(stop) {
        result.ok := false.B
        state     := State.report
      }
    }
    is(State.erase)(when(hands)(state := State.idle))
    is(State.compact)(when(compactor.io.start.fire)(state := State.compacting))
    is(State.compacting) {
      when(compactor.io.done.valid) {
        val made = compactor.io.done.bits
        result.ok       := made.ok
        result.full     := made.full
        result.refused  := !made.ok && !made.full
        result.segments := Mux(made.ok, made.segments, 0.U)
        state           := State.report
      }
    }
    is(State.report)(when(reports)(state := State.idle))
  }
  when(mover.io.event.moved)(result.moved        := result.moved + 1.U)
  when(mover.io.event.movedShared)(result.shared := result.shared + 1.U)

  io.event.moved       := mover.io.event.moved
  io.event.movedShared := mover.io.event.movedShared
  io.event.repointed   := mover.io.event.repointed
  io.event.lostRace    := mover.io.event.lostRace
  io.event.erased      := eraser.io.erased.valid
  io.event.compacted   := compactor.io.done.valid && compactor.io.done.bits.ok
  io.event.dropped     := Mux(io.event.compacted, compactor.io.done.bits.dropped, 0.U)
  // What waits for GcErase goes on when that does.
  private val waits = (state === State.idle && !io.start.valid) || (state === State.lock && !io.shareLock.granted) ||
    (state === State.moving && mover.io.waiting) || (state === State.compacting && compactor.io.waiting) ||
    (Seq(State.behind, State.erase, State.report).map(_ === state).reduce(_ || _) && leaving)
  io.quiet := waits && (!leaving || eraser.io.waiting)

  assert(!io.append.entry.fire || io.shareLock.granted, "GcEngine: sharers move without the shareLock")
  assert(
    !io.map.req.fire || io.map.req.bits.op =/= MapOp.cas || io.shareLock.granted,
    "GcEngine: a cas without the shareLock"
  )
  assert(!hands || eraser.io.start.ready, "GcEngine: GcErase has another victim")
  assert(!gone || leaving, "GcEngine: an erase that nobody asked for")
  assert(state === State.idle || !leaving || sb =/= left.sb, "GcEngine: a victim twice")
  assert(state =/= State.compacting || !leaving, "GcEngine: a compaction beside an erase")
  cover(state === State.lock && !io.shareLock.granted, "GcEngine: waits for a remap")
  cover(state === State.between && io.shareLock.contended && !over, "GcEngine: lets a remap go first")
  assert(
    !(result.ok && (result.full || result.refused)) || state === State.idle,
    "GcEngine: a victim both stays and goes"
  )
  cover(state === State.moving && leaving, "GcEngine: one victim is moved while another one is erased")
  cover(mover.io.nand.valid && eraser.io.nand.valid, "GcEngine: moves and erases at the same time")
  cover(state === State.erase && leaving, "GcEngine: an emptied victim waits for the erase of the one before")
  cover(state === State.report && leaving, "GcEngine: an outcome waits for the one before")
  cover(state === State.behind && leaving, "GcEngine: a compaction waits for an erase")
  cover(state === State.report && !chain && !result.ok, "GcEngine: a victim that stays")
  cover(state === State.report && chain && result.ok, "GcEngine: a chain was compacted")
  cover(state === State.compact && !lookup.io.idle, "GcEngine: a compaction waits for the last entry")
  cover(state === State.report && result.full, "GcEngine: stopped for want of segments")
  cover(state === State.between && over && !result.ok, "GcEngine: all looked at, something stayed")
}
