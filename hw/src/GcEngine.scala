// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class GcOutcome(val p: Params) extends Bundle {
  val ok      = Bool()                     // 0: the victim stays: refused, full, or a read, program or erase failed
  val refused = Bool()                     // the victim was neither closed nor bad
  val full    = Bool()                     // stopped: too few free segments for the sharers of the next slot
  val moved   = UInt((p.offsetBits + 1).W) // slots copied
  val shared  = UInt((p.offsetBits + 1).W) // of these, slots with more than one sharer
}

/** Collects one superblock, in the crash-safe order of the device contract: load the chain; slot by slot in batches of
  * `gcBuffers`: read, find the sharers that are still live, copy once with one sharer's identity and its original seq
  * in the spare, append the other sharers as remap entries of the target with their original seqs, and only when all
  * that is durable re-point each sharer that still names the old slot; then fence host programs, erase, generation in
  * NVRAM, free the chain, free list.
  *
  * This module is the sequence and the lock; the work is GcLoader's (chain into GcLookup), GcMover's (a batch) and
  * GcErase's.
  *
  * shareLock is held over a batch and the loading before it, since a remap in between could give a slot a sharer that
  * the lists do not know. It is given up between batches when a remap waits, at the price of loading the chain again,
  * and before the erase, when nothing maps to the victim any more and so no remap can.
  *
  * A victim must be closed; or bad, then it is emptied and not erased. Any other is refused (nothing happens). Where
  * the remap table has too few free segments for a slot's sharers, the batch ends before that slot and the collection
  * with it (`full`): nothing ever waits for a segment with the shareLock held.
  */
class GcEngine(p: Params) extends Module {
  val io = IO(new Bundle {
    val start      = Flipped(Decoupled(UInt(p.sbBits.W)))
    val outcome    = Valid(new GcOutcome(p))
    val map        = new MapPort(p)
    val walk       = new RemapWalkPort(p)
    val append     = new RemapAppendPort(p)
    val capacity   = new RemapCapacityPort(p)
    val freeChain  = Decoupled(UInt(p.sbBits.W))
    val alloc      = Flipped(Decoupled(new Allocation(p)))
    val sb         = new SbReadPort(p)
    val erased     = Valid(UInt(p.sbBits.W))
    val freed      = Decoupled(UInt(p.sbBits.W))
    val nand       = Decoupled(new NandRequest(p))
    val nandDone   = Flipped(Decoupled(new NandDone(p)))
    val journal    = new JournalPort(p)
    val fence      = new FencePort
    val shareLock  = new LockPort
    val readWindow = Input(Bool()) // ReadEngine is between lookup and NAND request: an erase must not overtake it
    val quiet      = Output(Bool())
    val event      = Output(new Bundle {
      val moved = Bool(); val movedShared = Bool(); val repointed = Bool(); val lostRace = Bool(); val erased = Bool()
    })
  })
  private object State extends ChiselEnum {
    val idle, refuse, lock, load, loading, batch, moving, between, erase, erasing, report = Value
  }
  private val state = RegInit(State.idle)

  private val lookup = Module(new GcLookup(p))
  private val loader = Module(new GcLoader(p))
  private val mover  = Module(new GcMover(p))
  private val eraser = Module(new GcErase(p))

  private val sb     = Reg(UInt(p.sbBits.W))
  private val result = Reg(new GcOutcome(p))
  private val next   = Reg(UInt((p.offsetBits + 1).W)) // first slot of the next batch
  private val stop   = Reg(Bool())
  private val over   = next === p.slotsPerSb.U
  io.start.ready   := state === State.idle
  io.outcome.valid := state === State.report
  io.outcome.bits  := result
  io.sb.sb         := sb

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
  lookup.io.start <> mover.io.list
  mover.io.sharer <> lookup.io.sharer
  lookup.io.drop := mover.io.drop

  io.walk <> loader.io.walk
  io.append <> mover.io.append
  io.capacity <> mover.io.capacity
  io.alloc <> mover.io.alloc
  io.freeChain <> eraser.io.freeChain
  io.freed <> eraser.io.freed
  io.erased := eraser.io.erased
  io.journal <> eraser.io.journal
  io.fence <> eraser.io.fence
  eraser.io.readWindow := io.readWindow
  mover.io.gen         := io.sb.gen
  eraser.io.gen        := io.sb.gen
  eraser.io.valid      := io.sb.valid
  eraser.io.state      := io.sb.state

  private val nand = Module(new Arbiter(new NandRequest(p), 2)) // they never ask at the same time
  nand.io.in(0) <> mover.io.nand
  nand.io.in(1) <> eraser.io.nand
  io.nand <> nand.io.out
  io.nandDone.ready := true.B // whoever asked waits for the answer with nothing else to do
  for (port <- Seq(mover.io.nandDone, eraser.io.nandDone)) {
    port.valid := io.nandDone.valid
    port.bits  := io.nandDone.bits
  }

  loader.io.start.valid     := state === State.load
  loader.io.start.bits.sb   := sb
  loader.io.start.bits.from := next(p.offsetBits - 1, 0)
  mover.io.start.valid      := state === State.batch
  mover.io.start.bits.sb    := sb
  mover.io.start.bits.from  := next(p.offsetBits - 1, 0)
  eraser.io.start.valid     := state === State.erase
  eraser.io.start.bits      := sb
  io.shareLock.want         := Seq(State.lock, State.load, State.loading, State.batch, State.moving)
    .map(_ === state)
    .reduce(_ || _) ||
    (state === State.between && !over && !stop && !io.shareLock.contended)

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb        := io.start.bits
        next      := 0.U
        stop      := false.B
        result    := 0.U.asTypeOf(result)
        result.ok := true.B
        state     := State.refuse
      }
    }
    is(State.refuse) {
      val may = io.sb.state === SbState.closed || io.sb.state === SbState.bad
      result.ok      := may
      result.refused := !may
      state          := Mux(may, State.lock, State.report)
    }
    is(State.lock)(when(io.shareLock.granted)(state := State.load))
    is(State.load)(when(loader.io.start.ready)(state := State.loading))
    is(State.loading)(when(loader.io.done)(state := State.batch))
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
    is(State.erase)(when(eraser.io.start.ready)(state := State.erasing))
    is(State.erasing) {
      when(eraser.io.done.valid) {
        result.ok := eraser.io.done.bits
        state     := State.report
      }
    }
    is(State.report)(state := State.idle)
  }
  when(mover.io.event.moved)(result.moved        := result.moved + 1.U)
  when(mover.io.event.movedShared)(result.shared := result.shared + 1.U)

  io.event.moved       := mover.io.event.moved
  io.event.movedShared := mover.io.event.movedShared
  io.event.repointed   := mover.io.event.repointed
  io.event.lostRace    := mover.io.event.lostRace
  io.event.erased      := eraser.io.erased.valid
  io.quiet := (state === State.idle && !io.start.valid) || (state === State.lock && !io.shareLock.granted) ||
    (state === State.moving && mover.io.waiting) || (state === State.erasing && eraser.io.waiting)

  assert(!io.append.entry.fire || io.shareLock.granted, "GcEngine: sharers move without the shareLock")
  assert(
    !io.map.req.fire || io.map.req.bits.op =/= MapOp.cas || io.shareLock.granted,
    "GcEngine: a cas without the shareLock"
  )
  assert(!(mover.io.nand.valid && eraser.io.nand.valid), "GcEngine: moves and erases at the same time")
  cover(state === State.lock && !io.shareLock.granted, "GcEngine: waits for a remap")
  cover(state === State.between && io.shareLock.contended && !over, "GcEngine: lets a remap go first")
  assert(
    !(result.ok && (result.full || result.refused)) || state === State.idle,
    "GcEngine: a victim both stays and goes"
  )
  cover(state === State.report && !result.ok, "GcEngine: a victim that stays")
  cover(state === State.report && result.full, "GcEngine: stopped for want of segments")
  cover(state === State.between && over && !result.ok, "GcEngine: all looked at, something stayed")
}
