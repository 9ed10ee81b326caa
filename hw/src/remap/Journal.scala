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

/** `done` answers one request and means that it is durable in NVRAM. A request that is offered stays until it is taken.
  */
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
    val head   = Output(UInt(indexBits.W))       // next record to write
    val used   = Output(UInt((indexBits + 1).W)) // records between tail and head, a cycle later
    val room   = Output(UInt((indexBits + 1).W)) // for more of them, some cycles after one was taken, before it is done
    val tail = Flipped(Valid(UInt(indexBits.W))) // firmware: records before it are in the checkpoint
    val load = Flipped(Valid(UInt(indexBits.W))) // start-up: ring is empty, head = tail = this
  })
  require(isPow2(p.k.journalRecords), "head and tail wrap by themselves")
  require(Formats.JournalRecord.bytes == p.dataBytes, "a record is one beat")
  require(Formats.PointerWord.bytes == 8 && Formats.BlockRecord.bytes == 8, "NVRAM writes 8 bytes atomically")

  private object State extends ChiselEnum { val idle, take, seal, record, write, respond = Value }
  private val state = RegInit(State.idle)

  // --- the ring: one record stays empty, so that head = tail means an empty ring
  private val head, tail = RegInit(0.U(indexBits.W))
  private val used       = (head - tail)(indexBits - 1, 0)
  private val full       = used === (p.k.journalRecords - 1).U
  io.head := head
  io.used := RegNext(used, 0.U)
  when(io.tail.valid) {
    tail := io.tail.bits
    assert((io.tail.bits - tail)(indexBits - 1, 0) <= used, "Journal: the tail may only move up to the head")
  }
  when(io.load.valid) {
    head := io.load.bits
    tail := io.load.bits
    assert(state === State.idle, "Journal: loaded while it writes")
  }

  private val done = io.nvram.b.fire

  // --- choice: round robin; a trim takes part only while there is room. The request is taken in the next cycle, so
  // that no path passes from one client to another.
  private val arb   = Module(new RRArbiter(Bool(), Client.size))
  private val req   = Reg(new JournalRequest(p))
  private val who   = RegInit(VecInit.fill(Client.size)(false.B)) // whose request it is
  private val takes = RegInit(VecInit.fill(Client.size)(false.B))
  for (((c, in), i) <- io.client.zip(arb.io.in).zipWithIndex) {
    val mayGo = c.req.bits.op =/= JournalOp.trim || !full
    in.valid    := c.req.valid && mayGo
    in.bits     := DontCare
    c.req.ready := takes(i)
    cover(c.req.valid && !mayGo, "Journal: a trim waits for room in the ring")
    assert(!takes(i) || c.req.valid, "Journal: a request that was offered is gone")
  }
  arb.io.out.ready   := state === State.idle && !io.load.valid
  for (t <- takes) t := false.B
  for ((c, taken) <- io.client.zip(takes)) when(taken)(req := c.req.bits)
  // Room for a record is used up when its request is taken: the client looks at `room` again when it is written.
  private val claimed =
    RegNext(state =/= State.idle && state =/= State.take && req.op === JournalOp.trim && !done, false.B)
  private val left = (p.k.journalRecords - 1).U - used
  io.room := RegNext(left - claimed, (p.k.journalRecords - 1).U)

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
  crc.io.want := req.op === JournalOp.trim &&
    Seq(State.seal, State.record, State.write).map(_ === state).reduce(_ || _)
  crc.io.words := CrcSerial.words(covered, words)
  crc.io.count := words.U
  crc.io.taken := false.B // with the record
  private val small = // of 8 bytes
    RegNext(
      Mux(
        req.op === JournalOp.commit,
        Formats.PointerWord.seal(point).asUInt,
        Formats.BlockRecord.seal(block, req.lpn).asUInt
      )
    )
  private val addr = MuxLookup(req.op, p.nvJournalBase.U(p.nvramAddrBits.W) + (head << log2Ceil(p.dataBytes)))(
    Seq(
      JournalOp.commit -> p.nvCommitAddr.U(p.nvramAddrBits.W),
      JournalOp.block  -> (p.nvBlockTableBase.U(p.nvramAddrBits.W) + (req.lpn(p.sbBits - 1, 0) << 3))
    )
  )
  private val awAsks, wAsks = RegInit(false.B) // in `write`: not yet accepted
  private val isTrim        = req.op === JournalOp.trim
  private val aw            = io.nvram.aw
  private val w             = io.nvram.w
  aw.valid     := awAsks
  aw.bits.addr := RegNext(addr(p.nvramAddrBits - 1, log2Ceil(p.dataBytes))) ## 0.U(log2Ceil(p.dataBytes).W)
  aw.bits.len  := 0.U
  w.valid      := wAsks
  w.bits.data  := RegNext(Mux(isTrim, Formats.JournalRecord.withCrc(trim, crc.io.crc).asUInt, Fill(2, small)))
  w.bits.strb  := RegNext(Mux(isTrim, 0xffff.U, Mux(addr(3), 0xff00.U, 0x00ff.U))) // addr(3): upper half of the beat
  w.bits.last  := true.B
  io.nvram.b.ready := state === State.respond

  io.client.zip(who).foreach { case (c, w) => c.done := RegNext(done && w, false.B) }

  switch(state) {
    is(State.idle) {
      when(arb.io.out.fire) {
        for (i <- 0 until Client.size) {
          who(i)   := arb.io.chosen === i.U
          takes(i) := arb.io.chosen === i.U
        }
        state := State.take
      }
    }
    is(State.take)(state := State.seal)
    // `small` follows `req`, and data, address and strobes follow that, each in a cycle.
    is(State.seal)(when(crc.io.done || req.op =/= JournalOp.trim)(state := State.record))
    is(State.record) {
      awAsks := true.B
      wAsks  := true.B
      state  := State.write
    }
    is(State.write) {
      when(aw.ready)(awAsks                                    := false.B)
      when(w.ready)(wAsks                                      := false.B)
      when((aw.ready || !awAsks) && (w.ready || !wAsks))(state := State.respond)
    }
    is(State.respond) {
      when(done) {
        state := State.idle
        when(req.op === JournalOp.trim)(head := head + 1.U)
      }
    }
  }
  quiet := state === State.idle && !VecInit(io.client.map(_.done)).asUInt.orR && !arb.io.in
    .map(_.valid)
    .reduce(_ || _) && !io.tail.valid && !io.load.valid

  // --- invariants
  private val committed = RegInit(0.U(p.seqBits.W))
  when(done && req.op === JournalOp.commit)(committed := req.seq)
  assert(!done || io.nvram.b.bits.resp === Axi4.OKAY.U, "Journal: an error that its arbiter keeps back")
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
