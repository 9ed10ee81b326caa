// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Executes one remap command: all of it or nothing.
  *
  * Steps: 1 take shareLock, then mapLock. 2 first pass: every source must be mapped; one reference is reserved for each
  * target; entries and trim records are counted per superblock; after a failure the reservations are given back. 3
  * check for room in chains and journal. 4 wait until the sources are programmed. 5 append entries and trim records;
  * wait until they are durable. 6 write the commit pointer. 7 second pass: link the targets (MOVE: unmap the sources).
  * 8 release the locks.
  *
  * If a host program fails while the command waits for it (4), WriteEngine programs the page again, for which it needs
  * the mapLock. So the command gives its reservations and the locks back, waits until that is over, and starts again.
  *
  * Nothing can fail after step 4. No mapping changes under the two locks, because GC and the host need one of them. So
  * later passes take the slots that the first pass kept on chip, and reserved references, segments and journal records
  * stay reserved.
  *
  * The needs of each chain are counted while references are reserved (RemapNeeds), so step 3 is one comparison.
  *
  * A pass is a stream: cursor -> page in hand -> request to the map unit, with many requests under way. Answers come in
  * order. So if several pages fail, the command reports the first one in page order. All references that were reserved,
  * before and after it, are given back in an extra pass, which also finds the range of the page that failed.
  *
  * Timing: what a port says leaves a register, and so does what the passes begin with: the step, whether requests are
  * under way, and what is known of the page in hand.
  */
class RemapEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val start       = Flipped(Decoupled(new RemapDescriptor(p)))
    val outcome     = Valid(new RemapOutcome(p))
    val dram        = new AxiRead(AxiParams(p.dramAddrBits))
    val map         = new MapPort(p)
    val append      = new RemapAppendPort(p)
    val capacity    = new RemapCapacityPort(p)
    val journal     = new JournalPort(p)
    val journalRoom = Input(UInt((log2Ceil(p.k.journalRecords) + 1).W))
    val seq         = new SeqPort(p)
    val fence       = new FencePort
    val unsaved     = Input(Bool()) // the mapping names a slot whose program failed (WriteEngine)
    val shareLock   = new LockPort
    val mapLock     = new LockPort
    val event       = Output(new Bundle { val linked = Bool(); val stallFence = Bool(); val stallShareLock = Bool() })
  })

  private val State = RemapState
  private object Pass extends ChiselEnum {
    val check     = Value // reserve a reference for each target, count what the command needs
    val release   = Value // give the reservations back
    val append    = Value // entries of the targets, trim records of targets of unmapped sources
    val trimMoved = Value // MOVE: trim records of the sources
    val link      = Value // show the targets' new mapping
    val unmap     = Value // MOVE: drop the sources
  }
  private val state = RegInit(State.clear)
  private val step  = WireDefault(state) // the next one
  private val pass  = Reg(Pass())
  private val cmd   = Reg(new RemapDescriptor(p))
  state := step

  /** It is in one of these steps, as a register: many paths begin here. */
  private def now(steps: RemapState.Type*): Bool = {
    val inStep = RegNext(steps.map(step === _).reduce(_ || _), false.B)
    assert(inStep === steps.map(state === _).reduce(_ || _), "RemapEngine: which step it is in")
    inStep
  }
  private def in(passes: Pass.Type*): Bool = passes.map(pass === _).reduce(_ || _)

  // --- outcome
  private val result   = Reg(RemapResult())
  private val failed   = Reg(UInt(16.W))  // range
  private val pages    = Reg(UInt(32.W))
  private val failing  = RegInit(false.B) // result is not ok
  private val refusing = RegInit(false.B) // and that became known in the first pass, which is not over
  private val refusal = Reg(UInt((log2Ceil(Formats.RemapPagesMax) + 1).W)) // the first page that the map unit refused,
  private val seeks   = RegInit(false.B)                                   // whose range is not known yet
  assert(
    state === State.clear || state === State.idle || failing === (result =/= RemapResult.ok),
    "RemapEngine: failing"
  )
  io.outcome.valid       := now(State.report)
  io.outcome.bits.result := result
  io.outcome.bits.range  := failed
  io.outcome.bits.pages  := pages

  // ------------------------------------------------------------------ the page in hand, and what the first pass kept
  private class Kept extends Bundle {
    val mapped = Bool()
    val slot   = UInt(p.slotBits.W)
  }
  private val indexBits = log2Ceil(Formats.RemapPagesMax)
  private val streaming = now(State.stream)
  private val take      = WireDefault(false.B)         // the page in hand is done with
  private val arrived   = Reg(UInt((indexBits + 1).W)) // of the next one
  private val cursor    = Module(new RemapCursor(p))
  // Pages go from register to register: into a skid, to `next`, while the memory gives what was kept of the page, and
  // into the hand together with that. The hand is a skid, too: whether a page is taken is known late.
  private class Numbered extends Bundle {
    val page  = new RemapPage(p)
    val index = UInt((indexBits + 1).W)
  }
  private val pageSkid  = Module(new Skid(new Numbered))
  private val next      = RegInit(0.U.asTypeOf(Valid(new RemapPage(p))))
  private val nextIndex = Reg(UInt((indexBits + 1).W))
  private class Loaded extends Bundle {
    val page    = new RemapPage(p)
    val index   = UInt((indexBits + 1).W) // in the command
    val kept    = new Kept
    val asks    = Bool()                  // the pass needs a request for it
    val ahead   = Bool()                  // it begins a line, which is fetched ahead (below)
    val tooMany = Bool()                  // it is bad, or one more than a command may have
    val beyond  = Bool()                  // the first one of which nothing was asked in the first pass
    val refused = Bool()                  // the first one that the map unit refused
  }
  private val handSkid = Module(new Skid(new Loaded))
  private val hand     = handSkid.io.out
  private val page     = hand.bits.page
  private val index    = hand.bits.index
  private val kept     = hand.bits.kept
  private val mayCome  = now(State.stream, State.rewind)
  private val givesUp  = now(State.giveUp)
  private val comes    = next.valid && handSkid.io.in.ready && mayCome
  private val fetches  = RegInit(false.B)             // the line of the page in hand has been asked for
  private val fetched  = WireDefault(false.B)         // now
  private val mayFetch = Reg(Bool())                  // less than `fetchAhead` have been, a cycle late
  private val asked    = Reg(UInt((indexBits + 1).W)) // pages that the first pass asked for
  // When a pass has taken its last page, and another pass may follow, the cursor goes back at once. So the first page
  // of that pass is in `next` when the pass begins.
  private val goesBack = RegInit(false.B) // the last page was taken in the cycle before
  private val isBack   = RegInit(false.B) // the cursor has gone back for the next pass
  private val rewinds  = now(State.rewind)
  cursor.io.rewind := goesBack || rewinds && !isBack
  cursor.io.load   := pass === Pass.check && !goesBack
  cursor.io.list   := cmd.list
  cursor.io.ranges := cmd.ranges
  cursor.io.stop   := givesUp
  io.dram <> cursor.io.dram
  pageSkid.io.in.valid      := cursor.io.page.valid
  pageSkid.io.in.bits.page  := cursor.io.page.bits
  pageSkid.io.in.bits.index := arrived
  cursor.io.page.ready      := pageSkid.io.in.ready
  private val waiting = pageSkid.io.out
  waiting.ready := !next.valid || comes || givesUp
  private val memory = SyncReadMem(Formats.RemapPagesMax, new Kept)
  private val read   =
    memory.read(Mux(waiting.fire, waiting.bits.index, nextIndex)(indexBits - 1, 0)) // stays while the page does
  handSkid.io.in.valid      := next.valid && mayCome
  handSkid.io.in.bits.page  := next.bits
  handSkid.io.in.bits.index := nextIndex
  handSkid.io.in.bits.kept  := read
  handSkid.io.in.bits.asks  := in(Pass.link, Pass.unmap) || pass === Pass.check && !handSkid.io.in.bits.tooMany ||
    pass === Pass.release && !handSkid.io.in.bits.beyond && read.mapped
  handSkid.io.in.bits.ahead := pass === Pass.append &&
    (next.bits.first || next.bits.dst(log2Ceil(p.mapCache.lineBytes / 4) - 1, 0) === 0.U)
  handSkid.io.in.bits.tooMany := next.bits.bad || nextIndex === Formats.RemapPagesMax.U
  handSkid.io.in.bits.beyond  := nextIndex === asked
  handSkid.io.in.bits.refused := nextIndex === refusal && seeks
  hand.ready                  := take || givesUp
  when(hand.fire)(fetches := false.B).elsewhen(fetched)(fetches := true.B)
  when(comes)(next.valid                                        := false.B)
  when(waiting.fire) {
    next.valid := true.B
    next.bits  := waiting.bits.page
    nextIndex  := waiting.bits.index
  }
  when(cursor.io.rewind)(arrived := 0.U).elsewhen(cursor.io.page.fire)(arrived := arrived + 1.U)
  when(goesBack) {
    goesBack := false.B
    isBack   := true.B
  }
  when(rewinds)(isBack := false.B)
  when(givesUp) {
    next.valid := false.B
    goesBack   := false.B
    isBack     := false.B
  }

  // ------------------------------------------------------------------ requests under way
  private val mapSkid = Module(new Skid(new MapRequest(p))) // a border: in the order of the requests
  private val map     = Wire(new MapPort(p))
  mapSkid.io.in <> map.req
  io.map.req <> mapSkid.io.out
  map.resp <> io.map.resp
  private val flight = new RemapInFlight(p, map, indexBits)
  import flight.{acted, acts, answer, answered, settled}
  acts            := streaming && hand.valid && (hand.bits.asks && !refusing || hand.bits.ahead && !fetches && mayFetch)
  map.req.bits    := DontCare
  map.req.bits.op := Mux(
    pass === Pass.release,
    MapOp.release,
    MuxLookup(pass, MapOp.share)(
      Seq(
        Pass.append -> MapOp.peek,
        Pass.link   -> Mux(kept.mapped, MapOp.link, MapOp.unmap),
        Pass.unmap  -> MapOp.unmap
      )
    )
  )
  map.req.bits.lpn  := Mux(in(Pass.append, Pass.link), page.dst, page.src)
  map.req.bits.slot := kept.slot
  flight.keep(page.first)
  private val checked  = answered && pass === Pass.check
  private val reserved = checked && answer.mapped && answer.ok
  private val refused  = checked && Mux(answer.mapped, !answer.ok, !cmd.copy) // the first that is, counts
  // What was reserved is kept, behind a failure, too. It is written a cycle later, which is before a pass can read it.
  private val keeps   = Wire(new Kept)
  private val keepsAt = RegNext(flight.index)
  private val kepts   = RegNext(keeps)
  private val writes  = RegNext(checked, false.B)
  keeps.mapped := answer.mapped && answer.ok
  keeps.slot   := answer.slot
  when(writes)(memory.write(keepsAt, kepts))

  // --- entries, behind a border
  private val appendSkid = Module(new Skid(new ChainEntry(p)))
  private val append     = appendSkid.io.in
  io.append.entry <> appendSkid.io.out

  // --- what the command needs
  private val needs    = new RemapNeeds(p, io.capacity)
  private val returned = acted && pass === Pass.release || append.fire
  private val afresh   = state === State.idle || state === State.yielded // nothing is counted
  needs.counted.valid     := reserved || RegNext(returned, false.B)
  needs.counted.bits.sb   := SlotAddress.superblock(p, Mux(pass === Pass.check, answer.slot, RegNext(kept.slot)))
  needs.counted.bits.back := pass =/= Pass.check
  needs.clearing          := state === State.clear
  needs.afresh            := afresh

  // --- prefetch. While entries go to NVRAM, the map unit fetches the first lines of the targets' mapping and of their
  // old slots' counts (MapOp.peek), so that the pass that changes them does not wait for DRAM. It stops at half the
  // cache.
  private val fetchAhead = p.mapCache.sets * p.mapCache.ways / 2 // later ones might push the first ones out again
  private val ahead      = Reg(UInt(log2Ceil(fetchAhead + 1).W)) // lines that were fetched in this pass
  fetched := acted && pass === Pass.append
  when(RegNext(fetched, false.B)) {
    ahead := ahead + 1.U
    when(ahead === (fetchAhead - 1).U)(mayFetch := false.B)
  }

  // --- trim records. A run of targets whose sources are unmapped (Copy) is one record, a source range of a MOVE is
  // one.
  private val runs    = new RemapRuns(indexBits + 1)
  private val runEnds = runs.inside && (kept.mapped || page.first) // append pass, before the page in hand
  when(take && pass === Pass.append)(runs.step(!kept.mapped, runs.begins(!kept.mapped, page.first), page.dst))
  // How many there will be is counted as the answers come, a cycle late.
  private val trims = Reg(UInt(32.W)) // records that the command needs
  private val inGap = Reg(Bool())     // the last page that was answered was unmapped
  private val begun = RegNext(checked && !answer.mapped && (!inGap || flight.first), false.B)
  private val moves = RegNext(take && pass === Pass.check && cmd.move && page.first, false.B)
  when(checked)(inGap := !answer.mapped)
  when(afresh) {
    trims := 0.U
    inGap := false.B
  }.otherwise(trims := trims + begun + moves)

  // Compared a cycle ahead, once all of it is counted. The locks keep the room.
  private val weighed = RegNext(now(State.room) && needs.settled, false.B)
  private val fits    = RegNext(!needs.noRoom && needs.segments <= io.capacity.free) && RegNext(trims <= io.journalRoom)

  // --- the ports' payloads
  // The engine counts for itself, and the counter follows a cycle later: nobody else draws under the mapLock.
  private val nextSeq  = Reg(UInt(p.seqBits.W))
  private val lastSeq  = Reg(UInt(p.seqBits.W))
  private val after    = Reg(State()) // where to go on when the trim record is durable
  private val recorded = Reg(Bool())  // MOVE: that of the page in hand is
  // What a record says has been the same for a cycle when it is asked for.
  private val commits = now(State.commit)
  io.journal.req.valid      := now(State.journal, State.commit)
  io.journal.req.bits.op    := Mux(commits, JournalOp.commit, JournalOp.trim)
  io.journal.req.bits.lpn   := RegNext(Mux(pass === Pass.append, runs.first, page.src))
  io.journal.req.bits.pages := RegNext(Mux(pass === Pass.append, runs.pages, page.left(indexBits, 0)))
  io.journal.req.bits.seq   := RegNext(Mux(now(State.drain, State.commit), lastSeq, nextSeq))
  io.journal.req.bits.gen   := DontCare
  io.journal.req.bits.epoch := DontCare
  io.journal.req.bits.set   := DontCare

  private val appending = streaming && hand.valid && pass === Pass.append && !runEnds && kept.mapped
  append.valid       := appending
  append.bits.sb     := SlotAddress.superblock(p, kept.slot)
  append.bits.offset := SlotAddress.offset(p, kept.slot)
  append.bits.lpn    := page.dst
  append.bits.seq    := nextSeq
  private val drained = io.append.drained && !appendSkid.io.out.valid

  private val draws = append.fire || now(State.journal) && io.journal.req.ready
  io.seq.take := RegNext(draws, false.B)
  when(pass === Pass.check)(nextSeq := io.seq.next).elsewhen(draws)(nextSeq := nextSeq + 1.U)
  when(draws)(lastSeq                                                       := nextSeq)
  assert(
    !io.seq.take && !draws || nextSeq === io.seq.next + io.seq.take,
    "RemapEngine: somebody else has drawn a seq"
  )

  // --- locks: shareLock, then mapLock
  private val holds    = RegInit(false.B) // from `lockShare` to the end
  private val holdsMap = RegInit(false.B) // from `lockMap` to the end
  io.shareLock.want := holds
  io.mapLock.want   := holdsMap
  private val fencing = RegInit(false.B) // a fence cannot be given up
  private val unsaved = RegNext(io.unsaved, false.B)
  private val yields  = RegInit(false.B) // the command begins anew when its reservations have been given back
  io.fence.req := fencing
  when(io.fence.done)(fencing := false.B)

  // ------------------------------------------------------------------ the order of things
  private def begin(which: Pass.Type): Unit = {
    pass        := which
    runs.inside := false.B
    step        := State.rewind
    refusing    := false.B
    flight.begin()
  }
  private def finish(): Unit = {
    holds    := false.B
    holdsMap := false.B
    step     := Mux(yields, State.yielded, State.report)
  }

  io.start.ready := now(State.idle)
  switch(state) {
    is(State.clear) { // after reset
      when(needs.cleared)(step := State.idle)
    }
    is(State.idle) {
      when(io.start.fire) {
        cmd      := io.start.bits
        result   := RemapResult.ok
        failing  := false.B
        refusing := false.B
        seeks    := false.B
        failed   := 0.U
        pages    := 0.U
        when(io.start.bits.ranges === 0.U) {
          step := State.report
        }.otherwise {
          holds := true.B
          step  := State.lockShare
        }
      }
    }
    is(State.lockShare) {
      when(io.shareLock.granted) {
        holdsMap := true.B
        step     := State.lockMap
      }
    }
    is(State.lockMap) {
      asked := 0.U
      when(io.mapLock.granted)(begin(Pass.check))
    }

    is(State.rewind) {
      recorded := false.B
      mayFetch := true.B
      ahead    := 0.U
      step     := State.stream
    }
    is(State.stream) {
      when(hand.valid) {
        switch(pass) {
          is(Pass.check) {
            // Answers to the pages before may still name an earlier failure.
            when(hand.bits.tooMany) {
              when(settled && !failing) {
                result   := RemapResult.internal
                failing  := true.B
                refusing := true.B
                failed   := page.range
                step     := State.giveUp
              }
            }.otherwise(take  := acted)
            when(acted)(asked := index + 1.U)
          }
          is(Pass.release) {
            take := acted || !kept.mapped
            when(hand.bits.beyond)(step := State.giveUp)
            when(hand.bits.refused) {
              failed := page.range
              seeks  := false.B
            }
          }
          is(Pass.append) {
            take := !runEnds && (!kept.mapped || append.ready)
            when(runEnds) {
              after := State.stream
              step  := State.journal
            }
          }
          is(Pass.trimMoved) {
            take := !page.first || recorded
            when(page.first && !recorded) {
              after := State.stream
              step  := State.journal
            }
          }
          is(Pass.link, Pass.unmap) {
            take := acted
          }
        }
        when(take) {
          recorded := false.B
          when(page.endOfList) {
            step     := State.endPass
            goesBack := !in(Pass.release, Pass.unmap) && (pass =/= Pass.link || cmd.move)
          }
        }
      }
      when(failing && pass === Pass.check) {
        step     := State.giveUp
        goesBack := false.B
      }
    }
    is(State.endPass) {
      when(settled) {
        switch(pass) {
          is(Pass.check) {
            when(!failing)(step := State.room)
          }
          is(Pass.release)(finish())
          is(Pass.append) {
            when(runs.inside) {
              after := State.endPass
              step  := State.journal
            }.elsewhen(cmd.move)(begin(Pass.trimMoved)).otherwise(step := State.drain)
          }
          is(Pass.trimMoved)(step := State.drain)
          is(Pass.link)(when(cmd.move)(begin(Pass.unmap)).otherwise(finish()))
          is(Pass.unmap)(finish())
        }
      }
      when(failing && pass === Pass.check)(step := State.giveUp)
    }
    // The pass ends before its list does.
    is(State.giveUp) {
      when(settled && cursor.io.idle && !waiting.valid && !hand.valid) {
        when(pass === Pass.check)(begin(Pass.release)).otherwise(finish())
      }
    }

    is(State.journal)(when(io.journal.req.ready)(step := State.journaled))
    is(State.journaled) {
      when(io.journal.done) {
        runs.inside := false.B
        recorded    := true.B
        step        := after
      }
    }

    is(State.room) {
      when(weighed) {
        when(fits) {
          step    := State.fence
          fencing := true.B
        }.otherwise {
          result  := RemapResult.nvramFull
          failing := true.B
          begin(Pass.release)
        }
      }
    }
    is(State.fence) {
      when(io.fence.done)(begin(Pass.append)).elsewhen(unsaved) {
        yields := true.B
        begin(Pass.release)
      }
    }
    is(State.yielded) {
      when(!fencing && !unsaved) {
        yields := false.B
        holds  := true.B
        step   := State.lockShare
      }
    }
    is(State.drain)(when(drained)(step := State.commit))
    is(State.commit)(when(io.journal.req.ready)(step := State.committed))
    is(State.committed)(when(io.journal.done)(begin(Pass.link)))
    is(State.report)(step := State.idle)
  }
  when(refused && !failing) {
    result   := Mux(answer.mapped, RemapResult.sharerLimit, RemapResult.unmapped)
    failing  := true.B
    refusing := true.B
    refusal  := flight.index
    seeks    := true.B
  }
  private val shows   = acted && pass === Pass.link
  private val changed = RegNext(shows || answered && pass === Pass.unmap && answer.mapped, false.B)
  pages := Mux(now(State.idle), 0.U, pages + changed)

  io.event.linked         := RegNext(shows && kept.mapped, false.B)
  io.event.stallFence     := RegNext(state === State.fence || state === State.yielded, false.B)
  io.event.stallShareLock := RegNext(state === State.lockShare && !io.shareLock.granted, false.B)
  private val waits = (state === State.idle && !io.start.valid && !io.event.asUInt.orR) ||
    (state === State.lockShare && !io.shareLock.granted && io.event.stallShareLock) ||
    (state === State.lockMap && !io.mapLock.granted && !io.event.stallShareLock) ||
    (state === State.fence && !io.fence.done && !io.unsaved && !unsaved && io.event.stallFence) ||
    (state === State.yielded && io.event.stallFence && unsaved === io.unsaved &&
      (fencing && !io.fence.done || !fencing && io.unsaved))
  quiet := waits && cursor.io.still && pageSkid.quiet && !waiting.fire && handSkid.quiet &&
    mapSkid.quiet && appendSkid.quiet && flight.quiet

  // --- invariants
  Transitions("RemapEngine", state, State, State.clear)(State.transitions: _*)
  private val ownsBoth = io.shareLock.granted && io.mapLock.granted && holds
  assert(!io.seq.take || ownsBoth, "RemapEngine: a seq drawn without the locks")
  assert(!map.req.fire || ownsBoth, "RemapEngine: the mapping used without the locks")
  assert(!answered || ownsBoth, "RemapEngine: the locks were released before the mapping answered")
  assert(
    !(streaming && hand.valid && pass === Pass.append && !kept.mapped && !cmd.copy),
    "RemapEngine: a source was unmapped under the locks"
  )
  assert(state =/= State.idle || needs.none, "RemapEngine: a need is left over from the last command")
  assert(
    state =/= State.commit || drained,
    "RemapEngine: the commit pointer moves before the entries are durable"
  )
  assert(!map.req.fire || map.req.bits.lpn < p.lpns.U || in(Pass.release), "RemapEngine: an LPN out of bounds")
  assert(
    state =/= State.rewind || settled && !hand.valid && (isBack || !next.valid && !waiting.valid),
    "RemapEngine: a pass begins before the last one has ended"
  )
  assert(!goesBack || !next.valid && !waiting.valid, "RemapEngine: pages follow the last one")
  assert(
    !isBack || state === State.rewind || !hand.valid && !streaming,
    "RemapEngine: the cursor goes back in the middle of a pass"
  )
  assert(state =/= State.idle || !isBack && !goesBack, "RemapEngine: pages of a command that is over")
  cover(state === State.lockShare && !io.shareLock.granted, "RemapEngine: waits for GC")
  cover(state === State.lockMap && !io.mapLock.granted, "RemapEngine: waits for a write or trim")
  cover(state === State.fence && !io.fence.done, "RemapEngine: waits for a source to be programmed")
  cover(
    state === State.yielded && fencing,
    "RemapEngine: gives the locks back while its fence waits for a page to be saved"
  )
  cover(state === State.yielded && io.unsaved, "RemapEngine: waits until all pages have been saved")
  cover(appending && !append.ready, "RemapEngine: waits for the remap table")
  cover(state === State.drain && !drained, "RemapEngine: waits for NVRAM")
  cover(state === State.journal && after === State.stream, "RemapEngine: a run of unmapped sources ends inside a list")
  cover(acts && !map.req.ready, "RemapEngine: waits for the map unit")
  cover(state === State.rewind && isBack && next.valid, "RemapEngine: a pass finds its first page")
  cover(state === State.rewind && isBack && !next.valid, "RemapEngine: a pass begins while the cursor goes back")
  cover(state === State.giveUp && isBack, "RemapEngine: the cursor has gone back for nothing")
  cover(reserved && failing, "RemapEngine: a reference was reserved behind a failure")
  RemapResult.all.foreach(r => cover(state === State.report && result === r, s"RemapEngine: outcome $r"))
}
