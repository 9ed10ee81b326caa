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
    val idle, ask, list, status, load, range, room, lock, owned, draw, record, recorded, commit, committed, unmap,
        unmapped, complete = Value
  }
  // A register for each state. With numbers for the states, each transition would be behind the conditions of all.
  private val places = State.all.map(s => RegInit((s.litValue == State.idle.litValue).B).suggestName(s"state_$s"))
  private val comes  = State.all.map(_ => WireInit(false.B))
  private val leaves = State.all.map(_ => WireInit(false.B))
  for (((at, come), leave) <- places.zip(comes).zip(leaves)) at := come || at && !leave
  private def at(s: State.Type*): Bool                   = s.map(s => places(s.litValue.toInt)).reduce(_ || _)
  private def go(from: State.Type, to: State.Type): Unit = {
    leaves(from.litValue.toInt) := true.B
    comes(to.litValue.toInt)    := true.B
  }
  assert(PopCount(places) === 1.U, "one state at a time")
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
  private val most   = Mux(left > piecePages.U, piecePages.U, left(log2Ceil(piecePages), 0))
  private val count  = RegNext(most)                           // of the next piece: `left` was settled before `room`
  private val roomy  = RegNext(io.journalRoom =/= 0.U, false.B)

  // --- the list
  io.cmd.ready               := at(State.idle)
  io.hostRead.req.valid      := at(State.ask)
  io.hostRead.req.bits.prp1  := cmd.prp1
  io.hostRead.req.bits.prp2  := cmd.prp2
  io.hostRead.req.bits.bytes := (cmd.pages << log2Ceil(p.dataBytes))(p.transferBits - 1, 0)
  io.hostRead.data.ready     := at(State.list)
  private val came    = io.hostRead.data.bits.word.asTypeOf(new Range)
  private val checks  = RegNext(io.hostRead.data.fire && !io.hostRead.data.bits.bad, false.B) // the last one
  private val ends    = RegNext(came.slba(31, 0) +& came.nlb)
  private val farOff  = RegNext(came.slba(63, 32).orR)
  private val checked = RegNext(checks, false.B)
  private val outside = RegNext(checks && (farOff || (io.nsze.pad(34) - ends.pad(34))(33)), false.B)
  when(io.hostRead.data.fire)(ranges.write(index(log2Ceil(maxRanges) - 1, 0), came.nlb ## came.slba(31, 0)))
  private val stored = ranges.read(index(log2Ceil(maxRanges) - 1, 0), at(State.load))
  when(io.hostRead.done.valid)(dma := io.hostRead.done)

  // --- lock, seq, journal, mapping
  private val want = RegInit(false.B)
  io.mapLock.want := want
  assert(
    want === at(
      State.lock,
      State.owned,
      State.draw,
      State.record,
      State.recorded,
      State.commit,
      State.committed,
      State.unmap,
      State.unmapped
    ),
    "the lock is wanted from its state to the last page of the piece"
  )
  io.seq.take               := at(State.draw)
  io.journal.req.valid      := at(State.record, State.commit)
  io.journal.req.bits.op    := Mux(at(State.record), JournalOp.trim, JournalOp.commit)
  io.journal.req.bits.lpn   := lpn
  io.journal.req.bits.pages := count
  io.journal.req.bits.seq   := seq
  io.journal.req.bits.gen   := 0.U
  io.journal.req.bits.epoch := 0.U
  io.journal.req.bits.set   := 0.U
  io.map.req.valid          := at(State.unmap)
  io.map.req.bits           := DontCare
  io.map.req.bits.op        := MapOp.unmap
  io.map.req.bits.lpn       := lpn
  io.map.resp.ready         := at(State.unmapped)
  io.cpl.valid              := at(State.complete)
  io.cpl.bits.qid           := cmd.qid
  io.cpl.bits.cid           := cmd.cid
  io.cpl.bits.status        := status
  io.cpl.bits.dw0           := 0.U

  // Both stand still for a cycle before they count.
  private val ends1                             = zeroes || index + 1.U === cmd.pages
  private val lastRange                         = RegNext(ends1, false.B)
  private val lastPage                          = RegNext(left === 1.U, false.B)
  private def nextRange(from: State.Type): Unit = {
    index := index + 1.U
    when(lastRange)(go(from, State.complete)).otherwise(go(from, State.load))
    assert(lastRange === ends1, "the last range is known ahead")
  }
  when(outside)(status := NvmeStatus.LbaOutOfRange)
  when(at(State.idle)) {
    cmd       := io.cmd.bits
    status    := NvmeStatus.Success
    index     := 0.U
    dma.valid := false.B
    lpn       := io.cmd.bits.slba
    left      := io.cmd.bits.pages
    when(io.cmd.valid) {
      val isZeroes = io.cmd.bits.op === IoOp.writeZeroes
      when(isZeroes)(go(State.idle, State.room)).otherwise(go(State.idle, State.ask))
      assert(isZeroes || io.cmd.bits.op === IoOp.deallocate, "a command that is not for this engine")
      assert(io.cmd.bits.pages =/= 0.U, "the router lets no empty command through")
      assert(isZeroes || io.cmd.bits.pages <= maxRanges.U, "more ranges than the command can name")
      assert(!isZeroes || io.cmd.bits.slba +& io.cmd.bits.pages <= io.nsze, "the router checks LBAs")
    }
  }
  when(at(State.ask) && io.hostRead.req.ready)(go(State.ask, State.list))
  when(at(State.list) && io.hostRead.data.valid) {
    index := index + 1.U
    when(index + 1.U === cmd.pages)(go(State.list, State.status))
  }
  when(at(State.status)) {
    index := 0.U
    when(dma.valid && !checks && !checked) {
      val good = dma.bits === NvmeStatus.Success
      when(!good)(status := dma.bits)
      when(good && status === NvmeStatus.Success)(go(State.status, State.load))
        .otherwise(go(State.status, State.complete))
    }
  }
  when(at(State.load))(go(State.load, State.range))
  when(at(State.range)) {
    lpn  := stored(31, 0)
    left := stored(63, 32)
    go(State.range, State.room)
  }
  when(at(State.room)) {
    when(left === 0.U)(nextRange(State.room)).elsewhen(roomy) {
      want := true.B
      go(State.room, State.lock)
    }
  }
  when(at(State.lock) && io.mapLock.granted)(go(State.lock, State.owned))
  when(at(State.owned)) {
    // A remap may have used the room up while this engine waited for the lock; firmware makes room, without the lock.
    // Only the owner uses room. So what `roomy` saw in the cycle before, when the lock was this engine's, stays.
    want := roomy
    when(roomy)(go(State.owned, State.draw)).otherwise(go(State.owned, State.room))
  }
  when(at(State.draw)) {
    seq := io.seq.next
    go(State.draw, State.record)
    assert(io.journalRoom =/= 0.U, "a seq is drawn for a record that has no room")
  }
  when(at(State.record) && io.journal.req.ready)(go(State.record, State.recorded))
  when(at(State.recorded) && io.journal.done)(go(State.recorded, State.commit))
  when(at(State.commit) && io.journal.req.ready)(go(State.commit, State.committed))
  when(at(State.committed)) {
    piece := count
    when(io.journal.done)(go(State.committed, State.unmap))
  }
  when(at(State.unmap) && io.map.req.ready)(go(State.unmap, State.unmapped))
  when(at(State.unmapped) && io.map.resp.valid) {
    lpn   := lpn + 1.U
    left  := left - 1.U
    piece := piece - 1.U
    when(lastPage || piece === 1.U)(want := false.B)
    when(lastPage)(nextRange(State.unmapped))
      .elsewhen(piece === 1.U)(go(State.unmapped, State.room))
      .otherwise(go(State.unmapped, State.unmap))
  }
  when(at(State.complete) && io.cpl.ready)(go(State.complete, State.idle))

  private val waits = at(State.room) && !roomy && left =/= 0.U // for room
  quiet := at(State.idle) && !io.cmd.valid || waits && io.journalRoom === 0.U ||
    at(State.lock) && !io.mapLock.granted

  // A cycle late, as counters may be.
  io.event.page         := RegNext(io.map.resp.fire, false.B)
  io.event.stallJournal := RegNext(waits, false.B)

  assert(!at(State.unmapped) || lastPage === (left === 1.U), "the last page of a range is known ahead")
  assert(!io.journal.req.valid || count === most, "the piece is as long as the range has pages for it")
  cover(waits, "the journal ring is full")
  cover(at(State.owned) && !roomy, "the ring filled up while this engine waited for the lock")
  cover(at(State.lock) && !io.mapLock.granted, "another one holds the mapLock")
  cover(at(State.unmapped) && io.map.resp.valid && piece === 1.U && left =/= 1.U, "a range of several pieces")
  cover(at(State.status) && dma.valid && (checks || checked), "the last range is checked as the transfer ends")
}
