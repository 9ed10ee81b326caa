// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A write to a doorbell of BAR0. `qid` comes from the address, and may name a queue that does not exist. */
class Doorbell(val p: Params) extends Bundle {
  val qid   = UInt(log2Ceil(Bar0Map.Doorbell.reg.count / 2).W)
  val isCq  = Bool()
  val value = UInt(16.W)
}

/** A doorbell write that had no effect (base specification, Asynchronous Event Information, Error Status). */
class BadDoorbell extends Bundle {
  val absent = Bool() // pulse: there is no such queue
  val value  = Bool() // pulse: the queue is there, but it cannot have been meant to go there
}

/** Firmware (or, for queue 0, the enabling of the controller) defines or deletes a submission queue. */
class SqConfig(val p: Params) extends Bundle {
  val qid     = UInt(p.qidBits.W)
  val enable  = Bool()
  val base    = UInt(64.W) // 4 KiB aligned
  val entries = UInt(p.queuePtrBits.W)
  val cqid    = UInt(p.qidBits.W)
}

/** Fetches submission queue entries, round robin over the queues whose completions have room (QueueCredits). Up to
  * `depth` entries are on the way or wait for the router.
  *
  * A definition or deletion of queue 0 forgets all queues (controller reset). Entries of a deleted queue that are on
  * the way are dropped when they arrive, and those that wait for the router are withdrawn. Commands that have been
  * handed on still complete, so `cqOf` and `head` of a deleted queue stay as they are until it is defined again.
  */
class SqFetch(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val config      = Flipped(Valid(new SqConfig(p)))
    val doorbell    = Flipped(Valid(new Doorbell(p)))
    val host        = new AxiRead(AxiParams(64))
    val out         = Decoupled(new FetchedCommand(p))
    val head        = Output(UInt(16.W))            // for SQHD: entries fetched of the queue that `completed` names
    val cqOf        = Output(Vec(p.queues, UInt(p.qidBits.W)))
    val alive       = Output(Vec(p.queues, Bool())) // there is such a queue
    val badDoorbell = Output(new BadDoorbell)
    val fetchError  = Output(Bool())                // pulse: host memory did not answer (controller fatal)
    val room      = Input(Vec(p.queues, UInt(p.queuePtrBits.W)))  // free entries of each completion queue
    val completed = Flipped(Valid(UInt(p.qidBits.W)))             // a command of this queue has left the controller
    val held      = Input(UInt(p.queuePtrBits.W))                 // admin commands that firmware keeps (QueueCredits)
    val inside    = Output(Vec(p.queues, UInt(p.queuePtrBits.W))) // commands of each queue inside the controller
    val adminRoom = Output(Bool())                                // see QueueCredits
  })

  private val depth      = 4
  private val entryBytes = 64
  private val entryBeats = entryBytes / p.dataBytes

  private val enable                              = RegInit(VecInit.fill(p.queues)(false.B))
  private val behind                              = RegInit(VecInit.fill(p.queues)(false.B)) // tail =/= ask
  private val cqid                                = RegInit(VecInit.fill(p.queues)(0.U(p.qidBits.W)))
  private val page                                = Mem(p.queues, UInt(52.W))                // of the first entry
  private val last                                = Mem(p.queues, UInt(p.queueIdxBits.W))    // entry of the ring
  private val tail                                = new QueueIndex(p.queues, p.queueIdxBits) // host: next entry to fill
  private val ask                                 = new QueueIndex(p.queues, p.queueIdxBits) // next entry to ask for
  private val head                                = new QueueIndex(p.queues, p.queueIdxBits) // next entry to arrive
  private def after(index: UInt, qid: UInt): UInt = Mux(index === last.read(qid), 0.U, index + 1.U)

  // ------------------------------------------------------------------ entries on the way: a ring of `depth` places
  private class Place extends Bundle {
    val qid     = UInt(p.qidBits.W)
    val dropped = Bool() // its queue is gone, or host memory failed
  }
  private val ptrBits               = log2Ceil(depth)
  private val place                 = Reg(Vec(depth, new Place))
  private val words                 = Seq.fill(entryBeats)(Mem(depth, UInt(p.dataBits.W)))
  private val asked                 = RegInit(0.U((ptrBits + 1).W)) // places given to a fetch, ever (modulo)
  private val arrived               = RegInit(0.U((ptrBits + 1).W))
  private val left                  = RegInit(0.U((ptrBits + 1).W)) // handed on or dropped
  private def at(count: UInt): UInt = count(ptrBits - 1, 0)

  // ------------------------------------------------------------------ asking
  private val asking  = RegInit(false.B) // an address waits for the bus
  private val address = Reg(UInt(64.W))
  private val credits = Module(new QueueCredits(p))
  // Three steps, each from registers: which queues may be asked for an entry, which of them is, and (`pick`) where its
  // entry is. Nothing else is chosen meanwhile. The choice is checked again in `pick`: firmware may have deleted the
  // queue or taken a held command back.
  private val waiting =
    RegNext(VecInit(behind.zip(credits.io.allowed).map { case (b, ok) => b && ok }), VecInit.fill(p.queues)(false.B))
  private val full     = asked - left === depth.U
  private val picking  = RegInit(false.B)
  private val choosing = waiting.asUInt.orR && !full && !asking && !picking
  private val chosen   = RegEnable(OHToUInt(RoundRobin(waiting, choosing)), choosing)
  private val pick     = picking && behind(chosen) && credits.io.allowed(chosen)
  picking := choosing
  private val entryAt = ask(chosen)
  private val askNext = after(entryAt, chosen)

  io.host.ar.valid     := asking
  io.host.ar.bits.addr := address
  io.host.ar.bits.len  := (entryBeats - 1).U
  when(io.host.ar.fire)(asking := false.B)
  when(pick) {
    asking  := true.B
    address := Cat(page.read(chosen), 0.U(12.W)) + (entryAt << log2Ceil(entryBytes))
    ask.put(chosen, askNext)
    asked                    := asked + 1.U
    place(at(asked)).qid     := chosen
    place(at(asked)).dropped := false.B
  }

  // ------------------------------------------------------------------ arriving
  private val beat    = RegInit(0.U(log2Ceil(entryBeats).W))
  private val failed  = RegInit(false.B) // a beat of this entry before was an error
  private val bad     = io.host.r.bits.resp =/= Axi4.OKAY.U
  private val arrival = io.host.r.fire && beat === (entryBeats - 1).U
  private val lands   = place(at(arrived))
  io.host.r.ready := true.B
  io.fetchError   := arrival && (bad || failed) && !lands.dropped
  when(io.host.r.fire) {
    words.zipWithIndex.foreach { case (bank, i) => when(beat === i.U)(bank.write(at(arrived), io.host.r.bits.data)) }
    beat   := beat + 1.U
    failed := (failed || bad) && !arrival
  }
  when(arrival) {
    arrived := arrived + 1.U
    when(bad || failed) {
      lands.dropped := true.B
    }.elsewhen(!lands.dropped) {
      head.put(lands.qid, after(head(lands.qid), lands.qid))
    }
  }

  // ------------------------------------------------------------------ handing on
  private val first = place(at(left))
  private val ready = arrived =/= left
  io.out.valid    := ready && !first.dropped
  io.out.bits.qid := first.qid
  io.out.bits.sqe := Cat(words.reverse.map(_.read(at(left))))
  when(io.out.fire || ready && first.dropped)(left := left + 1.U)

  // ------------------------------------------------------------------ doorbells and definitions
  private val mine    = io.doorbell.valid && !io.doorbell.bits.isCq
  private val value   = io.doorbell.bits.value
  private val d       = io.doorbell.bits.qid(p.qidBits - 1, 0)
  private val exists  = io.doorbell.bits.qid < p.queues.U && enable(d)
  private val oldTail = tail(d)
  private val oldHead = head(d)
  // The host may fill the entries that it knows to be fetched (SQHD): the tail may go on to just before the head,
  // around the ring.
  private val good = value <= last.read(d) &&
    Mux(oldTail < oldHead, value >= oldTail && value < oldHead, value >= oldTail || value < oldHead)
  private val rings = mine && exists && good
  when(rings)(tail.put(d, value))
  io.badDoorbell.absent := mine && !exists
  io.badDoorbell.value  := mine && exists && !good

  when(pick)(behind(chosen) := askNext =/= Mux(rings && d === chosen, value, tail(chosen)))
  when(rings)(behind(d)     := value =/= Mux(pick && d === chosen, askNext, ask(d)))

  // Last, so that it wins over everything that happens to the old queue in the same cycle.
  when(io.config.valid) {
    val c   = io.config.bits
    val all = c.qid === 0.U
    when(c.enable) {
      page.write(c.qid, c.base >> 12)
      last.write(c.qid, c.entries - 1.U)
      cqid(c.qid) := c.cqid
      Seq(tail, ask, head).foreach(_.begin(c.qid))
    }
    for (i <- 0 until p.queues) when(all || c.qid === i.U) {
      enable(i) := c.enable && c.qid === i.U
      behind(i) := false.B
    }
    for ((e, i) <- place.zipWithIndex) {
      val qid = Mux(pick && at(asked) === i.U, chosen, e.qid)
      when(all || qid === c.qid)(e.dropped := true.B)
    }
  }

  credits.io.cqOf          := io.cqOf
  credits.io.room          := io.room
  credits.io.held          := io.held
  credits.io.wants         := behind
  credits.io.taken.valid   := pick
  credits.io.taken.bits    := chosen
  credits.io.back(0)       := io.completed
  credits.io.back(1).valid := ready && first.dropped
  credits.io.back(1).bits  := first.qid
  io.inside                := credits.io.inside
  io.adminRoom             := credits.io.adminRoom

  io.head  := head(io.completed.bits)
  io.alive := enable
  io.cqOf  := VecInit(0.U +: cqid.tail) // the admin queues are a pair
  quiet    := !asking && !picking && !(waiting.asUInt.orR && !full) && asked === arrived && !io.out.fire &&
    !(ready && first.dropped) && !io.doorbell.valid && !io.config.valid

  // A queue whose fetch failed stays where it is; the host sees CSTS.CFS and resets the controller.
  assert(!io.host.r.valid || asked =/= arrived, "an entry that nobody asked for")
  assert(!io.host.r.fire || io.host.r.bits.last === (beat === (entryBeats - 1).U), "an entry is one burst")
  assert(!(behind.asUInt & ~enable.asUInt).orR, "an absent queue has nothing to fetch")
  assert(!pick || entryAt =/= tail(chosen), "only entries that the host has filled are fetched")
  assert(!(mine && exists) || behind(d) === (ask(d) =/= oldTail), "`behind` says whether there are entries to fetch")
  assert(asked - left <= depth.U && arrived - left <= depth.U, "places are used in order")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.entries > 1.U, "a queue has at least two entries")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.base(11, 0) === 0.U, "queues start at a page")
  assert(!io.config.valid || io.config.bits.qid < p.queues.U && io.config.bits.cqid < p.queues.U, "no such queue")
  assert(
    !(io.config.valid && io.config.bits.enable && io.config.bits.qid === 0.U) || io.config.bits.cqid === 0.U,
    "firmware bug: admin commands complete to the admin completion queue"
  )
  assert(
    !(io.config.valid && io.config.bits.enable && io.config.bits.qid =/= 0.U) ||
      io.inside(io.config.bits.qid) === 0.U && !(pick && chosen === io.config.bits.qid),
    "firmware bug: an I/O queue is defined while commands of the one before are inside"
  )
  cover(waiting.asUInt.orR && full, "SqFetch: as many entries under way as it can hold")
  cover(io.out.valid && !io.out.ready, "SqFetch: the router is busy")
  cover(picking && !pick, "SqFetch: chosen, and no longer to be fetched")
  cover(ready && first.dropped, "SqFetch: entry of a deleted queue dropped")
}
