// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Moves the victim's slots that have sharers, from offset `from` on. Slots under way have places in a ring of
  * `gcMoves`. With `yields` it stops after as many slots as the ring has places, which is GC's minimum for each turn
  * with the shareLock.
  *
  * Every slot takes these steps, in order. Different slots may be at different steps.
  *   1. Read the slot.
  *   1. Find its sharers. Candidates are the LPN of its spare area and its list in GcLookup; the sharers are those
  *      whose L2P names the slot. The first one gives the copy its identity, with its own seq, since a copy is no new
  *      event. Without a good spare area, the sharers found must be as many as REF says. Otherwise the slot stays.
  *   1. Program the copy.
  *   1. When the copy is durable, append the other sharers to the target's chain, with their own seqs.
  *   1. When these entries are durable, re-point each sharer, unless the host has changed it meanwhile.
  *
  * GcReader requests the reads while the ring has a free place. The state machine here does all other steps, the oldest
  * slot's first, because one list can be walked at a time. GcLookup stores the identity from a spare area under the
  * slot's place in the ring. When that place is used again, the old slot's list is never walked any more.
  *
  * A target's chain has at most `segmentsPerChain` segments. When a slot's sharers do not fit, the slot needs a target
  * in the next superblock. Slots are programmed in order and none may be left out, so the remaining slots of this one
  * are filled with the same data and no identity. With an identity, a start could take such a copy as the LPN's slot
  * and leave the other sharers at the old one.
  *
  * Free segments are reserved before a slot is programmed (GcPromises). A slot for the next target waits until all
  * reservations of the last one have been used. If there are too few segments, GcMover finishes the slots under way and
  * begins no other.
  */
class GcMover(p: Params) extends Module {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new GcBatch(p)))
    val done     = Valid(new GcBatchDone(p))
    val yields   = Input(Bool())              // somebody waits for the shareLock
    val gen      = Input(UInt(p.genBits.W))   // of the victim
    val unsaved  = Input(Bool())              // the mapping names a slot of the host whose program failed
    val map      = new MapPort(p)
    val source   = Output(UInt(p.slotBits.W)) // slot in hand
    val live     = Input(Bool())              // the answer of `map` names it
    val insert   = Decoupled(new GcCandidate(p))
    val list     = Decoupled(UInt(p.offsetBits.W))
    val sharer   = Flipped(Decoupled(new GcSharer(p)))
    val drop     = Output(Bool())
    val append   = new RemapAppendPort(p)
    val capacity = new RemapCapacityPort(p)
    val alloc    = Flipped(Decoupled(new Allocation(p)))
    val held     = Input(Bool())              // a request has left `nand` that the NAND does not have yet
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Valid(new NandDone(p)))
    val closes   = Output(Bool())             // waits for its programs: a page that is not full gets no more of them
    val waiting  = Output(Bool())             // for NAND or a slot
    val event    = Output(new Bundle {
      val moved = Bool(); val movedShared = Bool(); val repointed = Bool(); val lostRace = Bool()
    })
  })
  private val State = GcMoverState
  private object Phase extends ChiselEnum {
    val judge, append, repoint = Value
  } // what the worker does with a slot
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  private val phase = Reg(Phase())
  state := step

  /** It is in one of these steps. This is a register of its own: many paths begin here. */
  private def now(steps: GcMoverState.Type*): Bool = {
    val inStep = RegNext(steps.map(_ === step).reduce(_ || _), steps.contains(State.idle).B)
    assert(inStep === steps.map(_ === state).reduce(_ || _), "GcMover: which step it is in")
    inStep
  }

  private val places = new GcRing(p)
  import places.{after, appendAt, idxBits, judgeAt, left, repointAt, ring, some, stages, Stage}
  private val i    = Reg(UInt(idxBits.W)) // the slot that the worker has in hand
  private val s    = Reg(new places.Slot) // as it was when the worker took it; what the worker changes goes to the ring
  private val sb   = Reg(UInt(p.sbBits.W))
  private val lost = Reg(Bool())
  private val stop = Reg(Bool())
  private val full = Reg(Bool())

  private val source      = SlotAddress(p, sb, s.offset)
  private val reader      = Module(new GcReader(p))
  private val spares      = Module(new GcSpares(p))
  private val noMoreReads = reader.io.ended
  io.start.ready    := now(State.idle)
  io.done.valid     := now(State.report)
  io.done.bits.next := reader.io.next
  io.done.bits.lost := lost
  io.done.bits.stop := stop
  io.done.bits.full := full

  // --- what the walk over the list finds
  private val sharers    = RegInit(0.U((p.refBits + 1).W))  // live ones of the slot in hand
  private val ownerLpn   = Reg(UInt(32.W))
  private val ownerSeq   = Reg(UInt(p.seqBits.W))
  private val found      = io.sharer.bits
  private val ownersTurn = RegNext(found.index === s.owner) // of an entry that has been offered for a cycle,
  private val looked     = RegInit(false.B)                 // which this one has
  looked := now(State.sharer) && io.sharer.valid && !io.sharer.ready
  private val shared = sharers > 1.U

  // --- target of the slot in hand, and the entries promised to it
  // Before it has one, the allocator's offer tells: valid does not depend on ready.
  private val to       = Reg(new Allocation(p))
  private val looking  = now(State.space)
  private val offer    = RegNext(SlotAddress.superblock(p, io.alloc.bits.slot))
  private val toSb     = Mux(looking, offer, SlotAddress.superblock(p, to.slot))
  private val offered  = looking && RegNext(io.alloc.valid, false.B)
  private val atRoom   = now(State.room)
  private val asks     = looking && io.append.drained || atRoom
  private val promises = new GcPromises(p, io.capacity, sharers, toSb, looking, offered, asks)
  import promises.{enough, fits, kept, known}
  private val told    = Reg(Valid(UInt(p.sbBits.W))) // superblock that the answers in `space` were of
  private val same    = Reg(Bool())                  // the slot is of that one: the answers are its
  private val weighed = promises.weighed || atRoom && RegNext(atRoom, false.B) && (same || !shared)
  private val filler  = Reg(Bool())                  // this program only uses the slot up
  private val settles = Reg(Bool())                  // the next slot to judge waits until all promises are kept
  // No slot while the request of the one before is still held: SlotLog counts on that.
  private val allocs = RegInit(false.B)
  allocs         := now(State.alloc) && !io.held && !io.alloc.fire
  io.alloc.ready := allocs

  private val landed = Wire(Vec(places.n, Bool())) // of each slot: no program is under way

  // --- what the worker can do: the oldest first. All of it is in registers, which follow what the worker has changed
  // while it is in `choose`.
  private def at(stage: Stage.Type, place: UInt): Bool = VecInit(stages.map(_ === stage))(place)
  private val repoints                                 = RegNext(at(Stage.durable, repointAt))
  private val appends                                  = RegNext(at(Stage.judged, appendAt) && landed(appendAt))
  private val judges                                   = RegNext(at(Stage.read, judgeAt) && (!settles || kept))
  private val toRepoint                                = RegNext(ring(repointAt))
  private val toAppend                                 = RegNext(ring(appendAt))
  private val toJudge                                  = RegNext(ring(judgeAt))
  private val appendsAny                               = RegNext(ring(appendAt).copied && ring(appendAt).others =/= 0.U)
  private val rests                                    = now(State.pick) && !repoints && !appends && !judges
  private val ends = noMoreReads && VecInit(stages.map(_ === Stage.free)).asUInt.andR
  // Slots of a page that is not full wait for each other, and for the places of those behind them that were not copied.
  private val stuck =
    if (p.g.slotsPerPage == 1) false.B
    else
      !some(Stage.free) && toAppend.copied && SlotAddress.sub(p, to.slot) =/= (p.g.slotsPerPage - 1).U &&
      SlotAddress.pageOf(p, toAppend.target) === SlotAddress.pageOf(p, to.slot)
  private val nothingToJudge = !some(Stage.reading) && !some(Stage.read)
  private val settling       = RegNext(at(Stage.read, judgeAt) && settles, false.B)
  io.closes := rests && !ends && (settling || nothingToJudge && (noMoreReads || stuck))

  // --- NAND: programs before reads
  private val asksRead    = reader.io.read.valid
  private val asksProgram = spares.io.make && spares.io.done
  private val nandReads   = HeldChoice(io.nand, !asksProgram)
  private val nand        = io.nand.bits
  io.nand.valid        := Mux(nandReads, asksRead, asksProgram)
  nand.op              := Mux(nandReads, NandRequestOp.read, NandRequestOp.program)
  nand.client          := NandClient.gc
  nand.slot            := Mux(nandReads, reader.io.read.bits, to.slot)
  nand.buf             := BufferAddr.ofGc(p, Mux(nandReads, reader.io.place, i))
  nand.oob             := spares.io.oob
  reader.io.read.ready := nandReads && io.nand.ready
  private val programAsked = asksProgram && !nandReads && io.nand.ready

  private val flight = new GcInFlight(p, places, io.nandDone, io.nand.fire, programAsked, i)
  import flight.{done, doneAt, programmed, readDone}
  landed     := VecInit(flight.landed)
  when(flight.failed)(stop     := true.B)
  when(flight.copyFailed)(lost := true.B)

  // --- spares: that of the slot in hand is checked while the map looks up its LPN
  private val spare = spares.io.spare
  spares.io.read.valid      := readDone
  spares.io.read.bits.place := doneAt
  spares.io.read.bits.done  := done
  spares.io.gen             := io.gen
  spares.io.place           := judgeAt // whose slot the worker has in hand while it looks at a spare
  spares.io.slot            := source
  spares.io.check           := now(State.identify, State.named)
  spares.io.make            := now(State.program)
  spares.io.lpn             := Mux(filler, Formats.Unmapped.U, ownerLpn)
  spares.io.seq             := Mux(filler, 0.U, ownerSeq)
  spares.io.to              := to

  // --- map: one question at a time, the worker's first
  private val nameless = Reg(Bool()) // the spare of the slot in hand is not good
  private val owed     = Reg(
    UInt((p.refBits + 1).W)
  ) // then: its sharers, before the walk. There can only be fewer after it.
  private val movableNow = sharers =/= 0.U && s.readOk && (!nameless || sharers === owed)
  private val movable    = RegNext(movableNow) // in `decide`
  // A slot that cannot be read may be one whose program failed. WriteEngine then gives its LPN another slot, for which
  // it needs the mapLock. GC may wait for that: a unit that waits for the shareLock does not hold the mapLock.
  private val savingNow = io.unsaved && !s.readOk
  private val saving    = RegNext(savingNow, false.B)
  private val leftOver  = RegNext(!movableNow && !savingNow) // its REF is asked for
  private val asksSlot  = now(State.count, State.decide)     // its REF
  private val asksMap   =
    (now(State.identify) && spare.likely) || now(State.ask, State.count) || (now(State.decide) && leftOver)
  private val awaits   = now(State.named, State.counted, State.answer, State.recount)
  private val asksRefs = reader.io.refs.valid
  private val mapReads = HeldChoice(io.map.req, !asksMap)
  private val cas      = now(State.ask) && phase === Phase.repoint
  private val named    = now(State.identify)
  io.map.req.valid       := Mux(mapReads, asksRefs && !awaits, asksMap && !reader.io.counts)
  io.map.req.bits.op     := Mux(mapReads || asksSlot, MapOp.refs, Mux(cas, MapOp.cas, MapOp.lookup))
  io.map.req.bits.lpn    := Mux(named, spare.lpn, found.lpn) // of no meaning for `refs`
  io.map.req.bits.slot   := Mux(mapReads, reader.io.refs.bits, Mux(asksSlot, source, s.target))
  io.map.req.bits.expect := source
  io.map.resp.ready      := Mux(now(State.named), spares.io.done, awaits || reader.io.counts)
  private val mapAsked = !mapReads && io.map.req.fire
  private val answer   = io.map.resp.bits
  private val live     = io.live // the answer names the source
  io.source := source

  reader.io.start.valid := io.start.fire
  reader.io.start.bits  := io.start.bits
  reader.io.end         := state === State.report
  reader.io.yields      := io.yields
  reader.io.stop        := stop
  reader.io.free        := stages(reader.io.place) === Stage.free
  reader.io.refs.ready  := mapReads && !awaits && io.map.req.ready
  reader.io.count.valid := reader.io.counts && io.map.resp.valid
  reader.io.count.bits  := answer.count
  when(reader.io.read.fire) {
    ring(reader.io.place).offset := reader.io.next(p.offsetBits - 1, 0)
    ring(reader.io.place).copied := false.B
    ring(reader.io.place).others := 0.U
    stages(reader.io.place)      := Stage.reading
  }

  io.insert.valid          := now(State.insert)
  io.insert.bits.offset    := s.offset
  io.insert.bits.lpn       := spare.lpn
  io.insert.bits.seq       := spare.seq
  io.insert.bits.oob.valid := true.B
  io.insert.bits.oob.bits  := i
  io.list.valid            := now(State.list)
  io.list.bits             := s.offset
  io.sharer.ready          := false.B
  io.drop                  := false.B

  private val appending = now(State.append)
  io.append.entry.valid       := appending
  io.append.entry.bits.sb     := SlotAddress.superblock(p, s.target)
  io.append.entry.bits.offset := SlotAddress.offset(p, s.target)
  io.append.entry.bits.lpn    := found.lpn
  io.append.entry.bits.seq    := found.seq
  when(io.append.entry.fire)(promises.keepOne())
  // Of a slot whose last entry is on its way: it is durable with all others.
  for (stage <- stages) when(stage === Stage.appended && io.append.drained)(stage := Stage.durable)

  // --- the worker
  private def take(what: Phase.Type, at: UInt, slot: places.Slot, next: State.Type): Unit = {
    phase := what
    i     := at
    s     := slot
    step  := next
  }
  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb        := io.start.bits.sb
        judgeAt   := 0.U
        appendAt  := 0.U
        repointAt := 0.U
        lost      := false.B
        stop      := false.B
        full      := false.B
        settles   := false.B
        promises.begin()
        step := State.choose
      }
    }
    is(State.pick) {
      when(repoints) {
        when(toRepoint.copied)(take(Phase.repoint, repointAt, toRepoint, State.list)).otherwise {
          stages(repointAt) := Stage.free
          repointAt         := after(repointAt)
          step              := State.choose
        }
      }.elsewhen(appends) {
        when(appendsAny)(take(Phase.append, appendAt, toAppend, State.list)).otherwise {
          when(!toAppend.copied)(promises.withdraw(toAppend.others)) // its program failed
          stages(appendAt) := Stage.durable
          appendAt         := after(appendAt)
          step             := State.choose
        }
      }.elsewhen(judges) {
        settles := false.B
        take(Phase.judge, judgeAt, toJudge, State.identify)
        when(stop) {
          lost := true.B
          step := State.ended
        }
      }.elsewhen(ends)(step := State.report)
    }
    is(State.choose)(step := State.pick)

    // --- who shares the slot
    is(State.identify) {
      sharers  := 0.U
      nameless := !spare.likely
      when(!spare.likely)(step := State.count).elsewhen(mapAsked)(step := State.named)
    }
    is(State.named) {
      when(io.map.resp.fire) {
        nameless := !spares.io.good
        step     := Mux(!spares.io.good, State.count, Mux(live, State.insert, State.list))
      }
    }
    is(State.count)(when(mapAsked)(step := State.counted))
    is(State.counted) {
      when(io.map.resp.valid) {
        owed := answer.count
        step := State.list
      }
    }
    is(State.insert)(when(io.insert.ready)(step := State.list))
    is(State.list)(when(io.list.ready)(step := State.sharer))
    is(State.sharer) {
      when(io.sharer.valid) {
        when(found.endOfList) {
          io.sharer.ready := true.B
          step            := Mux(phase === Phase.judge, State.decide, State.ended)
        }.elsewhen(!found.live) {
          io.sharer.ready := true.B
        }.elsewhen(phase === Phase.append) {
          io.sharer.ready := looked && ownersTurn
          when(looked && !ownersTurn)(step := State.append)
        }.otherwise(step := State.ask)
      }
    }
    is(State.append) {
      io.sharer.ready := io.append.entry.ready
      when(io.append.entry.ready)(step := State.sharer)
    }
    is(State.ask)(when(mapAsked)(step := State.answer))
    is(State.answer) {
      when(io.map.resp.valid) {
        io.sharer.ready := true.B
        step            := State.sharer
        when(phase === Phase.judge) {
          io.drop := !live
          when(live) {
            sharers := sharers + 1.U
            when(sharers === 0.U) {
              ring(i).owner := found.index
              ownerLpn      := found.lpn
              ownerSeq      := found.seq
            }
          }
        }
      }
    }
    // A slot that cannot be moved has no sharer left, or unreadable data, or a sharer that nobody names. REF tells
    // which.
    is(State.decide) {
      told.valid := false.B
      when(movable) {
        step := Mux(shared, State.space, State.alloc)
      }.elsewhen(mapAsked)(step := State.recount)
    }
    is(State.recount) {
      when(io.map.resp.valid) {
        when(answer.count =/= 0.U)(lost := true.B)
        step := State.ended
      }
    }

    // --- its copy. The chains are as `capacity` says once all entries have found their places.
    is(State.space) {
      when(weighed) {
        told := promises.isOf
        step := State.alloc
        when(!kept && !(known && promises.sameAsked)) {
          settles := true.B
          step    := State.choose
        }.elsewhen(!enough) {
          full := true.B
          stop := true.B
          lost := true.B
          step := State.ended
        }
      }
    }
    is(State.alloc) {
      when(io.alloc.fire) {
        to         := io.alloc.bits
        same       := told.valid && told.bits === SlotAddress.superblock(p, io.alloc.bits.slot)
        told.valid := false.B
        step       := State.room
      }
    }
    is(State.room) {
      when(weighed) {
        same   := false.B
        filler := shared && !fits
        step   := State.program
        when(!shared || fits) {
          ring(i).target := to.slot
          ring(i).copied := true.B
          ring(i).others := sharers - 1.U
          when(shared)(promises.promise())
        }
      }
    }
    is(State.program)(when(programAsked)(step := Mux(filler, State.alloc, State.ended)))

    is(State.ended) {
      step := State.choose
      switch(phase) {
        is(Phase.judge) {
          stages(i) := Stage.judged
          judgeAt   := after(judgeAt)
        }
        is(Phase.append) {
          stages(i) := Stage.appended
          appendAt  := after(appendAt)
        }
        is(Phase.repoint) {
          stages(i) := Stage.free
          repointAt := after(repointAt)
        }
      }
    }
    is(State.report)(step := State.idle)
  }

  private val moved    = state === State.ended && phase === Phase.repoint
  private val answered = state === State.answer && io.map.resp.valid && phase === Phase.repoint
  io.event.moved       := moved
  io.event.movedShared := moved && s.others =/= 0.U
  io.event.repointed   := answered && answer.ok
  io.event.lostRace    := answered && !answer.ok
  private val workerWaits = (rests && !ends) || (asksProgram && !programAsked) ||
    (state === State.alloc && Mux(allocs, !io.alloc.valid, io.held)) || (state === State.decide && saving && io.unsaved)
  io.waiting := workerWaits && reader.io.waits && !io.nandDone.valid && !(some(Stage.appended) && io.append.drained)

  Transitions("GcMover", state, State, State.idle)(State.transitions: _*)
  assert(
    !io.map.resp.valid || !awaits || live === (answer.mapped && answer.slot === source),
    "GcMover: whether an answer names the slot in hand"
  )
  assert(sharers <= p.refMost.U, "GcMover: more sharers than a slot can have")
  assert(state =/= State.decide || !nameless || sharers <= owed, "GcMover: sharers beside those that REF counts")
  assert(!appending || io.sharer.valid && found.live && !ownersTurn, "GcMover: an entry of no sharer")
  assert(
    state =/= State.decide || movable === (sharers =/= 0.U && s.readOk && (!nameless || sharers === owed)),
    "GcMover: whether a slot can be moved is known in time"
  )
  assert(state =/= State.room || toSb =/= sb, "GcMover: the victim is its own target")
  assert(
    state =/= State.room || !weighed || !shared || !fits || enough,
    "GcMover: more segments promised than there are"
  )
  assert(state =/= State.room || !shared || kept || promises.toTarget, "GcMover: promises to two targets")
  assert(
    !answered || stages(i) === Stage.durable && left(i) === 0.U && s.copied,
    "GcMover: re-pointed before copy and entries are durable"
  )
  assert(!appending || left(i) === 0.U && s.copied, "GcMover: an entry of a slot that is not programmed")
  assert(!appending || promises.areTo(io.append.entry.bits.sb), "GcMover: an entry that was not promised")
  assert(state =/= State.report || kept && flight.none, "GcMover: ends with work under way")
  assert(!io.drop || phase === Phase.judge, "GcMover: a sharer dropped after it was judged live")
  assert(state === State.idle || !reader.io.idle, "GcMover: nobody reads")
  cover(
    state === State.recount && io.map.resp.valid && answer.count === 0.U,
    "GcMover: the last sharer left while its slot was read"
  )
  cover(state === State.recount && io.map.resp.valid && answer.count =/= 0.U, "GcMover: a slot that cannot be moved")
  cover(
    state === State.decide && nameless && s.readOk && sharers =/= 0.U && sharers =/= owed,
    "GcMover: a spare that is not good, and a sharer that nobody names"
  )
  cover(state === State.decide && nameless && movable, "GcMover: all sharers are in the chain, without the spare")
  cover(state === State.room && weighed && shared && !fits, "GcMover: the target's chain is full")
  cover(state === State.space && weighed && !enough && kept, "GcMover: too few free segments")
  cover(state === State.space && !io.append.drained, "GcMover: waits until entries have found their places")
  cover(rests && settling, "GcMover: promises to one target are kept before the next one has any")
  cover(allocs && !io.alloc.valid, "GcMover: waits for a slot")
  cover(state === State.alloc && io.held, "GcMover: waits until the NAND has its last request")
  cover(state === State.decide && saving, "GcMover: waits until a page of the host has been saved")
  cover(io.nand.valid && !io.nand.ready, "GcMover: waits for a die")
  cover(asksRead && asksProgram, "GcMover: reads and programs at the same time")
  cover(asksRefs && asksMap, "GcMover: both sides ask the map")
  cover(some(Stage.reading) && left.map(_ =/= 0.U).reduce(_ || _), "GcMover: reads beside programs")
  cover(state === State.pick && judges && stop && !repoints && !appends, "GcMover: a slot is read in vain")
  cover(appending && !io.append.entry.ready, "GcMover: waits for the remap table")
  cover(answered && !answer.ok, "GcMover: the host was faster")
  cover(programmed && done.status =/= NandStatus.ok, "GcMover: a program failed")
  if (p.g.slotsPerPage > 1)
    cover(rests && nothingToJudge && stuck && !noMoreReads, "GcMover: a page ends for want of places")
}
