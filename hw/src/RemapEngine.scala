// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object RemapResult extends ChiselEnum {
  val ok, unmapped, sharerLimit, nvramFull, internal = Value
}

/** The list in DRAM: `ranges` records of Formats.RemapRange, checked by firmware (bounds, overlap, lengths). */
class RemapDescriptor(val p: Params) extends Bundle {
  val list   = UInt(p.dramAddrBits.W)
  val ranges = UInt(16.W)
  val move   = Bool() // MOVE: sources become unmapped
  val copy   = Bool() // NVMe Copy: an unmapped source makes its target unmapped instead of failing
}

class RemapOutcome(val p: Params) extends Bundle {
  val result = RemapResult()
  val range  = UInt(16.W) // unmapped, sharerLimit, internal: the range that failed
  val pages  = UInt(32.W) // LPNs whose mapping changed: targets, and sources that became unmapped
}

/** Executes one remap command: all of it or nothing.
  *
  * 1 take shareLock, mapLock. 2 first pass: every source mapped, one reference reserved for each target, entries and
  * trim records counted per superblock; on failure the reservations are given back. 3 room in chains and journal. 4
  * wait until the sources are programmed. 5 append entries and trim records; wait until durable. 6 commit pointer. 7
  * second pass: link the targets (MOVE: unmap the sources). 8 release the locks.
  *
  * Nothing can fail after step 3: no mapping changes under the two locks (GC's and the host's need one of them), so
  * later passes find what the first found, and reserved references, segments and journal records stay reserved.
  */
class RemapEngine(p: Params) extends Module {
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
    val shareLock   = new LockPort
    val mapLock     = new LockPort
    val quiet       = Output(Bool())
    val event       = Output(new Bundle { val linked = Bool(); val stallFence = Bool(); val stallShareLock = Bool() })
  })

  private object State extends ChiselEnum {
    val clear, idle, lockShare, lockMap, page, lookup, looked, act, acted, next, endPass, journal, journaled, sweep,
        fence, drain, commit, committed, report = Value
  }
  private object Pass extends ChiselEnum {
    val check     = Value // reserve a reference for each target, count what the command needs
    val release   = Value // give the reservations back
    val append    = Value // entries of the targets, trim records of targets of unmapped sources
    val trimMoved = Value // MOVE: trim records of the sources
    val link      = Value // show the targets' new mapping
    val unmap     = Value // MOVE: drop the sources
  }
  private val state = RegInit(State.clear)
  private val pass  = Reg(Pass())
  private val cmd   = Reg(new RemapDescriptor(p))

  // --- outcome
  private val result = Reg(RemapResult())
  private val failed = Reg(UInt(16.W)) // range
  private val pages  = Reg(UInt(32.W))
  io.outcome.valid       := state === State.report
  io.outcome.bits.result := result
  io.outcome.bits.range  := failed
  io.outcome.bits.pages  := pages

  // --- the page in hand stays on the cursor's offer until it is done
  private val cursor = Module(new RemapCursor(p))
  private val page   = cursor.io.page.bits
  private val count  = Reg(UInt(32.W)) // pages done in this pass
  private val good   = Reg(UInt(32.W)) // pages that the check pass reserved for
  private val mapped = Reg(Bool())     // the source in hand
  private val slot   = Reg(UInt(p.slotBits.W))
  cursor.io.rewind     := false.B
  cursor.io.list       := cmd.list
  cursor.io.ranges     := cmd.ranges
  cursor.io.page.ready := state === State.next
  io.dram <> cursor.io.dram

  // --- what the command needs. Entries by superblock; all zero between commands: the sweep clears as it reads.
  private val needBits = p.chainEntryBits + 1
  private val need     = Mem(p.superblocks, UInt(needBits.W))
  private val sb       = RegInit(0.U(p.sbBits.W)) // of the sweep
  private val segments = Reg(UInt((p.sbBits + p.chainSegBits).W))
  private val trims    = Reg(UInt(32.W))
  private val noRoom   = Reg(Bool())
  private val slotSb   = SlotAddress.superblock(p, slot)
  private val needNow  = need(Mux(state === State.sweep, sb, slotSb))
  private val needMore = WireDefault(false.B)     // one more entry for the slot in hand
  private val sweeps   = state === State.sweep || state === State.clear
  when(needMore || sweeps)(need.write(Mux(sweeps, sb, slotSb), Mux(sweeps, 0.U, needNow + !needNow.andR)))
  io.capacity.sb      := sb
  io.capacity.entries := needNow(p.chainEntryBits - 1, 0) // of a need too large for this width `tooMany` tells
  private val tooMany = needNow > p.chainEntries.U

  // --- trim records. A run of targets whose sources are unmapped (Copy) is one record, a source range of a MOVE another;
  // both are cut where the record's page count ends.
  private val maxTrim    = 65535
  private val runStart   = Reg(UInt(32.W))
  private val run        = Reg(UInt(16.W)) // pages of the run so far
  private val chunk      = Reg(UInt(16.W)) // MOVE: pages of the record before that are still to come
  private val runEnds    = run =/= 0.U && (mapped || page.first || run === maxTrim.U)
  private val runBegins  = !mapped && (run === 0.U || page.first || run === maxTrim.U)
  private val chunkStart = page.first || chunk === 0.U
  private val chunkPages = Mux(page.left > maxTrim.U, maxTrim.U, page.left(15, 0))

  // --- the ports' payloads
  private val lastSeq   = Reg(UInt(p.seqBits.W))
  private val after     = Reg(State()) // where to go on when the trim record is durable
  private val trimPages = Mux(pass === Pass.append, run, chunkPages)
  io.journal.req.valid      := state === State.journal || state === State.commit
  io.journal.req.bits.op    := Mux(state === State.commit, JournalOp.commit, JournalOp.trim)
  io.journal.req.bits.lpn   := Mux(pass === Pass.append, runStart, page.src)
  io.journal.req.bits.pages := trimPages
  io.journal.req.bits.seq   := Mux(state === State.commit, lastSeq, io.seq.next)
  io.journal.req.bits.gen   := DontCare

  private val appending = state === State.act && pass === Pass.append && !runEnds && mapped
  io.append.entry.valid       := appending
  io.append.entry.bits.sb     := slotSb
  io.append.entry.bits.offset := SlotAddress.offset(p, slot)
  io.append.entry.bits.lpn    := page.dst
  io.append.entry.bits.seq    := io.seq.next

  io.seq.take := io.append.entry.fire || (state === State.journal && io.journal.req.fire)
  when(io.seq.take)(lastSeq := io.seq.next)

  private val acting = state === State.act && MuxLookup(pass, true.B)(
    Seq(Pass.check -> mapped, Pass.release -> mapped, Pass.append -> false.B, Pass.trimMoved -> false.B)
  )
  io.map.req.valid       := state === State.lookup || acting
  io.map.req.bits.op     := MapOp.lookup
  io.map.req.bits.lpn    := page.src
  io.map.req.bits.slot   := slot
  io.map.req.bits.expect := DontCare
  io.map.resp.ready      := state === State.looked || state === State.acted
  when(state === State.act) {
    switch(pass) {
      is(Pass.check)(io.map.req.bits.op   := MapOp.reserve)
      is(Pass.release)(io.map.req.bits.op := MapOp.release)
      is(Pass.link) {
        io.map.req.bits.op  := Mux(mapped, MapOp.link, MapOp.unmap)
        io.map.req.bits.lpn := page.dst
      }
      is(Pass.unmap)(io.map.req.bits.op := MapOp.unmap)
    }
  }

  // --- locks: shareLock, then mapLock
  private val holds = RegInit(false.B) // from `lockShare` to the end
  io.shareLock.want := holds
  io.mapLock.want   := holds && state =/= State.lockShare
  io.fence.req      := state === State.fence

  private def begin(which: Pass.Type): Unit = {
    pass             := which
    cursor.io.rewind := true.B
    count            := 0.U
    run              := 0.U
    chunk            := 0.U
    state            := State.page
  }
  private def finish(): Unit = {
    holds := false.B
    state := State.report
  }
  private def fail(why: RemapResult.Type): Unit = {
    result := why
    failed := page.range
    good   := count
    sb     := 0.U
    state  := State.sweep
  }
  private def startSweep(): Unit = {
    sb       := 0.U
    segments := 0.U
    noRoom   := false.B
    state    := State.sweep
  }

  io.start.ready := state === State.idle
  switch(state) {
    is(State.clear) { // after reset
      sb := sb + 1.U
      when(sb === (p.superblocks - 1).U)(state := State.idle)
    }
    is(State.idle) {
      when(io.start.fire) {
        cmd    := io.start.bits
        result := RemapResult.ok
        failed := 0.U
        pages  := 0.U
        trims  := 0.U
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

    is(State.page) {
      when(cursor.io.page.valid) {
        state := State.lookup
        when(pass === Pass.check && page.bad) {
          fail(RemapResult.internal)
        }.elsewhen(pass === Pass.release && count === good) {
          finish()
        }.elsewhen(pass === Pass.trimMoved) {
          state := Mux(chunkStart, State.journal, State.next)
          after := State.next
        }.elsewhen(pass === Pass.unmap) {
          state := State.act
        }
      }
    }
    is(State.lookup)(when(io.map.req.ready)(state := State.looked))
    is(State.looked) {
      when(io.map.resp.valid) {
        mapped := io.map.resp.bits.mapped
        slot   := io.map.resp.bits.slot
        state  := State.act
      }
    }
    is(State.act) {
      when(pass === Pass.append) {
        when(runEnds) {
          after := State.act
          state := State.journal
        }.elsewhen(!mapped || io.append.entry.ready)(state := State.next)
      }.elsewhen(!acting) {
        state := State.next
        when(pass === Pass.check && !cmd.copy)(fail(RemapResult.unmapped))
      }.elsewhen(io.map.req.ready)(state := State.acted)
    }
    is(State.acted) {
      when(io.map.resp.valid) {
        state := State.next
        when(pass === Pass.check) {
          when(io.map.resp.bits.ok) {
            needMore := true.B
          }.otherwise(fail(RemapResult.sharerLimit))
        }
        when(pass === Pass.link || (pass === Pass.unmap && io.map.resp.bits.mapped))(pages := pages + 1.U)
      }
    }
    is(State.next) { // the cursor is certain to have the page on offer
      count := count + 1.U
      chunk := Mux(chunkStart, chunkPages, chunk) - 1.U
      when(!mapped) {
        run := Mux(runBegins, 1.U, run + 1.U)
        when(runBegins)(runStart := page.dst)
      }.otherwise(run := 0.U)
      when(pass === Pass.check) {
        trims := trims + (!mapped && runBegins) + (cmd.move && chunkStart)
      }
      state := Mux(page.endOfList, State.endPass, State.page)
    }
    is(State.endPass) {
      switch(pass) {
        is(Pass.check) {
          good := count
          startSweep()
        }
        is(Pass.release)(finish())
        is(Pass.append) {
          when(run =/= 0.U) {
            after := State.endPass
            state := State.journal
          }.elsewhen(cmd.move)(begin(Pass.trimMoved)).otherwise(state := State.drain)
        }
        is(Pass.trimMoved)(state := State.drain)
        is(Pass.link)(when(cmd.move)(begin(Pass.unmap)).otherwise(finish()))
        is(Pass.unmap)(finish())
      }
    }

    is(State.journal)(when(io.journal.req.ready)(state := State.journaled))
    is(State.journaled) {
      when(io.journal.done) {
        when(pass === Pass.append)(run := 0.U)
        state := after
      }
    }

    is(State.sweep) {
      val total = segments + io.capacity.segments
      val full  = noRoom || !io.capacity.fits || tooMany
      segments := total
      noRoom   := full
      sb       := sb + 1.U
      when(sb === (p.superblocks - 1).U) {
        when(result === RemapResult.ok && !full && total <= io.capacity.free && trims <= io.journalRoom) {
          state := State.fence
        }.otherwise {
          when(result === RemapResult.ok)(result := RemapResult.nvramFull)
          begin(Pass.release)
        }
      }
    }
    is(State.fence)(when(io.fence.done)(begin(Pass.append)))
    is(State.drain)(when(io.append.drained)(state := State.commit))
    is(State.commit)(when(io.journal.req.ready)(state := State.committed))
    is(State.committed)(when(io.journal.done)(begin(Pass.link)))
    is(State.report)(state := State.idle)
  }

  io.event.linked         := state === State.acted && io.map.resp.valid && pass === Pass.link && mapped
  io.event.stallFence     := state === State.fence
  io.event.stallShareLock := state === State.lockShare && !io.shareLock.granted
  io.quiet := (state === State.idle && !io.start.valid) || (state === State.lockShare && !io.shareLock.granted) ||
    (state === State.lockMap && !io.mapLock.granted) || (state === State.fence && !io.fence.done)

  // --- beliefs
  private val ownsBoth = io.shareLock.granted && io.mapLock.granted && holds
  assert(!io.seq.take || ownsBoth, "RemapEngine: a seq drawn without the locks")
  assert(!io.map.req.fire || ownsBoth, "RemapEngine: the mapping used without the locks")
  assert(state =/= State.next || cursor.io.page.valid, "RemapEngine: the page in hand is gone")
  assert(
    !(state === State.act && !mapped && pass === Pass.append && !cmd.copy),
    "RemapEngine: a source was unmapped under the locks"
  )
  assert(
    state =/= State.commit || io.append.drained,
    "RemapEngine: the commit pointer moves before the entries are durable"
  )
  assert(!io.map.req.fire || io.map.req.bits.lpn < p.lpns.U, "RemapEngine: an LPN out of bounds")
  cover(state === State.lockShare && !io.shareLock.granted, "RemapEngine: waits for GC")
  cover(state === State.lockMap && !io.mapLock.granted, "RemapEngine: waits for a write or trim")
  cover(state === State.fence && !io.fence.done, "RemapEngine: waits for a source to be programmed")
  cover(appending && !io.append.entry.ready, "RemapEngine: waits for the remap table")
  cover(state === State.drain && !io.append.drained, "RemapEngine: waits for NVRAM")
  cover(state === State.journal && after === State.act, "RemapEngine: a run of unmapped sources ends inside a range")
  RemapResult.all.foreach(r => cover(state === State.report && result === r, s"RemapEngine: outcome $r"))
}
