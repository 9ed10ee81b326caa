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
  * Firmware makes the summary of a full superblock from its log. SlotLog watches the requests of the clients that
  * program (the host's writes and GC) on their way to the NAND, where each request still names a single slot. `taken`
  * are those that are accepted. A NandGate keeps programs back while there is no `room` for a record.
  *
  * A superblock gets a log when it is opened. It gets none if all logs are in use, or if its last one still is. Without
  * a log it has no summary, and the next start takes longer; nothing else suffers. So an opening never waits. A program
  * waits until there is a place for its record here. Records may reach DRAM late, but are never lost.
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
  *     gets, one of the two is at work at a time, and neither asks for a slot while GcEngine still holds a request.
  *
  * A slot that waits in an incomplete flash page (PageGatherer) has no answer yet, so its log waits, too.
  *
  * A log is `spoiled` when one of its programs failed, firmware ended its superblock early, DRAM refused a record, or
  * its superblock is opened again before the log is due. (An erase waits for all programs, but not for records.) A
  * spoiled log becomes free when nothing of it is under way. Firmware starts all erases. Before it erases a superblock
  * whose log is due, it must make sure that this log is not taken for the one of the next filling.
  *
  * Timing: registers on all sides. Each event changes the table two cycles later, so their order stays. What firmware
  * sees follows a cycle later. The requests are not delayed. The Allocator opens a superblock three cycles, at least,
  * before a slot of it is programmed.
  */
class SlotLog(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val taken   = SlotWriter.ports(Flipped(Valid(new NandRequest(p)))) // of the host, of GC: programs and others
    val room    = SlotWriter.ports(Output(Bool()))                     // for the record of a program
    val done    = SlotWriter.ports(Flipped(Valid(new NandDone(p))))    // answers as their clients get them
    val opened  = Flipped(Valid(UInt(p.sbBits.W)))
    val closed  = Flipped(Valid(UInt(p.sbBits.W)))
    val whole   = Input(Bool())                                        // with `closed`
    val dram    = new AxiWrite(AxiParams(p.dramAddrBits))
    val due     = Valid(new DueLog(p))
    val release = Flipped(Valid(UInt(p.logBits.W)))
  })
  private val logs        = p.slotLogs
  private val outstanding = 16 // records under way to DRAM
  private val waiting     = 4  // records of each client: one a cycle comes, and goes two cycles later
  private val merged      = 2  // of both
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
    val spoiled  = Bool()                                                   // it will not be due
    val sb       = UInt(p.sbBits.W)
    val stream   = UInt(8.W)                                                // of the last record
    val lacks    = Bool()                                                   // programs =/= 0
    val owes     = Bool()                                                   // records =/= 0
    val programs = UInt(p.offsetBits.W)                                     // asked for and not answered
    val records  = UInt(log2Ceil(outstanding + merged + 2 * waiting + 1).W) // taken and not in DRAM
  }
  private class Record extends Bundle {
    val log    = UInt(p.logBits.W)
    val offset = UInt(p.offsetBits.W)
    val data   = new Formats.SlotRecord
  }
  private val table                                = RegInit(VecInit.fill(logs)(0.U.asTypeOf(new Log)))
  private def are(s: State.Type): IndexedSeq[Bool] = table.map(_.state === s)

  // --- requests: what is accepted, and the log that it belongs to, in registers
  private val taken = io.taken.zip(io.room).map { case (in, room) =>
    val programs = in.valid && in.bits.op === NandRequestOp.program
    val sb       = SlotAddress.superblock(p, in.bits.slot)
    val oob      = in.bits.oob.asTypeOf(new Formats.OobRecord)
    val comes    = RegNext(programs, false.B)
    val of       = table.map(l => RegNext(programs && l.state === State.filling && l.sb === sb, false.B))
    val logged   = VecInit(of).asUInt.orR
    val record   = Reg(new Record)
    val stream   = RegNext(oob.stream)
    val queue    = Module(Fifo(p.k.lateQueues, new Record, waiting))
    record.offset         := SlotAddress.offset(p, in.bits.slot)
    record.data.lpn       := oob.lpn
    record.data.gen       := oob.gen
    record.data.seq       := oob.seq
    record.data.sb        := sb
    record.log            := DontCare
    queue.io.enq.valid    := logged
    queue.io.enq.bits     := record
    queue.io.enq.bits.log := OHToUInt(of)
    for ((l, mine) <- table.zip(of)) when(mine)(l.stream := stream)

    // Records in the queue, and requests that may become one.
    val held = RegInit(0.U(log2Ceil(waiting + 1).W))
    val has  = RegInit(true.B)
    val left = queue.io.deq.fire
    val gone = comes && !logged
    val next = held + programs - (left +& gone)
    held := next
    has  := next =/= waiting.U
    room := has
    assert(!programs || has, "SlotLog: a program is accepted without room for its record")
    assert(!logged || queue.io.enq.ready, "SlotLog: a place was kept for the record")
    assert(held === queue.io.count + comes, "SlotLog: records that wait")
    assert(
      !programs || SlotAddress.offset(p, in.bits.slot) < p.dataSlots.U,
      "SlotLog: a slot of a summary, and not firmware's"
    )
    assert(
      !programs || !VecInit(table.map(l => l.state === State.ending && !l.spoiled && l.sb === sb)).asUInt.orR,
      "SlotLog: a program of a superblock that was closed"
    )
    assert(!comes || PopCount(of) <= 1.U, "SlotLog: a superblock has two logs")
    cover(!has, "SlotLog: a program waits until DRAM takes records")
    (queue, of, comes)
  }
  private val queues = taken.map(_._1)
  private val asks   = VecInit(taken.map(_._2).transpose.map(_.reduce(_ || _))) // by log

  // --- events, and the logs that they name, in registers. The number of a log that is given away does not count.
  private val gives                                        = Wire(Vec(logs, Bool()))
  private def logsOf(by: Bool, sb: UInt): IndexedSeq[Bool] =
    table.zip(gives).map { case (l, anew) => RegNext(by && l.sb === sb && !anew, false.B) }
  private val opened   = RegNext(io.opened.valid, false.B)
  private val openedSb = RegEnable(io.opened.bits, io.opened.valid)
  private val openedIs = logsOf(io.opened.valid, io.opened.bits)
  private val closed   = RegNext(io.closed.valid, false.B)
  private val closedIs = logsOf(io.closed.valid, io.closed.bits)
  private val whole    = RegNext(io.whole)
  private val released = table.indices.map(i => RegNext(io.release.valid && io.release.bits === i.U, false.B))
  private val answers  =
    io.done.map(d => logsOf(d.valid && d.bits.op === NandRequestOp.program, SlotAddress.superblock(p, d.bits.slot)))
  private val bad = io.done.map(d => RegNext(d.bits.status =/= NandStatus.ok))
  // An answer of a filling that is not logged: nothing of the log before it is missing.
  private val lands = answers.transpose.zip(table).map { case (of, l) => of.reduce(_ || _) && l.lacks }
  private val fails = answers.transpose.zip(table).map { case (of, l) =>
    of.zip(bad).map { case (mine, is) => mine && is }.reduce(_ || _) && l.lacks
  }

  // --- records to DRAM, in turn; the data a cycle behind its address
  private class Write extends Bundle {
    val addr = UInt(p.dramAddrBits.W)
    val data = new Formats.SlotRecord
  }
  private val (both, _) = RoundRobin.join(queues.map(_.io.deq))
  private val next      = Queue(both, merged)
  private val writes    = Module(new Skid(new Write))
  private val words     = Module(new Skid(new Formats.SlotRecord))
  private val order     = Module(new Queue(UInt(p.logBits.W), outstanding)) // whose responses are to come
  next.ready             := writes.io.in.ready && order.io.enq.ready
  order.io.enq.valid     := next.valid && writes.io.in.ready
  order.io.enq.bits      := next.bits.log
  writes.io.in.valid     := next.valid && order.io.enq.ready
  writes.io.in.bits.data := next.bits.data
  writes.io.in.bits.addr := p.logBase.U(p.dramAddrBits.W) + Cat(
    next.bits.log,
    next.bits.offset.pad(log2Ceil(p.logBytes / Formats.SlotRecord.bytes)),
    0.U(log2Ceil(Formats.SlotRecord.bytes).W)
  )
  io.dram.aw.valid     := writes.io.out.valid && words.io.in.ready
  io.dram.aw.bits.len  := 0.U
  io.dram.aw.bits.addr := writes.io.out.bits.addr
  writes.io.out.ready  := io.dram.aw.ready && words.io.in.ready
  words.io.in.valid    := io.dram.aw.fire
  words.io.in.bits     := writes.io.out.bits.data
  io.dram.w.valid      := words.io.out.valid
  io.dram.w.bits.data  := words.io.out.bits.asUInt
  io.dram.w.bits.strb  := Fill(p.dataBytes, true.B)
  io.dram.w.bits.last  := true.B
  words.io.out.ready   := io.dram.w.ready
  io.dram.b.ready      := true.B
  order.io.deq.ready   := io.dram.b.valid
  private val settled = table.indices.map(i => RegNext(io.dram.b.valid && order.io.deq.bits === i.U, false.B))
  private val refused = RegNext(io.dram.b.valid && io.dram.b.bits.resp =/= Axi4.OKAY.U, false.B)

  // --- logs
  private val known   = VecInit(table.zip(openedIs).map { case (l, is) => l.state =/= State.free && is }).asUInt.orR
  private val ends    = table.map(l => l.state === State.ending && !l.lacks && !l.owes)
  private val closing = table.zip(closedIs).map { case (l, is) => is && l.state === State.filling }
  private val again   = table.zip(openedIs).map { case (l, is) => is && l.state === State.ending }
  gives := PriorityEncoderOH(are(State.free)).map(_ && opened && !known)
  for ((l, i) <- table.zipWithIndex) {
    l.programs := l.programs + asks(i) - lands(i)
    l.records  := l.records + asks(i) - settled(i)
    l.lacks    := asks(i) || l.lacks && !(lands(i) && l.programs === 1.U)
    l.owes     := asks(i) || l.owes && !(settled(i) && l.records === 1.U)
    when(fails(i) || settled(i) && refused || closing(i) && !whole || again(i))(l.spoiled := true.B)
    when(closing(i))(l.state                                                              := State.ending)
    when(ends(i))(l.state     := Mux(l.spoiled || again(i), State.free, State.due))
    when(released(i))(l.state := State.free)
    when(gives(i)) {
      l.state   := State.filling
      l.spoiled := false.B
      l.sb      := openedSb
    }
    assert(l.lacks === (l.programs =/= 0.U) && l.owes === (l.records =/= 0.U))
    assert(!settled(i) || l.records =/= 0.U, "SlotLog: a response of a log that waits for none")
    assert(!asks(i) || !l.programs.andR && !l.records.andR, "SlotLog: more under way than can be counted")
    assert(
      l.state === State.filling || l.state === State.ending || l.programs === 0.U && l.records === 0.U,
      "SlotLog: a log is given away with work under way"
    )
    assert(!again(i) || l.programs === 0.U, "SlotLog: a superblock is opened again before its programs have ended")
    assert(!closing(i) || !asks(i), "SlotLog: a program as its superblock is closed")
    assert(!gives(i) || l.state === State.free, "SlotLog: a log that is in use is given away")
    assert(
      !released(i) || l.state === State.due,
      "firmware bug: it releases a slot log that is not due"
    )
  }
  // What firmware sees is a register, and empty while a release is on its way through the table.
  private val dues   = are(State.due)
  private val lowest = PriorityEncoderOH(dues)
  private val shows  = VecInit(dues).asUInt.orR && !io.release.valid && !VecInit(released).asUInt.orR
  private val shown  = RegInit(false.B)
  private val due    = Reg(new DueLog(p))
  shown        := shows
  due.sb       := Mux1H(lowest, table.map(_.sb))
  due.log      := OHToUInt(lowest)
  due.stream   := Mux1H(lowest, table.map(_.stream))
  io.due.valid := shown
  io.due.bits  := due

  // What is in these registers changes the table, and the table what firmware sees.
  private val events = VecInit(Seq(opened, closed) ++ released ++ asks ++ ends ++ answers.flatten ++ settled).asUInt.orR
  private val comes  = VecInit(
    Seq(io.opened.valid, io.closed.valid, io.release.valid, io.dram.b.valid) ++ io.done.map(_.valid)
  ).asUInt.orR
  private val moves = VecInit(
    taken.map(_._3) ++ io.taken.map(_.valid) ++ queues.map(_.io.deq.valid) :+ next.valid
  ).asUInt.orR
  quiet := !events && !RegNext(events, false.B) && !comes && !moves && writes.quiet && words.quiet

  for (d <- answers)
    assert(PopCount(d.zip(table).map { case (mine, l) => mine && l.lacks }) <= 1.U, "SlotLog: an answer of two logs")
  assert(!io.dram.b.valid || order.io.deq.valid, "SlotLog: a response to a record that was not written")
  assert(!io.opened.valid || !io.closed.valid, "SlotLog: one superblock is opened or closed at a time")
  cover(opened && !known && !VecInit(are(State.free)).asUInt.orR, "SlotLog: no log for a superblock")
  cover(opened && known, "SlotLog: a superblock still has a log of before")
  cover(PopCount(dues) > 1.U, "SlotLog: several logs are due")
  cover(queues.map(_.io.deq.valid).reduce(_ && _), "SlotLog: records of both clients")
  cover(io.dram.aw.valid && !io.dram.aw.ready, "SlotLog: DRAM takes no address")
  cover(io.dram.w.valid && !io.dram.w.ready, "SlotLog: DRAM takes no data")
  cover(next.valid && !order.io.enq.ready, "SlotLog: as many records under way as it can follow")

  private def some(what: (Log, Int) => Bool): Bool = VecInit(
    table.zipWithIndex.map { case (l, i) => what(l, i) }
  ).asUInt.orR
  private def ending(l: Log): Bool = l.state === State.ending
  cover(
    some((_, i) => again(i)),
    "SlotLog: a superblock is opened again before DRAM has the records of its last filling"
  )
  cover(some((_, i) => closing(i)) && !whole, "SlotLog: a superblock was ended early")
  cover(
    some((l, i) => closing(i) && l.programs =/= 0.U && l.records =/= 0.U) && whole,
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
