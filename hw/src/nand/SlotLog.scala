// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A complete slot log, for firmware. */
class DueLog(val p: Params) extends Bundle {
  val sb     = UInt(p.sbBits.W)
  val log    = UInt(p.logBits.W)
  val stream = UInt(8.W) // OobRecord.stream of its last record
}

/** Logs in DRAM what is programmed into each open superblock: one log a superblock, one SlotRecord a slot offset.
  * Firmware makes the summary of a full superblock from its log. SlotLog stands between the clients that program (`in`:
  * the host's writes and GC) and the NAND, where each request still names a single slot.
  *
  * A superblock gets a log when it is opened. It gets none if all logs are in use, or if its last one still is. Without
  * a log it has no summary, and the next start takes longer; nothing else suffers. So an opening never waits. A program
  * waits until its record is in a queue here. Records may reach DRAM late, but are never lost.
  *
  * A log is due when three things hold:
  *   1. Its superblock was closed `whole`: every slot before the summary was handed out, or lies in a flash page that
  *      was closed early.
  *   1. Every program of these slots has ended well (`programs` counts those that have not ended).
  *   1. DRAM has every record (`records` counts those under way).
  *
  * The counts cover the requests that have come through here. No further one comes after `closed`, because the
  * Allocator closes a superblock when its client asks for a further slot. At that time
  *   - WriteEngine has no slot in hand. It sends each slot through here in its state `program`, before the step ends,
  *     or gives it up as padding because the slot's page was closed. This holds for all handles, since there is one
  *     step at a time. A page whose program failed is programmed into another slot, with a request of its own.
  *   - GcMover and GcDestager have requested the program of the last slot. Each requests one for every slot that it
  *     gets, one of the two is at work at a time, and GcEngine does not queue their requests.
  *
  * A slot that waits in an incomplete flash page (PageGatherer) has no answer yet, so its log waits, too.
  *
  * A log is `spoiled` when one of its programs failed, firmware ended its superblock early, DRAM refused a record, or
  * its superblock is opened again before the log is due. (An erase waits for all programs, but not for records.) A
  * spoiled log becomes free when nothing of it is under way. Firmware starts all erases. Before it erases a superblock
  * whose log is due, it must make sure that this log is not taken for the one of the next filling.
  *
  * Timing: combinational from a request to the NAND, and from the NAND's `ready` back. A request that is logged also
  * waits for registers. The two clients do not wait for each other.
  */
class SlotLog(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val in      = SlotWriter.ports(Flipped(Decoupled(new NandRequest(p)))) // of the host, of GC: programs and others
    val out     = SlotWriter.ports(Decoupled(new NandRequest(p)))
    val done    = SlotWriter.ports(Flipped(Valid(new NandDone(p))))        // answers as their clients get them
    val opened  = Flipped(Valid(UInt(p.sbBits.W)))
    val closed  = Flipped(Valid(UInt(p.sbBits.W)))
    val whole   = Input(Bool())                                            // with `closed`
    val dram    = new AxiWrite(AxiParams(p.dramAddrBits))
    val due     = Valid(new DueLog(p))
    val release = Flipped(Valid(UInt(p.logBits.W)))
  })
  private val logs        = p.slotLogs
  private val outstanding = 16 // records under way to DRAM
  private val waiting     = 2  // records of each client, and of both
  require(p.summarySlots > 0, "without summaries nobody reads logs")
  require(Formats.SlotRecord.bytes == p.dataBytes, "a record is one beat")

  private object State extends ChiselEnum {
    val free    = Value
    val filling = Value // its superblock is open
    val ending  = Value // closed; programs or records may be missing
    val due     = Value // whole, until firmware releases it
  }
  private class Log extends Bundle {
    val state    = State()
    val spoiled  = Bool()                                          // it will not be due
    val sb       = UInt(p.sbBits.W)
    val stream   = UInt(8.W)                                       // of the last record
    val programs = UInt(p.offsetBits.W)                            // asked for and not answered
    val records  = UInt(log2Ceil(outstanding + 3 * waiting + 1).W) // taken and not in DRAM
  }
  private class Record extends Bundle {
    val log    = UInt(p.logBits.W)
    val offset = UInt(p.offsetBits.W)
    val data   = new Formats.SlotRecord
  }
  private val table                                = RegInit(VecInit.fill(logs)(0.U.asTypeOf(new Log)))
  private def are(s: State.Type): IndexedSeq[Bool] = table.map(_.state === s)

  // --- requests: those of a superblock that is being logged go on when their record is taken
  private val taken = io.in.zip(io.out).map { case (in, out) =>
    val sb     = SlotAddress.superblock(p, in.bits.slot)
    val of     = table.map(l => l.state === State.filling && l.sb === sb)
    val logged = in.bits.op === NandRequestOp.program && VecInit(of).asUInt.orR
    val queue  = Module(new Queue(new Record, waiting))
    val oob    = in.bits.oob.asTypeOf(new Formats.OobRecord)
    val may    = !logged || queue.io.enq.ready
    out.valid                  := in.valid && may
    out.bits                   := in.bits
    in.ready                   := out.ready && may
    queue.io.enq.valid         := in.fire && logged
    queue.io.enq.bits.log      := OHToUInt(of)
    queue.io.enq.bits.offset   := SlotAddress.offset(p, in.bits.slot)
    queue.io.enq.bits.data.lpn := oob.lpn
    queue.io.enq.bits.data.gen := oob.gen
    queue.io.enq.bits.data.seq := oob.seq
    queue.io.enq.bits.data.sb  := sb
    for ((l, mine) <- table.zip(of)) when(queue.io.enq.valid && mine)(l.stream := oob.stream)
    assert(
      !in.valid || in.bits.op =/= NandRequestOp.program || SlotAddress.offset(p, in.bits.slot) < p.dataSlots.U,
      "SlotLog: a slot of a summary, and not firmware's"
    )
    assert(
      !in.valid || in.bits.op =/= NandRequestOp.program ||
        !VecInit(table.map(l => l.state === State.ending && !l.spoiled && l.sb === sb)).asUInt.orR,
      "SlotLog: a program of a superblock that was closed"
    )
    assert(PopCount(of) <= 1.U, "SlotLog: a superblock has two logs")
    cover(in.valid && logged && !queue.io.enq.ready, "SlotLog: a program waits until DRAM takes records")
    cover(in.valid && logged && queue.io.enq.ready && !out.ready, "SlotLog: a program waits for its die")
    (queue, of.map(_ && queue.io.enq.valid))
  }
  private val queues  = taken.map(_._1)
  private val asks    = VecInit(taken.map(_._2).transpose.map(_.reduce(_ || _))) // by log
  private val answers = io.done.map(d =>
    table.map(l => // an answer of a filling that is not logged: nothing of the log before it is missing
      d.valid && d.bits.op === NandRequestOp.program && l.programs =/= 0.U &&
        l.sb === SlotAddress.superblock(p, d.bits.slot)
    )
  )
  private val lands = answers.transpose.map(_.reduce(_ || _))
  private val fails = answers
    .zip(io.done)
    .map { case (of, d) => of.map(_ && d.bits.status =/= NandStatus.ok) }
    .transpose
    .map(_.reduce(_ || _))

  // --- records to DRAM, in turn; the data a cycle behind its address
  private val (both, _) = RoundRobin.join(queues.map(_.io.deq))
  private val next      = Queue(both, waiting)
  private val words     = Module(new Queue(new Formats.SlotRecord, waiting))
  private val order     = Module(new Queue(UInt(p.logBits.W), outstanding)) // whose responses are to come
  next.ready           := io.dram.aw.ready && words.io.enq.ready && order.io.enq.ready
  io.dram.aw.valid     := next.valid && words.io.enq.ready && order.io.enq.ready
  io.dram.aw.bits.len  := 0.U
  io.dram.aw.bits.addr := p.logBase.U(p.dramAddrBits.W) + Cat(
    next.bits.log,
    next.bits.offset.pad(log2Ceil(p.logBytes / Formats.SlotRecord.bytes)),
    0.U(log2Ceil(Formats.SlotRecord.bytes).W)
  )
  words.io.enq.valid  := io.dram.aw.fire
  words.io.enq.bits   := next.bits.data
  order.io.enq.valid  := io.dram.aw.fire
  order.io.enq.bits   := next.bits.log
  io.dram.w.valid     := words.io.deq.valid
  io.dram.w.bits.data := words.io.deq.bits.asUInt
  io.dram.w.bits.strb := Fill(p.dataBytes, true.B)
  io.dram.w.bits.last := true.B
  words.io.deq.ready  := io.dram.w.ready
  io.dram.b.ready     := true.B
  order.io.deq.ready  := io.dram.b.valid
  private val settled = table.indices.map(i => io.dram.b.valid && order.io.deq.bits === i.U)
  private val refused = io.dram.b.valid && io.dram.b.bits.resp =/= Axi4.OKAY.U

  // --- logs
  private val known   = VecInit(table.map(l => l.state =/= State.free && l.sb === io.opened.bits)).asUInt.orR
  private val gives   = PriorityEncoderOH(are(State.free)).map(_ && io.opened.valid && !known)
  private val ends    = table.map(l => l.state === State.ending && l.programs === 0.U && l.records === 0.U)
  private val closing = table.map(l => io.closed.valid && l.state === State.filling && l.sb === io.closed.bits)
  private val again   = table.map(l => io.opened.valid && l.state === State.ending && l.sb === io.opened.bits)
  for ((l, i) <- table.zipWithIndex) {
    l.programs := l.programs + asks(i) - lands(i)
    l.records  := l.records + asks(i) - settled(i)
    when(fails(i) || settled(i) && refused || closing(i) && !io.whole || again(i))(l.spoiled := true.B)
    when(closing(i))(l.state                                                                 := State.ending)
    when(ends(i))(l.state                                     := Mux(l.spoiled || again(i), State.free, State.due))
    when(io.release.valid && io.release.bits === i.U)(l.state := State.free)
    when(gives(i)) {
      l.state   := State.filling
      l.spoiled := false.B
      l.sb      := io.opened.bits
    }
    assert(!settled(i) || l.records =/= 0.U, "SlotLog: a response of a log that waits for none")
    assert(!asks(i) || !l.programs.andR && !l.records.andR, "SlotLog: more under way than can be counted")
    assert(
      l.state === State.filling || l.state === State.ending || l.programs === 0.U && l.records === 0.U,
      "SlotLog: a log is given away with work under way"
    )
    assert(!again(i) || l.programs === 0.U, "SlotLog: a superblock is opened again before its programs have ended")
    assert(!closing(i) || !asks(i), "SlotLog: a program as its superblock is closed")
    assert(
      !(io.release.valid && io.release.bits === i.U) || l.state === State.due,
      "firmware bug: it releases a slot log that is not due"
    )
  }
  private val dues   = are(State.due)
  private val lowest = PriorityEncoderOH(dues)
  io.due.valid       := VecInit(dues).asUInt.orR
  io.due.bits.sb     := Mux1H(lowest, table.map(_.sb))
  io.due.bits.log    := OHToUInt(lowest)
  io.due.bits.stream := Mux1H(lowest, table.map(_.stream))

  quiet := !VecInit(queues.map(_.io.deq.valid) ++ ends).asUInt.orR && !next.valid && !words.io.deq.valid &&
    !io.dram.b.valid

  for (d <- answers) assert(PopCount(d) <= 1.U, "SlotLog: an answer of two logs")
  assert(!io.dram.b.valid || order.io.deq.valid, "SlotLog: a response to a record that was not written")
  assert(!io.opened.valid || !io.closed.valid, "SlotLog: one superblock is opened or closed at a time")
  cover(io.opened.valid && !known && !VecInit(are(State.free)).asUInt.orR, "SlotLog: no log for a superblock")
  cover(io.opened.valid && known, "SlotLog: a superblock still has a log of before")
  cover(PopCount(dues) > 1.U, "SlotLog: several logs are due")
  cover(queues.map(_.io.deq.valid).reduce(_ && _), "SlotLog: records of both clients")
  cover(next.valid && !io.dram.aw.ready, "SlotLog: DRAM takes no address")
  cover(words.io.deq.valid && !io.dram.w.ready, "SlotLog: DRAM takes no data")
  cover(next.valid && !order.io.enq.ready, "SlotLog: as many records under way as it can follow")

  private def some(what: (Log, Int) => Bool): Bool = VecInit(
    table.zipWithIndex.map { case (l, i) => what(l, i) }
  ).asUInt.orR
  private def ending(l: Log): Bool = l.state === State.ending
  cover(
    some((_, i) => again(i)),
    "SlotLog: a superblock is opened again before DRAM has the records of its last filling"
  )
  cover(some((_, i) => closing(i)) && !io.whole, "SlotLog: a superblock was ended early")
  cover(
    some((l, i) => closing(i) && l.programs =/= 0.U && l.records =/= 0.U) && io.whole,
    "SlotLog: a superblock is closed with programs and records under way"
  )
  cover(
    some((l, i) => fails(i) && l.state === State.filling),
    "SlotLog: a program fails in a superblock that is open"
  )
  cover(some((l, i) => fails(i) && ending(l)), "SlotLog: a program fails in a superblock that was closed")
  cover(refused, "SlotLog: DRAM refuses a record")
  cover(some((l, _) => ending(l) && l.programs === 0.U && l.records =/= 0.U), "SlotLog: a log waits for DRAM")
  cover(some((l, _) => ending(l) && l.programs =/= 0.U && l.records === 0.U), "SlotLog: a log waits for programs")
  cover(some((l, i) => ends(i) && l.spoiled), "SlotLog: a spoiled log is free again")
}
