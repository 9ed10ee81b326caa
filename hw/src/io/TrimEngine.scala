// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Executes Deallocate (Dataset Management) and Write Zeroes: journals the range, then drops the mappings.
  *
  * The whole list of ranges is fetched and checked first: a command with one bad range changes nothing. Then the range
  * is handled in pieces of at most `piecePages` pages: mapLock, seq, journal record, commit pointer, mappings. So the
  * completion means that the range stays deallocated after a power cut, and other units get the lock between pieces.
  */
class TrimEngine(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val cmd         = Flipped(Decoupled(new IoCommand(p)))
    val cpl         = Decoupled(new Completion(p))
    val hostRead    = new HostReadPort(p) // the range list
    val nsze        = Input(UInt(32.W))
    val mapLock     = new LockPort
    val seq         = new SeqPort(p)
    val journal     = new JournalPort(p)
    val journalRoom = Input(UInt((log2Ceil(p.k.journalRecords) + 1).W))
    val map         = new MapPort(p)
    val event       = Output(new Bundle { val page = Bool(); val stallJournal = Bool() })
  })
  private val maxRanges  = 256 // NVMe: NR is eight bits, zero-based
  private val piecePages = 256
  require(p.mdtsBytes >= maxRanges * p.dataBytes, "the list is one transfer")

  /** One Dataset Management range (NVM command set, Dataset Management - Range Definition). */
  private class Range extends Bundle {
    val slba       = UInt(64.W)
    val nlb        = UInt(32.W)
    val attributes = UInt(32.W)
  }
  private object State extends ChiselEnum {
    val idle, ask, list, status, load, range, room, lock, record, recorded, commit, committed, unmap, unmapped,
        complete = Value
  }
  private val state  = RegInit(State.idle)
  private val cmd    = Reg(new IoCommand(p))
  private val status = Reg(UInt(15.W))
  private val ranges = SyncReadMem(maxRanges, UInt(64.W))      // {nlb, slba}, checked
  private val index  = Reg(UInt((log2Ceil(maxRanges) + 1).W))
  private val dma    = RegInit(0.U.asTypeOf(Valid(UInt(15.W))))
  private val lpn    = Reg(UInt(32.W))                         // next page to drop
  private val left   = Reg(UInt(32.W))                         // pages of the range from there
  private val seq    = Reg(UInt(p.seqBits.W))
  private val piece  = Reg(UInt((log2Ceil(piecePages) + 1).W)) // pages of the piece still to drop
  private val zeroes = cmd.op === IoOp.writeZeroes
  private val count  = Mux(left > piecePages.U, piecePages.U, left(log2Ceil(piecePages), 0))

  // --- the list
  io.cmd.ready               := state === State.idle
  io.hostRead.req.valid      := state === State.ask
  io.hostRead.req.bits.prp1  := cmd.prp1
  io.hostRead.req.bits.prp2  := cmd.prp2
  io.hostRead.req.bits.bytes := (cmd.pages << log2Ceil(p.dataBytes))(p.transferBits - 1, 0)
  io.hostRead.data.ready     := state === State.list
  private val in   = io.hostRead.data.bits.word.asTypeOf(new Range)
  private val fits = in.slba <= io.nsze && in.nlb <= io.nsze - in.slba(31, 0)
  when(io.hostRead.data.fire)(ranges.write(index(log2Ceil(maxRanges) - 1, 0), in.nlb ## in.slba(31, 0)))
  private val stored = ranges.read(index(log2Ceil(maxRanges) - 1, 0), state === State.load)
  when(io.hostRead.done.valid)(dma := io.hostRead.done)

  // --- lock, seq, journal, mapping
  io.mapLock.want := Seq(
    State.lock,
    State.record,
    State.recorded,
    State.commit,
    State.committed,
    State.unmap,
    State.unmapped
  )
    .map(state === _)
    .reduce(_ || _)
  private val go = state === State.lock && io.mapLock.granted && io.journalRoom =/= 0.U
  io.seq.take               := go
  io.journal.req.valid      := state === State.record || state === State.commit
  io.journal.req.bits.op    := Mux(state === State.record, JournalOp.trim, JournalOp.commit)
  io.journal.req.bits.lpn   := lpn
  io.journal.req.bits.pages := count
  io.journal.req.bits.seq   := seq
  io.journal.req.bits.gen   := 0.U
  io.journal.req.bits.epoch := 0.U
  io.journal.req.bits.set   := 0.U
  io.map.req.valid          := state === State.unmap
  io.map.req.bits           := DontCare
  io.map.req.bits.op        := MapOp.unmap
  io.map.req.bits.lpn       := lpn
  io.map.resp.ready         := state === State.unmapped
  io.cpl.valid              := state === State.complete
  io.cpl.bits.qid           := cmd.qid
  io.cpl.bits.cid           := cmd.cid
  io.cpl.bits.status        := status
  io.cpl.bits.dw0           := 0.U

  private def nextRange(): Unit = {
    index := index + 1.U
    state := Mux(zeroes || index + 1.U === cmd.pages, State.complete, State.load)
  }
  switch(state) {
    is(State.idle) {
      cmd       := io.cmd.bits
      status    := NvmeStatus.Success
      index     := 0.U
      dma.valid := false.B
      lpn       := io.cmd.bits.slba
      left      := io.cmd.bits.pages
      when(io.cmd.valid) {
        val isZeroes = io.cmd.bits.op === IoOp.writeZeroes
        state := Mux(isZeroes, State.room, State.ask)
        assert(isZeroes || io.cmd.bits.op === IoOp.deallocate, "a command that is not for this engine")
        assert(io.cmd.bits.pages =/= 0.U, "the router lets no empty command through")
        assert(isZeroes || io.cmd.bits.pages <= maxRanges.U, "more ranges than the command can name")
        assert(!isZeroes || io.cmd.bits.slba +& io.cmd.bits.pages <= io.nsze, "the router checks LBAs")
      }
    }
    is(State.ask)(when(io.hostRead.req.ready)(state := State.list))
    is(State.list) {
      when(io.hostRead.data.fire) {
        when(!fits && !io.hostRead.data.bits.bad)(status := NvmeStatus.LbaOutOfRange)
        index := index + 1.U
        when(index + 1.U === cmd.pages)(state            := State.status)
      }
    }
    is(State.status) {
      index := 0.U
      when(dma.valid) {
        val outcome = Mux(dma.bits =/= NvmeStatus.Success, dma.bits, status)
        status := outcome
        state  := Mux(outcome === NvmeStatus.Success, State.load, State.complete)
      }
    }
    is(State.load)(state := State.range)
    is(State.range) {
      lpn  := stored(31, 0)
      left := stored(63, 32)
      when(stored(63, 32) === 0.U)(nextRange()).otherwise(state := State.room)
    }
    is(State.room)(when(io.journalRoom =/= 0.U)(state := State.lock))
    is(State.lock) {
      // A remap may have used the room up while this engine waited for the lock; firmware makes room, without the lock.
      when(io.mapLock.granted && io.journalRoom === 0.U)(state := State.room)
      when(go) {
        seq   := io.seq.next
        state := State.record
      }
    }
    is(State.record)(when(io.journal.req.ready)(state := State.recorded))
    is(State.recorded)(when(io.journal.done)(state := State.commit))
    is(State.commit)(when(io.journal.req.ready)(state := State.committed))
    is(State.committed) {
      piece := count
      when(io.journal.done)(state := State.unmap)
    }
    is(State.unmap)(when(io.map.req.ready)(state := State.unmapped))
    is(State.unmapped) {
      when(io.map.resp.valid) {
        lpn   := lpn + 1.U
        left  := left - 1.U
        piece := piece - 1.U
        state := State.unmap
        when(left === 1.U)(nextRange()).elsewhen(piece === 1.U)(state := State.room)
      }
    }
    is(State.complete)(when(io.cpl.ready)(state := State.idle))
  }

  quiet := state === State.idle && !io.cmd.valid || state === State.room && io.journalRoom === 0.U ||
    state === State.lock && !io.mapLock.granted
  io.event.page         := io.map.resp.fire
  io.event.stallJournal := state === State.room && io.journalRoom === 0.U

  cover(io.event.stallJournal, "the journal ring is full")
  cover(state === State.lock && io.mapLock.granted && !go, "the ring filled up while this engine waited for the lock")
  cover(state === State.lock && !io.mapLock.granted, "another one holds the mapLock")
  cover(state === State.unmapped && io.map.resp.valid && piece === 1.U && left =/= 1.U, "a range of several pieces")
}
