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
  * order. So if several pages fail, the command reports the first one in page order. References reserved after it are
  * given back one by one (`undo`), those before it in an extra pass.
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
  private val state                        = RegInit(State.clear)
  private val pass                         = Reg(Pass())
  private val cmd                          = Reg(new RemapDescriptor(p))
  private def in(passes: Pass.Type*): Bool = passes.map(pass === _).reduce(_ || _)

  // --- outcome
  private val result  = Reg(RemapResult())
  private val failed  = Reg(UInt(16.W)) // range
  private val pages   = Reg(UInt(32.W))
  private val failing = result =/= RemapResult.ok
  io.outcome.valid       := state === State.report
  io.outcome.bits.result := result
  io.outcome.bits.range  := failed
  io.outcome.bits.pages  := pages

  // ------------------------------------------------------------------ the page in hand, and what the first pass kept
  private class Kept extends Bundle {
    val mapped = Bool()
    val slot   = UInt(p.slotBits.W)
  }
  private val indexBits = log2Ceil(Formats.RemapPagesMax)
  private val streaming = state === State.stream
  private val take      = WireDefault(false.B)         // the page in hand is done with
  private val hand      = RegInit(0.U.asTypeOf(Valid(new RemapPage(p))))
  private val page      = hand.bits
  private val index     = Reg(UInt((indexBits + 1).W)) // of the page in hand, in the command
  private val arrived   = Reg(UInt((indexBits + 1).W)) // of the next one
  private val cursor    = Module(new RemapCursor(p))
  // Pages go from register to register: into a skid, to `next`, while the memory gives what was kept of the page, and
  // into the hand together with that.
  private class Numbered extends Bundle {
    val page  = new RemapPage(p)
    val index = UInt((indexBits + 1).W)
  }
  private val pageSkid  = Module(new Skid(new Numbered))
  private val next      = RegInit(0.U.asTypeOf(Valid(new RemapPage(p))))
  private val nextIndex = Reg(UInt((indexBits + 1).W))
  private val mayCome   = streaming || state === State.rewind
  private val comes     = next.valid && (!hand.valid || take) && mayCome
  private val fetches   = Reg(Bool())                  // the page in hand begins a line: it is fetched ahead (below)
  private val fetched   = WireDefault(false.B)         // now
  private val good      = Reg(UInt((indexBits + 1).W)) // pages before the failing one
  // When a pass has taken its last page, and another pass may follow, the cursor goes back at once. So the first page
  // of that pass is in `next` when the pass begins.
  private val goesBack = RegInit(false.B) // the last page was taken in the cycle before
  private val isBack   = RegInit(false.B) // the cursor has gone back for the next pass
  cursor.io.rewind := goesBack || state === State.rewind && !isBack
  cursor.io.load   := pass === Pass.check && !goesBack
  cursor.io.list   := cmd.list
  cursor.io.ranges := cmd.ranges
  cursor.io.stop   := state === State.giveUp
  io.dram <> cursor.io.dram
  pageSkid.io.in.valid      := cursor.io.page.valid
  pageSkid.io.in.bits.page  := cursor.io.page.bits
  pageSkid.io.in.bits.index := arrived
  cursor.io.page.ready      := pageSkid.io.in.ready
  private val waiting = pageSkid.io.out
  waiting.ready := !next.valid || comes || state === State.giveUp
  private val memory = SyncReadMem(Formats.RemapPagesMax, new Kept)
  private val read   =
    memory.read(Mux(waiting.fire, waiting.bits.index, nextIndex)(indexBits - 1, 0)) // stays while the page does
  private val kept    = Reg(new Kept)
  private val tooMany = Reg(Bool()) // the page in hand is bad, or one more than a command may have
  private val isGood  = Reg(Bool()) // it is the first one that the first pass did not accept
  when(take)(hand.valid := false.B)
  when(fetched)(fetches := false.B)
  // The two enables differ, or synthesis would take `kept` for the memory's own register, behind which the rules allow
  // less logic. Between two passes what is kept means nothing.
  when(comes || state === State.rewind)(kept.mapped := read.mapped)
  when(comes) {
    hand.valid := true.B
    hand.bits  := next.bits
    index      := nextIndex
    kept.slot  := read.slot
    tooMany    := next.bits.bad || nextIndex === Formats.RemapPagesMax.U
    isGood     := nextIndex === good
    fetches    := next.bits.first || next.bits.dst(log2Ceil(p.mapCache.lineBytes / 4) - 1, 0) === 0.U
    next.valid := false.B
  }
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
  when(state === State.rewind)(isBack := false.B)
  when(state === State.giveUp) {
    hand.valid := false.B
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
  import flight.{about, acted, acts, answer, answered, settled, undoing}
  map.req.bits    := DontCare
  map.req.bits.op := Mux(
    undoing || pass === Pass.release,
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
  map.req.bits.slot := Mux(undoing, flight.undoSlot, kept.slot)
  flight.keep(page, index)
  private val checked  = answered && pass === Pass.check && !about.undo
  private val reserved = checked && answer.mapped && answer.ok
  private val refused  = checked && Mux(answer.mapped, !answer.ok, !cmd.copy) // the first that is, counts
  flight.giveBack(reserved && failing)
  private val keeps = WireInit(0.U.asTypeOf(new Kept))
  keeps.mapped := answer.mapped
  keeps.slot   := answer.slot
  when(checked)(memory.write(about.index, keeps))

  // --- what the command needs
  private val needs    = new RemapNeeds(p, io.capacity)
  private val returned = acted && pass === Pass.release || io.append.entry.fire
  private val afresh   = state === State.idle || state === State.yielded // nothing is counted
  needs.counted.valid   := reserved && !failing || returned // behind a failure: `undo`, and nobody asks what was needed
  needs.counted.bits.sb := SlotAddress.superblock(p, Mux(pass === Pass.check, answer.slot, kept.slot))
  needs.counted.bits.back := pass =/= Pass.check
  needs.clearing          := state === State.clear
  needs.afresh            := afresh

  // --- prefetch. While entries go to NVRAM, the map unit fetches the first lines of the targets' mapping and of their
  // old slots' counts (MapOp.peek), so that the pass that changes them does not wait for DRAM. It stops at half the
  // cache.
  private val fetchAhead = p.mapCache.sets * p.mapCache.ways / 2 // later ones might push the first ones out again
  private val ahead      = Reg(UInt(log2Ceil(fetchAhead + 1).W)) // lines that were fetched in this pass
  private val mayFetch   = Reg(Bool())                           // there are less than `fetchAhead`
  fetched := acted && pass === Pass.append
  when(fetched) {
    ahead := ahead + 1.U
    when(ahead === (fetchAhead - 1).U)(mayFetch := false.B)
  }

  // --- trim records. A run of targets whose sources are unmapped (Copy) is one record, a source range of a MOVE is
  // one.
  private val runs      = new RemapRuns(indexBits + 1)
  private val gap       = Mux(pass === Pass.check, !answer.mapped, !kept.mapped)
  private val runBegins = runs.begins(gap, Mux(pass === Pass.check, about.first, page.first))
  private val runEnds   = runs.inside && (kept.mapped || page.first) // append pass, before the page in hand
  when(checked || take && pass === Pass.append)(runs.step(gap, runBegins, page.dst))
  private val trims = Reg(UInt(32.W)) // records that the command needs
  private val moves = take && pass === Pass.check && cmd.move && page.first
  when(afresh)(trims := 0.U).otherwise(trims := trims + (checked && runBegins) + moves)

  // Compared a cycle ahead, once all of it is counted. The locks keep the room.
  private val weighed = RegNext(state === State.room && needs.settled, false.B)
  private val fits    = RegNext(!needs.noRoom && needs.segments <= io.capacity.free) && RegNext(trims <= io.journalRoom)

  // --- the ports' payloads
  private val lastSeq  = Reg(UInt(p.seqBits.W))
  private val after    = Reg(State()) // where to go on when the trim record is durable
  private val recorded = Reg(Bool())  // MOVE: that of the page in hand is
  io.journal.req.valid      := state === State.journal || state === State.commit
  io.journal.req.bits.op    := Mux(state === State.commit, JournalOp.commit, JournalOp.trim)
  io.journal.req.bits.lpn   := Mux(pass === Pass.append, runs.first, page.src)
  io.journal.req.bits.pages := Mux(pass === Pass.append, runs.pages, page.left(indexBits, 0))
  io.journal.req.bits.seq   := Mux(state === State.commit, lastSeq, io.seq.next)
  io.journal.req.bits.gen   := DontCare
  io.journal.req.bits.epoch := DontCare
  io.journal.req.bits.set   := DontCare

  private val appending = streaming && hand.valid && pass === Pass.append && !runEnds && kept.mapped
  io.append.entry.valid       := appending
  io.append.entry.bits.sb     := SlotAddress.superblock(p, kept.slot)
  io.append.entry.bits.offset := SlotAddress.offset(p, kept.slot)
  io.append.entry.bits.lpn    := page.dst
  io.append.entry.bits.seq    := io.seq.next

  io.seq.take := io.append.entry.fire || (state === State.journal && io.journal.req.fire)
  when(io.seq.take)(lastSeq := io.seq.next)

  // --- locks: shareLock, then mapLock
  private val holds = RegInit(false.B) // from `lockShare` to the end
  io.shareLock.want := holds
  io.mapLock.want   := holds && state =/= State.lockShare
  private val fencing = RegInit(false.B) // a fence cannot be given up
  private val yields  = RegInit(false.B) // the command begins anew when its reservations have been given back
  io.fence.req := fencing
  when(io.fence.done)(fencing := false.B)

  // ------------------------------------------------------------------ the order of things
  private def begin(which: Pass.Type): Unit = {
    pass        := which
    runs.inside := false.B
    state       := State.rewind
  }
  private def finish(): Unit = {
    holds := false.B
    state := Mux(yields, State.yielded, State.report)
  }

  io.start.ready := state === State.idle
  switch(state) {
    is(State.clear) { // after reset
      when(needs.cleared)(state := State.idle)
    }
    is(State.idle) {
      when(io.start.fire) {
        cmd    := io.start.bits
        result := RemapResult.ok
        failed := 0.U
        pages  := 0.U
        when(io.start.bits.ranges === 0.U) {
          state := State.report
        }.otherwise {
          holds := true.B
          state := State.lockShare
        }
      }
    }
    is(State.lockShare)(when(io.shareLock.granted)(state := State.lockMap))
    is(State.lockMap)(when(io.mapLock.granted)(begin(Pass.check)))

    is(State.rewind) {
      recorded := false.B
      mayFetch := true.B
      ahead    := 0.U
      state    := State.stream
    }
    is(State.stream) {
      when(hand.valid) {
        switch(pass) {
          is(Pass.check) {
            // Answers to the pages before may still name an earlier failure.
            when(tooMany) {
              when(settled && !failing) {
                result := RemapResult.internal
                failed := page.range
                good   := index
                state  := State.giveUp
              }
            }.otherwise {
              acts := !failing
              take := acted
            }
          }
          is(Pass.release) {
            acts := !isGood && kept.mapped
            take := acted || !kept.mapped
            when(isGood)(state := State.giveUp)
          }
          is(Pass.append) {
            acts := fetches && mayFetch
            take := !runEnds && (!kept.mapped || io.append.entry.ready)
            when(runEnds) {
              after := State.stream
              state := State.journal
            }
          }
          is(Pass.trimMoved) {
            take := !page.first || recorded
            when(page.first && !recorded) {
              after := State.stream
              state := State.journal
            }
          }
          is(Pass.link, Pass.unmap) {
            acts := true.B
            take := acted
          }
        }
        when(take) {
          recorded := false.B
          when(page.endOfList) {
            state    := State.endPass
            goesBack := !in(Pass.release, Pass.unmap) && (pass =/= Pass.link || cmd.move)
          }
        }
      }
      when(failing && pass === Pass.check) {
        state    := State.giveUp
        goesBack := false.B
      }
    }
    is(State.endPass) {
      when(settled) {
        switch(pass) {
          is(Pass.check) {
            when(!failing) {
              good  := index + 1.U
              state := State.room
            }
          }
          is(Pass.release)(finish())
          is(Pass.append) {
            when(runs.inside) {
              after := State.endPass
              state := State.journal
            }.elsewhen(cmd.move)(begin(Pass.trimMoved)).otherwise(state := State.drain)
          }
          is(Pass.trimMoved)(state := State.drain)
          is(Pass.link)(when(cmd.move)(begin(Pass.unmap)).otherwise(finish()))
          is(Pass.unmap)(finish())
        }
      }
      when(failing && pass === Pass.check)(state := State.giveUp)
    }
    // The pass ends before its list does.
    is(State.giveUp) {
      when(settled && cursor.io.idle && !waiting.valid) {
        when(pass === Pass.check)(begin(Pass.release)).otherwise(finish())
      }
    }

    is(State.journal)(when(io.journal.req.ready)(state := State.journaled))
    is(State.journaled) {
      when(io.journal.done) {
        runs.inside := false.B
        recorded    := true.B
        state       := after
      }
    }

    is(State.room) {
      when(weighed) {
        when(fits) {
          state   := State.fence
          fencing := true.B
        }.otherwise {
          result := RemapResult.nvramFull
          begin(Pass.release)
        }
      }
    }
    is(State.fence) {
      when(io.fence.done)(begin(Pass.append)).elsewhen(io.unsaved) {
        yields := true.B
        begin(Pass.release)
      }
    }
    is(State.yielded) {
      when(!fencing && !io.unsaved) {
        yields := false.B
        holds  := true.B
        state  := State.lockShare
      }
    }
    is(State.drain)(when(io.append.drained)(state := State.commit))
    is(State.commit)(when(io.journal.req.ready)(state := State.committed))
    is(State.committed)(when(io.journal.done)(begin(Pass.link)))
    is(State.report)(state := State.idle)
  }
  when(refused && !failing) {
    result := Mux(answer.mapped, RemapResult.sharerLimit, RemapResult.unmapped)
    failed := about.range
    good   := about.index
  }
  private val shows = acted && pass === Pass.link
  pages := Mux(state === State.idle, 0.U, pages + (shows || answered && pass === Pass.unmap && answer.mapped))

  io.event.linked         := RegNext(shows && kept.mapped, false.B)
  io.event.stallFence     := state === State.fence || state === State.yielded
  io.event.stallShareLock := state === State.lockShare && !io.shareLock.granted
  private val waits = (state === State.idle && !io.start.valid && !io.event.linked) ||
    (state === State.lockShare && !io.shareLock.granted) || (state === State.lockMap && !io.mapLock.granted) ||
    (state === State.fence && !io.fence.done && !io.unsaved) ||
    (state === State.yielded && (fencing && !io.fence.done || !fencing && io.unsaved))
  quiet := waits && cursor.io.still && pageSkid.quiet && !waiting.fire && mapSkid.quiet && flight.quiet

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
    state =/= State.commit || io.append.drained,
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
  cover(appending && !io.append.entry.ready, "RemapEngine: waits for the remap table")
  cover(state === State.drain && !io.append.drained, "RemapEngine: waits for NVRAM")
  cover(state === State.journal && after === State.stream, "RemapEngine: a run of unmapped sources ends inside a list")
  cover(acts && !map.req.ready, "RemapEngine: waits for the map unit")
  cover(state === State.rewind && isBack && next.valid, "RemapEngine: a pass finds its first page")
  cover(state === State.rewind && isBack && !next.valid, "RemapEngine: a pass begins while the cursor goes back")
  cover(state === State.giveUp && isBack, "RemapEngine: the cursor has gone back for nothing")
  cover(undoing, "RemapEngine: a reference was reserved behind a failure")
  RemapResult.all.foreach(r => cover(state === State.report && result === r, s"RemapEngine: outcome $r"))
}
