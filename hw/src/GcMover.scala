// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class GcBatch(val p: Params) extends Bundle {
  val sb   = UInt(p.sbBits.W)     // victim
  val from = UInt(p.offsetBits.W) // first slot to look at
}

class GcBatchDone(val p: Params) extends Bundle {
  val next = UInt((p.offsetBits + 1).W) // first slot that was not looked at; slotsPerSb: none is left
  val lost = Bool()                     // a slot with sharers stays where it is: unreadable, or nobody names them
  val stop = Bool()                     // a program failed, or `full`: going on would waste more of the target
  val full = Bool()                     // too few free segments for the sharers of a slot: it and those after it stay
}

/** Moves the next up to `gcBuffers` slots of the victim that have sharers.
  *
  * 1 read them, all at once. 2 slot by slot: its candidates are the OOB's LPN and its list in GcLookup; those whose L2P
  * names the slot are its sharers. The first one gives the copy its identity, with its own seq: a copy is no new event.
  * 3 all programs at once. 4 when they are durable: the other sharers become entries of the target's chain, with their
  * own seqs. 5 when those are durable: each sharer is re-pointed, unless the host has changed it meanwhile.
  *
  * A target's chain has room for `segmentsPerChain` segments. Where a slot's sharers would not fit, the slot is
  * programmed again and again (one more copy of the same event, harmless to recovery, counted as what it is) until its
  * target lies in the next superblock: slots must be programmed in order, so none can be left out.
  *
  * Free segments are counted before a slot takes its place in the batch, against all that the batch has promised so
  * far: no other client can take them meanwhile, since the remap engine needs the shareLock. Where they do not suffice
  * the batch ends with the slots before.
  */
class GcMover(p: Params) extends Module {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new GcBatch(p)))
    val done     = Valid(new GcBatchDone(p))
    val gen      = Input(UInt(p.genBits.W)) // of the victim
    val map      = new MapPort(p)
    val insert   = Decoupled(new GcCandidate(p))
    val list     = Decoupled(UInt(p.offsetBits.W))
    val sharer   = Flipped(Decoupled(new GcSharer(p)))
    val drop     = Output(Bool())
    val append   = new RemapAppendPort(p)
    val capacity = new RemapCapacityPort(p)
    val alloc    = Flipped(Decoupled(new Allocation(p)))
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Valid(new NandDone(p)))
    val closes   = Output(Bool())           // waits for its programs: a page that is not full gets no more of them
    val waiting  = Output(Bool())           // for NAND or a slot
    val event    = Output(new Bundle {
      val moved = Bool(); val movedShared = Bool(); val repointed = Bool(); val lostRace = Bool()
    })
  })
  private val n       = p.k.gcBuffers
  private val idxBits = log2Ceil(n).max(1)
  require(n >= 1)

  /** One slot of the batch; its buffer is gcBufBase + its index. */
  private class Slot extends Bundle {
    val offset  = UInt(p.offsetBits.W)
    val readOk  = Bool()
    val oobGood = Bool()
    val lpn     = UInt(32.W)                    // OOB
    val seq     = UInt(p.seqBits.W)
    val copied  = Bool()                        // programmed to `target`
    val shared  = Bool()                        // had more than one sharer
    val target  = UInt(p.slotBits.W)
    val owner   = UInt(GcLookup.indexBits(p).W) // whose identity the copy has
  }
  private object State extends ChiselEnum {
    val idle, refs, counted, read, reading, identify, named, insert, list, sharer, ask, answer, decide, recount, space,
        alloc, room, program, nextSlot, programming, drain, report = Value
  }
  private object Phase extends ChiselEnum {
    val judge, append, repoint = Value
  } // what a walk over a slot's list is for
  private val state = RegInit(State.idle)
  private val phase = Reg(Phase())

  private val batch  = Reg(Vec(n, new Slot))
  private val filled = Reg(UInt(log2Ceil(n + 1).W))
  private val i      = Reg(UInt(idxBits.W))
  private val s      = batch(i)
  private val sb     = Reg(UInt(p.sbBits.W))
  private val offset = Reg(UInt((p.offsetBits + 1).W)) // next to look at
  private val lost   = Reg(Bool())
  private val stop   = Reg(Bool())
  private val full   = Reg(Bool())
  // NAND requests under way: what the dies and the gatherer hold, when many slots in a row only use a superblock up
  private val pending =
    RegInit(0.U(log2Ceil((p.dies * (p.k.dieQueueDepth + 1) + 2) * p.g.slotsPerPage + p.k.gcBuffers).W))

  private val source = SlotAddress(p, sb, Mux(state === State.refs || state === State.read, offset, s.offset))
  io.start.ready    := state === State.idle
  io.done.valid     := state === State.report
  io.done.bits.next := offset
  io.done.bits.lost := lost
  io.done.bits.stop := stop
  io.done.bits.full := full

  // --- what the walk over the list finds
  private val sharers    = RegInit(0.U((p.refBits + 1).W)) // live ones of the slot in hand
  private val ownerLpn   = Reg(UInt(32.W))
  private val ownerSeq   = Reg(UInt(p.seqBits.W))
  private val found      = io.sharer.bits
  private val ownersTurn = found.index === s.owner

  // --- target of the slot in hand, and what this batch will append to its superblock
  // Before it has one, the allocator's offer tells: valid does not depend on ready, and without an offer the next slot is
  // the first of another superblock.
  private val to          = Reg(new Allocation(p))
  private val offered     = state === State.space && io.alloc.valid
  private val toSb        = SlotAddress.superblock(p, Mux(state === State.space, io.alloc.bits.slot, to.slot))
  private val promised    = Reg(UInt(p.chainEntryBits.W))
  private val promisedTo  = Reg(UInt(p.sbBits.W))
  private val anyPromised = Reg(Bool())
  private val sameTarget  = anyPromised && promisedTo === toSb
  private val wanted      = Mux(sameTarget, promised, 0.U) +& (sharers - 1.U)
  private val fits        = wanted <= p.chainEntries.U && io.capacity.fits
  private val filler      = Reg(Bool()) // this program only uses the slot up

  // --- segments that the batch will take: of `promisedTo`, and of the targets before it
  private val segments       = Reg(UInt((p.segBits + 1).W))
  private val segmentsBefore = Reg(UInt((p.segBits + 1).W))
  private val most           = p.k.refLimit - 1 // entries of a slot
  private val fresh          =
    PopCount((0 to (most - 1) / p.entriesPerSeg).map(k => sharers - 1.U > (k * p.entriesPerSeg).U)) // in an empty chain
  private val known          = Mux(state === State.space, offered && fits, fits)
  private val taken          =
    segmentsBefore +& Mux(known && sameTarget, 0.U, segments) +& Mux(known, io.capacity.segments, fresh)
  private val enough = taken <= io.capacity.free
  require(p.chainEntries >= 2 * p.k.refLimit, "sharers of a slot fit into an empty chain, and the sum into its width")
  io.capacity.sb      := toSb
  io.capacity.entries := wanted(p.chainEntryBits - 1, 0)
  io.alloc.ready      := state === State.alloc
  io.closes           := state === State.programming

  // --- NAND
  private val nand = io.nand.bits
  private val oob  = WireInit(0.U.asTypeOf(new Formats.OobRecord))
  oob.lpn       := ownerLpn
  oob.gen       := to.gen
  oob.seq       := ownerSeq
  oob.stream    := Formats.StreamGc.U
  oob.version   := Formats.FormatVersion.U
  oob.slot      := to.slot
  io.nand.valid := state === State.read || state === State.program
  nand.op       := Mux(state === State.read, NandRequestOp.read, NandRequestOp.program)
  nand.client   := NandClient.gc
  nand.slot     := Mux(state === State.read, source, to.slot)
  nand.buf      := p.gcBufBase.U + Mux(state === State.read, filled, i)
  nand.oob      := Formats.OobRecord.seal(oob).asUInt

  private val done    = io.nandDone.bits
  private val mine    = io.nandDone.valid && (done.op === NandRequestOp.read || done.op === NandRequestOp.program)
  private val doneIdx = (done.buf - p.gcBufBase.U)(idxBits - 1, 0)
  private val spare   = done.oob.asTypeOf(new Formats.OobRecord)
  pending := pending + io.nand.fire - mine
  when(mine && done.op === NandRequestOp.read) {
    val b = batch(doneIdx)
    b.readOk  := done.status === NandStatus.ok
    b.oobGood := done.status === NandStatus.ok && Formats.OobRecord.good(spare) && spare.slot === done.slot &&
      spare.gen === io.gen && spare.version === Formats.FormatVersion.U && spare.lpn < p.lpns.U
    b.lpn := spare.lpn
    b.seq := spare.seq
  }
  when(mine && done.op === NandRequestOp.program && done.status =/= NandStatus.ok) {
    stop := true.B
    // The sharers stay with the old slot. A filler's failure costs nobody anything.
    when(batch(doneIdx).target === done.slot) {
      batch(doneIdx).copied := false.B
      lost                  := true.B
    }
  }

  // --- map, lookup, append
  private val asksCount = state === State.refs || state === State.decide
  io.map.req.valid   := asksCount || state === State.identify || state === State.ask
  io.map.req.bits.op := Mux(
    asksCount,
    MapOp.refs,
    Mux(state === State.ask && phase === Phase.repoint, MapOp.cas, MapOp.lookup)
  )
  io.map.req.bits.lpn    := Mux(asksCount, 0.U, Mux(state === State.identify, s.lpn, found.lpn))
  io.map.req.bits.slot   := Mux(asksCount, source, s.target)
  io.map.req.bits.expect := source
  io.map.resp.ready      := Seq(State.counted, State.named, State.answer, State.recount).map(_ === state).reduce(_ || _)
  private val answer = io.map.resp.bits
  private val live   = answer.mapped && answer.slot === source

  io.insert.valid          := state === State.insert
  io.insert.bits.offset    := s.offset
  io.insert.bits.lpn       := s.lpn
  io.insert.bits.seq       := s.seq
  io.insert.bits.oob.valid := true.B
  io.insert.bits.oob.bits  := i
  io.list.valid            := state === State.list
  io.list.bits             := s.offset
  io.sharer.ready          := false.B
  io.drop                  := false.B

  private val appends =
    state === State.sharer && io.sharer.valid && phase === Phase.append && !found.endOfList && found.live && !ownersTurn
  io.append.entry.valid       := appends
  io.append.entry.bits.sb     := SlotAddress.superblock(p, s.target)
  io.append.entry.bits.offset := SlotAddress.offset(p, s.target)
  io.append.entry.bits.lpn    := found.lpn
  io.append.entry.bits.seq    := found.seq

  private def firstOf(which: Phase.Type): Unit = {
    phase := which
    i     := 0.U
  }
  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        sb             := io.start.bits.sb
        offset         := io.start.bits.from
        filled         := 0.U
        lost           := false.B
        stop           := false.B
        full           := false.B
        anyPromised    := false.B
        segments       := 0.U
        segmentsBefore := 0.U
        state          := State.refs
      }
    }

    // --- 1: reads
    is(State.refs) {
      when(offset === p.slotsPerSb.U || filled === n.U) {
        io.map.req.valid := false.B
        state            := State.reading
      }.elsewhen(io.map.req.ready)(state := State.counted)
    }
    is(State.counted) {
      when(io.map.resp.valid) {
        when(answer.count === 0.U) {
          offset := offset + 1.U
          state  := State.refs
        }.otherwise(state := State.read)
      }
    }
    is(State.read) {
      when(io.nand.ready) {
        batch(filled(idxBits - 1, 0)).offset := offset(p.offsetBits - 1, 0)
        batch(filled(idxBits - 1, 0)).copied := false.B
        filled                               := filled + 1.U
        offset                               := offset + 1.U
        state                                := State.refs
      }
    }
    is(State.reading) {
      when(pending === 0.U) {
        firstOf(Phase.judge)
        state := Mux(filled === 0.U, State.report, State.identify)
      }
    }

    // --- 2: who shares the slot
    is(State.identify) {
      sharers := 0.U
      when(!s.oobGood) {
        io.map.req.valid := false.B
        state            := State.list
      }.elsewhen(io.map.req.ready)(state := State.named)
    }
    is(State.named)(when(io.map.resp.valid)(state := Mux(live, State.insert, State.list)))
    is(State.insert)(when(io.insert.ready)(state := State.list))
    is(State.list) {
      when(phase =/= Phase.judge && !s.copied) {
        io.list.valid := false.B
        state         := State.nextSlot
      }.elsewhen(io.list.ready)(state := State.sharer)
    }
    is(State.sharer) {
      when(io.sharer.valid) {
        when(found.endOfList) {
          io.sharer.ready := true.B
          state           := Mux(phase === Phase.judge, State.decide, State.nextSlot)
        }.elsewhen(!found.live) {
          io.sharer.ready := true.B
        }.elsewhen(phase === Phase.append) {
          io.sharer.ready := ownersTurn || io.append.entry.ready
        }.otherwise(state := State.ask)
      }
    }
    is(State.ask)(when(io.map.req.ready)(state := State.answer))
    is(State.answer) {
      when(io.map.resp.valid) {
        io.sharer.ready := true.B
        state           := State.sharer
        when(phase === Phase.judge) {
          io.drop := !live
          when(live) {
            sharers := sharers + 1.U
            when(sharers === 0.U) {
              s.owner  := found.index
              ownerLpn := found.lpn
              ownerSeq := found.seq
            }
          }
        }
      }
    }
    is(
      State.decide
    ) { // all candidates are dead, or the data is unreadable: did the last sharer leave, or do we not know it?
      when(sharers =/= 0.U && s.readOk) {
        io.map.req.valid := false.B
        s.shared         := sharers > 1.U
        state            := State.space
      }.elsewhen(io.map.req.ready)(state := State.recount)
    }
    is(State.recount) {
      when(io.map.resp.valid) {
        when(answer.count =/= 0.U)(lost := true.B)
        state := State.nextSlot
      }
    }

    // --- 3: programs
    is(State.space) {
      state := State.alloc
      when(!enough) {
        full  := true.B
        stop  := true.B
        lost  := true.B
        state := State.programming
      }
    }
    is(State.alloc) {
      when(io.alloc.valid) {
        to    := io.alloc.bits
        state := State.room
      }
    }
    is(State.room) {
      filler := !fits
      state  := State.program
      when(fits) {
        s.target    := to.slot
        s.copied    := true.B
        anyPromised := true.B
        promisedTo  := toSb
        promised    := wanted(p.chainEntryBits - 1, 0)
        segments    := io.capacity.segments
        when(!sameTarget)(segmentsBefore := segmentsBefore + segments)
      }
    }
    is(State.program)(when(io.nand.ready)(state := Mux(filler, State.alloc, State.nextSlot)))
    is(State.programming) {
      when(pending === 0.U) {
        firstOf(Phase.append)
        state := State.list
      }
    }

    // --- 4, 5: a walk over the lists of all copied slots each, by way of `list`
    is(State.nextSlot) {
      i     := i + 1.U
      state := Mux(phase === Phase.judge, State.identify, State.list)
      when(i === filled - 1.U) {
        switch(phase) {
          is(Phase.judge)(state   := State.programming)
          is(Phase.append)(state  := State.drain)
          is(Phase.repoint)(state := State.report)
        }
      }
    }
    is(State.drain) {
      when(io.append.drained) {
        firstOf(Phase.repoint)
        state := State.list
      }
    }
    is(State.report)(state := State.idle)
  }

  private val ends = state === State.nextSlot && phase === Phase.repoint && s.copied
  private val cas  = state === State.answer && io.map.resp.valid && phase === Phase.repoint
  io.event.moved       := ends
  io.event.movedShared := ends && s.shared
  io.event.repointed   := cas && answer.ok
  io.event.lostRace    := cas && !answer.ok
  io.waiting           := (Seq(State.reading, State.programming)
    .map(_ === state)
    .reduce(_ || _) && pending =/= 0.U && !io.nandDone.valid) ||
    (io.nand.valid && !io.nand.ready && !io.nandDone.valid) || (state === State.alloc && !io.alloc.valid)

  assert(!mine || pending =/= 0.U, "GcMover: NAND answers what nobody asked for")
  assert(!mine || done.buf >= p.gcBufBase.U && done.buf < (p.gcBufBase + n).U, "GcMover: a buffer that is not GC's")
  assert(!pending.andR, "GcMover: more NAND requests than it can count")
  assert(sharers <= p.k.refLimit.U, "GcMover: more sharers than a slot can have")
  assert(state =/= State.room || toSb =/= sb, "GcMover: the victim is its own target")
  assert(state =/= State.room || !fits || enough, "GcMover: more segments promised than there are")
  assert(!cas || pending === 0.U && io.append.drained, "GcMover: re-pointed before copy and entries are durable")
  assert(!io.drop || phase === Phase.judge, "GcMover: a sharer dropped after it was judged live")
  cover(
    state === State.recount && io.map.resp.valid && answer.count === 0.U,
    "GcMover: the last sharer left while its slot was read"
  )
  cover(state === State.recount && io.map.resp.valid && answer.count =/= 0.U, "GcMover: a slot that cannot be moved")
  cover(state === State.room && !fits, "GcMover: the target's chain is full")
  cover(state === State.space && !enough, "GcMover: too few free segments")
  cover(state === State.room && fits && anyPromised && !sameTarget, "GcMover: a batch with two targets")
  cover(state === State.alloc && !io.alloc.valid, "GcMover: waits for a slot")
  cover(io.nand.valid && !io.nand.ready, "GcMover: waits for a die")
  cover(appends && !io.append.entry.ready, "GcMover: waits for the remap table")
  cover(cas && !answer.ok, "GcMover: the host was faster")
  cover(mine && done.op === NandRequestOp.program && done.status =/= NandStatus.ok, "GcMover: a program failed")
}
