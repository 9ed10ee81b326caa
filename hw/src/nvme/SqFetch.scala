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
  * A *visit* to a queue takes three cycles: all that is known of the queue is looked up, compared, and acted on. A
  * doorbell write is a visit to its queue. It fetches at once when no other queue waits; otherwise the queue is visited
  * when its turn comes.
  *
  * A definition or deletion of queue 0 forgets all queues (controller reset). Entries of a deleted queue that are on
  * the way are dropped when they arrive, and those that wait for the router are withdrawn. Commands that have been
  * handed on still complete, so `cqOf` and `head` of a deleted queue stay as they are until it is defined again.
  */
class SqFetch(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val config      = Flipped(Valid(new SqConfig(p)))
    val doorbell    = Flipped(Valid(new Doorbell(p))) // at most every second cycle
    val host        = new AxiRead(AxiParams(64))
    val out         = Decoupled(new FetchedCommand(p))
    val headOf      = Input(UInt(p.qidBits.W))        // of this queue, a cycle later:
    val head        = Output(UInt(16.W))              // for SQHD: entries fetched
    val cqOf        = Output(Vec(p.queues, UInt(p.qidBits.W)))
    val alive       = Output(Vec(p.queues, Bool()))   // there is such a queue
    val badDoorbell = Output(new BadDoorbell)
    val fetchError  = Output(Bool())                  // pulse: host memory did not answer (controller fatal)
    val room      = Input(Vec(p.queues, UInt(p.queuePtrBits.W)))  // free entries of each completion queue
    val completed = Flipped(Valid(UInt(p.qidBits.W)))             // a command of this queue has left the controller
    val held      = Input(UInt(p.queuePtrBits.W))                 // admin commands that firmware keeps (QueueCredits)
    val inside    = Output(Vec(p.queues, UInt(p.queuePtrBits.W))) // commands of each queue inside the controller
    val adminRoom = Output(Bool())                                // see QueueCredits
  })

  private val depth      = 4
  private val entryBytes = 64
  private val entryBeats = entryBytes / p.dataBytes

  private val enable  = RegInit(VecInit.fill(p.queues)(false.B))
  private val behind  = RegInit(VecInit.fill(p.queues)(false.B)) // perhaps: tail =/= ask
  private val cqid    = RegInit(VecInit.fill(p.queues)(0.U(p.qidBits.W)))
  private val page    = Mem(p.queues, UInt(52.W))                // of the first entry
  private val last    = Mem(p.queues, UInt(p.queueIdxBits.W))    // entry of the ring
  private val tail    = new QueueIndex(p.queues, p.queueIdxBits) // host: next entry to fill
  private val ask     = new QueueIndex(p.queues, p.queueIdxBits) // next entry to ask for
  private val head    = new QueueIndex(p.queues, p.queueIdxBits) // next entry to arrive
  private val credits = Module(new QueueCredits(p))
  private def after(index: UInt, last: UInt): UInt = Mux(index === last, 0.U, index + 1.U)

  /** The definition or deletion of this cycle is of this queue. */
  private def changes(qid: UInt): Bool =
    io.config.valid && (io.config.bits.qid === 0.U || io.config.bits.qid === qid)

  // ------------------------------------------------------------------ entries on the way: a ring of `depth` places
  private class Place extends Bundle {
    val qid     = UInt(p.qidBits.W)
    val used    = Bool()
    val dropped = Bool() // its queue is gone, or host memory failed
  }
  private val ptrBits               = log2Ceil(depth)
  private val place                 = RegInit(VecInit.fill(depth)(0.U.asTypeOf(new Place)))
  private val words                 = Seq.fill(entryBeats)(Mem(depth, UInt(p.dataBits.W)))
  private val asked                 = RegInit(0.U((ptrBits + 1).W)) // places given to a fetch, ever (modulo)
  private val arrived               = RegInit(0.U((ptrBits + 1).W))
  private val left                  = RegInit(0.U((ptrBits + 1).W)) // handed on or dropped
  private def at(count: UInt): UInt = count(ptrBits - 1, 0)

  // ------------------------------------------------------------------ a visit, first cycle: looking up
  private class Marks extends Bundle {
    val enabled         = Bool()
    val tail, ask, head = Bool() // QueueIndex.isFresh
  }
  private class Look extends Bundle {
    val qid                   = UInt(p.qidBits.W)
    val rung, turn            = new Marks  // of the doorbell's queue and of the one whose turn it is
    val absent                = Bool()     // the doorbell is of no queue that there could be
    val tail, ask, head, last = UInt(p.queueIdxBits.W)
    val page                  = UInt(52.W)
    val bell                  = Bool()     // a doorbell was written
    val value                 = UInt(16.W) // with this
    val movedTail, movedAsk   = Bool()     // by the visit before, to `priorTail`, `priorAsk`
  }
  private class Judged extends Bundle {
    val qid                           = UInt(p.qidBits.W)
    val exists, bell, allowed         = Bool()
    val inRing, wrapped, above, below = Bool()     // `value`: see `good`
    val tail, value, ask, askNext     = UInt(p.queueIdxBits.W)
    val wantsTail, wantsValue         = Bool()     // there are entries up to the tail, or to `value`
    val address                       = UInt(64.W) // of the next entry
    val cqid                          = UInt(p.qidBits.W)
  }
  private val looked  = RegInit(false.B)
  private val look    = Reg(new Look)
  private val judged  = RegInit(false.B)
  private val now     = Reg(new Judged)
  private val asking  = RegInit(false.B)                             // an address waits for the bus
  private val full    = RegInit(false.B)                             // as many under way as there are places
  private val resting = RegInit(0.U(log2Ceil(QueueCredits.apart).W)) // cycles until the next fetch may begin
  private val pick    = Wire(Bool())                                 // the visit in its third cycle fetches
  private val rings   = Wire(Bool())                                 // and it moves the tail

  // Whose turn it is. This is of some cycles before, and the visit finds out whether it still holds.
  private val eligible = VecInit(behind.zip(credits.io.allowed).map { case (b, ok) => b && ok }).asUInt
  private val later    = RegInit(0.U(p.queues.W)) // queues behind the one that had its turn last
  private val ahead    = RegInit(0.U(p.queues.W)) // of a cycle ago, which is soon enough: a visit takes longer
  ahead := eligible & later
  private val waits = RegNext(eligible.orR, false.B)
  private val turn  = RegNext(Mux(ahead.orR, PriorityEncoder(ahead), PriorityEncoder(eligible)))

  private val bell   = io.doorbell.valid && !io.doorbell.bits.isCq
  private val inTurn = waits && !looked && !judged && !asking && !full && resting < (QueueCredits.apart - 1).U && !bell
  private val rung   = io.doorbell.bits.qid(p.qidBits - 1, 0)
  private val goal   = Mux(bell, rung, turn)
  private val again  = judged && goal === now.qid // what the visit before changes in this cycle
  /** What is known of the queue that is visited. Both that may be are looked up. */
  private def known[T <: Data](of: UInt => T): T = Mux(bell, of(rung), of(turn))
  private val priorTail                          = RegNext(now.value)
  private val priorAsk                           = RegNext(now.askNext)
  looked   := (bell || inTurn) && !changes(goal)
  look.qid := goal
  for ((marks, qid) <- Seq(look.rung -> rung, look.turn -> turn)) {
    marks.enabled := enable(qid)
    marks.tail    := tail.isFresh(qid)
    marks.ask     := ask.isFresh(qid)
    marks.head    := head.isFresh(qid)
  }
  look.absent    := bell && io.doorbell.bits.qid >= p.queues.U
  look.tail      := known(tail.stored(_))
  look.ask       := known(ask.stored(_))
  look.head      := known(head.stored(_))
  look.movedTail := again && rings
  look.movedAsk  := again && pick
  look.last      := last.read(goal)
  look.page      := page.read(goal)
  look.bell      := bell
  look.value     := io.doorbell.bits.value
  when(inTurn)(later := VecInit.tabulate(p.queues)(i => turn < i.U).asUInt)

  // ------------------------------------------------------------------ second cycle: comparing
  // A doorbell write of this cycle makes what was looked up of its queue old. That visit ends.
  private val overtaken = bell && !look.bell && io.doorbell.bits.qid === look.qid
  private val marks     = Mux(look.bell, look.rung, look.turn)
  private val tailNow   = Mux(look.movedTail, priorTail, Mux(marks.tail, 0.U, look.tail))
  private val askNow    = Mux(look.movedAsk, priorAsk, Mux(marks.ask, 0.U, look.ask))
  private val headNow   = Mux(marks.head, 0.U, look.head)
  judged         := looked && !overtaken && !changes(look.qid)
  now.qid        := look.qid
  now.exists     := marks.enabled && !look.absent
  now.bell       := look.bell
  now.allowed    := credits.io.allowed(look.qid)
  now.inRing     := look.value <= look.last
  now.wrapped    := tailNow < headNow
  now.above      := look.value >= tailNow
  now.below      := look.value < headNow
  now.tail       := tailNow
  now.value      := look.value
  now.ask        := askNow
  now.askNext    := after(askNow, look.last)
  now.wantsTail  := tailNow =/= askNow
  now.wantsValue := look.value =/= askNow
  now.address    := Cat(look.page, 0.U(12.W)) + (askNow << log2Ceil(entryBytes))
  now.cqid       := io.cqOf(look.qid)

  // ------------------------------------------------------------------ third cycle: acting
  // The host may fill the entries that it knows to be fetched (SQHD): the tail may go on to just before the head,
  // around the ring.
  private val good  = now.inRing && Mux(now.wrapped, now.above && now.below, now.above || now.below)
  private val here  = judged && now.exists
  private val wants = Mux(now.bell && good, now.wantsValue, now.wantsTail)
  private val free  = !asking && !full && resting === 0.U && !credits.io.unsettled && !(now.bell && waits)
  rings := here && now.bell && good
  pick  := here && now.allowed && free && wants && !io.config.valid // which may forget the queue

  when(here)(behind(now.qid) := wants) // if its only entry is fetched now, the next visit finds that out
  when(rings)(tail.put(now.qid, now.value))
  io.badDoorbell.absent := RegNext(judged && now.bell && !now.exists, false.B)
  io.badDoorbell.value  := RegNext(here && now.bell && !good, false.B)

  private val address = Reg(UInt(64.W))
  io.host.ar.valid             := asking
  io.host.ar.bits.addr         := address
  io.host.ar.bits.len          := (entryBeats - 1).U
  when(!asking)(address         := now.address)
  when(io.host.ar.fire)(asking  := false.B)
  when(resting =/= 0.U)(resting := resting - 1.U)
  when(pick) {
    asking  := true.B
    resting := (QueueCredits.apart - 1).U
    ask.put(now.qid, now.askNext)
    asked                 := asked + 1.U
    place(at(asked)).qid  := now.qid
    place(at(asked)).used := true.B
  }

  // ------------------------------------------------------------------ arriving
  // The next place to arrive and where its queue's head goes then: in steps, for which the beats of an entry leave
  // time.
  private val lands    = place(at(arrived))
  private val landQid  = RegNext(lands.qid)
  private val landGone = RegNext(lands.dropped || changes(lands.qid))
  private val landHead = RegNext(head(landQid))
  private val landNext = RegNext(after(landHead, RegNext(last.read(landQid))))
  private val beat     = RegInit(0.U(log2Ceil(entryBeats).W))
  private val failed   = RegInit(false.B) // a beat of this entry before was an error
  private val bad      = failed || io.host.r.bits.resp =/= Axi4.OKAY.U
  private val arrival  = io.host.r.fire && beat === (entryBeats - 1).U
  io.host.r.ready := true.B
  io.fetchError   := RegNext(arrival && bad && !landGone, false.B)
  when(io.host.r.fire) {
    words.zipWithIndex.foreach { case (bank, i) => when(beat === i.U)(bank.write(at(arrived), io.host.r.bits.data)) }
    beat   := beat + 1.U
    failed := bad && !arrival
  }
  when(arrival) {
    arrived := arrived + 1.U
    when(bad)(lands.dropped := true.B)
    when(!bad && !landGone)(head.put(landQid, landNext))
  }

  // ------------------------------------------------------------------ handing on
  private val first    = place(at(left))
  private val ready    = arrived =/= left
  private val dropping = ready && first.dropped
  private val dropped  = RegNext(dropping, false.B)
  private val firstQid = RegNext(first.qid)
  private val comes    = arrival && arrived === left && !bad && !landGone // and is the first at once
  private val offered  = RegInit(false.B)
  // Not in the cycle after one was taken, when `first` becomes another one, nor after a definition, which may drop it.
  offered         := (ready && !first.dropped || comes) && !io.out.fire && !io.config.valid
  io.out.valid    := offered
  io.out.bits.qid := firstQid
  io.out.bits.sqe := Cat(words.reverse.map(_.read(at(left))))
  private val leaves = io.out.fire || dropping
  when(leaves) {
    left       := left + 1.U
    first.used := false.B
  }
  when(pick =/= leaves)(full := pick && asked - left === (depth - 1).U)

  // ------------------------------------------------------------------ definitions
  // Last, so that they win over everything that happens to the old queue in the same cycle.
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
    for (e <- place)
      when(all || e.qid === c.qid)(e.dropped := true.B)
  }
  // A place is given to a fetch no earlier than in the cycle after it was left. So it begins as not dropped.
  for (e <- place) when(!e.used)(e.dropped := false.B)

  credits.io.cqOf            := io.cqOf
  credits.io.room            := io.room
  credits.io.held            := io.held
  credits.io.wants           := behind
  credits.io.taken.valid     := pick
  credits.io.taken.bits.qid  := now.qid
  credits.io.taken.bits.cqid := now.cqid
  credits.io.mayTake         := judged
  credits.io.back(0)         := io.completed
  credits.io.back(1).valid   := dropped
  credits.io.back(1).bits    := firstQid
  io.inside                  := credits.io.inside
  io.adminRoom               := credits.io.adminRoom

  io.head  := RegNext(head(io.headOf))
  io.alive := enable
  io.cqOf  := VecInit(0.U +: cqid.tail) // the admin queues are a pair
  quiet    := !asking && !looked && !judged && !(eligible.orR && !full) && asked === arrived &&
    !io.out.fire && !dropping && !dropped && offered === ready && !credits.io.moves && !io.doorbell.valid &&
    !io.config.valid

  // A queue whose fetch failed stays where it is; the host sees CSTS.CFS and resets the controller.
  assert(!io.host.r.valid || asked =/= arrived, "an entry that nobody asked for")
  assert(!io.host.r.fire || io.host.r.bits.last === (beat === (entryBeats - 1).U), "an entry is one burst")
  assert(!(behind.asUInt & ~enable.asUInt).orR, "an absent queue has nothing to fetch")
  assert(!bell || !RegNext(bell, false.B), "doorbell writes come at most every second cycle")
  assert(!here || now.tail === tail(now.qid) && now.ask === ask(now.qid), "what was looked up of a queue still holds")
  assert(!here || behind(now.qid) || !now.wantsTail, "`behind` says whether there may be entries to fetch")
  assert(
    !arrival || landGone === lands.dropped &&
      (landGone || landQid === lands.qid && landNext === after(head(lands.qid), last.read(lands.qid))),
    "the head's next place is known when an entry arrives"
  )
  assert(!offered || ready && !first.dropped && io.out.bits.qid === first.qid, "what is offered is the first entry")
  assert(full === (asked - left === depth.U), "whether there is a place is known a cycle ahead")
  assert(asked - left <= depth.U && arrived - left <= depth.U, "places are used in order")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.entries > 1.U, "a queue has at least two entries")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.base(11, 0) === 0.U, "queues start at a page")
  assert(!io.config.valid || io.config.bits.qid < p.queues.U && io.config.bits.cqid < p.queues.U, "no such queue")
  assert(
    !(io.config.valid && io.config.bits.enable && io.config.bits.qid === 0.U) || io.config.bits.cqid === 0.U,
    "firmware bug: admin commands complete to the admin completion queue"
  )
  assert(
    !(io.config.valid && io.config.bits.enable) ||
      io.inside(io.config.bits.qid) === 0.U && !(pick && now.qid === io.config.bits.qid),
    "firmware bug: a queue is defined while commands of the one before are inside"
  )
  cover(eligible.orR && full, "SqFetch: as many entries under way as it can hold")
  cover(io.out.valid && !io.out.ready, "SqFetch: the router is busy")
  cover(here && !now.bell && !wants, "SqFetch: visited, and nothing is left to be fetched")
  cover(looked && overtaken, "SqFetch: a doorbell write overtakes a visit to its queue")
  cover(pick && now.bell, "SqFetch: a doorbell write fetches at once")
  cover(here && now.bell && wants && !free, "SqFetch: a doorbell write waits for the queue's turn")
  cover(again && rings && bell, "SqFetch: two doorbell writes of a queue, one right after the other")
  cover(dropping, "SqFetch: entry of a deleted queue dropped")
}
