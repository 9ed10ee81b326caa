// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Collects superblocks, and compacts (GcCompactor) or destages (GcDestager) their chains in the remap table. A
  * collection follows the crash-safe order of the device contract. It loads the chain. For each slot, up to `gcMoves`
  * of them side by side, it reads the slot and finds the sharers that are still live. It copies the slot once, with one
  * sharer's identity and original seq in the spare, and appends the other sharers as remap entries of the target, with
  * their original seqs. When all of that is durable, it re-points each sharer that still names the old slot. Then it
  * fences host programs, erases, writes the new generation to NVRAM, frees the chain and gives the superblock to the
  * free list.
  *
  * Two victims may be under way: while one is fenced, erased and given back (`leaving`, GcErase by itself), the next
  * one is loaded and moved. `start` is ready as soon as the last one has been handed over. Outcomes come in the order
  * of the starts. Work on a chain waits for the erase: both need the fence and the journal.
  *
  * This module has the sequence and the lock. The work is done by GcLoader (chain, from ChainWalk, into GcLookup),
  * GcMover (slots), GcErase, GcCompactor and GcDestager. The destaged set of an emptied superblock is unmapped before
  * the erase, still under the lock, because recovery finds it by the superblock's record. Its slots cannot be erased
  * earlier than the superblock, since erases go in the order of the starts.
  *
  * GC holds the shareLock while it loads and moves, because a remap in between could give a slot a sharer that the
  * lists lack. It gives the lock up when a remap waits and `gcMoves` slots have been moved in this turn, at the price
  * of loading the chain again. It also gives it up before the erase: nothing maps to the victim any more, so no remap
  * can add a sharer.
  *
  * A victim must be closed or bad; a bad one is emptied and not erased. Any other is refused (nothing happens). If the
  * remap table has too few free segments for a slot's sharers, the collection ends before that slot (`full`): nothing
  * ever waits for a segment with the shareLock held.
  */
class GcEngine(p: Params) extends Module with Quiesces {
  import Turns.{deals, turns}
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
    val compacted  = Valid(new SbCompacted(p))
    val dropOld    = Decoupled()
    val place      = Valid(new DestagedOf(p))
    val bufRead    = new BufferReadPort(p)
    val bufWrite   = new BufferWritePort(p)
    val mapLock    = new LockPort
    val seq        = new SeqPort(p)
    val alloc      = Flipped(Decoupled(new Allocation(p)))
    val sb         = new SbReadPort(p)
    val leavingSb  = new SbReadPort(p) // GcErase's
    val erased     = Valid(new SbErased(p))
    val freed      = Decoupled(UInt(p.sbBits.W))
    val nand       = Decoupled(new NandRequest(p))
    val nandDone   = Flipped(Decoupled(new NandDone(p)))
    val closes     = Output(Bool())    // GcMover's or GcDestager's
    val destages   = Output(Bool())    // the programs under way are GcDestager's
    val journal    = new JournalPort(p)
    val fence      = new FencePort
    val shareLock  = new LockPort
    val unsaved    = Input(Bool())     // the mapping names a slot of the host whose program failed (WriteEngine)
    val readWindow = Input(Bool())     // ReadEngine is between lookup and NAND request: an erase must not overtake it
    val event      = Output(new Bundle {
      val moved = Bool(); val movedShared = Bool(); val repointed = Bool(); val lostRace = Bool(); val erased = Bool()
      val compacted = Bool(); val dropped = UInt(p.chainEntryBits.W)
      val destaged  = Bool(); val entries = UInt(p.chainEntryBits.W); val badEntry = Bool()
    })
  })
  private val State = GcEngineState
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  private val lookup    = Module(new GcLookup(p))
  private val walk      = Module(new ChainWalk(p))
  private val loader    = Module(new GcLoader(p))
  private val mover     = Module(new GcMover(p))
  private val eraser    = Module(new GcErase(p))
  private val compactor = Module(new GcCompactor(p))
  private val destager  = Module(new GcDestager(p))

  // The request at the NAND, in a register. One at a time is enough: each takes the NAND for far longer.
  private val outgoing = Module(new Queue(new NandRequest(p), 1))
  private class Answered extends Bundle {
    val is   = chiselTypeOf(io.map.resp.bits)
    val live = Vec(2, Bool()) // it names the slot that GcMover has in hand: the low and the high half of it
  }
  // What the map is asked and answers, and what the NAND answers, pass through registers.
  private val asked    = Module(new Skid(new MapRequest(p)))
  private val answered = Module(new Skid(new Answered))
  private val written  = Module(new Queue(chiselTypeOf(io.bufWrite.write.bits), 1)) // GcDestager's word at the buffers
  private val appends  = Module(new Skid(new ChainEntry(p)))                        // a border
  private val nandDone = RegNext(io.nandDone.valid, false.B)
  private val ended    = RegEnable(io.nandDone.bits, io.nandDone.valid)

  private val sb     = Reg(UInt(p.sbBits.W))
  private val chain  = Reg(Bool())                     // a compaction or destaging
  private val part   = Reg(Bool())                     // a destaging
  private val result = Reg(new GcOutcome(p))
  private val next   = Reg(UInt((p.offsetBits + 1).W)) // first slot to look at
  private val stop   = Reg(Bool())
  private val over   = Reg(Bool())                     // next is slotsPerSb
  // What the remap table says of the chain, a cycle late: the superblock has been in hand for longer than that.
  private val segments = RegNext(io.look.segments)
  private val destaged = RegNext(io.look.destaged)
  private val hasSet   = RegNext(io.look.destaged.set =/= 0.U) // a part of the chain is destaged
  io.start.ready := now(State.idle)

  // --- what the table says of the superblock in hand. Only its epoch and VALID change meanwhile: the epoch here.
  private val found = Reg(new SbAnswer(p))
  private val asks  = RegInit(false.B)
  private val known = RegInit(false.B) // the answer to the last question is here
  private val epoch = RegNext(found.epoch + 1.U)
  io.sb.ask.valid := asks
  io.sb.ask.bits  := sb
  when(io.sb.ask.fire)(asks := false.B)
  when(io.sb.answer.valid) {
    found := io.sb.answer.bits
    known := true.B
  }
  when(io.setAside.fire)(found.epoch := epoch)
  private def look(): Unit = {
    asks  := true.B
    known := false.B
  }

  // --- the victim that has been moved: GcErase has it
  private val leaving    = RegInit(false.B)
  private val left       = Reg(new GcOutcome(p))
  private val retire     = Reg(Bool())      // the superblock in hand,
  private val leftRetire = Reg(Bool())      // the one that is leaving: it does not come back
  private val hands      = now(State.erase) && !leaving
  private val gone       = eraser.io.done.valid
  private val reports    = RegInit(false.B) // state is `report`, and no victim is leaving: many paths begin here
  when(hands) {
    leaving    := true.B
    left       := result
    leftRetire := retire
  }
  when(gone)(leaving := false.B)
  reports := step === State.report && !(hands || leaving && !gone)
  assert(reports === (state === State.report && !leaving), "GcEngine: whether an outcome is reported")
  io.outcome.valid      := gone || reports
  io.outcome.bits       := Mux(gone, left, result)
  when(gone)(io.outcome.bits.ok := eraser.io.done.bits)
  eraser.io.start.valid := hands
  eraser.io.start.bits  := sb
  eraser.io.retire      := leftRetire

  // --- wiring: they take turns at the map, at the lookup and at the NAND (lib/Turns)
  // Whose turn it is, in registers: many paths begin here.
  private def now(steps: GcEngineState.Type*): Bool = {
    val inStep = RegNext(steps.map(_ === step).reduce(_ || _), steps.contains(State.idle).B)
    assert(inStep === steps.map(_ === state).reduce(_ || _), "GcEngine: whose turn it is")
    inStep
  }
  private val loads    = now(State.loading)
  private val compacts = now(State.compacting)
  private val destages = now(State.destaging, State.forgetting)
  private val records  = now(State.destaging) // else it only unmaps
  private val moves    = RegNext(
    !Seq(State.loading, State.compacting, State.destaging, State.forgetting).map(_ === step).reduce(_ || _),
    true.B
  )
  assert(moves === (!loads && !compacts && !destages), "GcEngine: it is somebody's turn")

  // The walk looks up what the loader's entries come from: it is done before the first of them.
  private val walkAsks = loads && walk.io.asks
  private val maps     = Seq(
    (loads && !walk.io.asks) -> loader.io.map,
    walkAsks                 -> walk.io.map,
    moves                    -> mover.io.map,
    destages                 -> destager.io.map
  )
  io.map.req <> asked.io.out
  turns(asked.io.in, maps.map { case (mine, port) => mine -> port.req }: _*)
  answered.io.in.valid   := io.map.resp.valid
  answered.io.in.bits.is := io.map.resp.bits
  private val half = p.slotBits / 2
  answered.io.in.bits.live(0) := io.map.resp.bits.slot(half - 1, 0) === mover.io.source(half - 1, 0)
  answered.io.in.bits.live(1) := io.map.resp.bits.mapped &&
    io.map.resp.bits.slot(p.slotBits - 1, half) === mover.io.source(p.slotBits - 1, half)
  io.map.resp.ready := answered.io.in.ready
  private val answer = Wire(chiselTypeOf(io.map.resp))
  answer.valid          := answered.io.out.valid
  answer.bits           := answered.io.out.bits.is
  answered.io.out.ready := answer.ready
  mover.io.live         := answered.io.out.bits.live.asUInt.andR
  deals(answer, maps.map { case (mine, port) => mine -> port.resp }: _*)

  lookup.io.clear <> loader.io.clear
  turns(lookup.io.insert, loads -> loader.io.insert, !loads -> mover.io.insert)
  // Whoever asks for a list has put in all of its entries before.
  private val lists = Seq(compacts -> compactor.io.list, destages -> destager.io.list, moves -> mover.io.list)
  turns(lookup.io.start, lists: _*)
  for ((mine, list) <- lists) list.ready := lookup.io.idle && mine
  assert(
    !lookup.io.start.valid || !lookup.io.insert.valid && !lookup.io.clear.valid,
    "GcEngine: a list is asked for while an entry is put in"
  )
  // Each of them looks at a list and takes from it only while it has its turn.
  private val readers = Seq(compactor.io.sharer, destager.io.sharer, mover.io.sharer)
  for (reader <- readers) {
    reader.valid := lookup.io.sharer.valid
    reader.bits  := lookup.io.sharer.bits
  }
  lookup.io.sharer.ready := readers.map(_.ready).reduce(_ || _)
  lookup.io.drop         := mover.io.drop && moves

  io.walk <> walk.io.table
  loader.io.walk.entry <> walk.io.entry
  walk.io.start.valid        := loader.io.walk.start.valid
  walk.io.start.bits.sb      := loader.io.walk.start.bits
  walk.io.start.bits.all     := !chain || part
  loader.io.walk.start.ready := walk.io.start.ready
  io.bufRead <> walk.io.bufRead
  written.io.enq <> destager.io.bufWrite.write
  io.bufWrite.write <> written.io.deq
  io.mapLock <> destager.io.mapLock
  io.seq <> destager.io.seq
  turns(appends.io.in, compacts -> compactor.io.append.entry, moves -> mover.io.append.entry)
  io.append.entry <> appends.io.out
  // Only one of them asks at a time: work on a chain and an erase exclude each other.
  private val recorders = Seq(compactor.io.journal.req, destager.io.journal.req, eraser.io.journal.req)
  private val ofChain   = now(State.compacting, State.destaging) // else it is the erase's
  io.journal.req.valid      := recorders.map(_.valid).reduce(_ || _)
  io.journal.req.bits       := eraser.io.journal.req.bits
  io.journal.req.bits.op    := JournalOp.block
  io.journal.req.bits.lpn   := Mux(ofChain, sb, eraser.io.journal.req.bits.lpn)
  io.journal.req.bits.gen   := Mux(ofChain, found.gen, eraser.io.journal.req.bits.gen)
  io.journal.req.bits.epoch := Mux(ofChain, found.epoch, eraser.io.journal.req.bits.epoch)
  io.journal.req.bits.set   := Mux(
    compacts,
    compactor.io.journal.req.bits.set,
    Mux(records, destager.io.journal.req.bits.set, eraser.io.journal.req.bits.set)
  )
  for (recorder <- recorders) recorder.ready := io.journal.req.ready
  assert(PopCount(recorders.map(_.valid)) <= 1.U, "GcEngine: two records at a time")
  for (recorder <- recorders)
    assert(
      !recorder.valid || io.journal.req.bits.lpn === recorder.bits.lpn,
      "GcEngine: a record that is not that of who asks"
    )
  private val asides = Seq(compactor.io.setAside, destager.io.setAside)
  private val drops  = Seq(compactor.io.dropOld, destager.io.dropOld)
  io.setAside.valid               := asides.map(_.valid).reduce(_ || _)
  io.setAside.bits                := sb
  io.dropOld.valid                := drops.map(_.valid).reduce(_ || _)
  for (port <- asides) port.ready := io.setAside.ready
  for (port <- drops) port.ready  := io.dropOld.ready
  for (port <- asides) assert(!port.valid || port.bits === sb, "GcEngine: a chain that is not in hand is set aside")
  private val drained =
    RegNext(io.append.drained && !appends.io.out.valid && !appends.io.in.valid, false.B)
  for (port <- Seq(compactor.io.append, mover.io.append)) port.drained                      := drained
  for (port <- Seq(compactor.io.journal, destager.io.journal, eraser.io.journal)) port.done := io.journal.done
  for (port <- Seq(compactor.io.fence, destager.io.fence, eraser.io.fence)) port.done       := io.fence.done
  io.fence.req            := compactor.io.fence.req || destager.io.fence.req || eraser.io.fence.req
  io.look.sb              := sb
  compactor.io.segments   := segments
  compactor.io.set        := destaged.set
  compactor.io.free       := RegNext(io.capacity.free)
  compactor.io.found      := loader.io.found
  compactor.io.live       := lookup.io.used
  compactor.io.gen        := found.gen
  compactor.io.epoch      := found.epoch
  destager.io.segments    := segments
  destager.io.destaged    := destaged
  destager.io.live        := lookup.io.used
  destager.io.gen         := found.gen
  destager.io.epoch       := found.epoch
  walk.io.destaged        := destaged
  walk.io.gen             := found.gen
  io.compacted.valid      := RegNext(io.setAside.fire, false.B)
  io.compacted.bits.sb    := sb
  io.compacted.bits.epoch := epoch
  io.place                := destager.io.place
  io.capacity <> mover.io.capacity
  deals(io.alloc, destages -> destager.io.alloc, moves -> mover.io.alloc)
  // A page is closed only when every slot that was handed out has been requested.
  private val closes = RegNext(mover.io.closes || destager.io.closes, false.B)
  io.closes   := closes && !outgoing.io.deq.valid
  io.destages := destages
  io.freeChain <> eraser.io.freeChain
  io.freed <> eraser.io.freed
  io.erased            := eraser.io.erased
  eraser.io.readWindow := io.readWindow
  mover.io.gen         := found.gen
  mover.io.unsaved     := io.unsaved
  io.leavingSb <> eraser.io.table

  // Erases go first: they are few, and each gives a superblock back. An offer stays until it is taken. Of the other
  // parts one has its turn.
  private val others = Wire(Decoupled(new NandRequest(p)))
  private val asking = outgoing.io.enq
  private val erases = HeldChoice(asking, eraser.io.nand.valid)
  turns(others, moves -> mover.io.nand, loads -> walk.io.nand, destages -> destager.io.nand)
  asking.valid := Mux(erases, eraser.io.nand.valid, others.valid)
  asking.bits := Mux(erases, eraser.io.nand.bits, others.bits)
  eraser.io.nand.ready := asking.ready && erases
  others.ready := asking.ready && !erases
  io.nand <> outgoing.io.deq
  mover.io.held     := outgoing.io.deq.valid
  destager.io.held  := outgoing.io.deq.valid || written.io.deq.valid
  io.nandDone.ready := true.B // whoever asked has a place for the answer
  private val answersErase = ended.op === NandRequestOp.erase
  for (
    (port, mine) <- Seq(
      mover.io.nandDone    -> (moves && !answersErase),
      eraser.io.nandDone   -> answersErase,
      walk.io.nandDone     -> (loads && !answersErase),
      destager.io.nandDone -> (destages && !answersErase)
    )
  ) {
    port.valid := nandDone && mine
    port.bits  := ended
  }

  loader.io.start.valid     := now(State.load)
  loader.io.start.bits.sb   := sb
  loader.io.start.bits.from := next(p.offsetBits - 1, 0)
  mover.io.yields           := io.shareLock.contended
  mover.io.start.valid      := now(State.batch)
  mover.io.start.bits.sb    := sb
  mover.io.start.bits.from  := next(p.offsetBits - 1, 0)
  // The last entry that the loader has handed over may still be on its way into its list.
  compactor.io.start.valid := now(State.compact) && lookup.io.idle
  compactor.io.start.bits  := sb
  private val forgets = now(State.forget)
  destager.io.start.valid       := (now(State.destage) && lookup.io.idle) || forgets
  destager.io.start.bits.sb     := sb
  destager.io.start.bits.forget := forgets
  io.shareLock.want             := now(
    State.lock,
    State.load,
    State.loading,
    State.doubt,
    State.batch,
    State.moving,
    State.between,
    State.forget,
    State.forgetting,
    State.compact,
    State.compacting,
    State.destage,
    State.destaging
  )

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb           := io.start.bits.sb
        chain        := io.start.bits.chain
        part         := io.start.bits.destage
        retire       := io.start.bits.retire
        next         := 0.U
        stop         := false.B
        result       := 0.U.asTypeOf(result)
        result.ok    := true.B
        result.sb    := io.start.bits.sb
        result.chain := io.start.bits.chain
        step         := Mux(io.start.bits.chain, State.behind, State.refuse)
        look()
      }
    }
    is(State.refuse) {
      val may = found.state === SbState.closed || found.state === SbState.bad
      when(known) {
        result.ok      := may
        result.refused := !may
        step           := Mux(may, State.lock, State.report)
      }
    }
    is(State.behind)(when(known && !leaving)(step := State.lock))
    is(State.lock)(when(io.shareLock.granted)(step := State.load))
    is(State.load)(when(loader.io.start.ready)(step := State.loading))
    is(State.loading) {
      when(loader.io.done) {
        step := Mux(chain, Mux(part, State.destage, State.compact), State.batch)
        // Who shares the victim's slots is not known. Nobody does where none is valid.
        when(walk.io.failed) {
          step := State.report
          when(chain)(result.ok := false.B).otherwise {
            step := State.doubt
            look()
          }
        }
      }
    }
    is(State.doubt) {
      when(known) {
        step := Mux(found.valid === 0.U, State.batch, State.report)
        when(found.valid =/= 0.U)(result.ok := false.B)
      }
    }
    is(State.batch)(when(mover.io.start.ready)(step := State.moving))
    is(State.moving) {
      when(mover.io.done.valid) {
        next   := mover.io.done.bits.next
        over   := mover.io.done.bits.next === p.slotsPerSb.U
        stop   := mover.io.done.bits.stop
        step   := State.between
        when(mover.io.done.bits.lost)(result.ok   := false.B)
        when(mover.io.done.bits.full)(result.full := true.B)
      }
    }
    is(State.between) {
      step := Mux(io.shareLock.contended, State.release, State.batch)
      when(over)(step := Mux(result.ok, Mux(hasSet, State.forget, State.erase), State.report)).elsewhen(stop) {
        result.ok := false.B
        step      := State.report
      }
    }
    is(State.release)(step := State.lock)
    is(State.forget)(when(destager.io.start.ready)(step := State.forgetting))
    is(State.forgetting)(when(destager.io.done.valid)(step := State.erase))
    is(State.erase)(when(hands)(step := State.idle))
    is(State.compact)(when(compactor.io.start.fire)(step := State.compacting))
    is(State.compacting) {
      when(compactor.io.done.valid) {
        val made = compactor.io.done.bits
        result.ok       := made.ok
        result.full     := made.full
        result.refused  := !made.ok && !made.full
        result.segments := Mux(made.ok, made.segments, 0.U)
        step            := State.report
      }
    }
    is(State.destage)(when(destager.io.start.fire)(step := State.destaging))
    is(State.destaging) {
      when(destager.io.done.valid) {
        result.ok       := destager.io.done.bits.ok
        result.refused  := destager.io.done.bits.refused
        result.segments := destager.io.done.bits.segments
        step            := State.report
      }
    }
    is(State.report)(when(reports)(step := State.idle))
  }
  when(mover.io.event.moved)(result.moved        := result.moved + 1.U)
  when(mover.io.event.movedShared)(result.shared := result.shared + 1.U)

  // A cycle late, as counters may be.
  private val event = Wire(chiselTypeOf(io.event))
  event.moved       := mover.io.event.moved
  event.movedShared := mover.io.event.movedShared
  event.repointed   := mover.io.event.repointed
  event.lostRace    := mover.io.event.lostRace
  event.erased      := eraser.io.erased.valid && !eraser.io.erased.bits.retires
  event.compacted   := compactor.io.done.valid && compactor.io.done.bits.ok
  event.dropped     := Mux(event.compacted, compactor.io.done.bits.dropped, 0.U)
  event.destaged    := state === State.destaging && destager.io.done.valid && destager.io.done.bits.ok
  event.entries     := Mux(event.destaged, destager.io.done.bits.entries, 0.U)
  event.badEntry    := walk.io.badEntry
  io.event          := RegNext(event, 0.U.asTypeOf(event))
  // What waits for GcErase goes on when that does.
  private val waits = (state === State.idle && !io.start.valid) || (state === State.lock && !io.shareLock.granted) ||
    (state === State.moving && mover.io.waiting) || (state === State.compacting && compactor.io.waiting) ||
    (destages && destager.io.waiting) || (loads && walk.io.waiting) ||
    (Seq(State.behind, State.erase, State.report).map(_ === state).reduce(_ || _) && leaving && known)
  quiet := waits && !lookup.io.wiping && (!leaving || eraser.io.waiting) && !asking.fire && !io.nand.fire &&
    !written.io.enq.fire && !io.bufWrite.write.fire && asked.quiet && !asked.io.in.fire && answered.quiet &&
    !io.map.resp.valid && !nandDone && !io.nandDone.valid &&
    closes === (mover.io.closes || destager.io.closes) && appends.quiet && !appends.io.in.valid &&
    !event.asUInt.orR && !io.event.asUInt.orR

  Transitions("GcEngine", state, State, State.idle)(State.transitions: _*)
  assert(!io.append.entry.fire || io.shareLock.granted, "GcEngine: sharers move without the shareLock")
  assert(
    !io.map.req.fire || io.map.req.bits.op =/= MapOp.cas || io.shareLock.granted,
    "GcEngine: a cas without the shareLock"
  )
  assert(PopCount(Seq(mover.io.nand, walk.io.nand, destager.io.nand).map(_.valid)) <= 1.U, "GcEngine: two at the NAND")
  assert(
    !io.start.fire || io.start.bits.chain || !io.start.bits.destage,
    "GcEngine: a superblock is not destaged, its chain is"
  )
  assert(!io.start.fire || !io.start.bits.chain || !io.start.bits.retire, "GcEngine: a chain is not retired")
  assert(!hands || eraser.io.start.ready, "GcEngine: GcErase has another victim")
  assert(!gone || leaving, "GcEngine: an erase that nobody asked for")
  assert(state === State.idle || !leaving || sb =/= left.sb, "GcEngine: a victim twice")
  assert(!(compacts || state === State.destaging) || !leaving, "GcEngine: work on a chain beside an erase")
  assert(state =/= State.between || over === (next === p.slotsPerSb.U), "GcEngine: whether all slots were looked at")
  assert(
    state =/= State.between || hasSet === (io.look.destaged.set =/= 0.U),
    "GcEngine: a destaged part comes or goes while its victim is moved"
  )
  // What the parts keep to, and what the proof of this unit takes for granted.
  assert(
    !(mover.io.done.valid || compactor.io.done.valid) || !appends.io.in.valid && !appends.io.out.valid,
    "GcEngine: a part is done before its entries are durable"
  )
  assert(loads || !loader.io.insert.valid && !loader.io.clear.valid, "GcEngine: the lists are loaded out of turn")
  assert(moves || !mover.io.insert.valid, "GcEngine: an identity is put in out of turn")
  for (
    (mine, part) <- Seq(
      compacts -> Seq(compactor.io.journal.req.valid, compactor.io.setAside.valid, compactor.io.dropOld.valid),
      records  -> Seq(destager.io.journal.req.valid, destager.io.setAside.valid, destager.io.dropOld.valid),
      leaving  -> Seq(eraser.io.journal.req.valid)
    )
  ) assert(mine || !part.reduce(_ || _), "GcEngine: a chain or its record is changed out of turn")
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
  cover(state === State.report && chain && !part && result.ok, "GcEngine: a chain was compacted")
  cover(state === State.loading && loader.io.done && walk.io.failed, "GcEngine: a destaged part that cannot be read")
  cover(state === State.report && part && result.ok, "GcEngine: a chain was destaged")
  cover(state === State.forgetting, "GcEngine: a victim with a destaged part")
  cover(state === State.compact && !lookup.io.idle, "GcEngine: a compaction waits for the last entry")
  cover(state === State.report && result.full, "GcEngine: stopped for want of segments")
  cover(state === State.between && over && !result.ok, "GcEngine: all looked at, something stayed")
}
