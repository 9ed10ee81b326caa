// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object JournalOp extends ChiselEnum {
  val trim   = Value // append Formats.JournalRecord {lpn, pages, seq}
  val commit = Value // commit pointer := seq; asked only after everything it covers was answered
  val block  = Value // Formats.BlockRecord of superblock lpn := {gen, epoch, set}
}

class JournalRequest(val p: Params) extends Bundle {
  val op    = JournalOp()
  val lpn   = UInt(32.W)
  val pages = UInt(16.W)
  val seq   = UInt(p.seqBits.W)
  val gen   = UInt(p.genBits.W)
  val epoch = UInt(p.epochBits.W)
  val set   = UInt(2.W)
}

/** `done` answers one request and means that it is durable in NVRAM. */
class JournalPort(val p: Params) extends Bundle {
  val req  = Decoupled(new JournalRequest(p))
  val done = Input(Bool())
}

object Journal {
  object Client extends Clients { val trim, remap, gc = Value }
}

/** The small records in NVRAM: trim ring, commit pointer, and the superblocks' generations, epochs and sets.
  *
  * There is one request at a time. The next one is taken only when NVRAM has answered, so a commit pointer never
  * overtakes a trim record that was taken before it. A trim waits while the ring is full, and the other clients still
  * get their turns.
  */
class Journal(p: Params) extends Module with Quiesces {
  import Journal.Client
  private val indexBits = log2Ceil(p.k.journalRecords)
  val io                = IO(new Bundle {
    val client = Client.ports(Flipped(new JournalPort(p)))
    val nvram  = new AxiWrite(AxiParams(p.nvramAddrBits))
    val head   = Output(UInt(indexBits.W))         // next record to write
    val used   = Output(UInt((indexBits + 1).W))
    val room   = Output(UInt((indexBits + 1).W))
    val tail   = Flipped(Valid(UInt(indexBits.W))) // firmware: records before it are in the checkpoint
    val load   = Flipped(Valid(UInt(indexBits.W))) // start-up: ring is empty, head = tail = this
  })
  require(isPow2(p.k.journalRecords), "head and tail wrap by themselves")
  require(Formats.JournalRecord.bytes == p.dataBytes, "a record is one beat")
  require(Formats.PointerWord.bytes == 8 && Formats.BlockRecord.bytes == 8, "NVRAM writes 8 bytes atomically")

  private object State extends ChiselEnum { val idle, seal, write, respond = Value }
  private val state = RegInit(State.idle)

  // --- the ring: one record stays empty, so that head = tail means an empty ring
  private val head, tail = RegInit(0.U(indexBits.W))
  private val used       = (head - tail)(indexBits - 1, 0)
  private val full       = used === (p.k.journalRecords - 1).U
  io.head := head
  io.used := used
  io.room := (p.k.journalRecords - 1).U - used
  when(io.tail.valid) {
    tail := io.tail.bits
    assert((io.tail.bits - tail)(indexBits - 1, 0) <= used, "Journal: the tail may only move up to the head")
  }
  when(io.load.valid) {
    head := io.load.bits
    tail := io.load.bits
    assert(state === State.idle, "Journal: loaded while it writes")
  }

  // --- choice: round robin; a trim takes part only while there is room
  private val arb = Module(new RRArbiter(new JournalRequest(p), Client.size))
  private val req = Reg(new JournalRequest(p))
  private val who = Reg(UInt(log2Ceil(Client.size).W))
  for ((c, in) <- io.client.zip(arb.io.in)) {
    val mayGo = c.req.bits.op =/= JournalOp.trim || !full
    in.valid    := c.req.valid && mayGo
    in.bits     := c.req.bits
    c.req.ready := in.ready && mayGo
    cover(c.req.valid && !mayGo, "Journal: a trim waits for room in the ring")
  }
  arb.io.out.ready := state === State.idle && !io.load.valid

  // --- the write: one beat; 8-byte records use half of it
  private val trim  = WireInit(0.U.asTypeOf(new Formats.JournalRecord))
  private val point = WireInit(0.U.asTypeOf(new Formats.PointerWord))
  private val block = WireInit(0.U.asTypeOf(new Formats.BlockRecord))
  trim.lpn    := req.lpn
  trim.pages  := req.pages
  trim.seq    := req.seq
  point.seq   := req.seq
  block.gen   := req.gen
  block.epoch := req.epoch
  block.set   := req.set
  // A trim's CRC takes a few cycles, NVRAM's answer ten times as many.
  private val covered = Formats.JournalRecord.covered(trim)
  private val words   = covered.getWidth / 32
  private val crc     = Module(new CrcSerial(words))
  crc.io.want  := state === State.seal || (state === State.write && req.op === JournalOp.trim)
  crc.io.words := CrcSerial.words(covered, words)
  crc.io.count := words.U
  crc.io.taken := false.B // with the record
  private val record = MuxLookup(req.op, Formats.JournalRecord.withCrc(trim, crc.io.crc).asUInt)(
    Seq(
      JournalOp.commit -> Formats.PointerWord.seal(point).asUInt,
      JournalOp.block  -> Formats.BlockRecord.seal(block, req.lpn).asUInt
    )
  )
  private val addr = MuxLookup(req.op, p.nvJournalBase.U(p.nvramAddrBits.W) + (head << log2Ceil(p.dataBytes)))(
    Seq(
      JournalOp.commit -> p.nvCommitAddr.U(p.nvramAddrBits.W),
      JournalOp.block  -> (p.nvBlockTableBase.U(p.nvramAddrBits.W) + (req.lpn(p.sbBits - 1, 0) << 3))
    )
  )
  private val awDone, wDone = RegInit(false.B)
  private val high          = addr(3) // upper half of the beat
  private val aw            = io.nvram.aw
  private val w             = io.nvram.w
  aw.valid         := state === State.write && !awDone
  aw.bits.addr     := addr(p.nvramAddrBits - 1, log2Ceil(p.dataBytes)) ## 0.U(log2Ceil(p.dataBytes).W)
  aw.bits.len      := 0.U
  w.valid          := state === State.write && !wDone
  w.bits.data      := Mux(req.op === JournalOp.trim, record, Fill(2, record(63, 0)))
  w.bits.strb      := Mux(req.op === JournalOp.trim, 0xffff.U, Mux(high, 0xff00.U, 0x00ff.U))
  w.bits.last      := true.B
  io.nvram.b.ready := state === State.respond

  private val done = io.nvram.b.fire
  io.client.zipWithIndex.foreach { case (c, i) => c.done := done && who === i.U }

  switch(state) {
    is(State.idle) {
      when(arb.io.out.fire) {
        req   := arb.io.out.bits
        who   := arb.io.chosen
        state := Mux(arb.io.out.bits.op === JournalOp.trim, State.seal, State.write)
      }
    }
    is(State.seal)(when(crc.io.done)(state := State.write))
    is(State.write) {
      when(aw.fire)(awDone := true.B)
      when(w.fire)(wDone   := true.B)
      when((aw.fire || awDone) && (w.fire || wDone)) {
        awDone := false.B
        wDone  := false.B
        state  := State.respond
      }
    }
    is(State.respond) {
      when(done) {
        state := State.idle
        when(req.op === JournalOp.trim)(head := head + 1.U)
      }
    }
  }
  quiet := state === State.idle && !arb.io.in.map(_.valid).reduce(_ || _) && !io.tail.valid && !io.load.valid

  // --- invariants
  private val committed = RegInit(0.U(p.seqBits.W))
  when(done && req.op === JournalOp.commit)(committed := req.seq)
  assert(!done || io.nvram.b.bits.resp === Axi4.OKAY.U, "Journal: NVRAM refused a write")
  assert(
    state =/= State.write || req.op =/= JournalOp.commit || req.seq >= committed,
    "Journal: the commit pointer went back: seqs are drawn and committed under the mapLock"
  )
  assert(
    state =/= State.write || req.op =/= JournalOp.trim || (req.seq > committed && req.pages =/= 0.U),
    "Journal: a trim record of an event that has been committed, or of no pages"
  )
  assert(
    state =/= State.write || req.op =/= JournalOp.block || req.lpn < p.superblocks.U,
    "Journal: record of a superblock that does not exist"
  )
  cover(full, "Journal: ring full")
  cover(io.tail.valid && done, "Journal: the tail moves while a record lands")
}
