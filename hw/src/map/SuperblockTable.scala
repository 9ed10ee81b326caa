// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object SbState extends ChiselEnum {
  val free, open, closed, bad = Value
}

/** MapUnit's view: at most one increment and one decrement per cycle, never refused. */
class ValidUpdatePort(val p: Params) extends Bundle {
  val inc = Valid(UInt(p.sbBits.W))
  val dec = Valid(UInt(p.sbBits.W))
}

/** Events of a superblock since its erase, or since firmware set its record. */
class SbMarks extends Bundle {
  val failed = Bool() // a program in it failed
  val weak   = Bool() // a read of it nearly failed
}

/** What the table knows of a superblock. */
class SbAnswer(val p: Params) extends Bundle {
  val gen   = UInt(p.genBits.W)
  val epoch = UInt(p.epochBits.W)
  val valid = UInt((p.offsetBits + 1).W)
  val state = SbState()
  val marks = new SbMarks
}

/** A client's question about a superblock. It has one question under way at a time, and its answer is always taken.
  *
  * The answer contains every update of the cycles before the one in which the question was accepted. It comes three
  * cycles later or, if RemapTable asks meanwhile, as many cycles later than that.
  */
class SbReadPort(val p: Params) extends Bundle {
  val ask    = Decoupled(UInt(p.sbBits.W))
  val answer = Flipped(Valid(new SbAnswer(p)))
}

/** RemapTable's question, which is always accepted, in each cycle. The answer comes two cycles later and contains every
  * update of the cycles before the question.
  */
class SbSaltPort(val p: Params) extends Bundle {
  val ask    = Valid(UInt(p.sbBits.W))
  val answer = Flipped(Valid(new Bundle {
    val gen   = UInt(p.genBits.W)
    val epoch = UInt(p.epochBits.W)
  }))
}

/** What firmware sets. */
class SbRecord(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val gen   = UInt(p.genBits.W)
  val epoch = UInt(p.epochBits.W)
  val valid = UInt((p.offsetBits + 1).W)
  val state = SbState()
}

/** A superblock has been erased. */
class SbErased(val p: Params) extends Bundle {
  val sb      = UInt(p.sbBits.W)
  val gen     = UInt(p.genBits.W) // the next one
  val retires = Bool()            // it does not come back: bad; else free
}

/** A chain begins anew. */
class SbCompacted(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val epoch = UInt(p.epochBits.W) // the next one
}

object SuperblockTable {
  object Reader extends Clients { val allocator, gc, gcErase, firmware = Value }
}

/** The on-chip record of each superblock: VALID (number of slots with REF > 0), generation, epoch of its chain, state,
  * marks. The records are in block RAM, since a device has thousands of superblocks. After reset the table makes all of
  * them bad, one a cycle, and is `ready` then. Firmware writes each record at start-up, before anything else uses it.
  *
  * Updates are never refused. An update is written in the cycle after it comes, a change of VALID in the one after
  * that, because the old value is read first:
  * {{{
  * cycle      c                       c+1          c+2                       c+3
  * update     comes                   written
  * of VALID   comes, old value read                counted, written
  * question   read                    VALID read   answer to RemapTable      answer to others
  * }}}
  * A memory that is read and written in one cycle gives what is written. So a question that is read in cycle c gets an
  * answer with all updates of the cycles before c and none of later ones. The shadow below, which only the assertions
  * use, says the same. Marks are an exception: they wait for a cycle in which no other one is written, and firmware,
  * which alone looks at them, gets them some cycles later.
  */
class SuperblockTable(p: Params) extends Module with Quiesces {
  import SuperblockTable.Reader
  val io = IO(new Bundle {
    val ready     = Output(Bool())                                      // the table was cleared
    val valid     = Flipped(new ValidUpdatePort(p))
    val salt      = Flipped(new SbSaltPort(p))
    val read      = Reader.ports(Flipped(new SbReadPort(p)))
    val opened    = Flipped(Valid(UInt(p.sbBits.W)))                    // Allocator took it from the free list
    val closed    = Flipped(Valid(UInt(p.sbBits.W)))                    // its last slot was handed out
    val erased    = Flipped(Valid(new SbErased(p)))                     // GC erased it: epoch 0
    val compacted = Flipped(Valid(new SbCompacted(p)))
    val fwWrite   = Flipped(Valid(new SbRecord(p)))                     // start-up: firmware sets all of it
    val failing   = SlotWriter.ports(Flipped(Valid(UInt(p.sbBits.W))))  // a program in it failed
    val weak      = Vec(p.g.channels, Flipped(Valid(UInt(p.sbBits.W)))) // a read of it nearly did
  })
  private val validBits = p.offsetBits + 1

  private def memory[T <: Data](gen: T): SyncReadMem[T]   = SyncReadMem(p.superblocks, gen, SyncReadMem.WriteFirst)
  private def later[T <: Data](event: Valid[T]): Valid[T] = {
    val reg = Wire(chiselTypeOf(event))
    reg.valid := RegNext(event.valid, false.B)
    reg.bits  := RegNext(event.bits)
    reg
  }

  // --- after reset: every record is made a bad superblock's
  private val clearing                           = RegInit(true.B)
  private val clearAt                            = RegInit(0.U(p.sbBits.W))
  when(clearing)(clearAt                           := clearAt + 1.U)
  when(clearAt === (p.superblocks - 1).U)(clearing := false.B)
  io.ready := !clearing

  // --- updates
  private val load = Wire(Valid(new SbRecord(p)))
  load.valid := clearing || io.fwWrite.valid
  load.bits  := io.fwWrite.bits
  when(clearing) {
    load.bits       := 0.U.asTypeOf(load.bits)
    load.bits.sb    := clearAt
    load.bits.state := SbState.bad
  }
  private val fw                       = later(load)
  private val (opened, closed)         = (later(io.opened), later(io.closed))
  private val (erased, compacted)      = (later(io.erased), later(io.compacted))
  private val gen                      = memory(UInt(p.genBits.W))
  private val epoch                    = memory(UInt(p.epochBits.W))
  private val state                    = memory(SbState())
  private val (failedMarks, weakMarks) = (memory(Bool()), memory(Bool()))

  when(fw.valid || erased.valid) {
    gen.write(Mux(fw.valid, fw.bits.sb, erased.bits.sb), Mux(fw.valid, fw.bits.gen, erased.bits.gen))
  }
  when(fw.valid || erased.valid || compacted.valid) {
    epoch.write(
      Mux(fw.valid, fw.bits.sb, Mux(erased.valid, erased.bits.sb, compacted.bits.sb)),
      Mux(fw.valid, fw.bits.epoch, Mux(erased.valid, 0.U, compacted.bits.epoch))
    )
  }

  // Allocator's events and firmware's go first. Between two of them there is a cycle for an erase's.
  private val allocates = fw.valid || opened.valid || closed.valid
  private val emptied   = RegInit(0.U.asTypeOf(Valid(new SbErased(p)))) // its state waits for the next cycle
  emptied.valid := erased.valid && allocates
  emptied.bits  := erased.bits
  private val emptying                        = Mux(emptied.valid, emptied.bits, erased.bits)
  private def left(e: SbErased): SbState.Type = Mux(e.retires, SbState.bad, SbState.free)
  when(allocates || erased.valid || emptied.valid) {
    state.write(
      Mux(fw.valid, fw.bits.sb, Mux(opened.valid, opened.bits, Mux(closed.valid, closed.bits, emptying.sb))),
      Mux(
        fw.valid,
        fw.bits.state,
        Mux(opened.valid, SbState.open, Mux(closed.valid, SbState.closed, left(emptying)))
      )
    )
  }

  // --- VALID = gained - lost: two memories with one write port each take an increment and a decrement in one cycle
  private def tally(event: Valid[UInt], loaded: UInt, readAt: UInt): UInt = {
    val counts = memory(UInt(validBits.W))
    val old    = RegNext(counts.read(event.bits))
    val now    = later(event)                                                  // the step after the read
    val sb     = RegNext(Mux(fw.valid, fw.bits.sb, now.bits))                  // the step after that, as the next three
    val loads  = RegNext(fw.valid, false.B)
    val writes = RegNext(fw.valid || now.valid, false.B)
    val value  = RegNext(loaded)
    val last   = Reg(UInt(validBits.W))                                        // what the step before wrote
    val again  = RegNext(writes && Mux(fw.valid, fw.bits.sb, now.bits) === sb) // to the same superblock
    val count  = Mux(loads, value, Mux(again, last, old) + 1.U)
    when(writes)(counts.write(sb, count))
    last := count
    counts.read(readAt)
  }

  // --- marks. Those that an erase or firmware ends first; they are cleared long after they were set.
  private def marks(memory: SyncReadMem[Bool], events: Seq[DecoupledIO[UInt]]): Bool = {
    val clears  = fw.valid || erased.valid
    val arbiter = Module(new Arbiter(UInt(p.sbBits.W), events.size))
    arbiter.io.in.zip(events).foreach { case (in, event) => in <> event }
    val set = Wire(Decoupled(UInt(p.sbBits.W)))
    set <> Queue(arbiter.io.out, 2)
    set.ready := !clears
    when(clears || set.valid) {
      memory.write(Mux(fw.valid, fw.bits.sb, Mux(erased.valid, erased.bits.sb, set.bits)), !clears)
    }
    VecInit(set.valid +: events.map(_.valid)).asUInt.orR
  }
  // Programs may fail one after the other, as many as are under way. The host's of one channel's reads are a page's
  // transfer apart.
  private def waiting(event: Valid[UInt], entries: Int): DecoupledIO[UInt] = {
    val queue = Module(new Queue(UInt(p.sbBits.W), entries, useSyncReadMem = entries > 2))
    queue.io.enq.valid := event.valid
    queue.io.enq.bits  := event.bits
    assert(!event.valid || queue.io.enq.ready, "SuperblockTable: a mark is lost")
    queue.io.deq
  }
  private val programs =
    Seq(SlotWriter.host -> p.k.writeBuffers, SlotWriter.gc -> p.k.gcBuffers).map { case (w, n) =>
      waiting(io.failing(w), n)
    }
  private val marking = marks(failedMarks, programs) || marks(weakMarks, io.weak.map(waiting(_, 2)))

  // --- questions: RemapTable's at once, the others' in turn, in the cycles in which it has none
  private val asks     = io.read.map(_.ask)
  private val chosen   = RegInit(VecInit.fill(asks.size)(false.B)) // whose question is in `question`, as one hot
  private val asked    = RegInit(false.B)                          // `question` waits to be read
  private val question = Reg(UInt(p.sbBits.W))
  private val behind   = RegInit(VecInit.fill(asks.size)(false.B)) // those whose turn comes before the others'
  private val accepts  = RegInit(false.B)                          // it was accepted just now
  private val reads    = asked && !io.salt.ask.valid
  when(!asked) {
    val wants = asks.map(_.valid)
    val ahead = wants.zip(behind).map { case (w, b) => w && b }
    val first = Mux(VecInit(ahead).asUInt.orR, VecInit(PriorityEncoderOH(ahead)), VecInit(PriorityEncoderOH(wants)))
    val comes = VecInit(wants).asUInt.orR && !clearing
    chosen   := first
    question := Mux1H(first, asks.map(_.bits))
    when(comes)(behind := VecInit(first.scanLeft(false.B)(_ || _).init))
    asked    := comes
    accepts  := comes
  }.otherwise {
    accepts := false.B
    asked   := !reads
  }
  for ((ask, c) <- asks.zip(chosen)) ask.ready := c && accepts
  private val at     = Mux(io.salt.ask.valid, io.salt.ask.bits, question)
  private val atNext = RegNext(at)

  // The cycle after the read.
  private val found = Wire(new SbAnswer(p))
  found.gen          := gen.read(at)
  found.epoch        := epoch.read(at)
  found.state        := state.read(at)
  when(emptied.valid && emptied.bits.sb === atNext)(found.state := left(emptied.bits))
  found.marks.failed := failedMarks.read(at)
  found.marks.weak   := weakMarks.read(at)
  found.valid        := DontCare
  // A register for each kind of question. With one, Yosys would make it the block RAM's only register.
  private val (readSalt, readOther) = (RegNext(io.salt.ask.valid, false.B), RegNext(reads))
  private val kept                  = RegEnable(found, readOther)
  private val (saltGen, saltEpoch)  = (RegEnable(found.gen, readSalt), RegEnable(found.epoch, readSalt))
  io.salt.answer.valid      := RegNext(readSalt, false.B)
  io.salt.answer.bits.gen   := saltGen
  io.salt.answer.bits.epoch := saltEpoch
  // One more for VALID.
  private val gained = tally(io.valid.inc, fw.bits.valid, atNext)
  private val lost   = tally(io.valid.dec, 0.U, atNext)
  private val record = RegNext(kept)
  private val valid  = RegNext(gained - lost)
  for ((port, c) <- io.read.zip(chosen)) {
    port.answer.valid      := ShiftRegister(c && reads, 3, false.B, true.B)
    port.answer.bits       := record
    port.answer.bits.valid := valid
  }
  quiet := !clearing && !marking && !asked

  // --- the shadow: each record, as all updates of the cycles before have left it
  private object Shadow {
    val gained, lost    = Mem(p.superblocks, UInt(validBits.W))
    val gen             = Mem(p.superblocks, UInt(p.genBits.W))
    val epoch           = Mem(p.superblocks, UInt(p.epochBits.W))
    val state           = Mem(p.superblocks, SbState())
    val (inc, dec)      = (io.valid.inc, io.valid.dec)
    def valid(sb: UInt) = gained(sb) - lost(sb)
    when(load.valid) {
      gained(load.bits.sb) := load.bits.valid
      lost(load.bits.sb)   := 0.U
      gen(load.bits.sb)    := load.bits.gen
      epoch(load.bits.sb)  := load.bits.epoch
      state(load.bits.sb)  := load.bits.state
    }
    when(inc.valid)(gained(inc.bits)            := gained(inc.bits) + 1.U)
    when(dec.valid)(lost(dec.bits)              := lost(dec.bits) + 1.U)
    when(io.opened.valid)(state(io.opened.bits) := SbState.open)
    when(io.closed.valid)(state(io.closed.bits) := SbState.closed)
    when(io.erased.valid) {
      gen(io.erased.bits.sb)   := io.erased.bits.gen
      epoch(io.erased.bits.sb) := 0.U
      state(io.erased.bits.sb) := left(io.erased.bits)
    }
    when(io.compacted.valid)(epoch(io.compacted.bits.sb) := io.compacted.bits.epoch)
    val record   = Wire(new SbAnswer(p))
    record.gen := gen(at)
    record.epoch := epoch(at)
    record.valid := valid(at)
    record.state := state(at)
    record.marks := DontCare
    val expected = ShiftRegister(record, 3)
  }
  import Shadow.{dec, inc}
  assert(
    !io.salt.answer.valid || io.salt.answer.bits.gen === RegNext(RegNext(Shadow.record.gen)) &&
      io.salt.answer.bits.epoch === RegNext(RegNext(Shadow.record.epoch)),
    "SuperblockTable: a salt without the updates before its question"
  )
  for (port <- io.read) {
    val (is, shall) = (port.answer.bits, Shadow.expected)
    assert(
      !port.answer.valid || is.gen === shall.gen && is.epoch === shall.epoch && is.valid === shall.valid &&
        is.state === shall.state,
      "SuperblockTable: an answer without the updates before its question"
    )
  }

  private val (erase, compact) = (io.erased, io.compacted)
  private val sameSb           = inc.valid && dec.valid && inc.bits === dec.bits
  assert(!io.fwWrite.valid || !clearing, "firmware sets a superblock before the table is ready")
  assert(
    !clearing || !(inc.valid || dec.valid || io.opened.valid || io.closed.valid || erase.valid || compact.valid),
    "a superblock is used before the table is ready"
  )
  assert(
    !io.fwWrite.valid || !(inc.valid || dec.valid || erase.valid),
    "firmware sets superblocks before anything runs"
  )
  assert(
    !compact.valid || !(io.fwWrite.valid || erase.valid) && !Shadow.epoch(compact.bits.sb).andR,
    "a chain is compacted while its superblock is erased, or past its last epoch"
  )
  assert(!compact.valid || compact.bits.epoch === Shadow.epoch(compact.bits.sb) + 1.U, "epochs go up by one")
  assert(!erase.valid || erase.bits.gen === Shadow.gen(erase.bits.sb) + 1.U, "generations go up by one")
  assert(!dec.valid || sameSb || Shadow.valid(dec.bits) =/= 0.U, "VALID fell below zero")
  assert(
    !inc.valid || sameSb || Shadow.valid(inc.bits) =/= p.slotsPerSb.U,
    "more valid slots than the superblock has"
  )
  assert(
    PopCount(Seq(io.fwWrite.valid, io.opened.valid, io.closed.valid)) <= 1.U,
    "one superblock is opened or closed at a time"
  )
  assert(!emptied.valid || !allocates && !erased.valid, "a cycle between two of Allocator's events, or two erases")
  assert(!io.opened.valid || Shadow.state(io.opened.bits) === SbState.free, "only a free superblock is opened")
  assert(!io.opened.valid || Shadow.valid(io.opened.bits) === 0.U, "a free superblock has no valid slot")
  assert(!io.closed.valid || Shadow.state(io.closed.bits) === SbState.open, "only an open superblock is closed")
  assert(
    !erase.valid || Shadow.state(erase.bits.sb) === SbState.closed ||
      erase.bits.retires && Shadow.state(erase.bits.sb) === SbState.bad,
    "only a closed superblock is erased"
  )
  assert(!erase.valid || Shadow.valid(erase.bits.sb) === 0.U, "an erased superblock has no valid slot")
  for ((ask, answer) <- io.read.map(port => port.ask -> port.answer)) {
    val pending = RegInit(false.B)
    when(ask.fire)(pending := true.B).elsewhen(answer.valid)(pending := false.B)
    assert(!ask.valid || !pending || ask.fire, "SuperblockTable: a client asks before it has its answer")
    assert(!answer.valid || pending, "SuperblockTable: an answer that nobody waits for")
  }
  cover(asked && io.salt.ask.valid, "SuperblockTable: a question waits for RemapTable's")
  cover(emptied.valid, "SuperblockTable: a superblock is opened or closed as another one is erased")
  cover(
    emptied.valid && RegNext(reads || io.salt.ask.valid) && emptied.bits.sb === atNext,
    "SuperblockTable: and asked for"
  )
}
