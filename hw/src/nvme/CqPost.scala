// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class CqConfig(val p: Params) extends Bundle {
  val qid     = UInt(p.qidBits.W)
  val enable  = Bool()
  val base    = UInt(64.W) // 4 KiB aligned
  val entries = UInt(p.queuePtrBits.W)
  val ien     = Bool()
  val vector  = UInt(p.vectorBits.W)
}

object CqPost {

  /** Sources of completions. `refused`: CommandQueues, of commands that were refused or aborted. */
  object Lane extends Clients { val read, write, trim, ranges, refused, firmware = Value }
}

/** Writes completion queue entries, with phase bit and SQHD. When an entry is in host memory, it requests the queue's
  * interrupt. The lanes are served round robin.
  *
  *   - A completion for a queue that does not exist is dropped.
  *   - A completion for a full queue waits and blocks its lane, but no other lane. QueueCredits makes sure that there
  *     is always room.
  *   - Defining or deleting queue 0 deletes all queues (controller reset).
  *   - A doorbell may move the head up to the last entry posted, no further.
  *
  * One completion at a time goes through these steps, each from registers to registers; a command takes the bus for far
  * longer: whose turn it is, its completion and completion queue, what is known of that queue, posting. It leaves its
  * lane after the last step. A lane's completion stays as it is until then.
  */
class CqPost(p: Params) extends Module with Quiesces {
  import CqPost.Lane
  val io = IO(new Bundle {
    val config      = Flipped(Valid(new CqConfig(p)))
    val doorbell    = Flipped(Valid(new Doorbell(p))) // at most every second cycle
    val in          = Lane.ports(Flipped(Decoupled(new Completion(p))))
    val headOf      = Output(UInt(p.qidBits.W))       // the head of this submission queue
    val sqHead      = Input(UInt(16.W))               // a cycle later
    val cqOf        = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val host        = new AxiWrite(AxiParams(64))
    val raise       = Valid(new IrqRaise(p))          // an entry is in host memory; its queue has interrupts enabled
    val badDoorbell = Output(new BadDoorbell)
    val postError   = Output(Bool())                  // pulse: host memory refused an entry (controller fatal)
    val room = Output(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries; 0 where there is no queue
    // A completion of this submission queue has been taken. `room` no longer has its entry two cycles later.
    val completed = Valid(UInt(p.qidBits.W))
  })

  private val entryBytes = 16
  private val depth      = 8 // entries whose write response is awaited
  private val a          = AxiParams(64)
  require(a.strbBits == entryBytes, "an entry is one beat")

  private class Shape extends Bundle {
    val page   = UInt(52.W) // of the first entry
    val ien    = Bool()
    val vector = UInt(p.vectorBits.W)
  }
  private class Answer extends Bundle {
    val ien    = Bool()
    val vector = UInt(p.vectorBits.W)
    val admin  = Bool()
  }
  private def perQueue: Vec[Bool] = VecInit.fill(p.queues)(false.B)
  private val enable              = RegInit(perQueue)
  private val free    = RegInit(VecInit.fill(p.queues)(0.U(p.queueIdxBits.W))) // entries; 0 where there is no queue
  private val full    = RegNext(VecInit(enable.zip(free).map { case (there, n) => there && n === 0.U }), perQueue)
  private val shape   = Mem(p.queues, new Shape)
  private val last    = Mem(p.queues, UInt(p.queueIdxBits.W))                  // entry of the ring
  private val tail    = new QueueIndex(p.queues, p.queueIdxBits + 1)           // {odd round, next entry to write}
  private val head    = new QueueIndex(p.queues, p.queueIdxBits)               // host: next entry to read
  private val address = Module(new Queue(new AxiAddr(a), 2))
  private val data    = Module(new Queue(new AxiWriteData(a), 2))
  private val answers = Module(new Queue(new Answer, depth))

  // Both a cycle late, so that they keep their order.
  private val config   = RegNext(io.config, 0.U.asTypeOf(io.config))
  private val doorbell = RegNext(io.doorbell, 0.U.asTypeOf(io.doorbell))

  /** The definition or deletion of this cycle is of this queue. */
  private def changes(qid: UInt): Bool =
    config.valid && (config.bits.qid === 0.U || config.bits.qid === qid)

  // ------------------------------------------------------------------ whose completion goes next
  // The first lane that has its turn, one-hot: of each half, and of both.
  private val half                       = Lane.size / 2
  private val halves                     = RegInit(VecInit.fill(Lane.size)(false.B))
  private def any(some: Seq[Bool]): Bool = some.fold(false.B)(_ || _)
  private val choice                     =
    VecInit.tabulate(Lane.size)(i => if (i < half) halves(i) else halves(i) && !any(halves.take(half)))
  private val open  = RegInit(true.B)
  private val chose = RegInit(false.B) // a cycle ago
  // Steps, one-hot. Whether there is a choice shows a cycle later, so that steps need not wait for the lanes' logic.
  private val fetch  = chose && halves.asUInt.orR                // its completion, and the completion queue
  private val choose = open && !fetch                            // a lane
  private val look   = RegInit(false.B)                          // at what is known of that queue
  private val post   = RegInit(false.B)
  private val stuck  = RegInit(VecInit.fill(Lane.size)(false.B)) // the queue of the lane's completion was full
  private val taking = RegInit(VecInit.fill(Lane.size)(false.B)) // the lane's ready
  private val mayAsk = RegInit(VecInit.fill(Lane.size)(true.B))  // neither of both
  // The lanes that have their turn in this round, and those that may ask. A round ends when none of them has a
  // completion: mostly while the last one of the round is in its steps, so that the next round costs no cycle.
  private val round  = RegInit(VecInit.fill(Lane.size)(true.B))
  private val goes   = RegInit(VecInit.fill(Lane.size)(true.B))
  private val firsts = VecInit(io.in.zip(goes).map { case (from, may) => from.valid && may })
  when(choose) {
    halves := VecInit.tabulate(Lane.size)(i => firsts(i) && !any(firsts.slice(i / half * half, i)))
  }
  private val none   = firsts.grouped(half).map(some => !RegNext(any(some), true.B)).reduce(_ && _)
  private val rounds =
    VecInit.tabulate(Lane.size)(i => Mux(fetch, any(choice.take(i)), round(i) || none))
  round := rounds
  private val next = RegEnable(Mux1H(choice, io.in.map(_.bits)), fetch)
  // Which queue each lane's completion is for is looked up while the lane is chosen.
  private val goals = io.in.map(from => RegNext(io.cqOf(from.bits.qid)))
  private val cq    = RegEnable(Mux1H(choice, goals), fetch)
  io.headOf := next.qid

  // ------------------------------------------------------------------ posting
  private val exists  = RegNext(enable(cq))
  private val waits   = RegNext(full(cq))
  private val q       = RegNext(shape.read(cq))
  private val now     = RegNext(tail(cq))
  private val end     = RegNext(last.read(cq))
  private val slot    = now(p.queueIdxBits - 1, 0)
  private val odd     = now(p.queueIdxBits)
  private val wraps   = slot === end
  private val room    = address.io.enq.ready && data.io.enq.ready && answers.io.enq.ready
  private val known   = post && !RegNext(config.valid, false.B) // the queue was not defined meanwhile
  private val blocks  = known && exists && waits
  private val posting = known && exists && !waits && room
  private val taken   = posting || known && !exists
  taking := choice.map(_ && taken)
  for ((from, t) <- io.in.zip(taking)) {
    from.ready := t
    assert(!t || from.valid, "CqPost: a lane withdrew its completion")
  }
  stuck.foreach(cover(_, "CqPost: completion queue full"))
  io.completed.valid := RegNext(taken, false.B)
  io.completed.bits  := RegNext(next.qid)
  private val over = taken || blocks
  open  := choose || post && over
  chose := choose
  look  := fetch
  post  := look || post && !over

  Seq(address.io.enq.valid, data.io.enq.valid, answers.io.enq.valid).foreach(_ := posting)
  address.io.enq.bits.addr := Cat(q.page, 0.U(12.W)) + (slot << log2Ceil(entryBytes))
  address.io.enq.bits.len  := 0.U
  data.io.enq.bits.data    := Cat(next.status, !odd, next.cid, next.qid.pad(16)(15, 0), io.sqHead, 0.U(32.W), next.dw0)
  data.io.enq.bits.strb    := Fill(entryBytes, 1.U(1.W))
  data.io.enq.bits.last    := true.B
  answers.io.enq.bits.ien  := q.ien
  answers.io.enq.bits.vector := q.vector
  answers.io.enq.bits.admin  := cq === 0.U
  when(posting)(tail.put(cq, Cat(odd ^ wraps, Mux(wraps, 0.U, slot + 1.U))))
  io.host.aw <> address.io.deq
  io.host.w <> data.io.deq

  // ------------------------------------------------------------------ it is there
  private val good = io.host.b.bits.resp === Axi4.OKAY.U
  io.host.b.ready      := true.B
  answers.io.deq.ready := io.host.b.valid
  io.raise.valid       := RegNext(io.host.b.valid && good && answers.io.deq.bits.ien, false.B)
  io.raise.bits.vector := RegNext(answers.io.deq.bits.vector)
  io.raise.bits.admin  := RegNext(answers.io.deq.bits.admin)
  io.postError         := RegNext(io.host.b.valid && !good, false.B)

  // ------------------------------------------------------------------ doorbells: looked up, judged, counted
  private class Bell extends Bundle {
    val qid   = UInt(p.qidBits.W)
    val value = UInt(16.W)
    val head  = UInt(p.queueIdxBits.W)
    val tail  = UInt(p.queueIdxBits.W)
    val last  = UInt(p.queueIdxBits.W)
  }
  private val goal   = doorbell.bits.qid(p.qidBits - 1, 0)
  private val mine   = doorbell.valid && doorbell.bits.isCq
  private val there  = doorbell.bits.qid < p.queues.U && enable(goal)
  private val rang   = RegNext(mine && !changes(goal) && there, false.B) // of a queue that exists
  private val absent = RegNext(mine && !changes(goal) && !there, false.B)
  private val bell   = Reg(new Bell)
  bell.qid   := goal
  bell.value := doorbell.bits.value
  bell.head  := head(goal)
  bell.tail  := tail(goal)(p.queueIdxBits - 1, 0)
  bell.last  := last.read(goal)
  // From the head to the tail, around the ring.
  private val onward = bell.value >= bell.head
  private val before = bell.value <= bell.tail
  private val legal  = bell.value <= bell.last && Mux(bell.head <= bell.tail, onward && before, onward || before)
  private val rings  = rang && legal
  when(rings)(head.put(bell.qid, bell.value))
  io.badDoorbell.absent := RegNext(absent, false.B)
  io.badDoorbell.value  := RegNext(rang && !legal, false.B)

  // What a doorbell frees, or an entry less, or both: one adder each.
  private def modulo(n: UInt): UInt = n(p.queueIdxBits - 1, 0)
  private val distance              = bell.value - bell.head + Mux(onward, 0.U, bell.last +& 1.U)
  private val freed                 = RegNext(modulo(distance))
  private val rest                  = RegNext(modulo(distance - 1.U))
  private val gains = RegNext(VecInit.tabulate(p.queues)(i => rings && bell.qid === i.U && !changes(i.U)), perQueue)
  private val loses = RegNext(VecInit.tabulate(p.queues)(i => posting && cq === i.U && !changes(i.U)), perQueue)
  for ((n, i) <- free.zipWithIndex)
    n := n + Mux(gains(i), Mux(loses(i), rest, freed), Fill(p.queueIdxBits, loses(i)))

  // Lanes ask again when an entry has become free, or a queue is gone, and `waits` says so.
  private val news = Seq.iterate(gains.asUInt.orR || config.valid, 4)(RegNext(_, false.B))
  for ((mine, i) <- choice.zipWithIndex) {
    val next = blocks && mine || stuck(i) && !news.last
    stuck(i)  := next
    mayAsk(i) := !next && !(taken && mine)
    goes(i)   := !next && !(taken && mine) && rounds(i)
  }

  // ------------------------------------------------------------------ definitions
  // Last, so that they win over everything that happens to the old queue in the same cycle.
  when(config.valid) {
    val n   = config.bits
    val all = n.qid === 0.U
    val s   = Wire(new Shape)
    s.page   := n.base >> 12
    s.ien    := n.ien
    s.vector := n.vector
    shape.write(n.qid, s)
    last.write(n.qid, n.entries - 1.U)
    tail.begin(n.qid)
    head.begin(n.qid)
    for (i <- 0 until p.queues) {
      val begins                            = n.qid === i.U && n.enable
      when(begins)(free(i)                            := n.entries - 1.U)
      when((all || n.qid === i.U) && !begins)(free(i) := 0.U)
      when(all || n.qid === i.U)(enable(i)            := begins)
    }
  }

  io.room := free
  private val pulses =
    Seq(
      config.valid,
      doorbell.valid,
      rang,
      absent,
      io.completed.valid,
      io.raise.valid,
      io.postError,
      io.badDoorbell.absent,
      io.badDoorbell.value
    ) ++
      taking ++ gains ++ loses ++ news
  private val asks = VecInit(io.in.zip(mayAsk).map { case (from, may) => from.valid && may }).asUInt.orR
  quiet := answers.io.count === 0.U && choose && chose && !asks && round.asUInt.andR && goes.asUInt === mayAsk.asUInt &&
    !VecInit(pulses).asUInt.orR && !io.doorbell.valid && !io.config.valid

  assert(!io.host.b.valid || answers.io.deq.valid, "a write response that nobody waits for")
  assert(!posting || free(cq) =/= 0.U, "no entry is written over that the host may not have read")
  assert(!posting || now === tail(cq), "an entry is written to the queue's tail")
  assert(!mine || !RegNext(mine, false.B), "doorbell writes come at most every second cycle")
  assert(!config.valid || config.bits.qid < p.queues.U, "no such queue")
  assert(choose || fetch || next.qid < p.queues.U, "a completion of no queue")
  assert(!look || cq === io.cqOf(next.qid), "the completion queue was looked up for this completion")
  assert(!config.valid || !config.bits.enable || config.bits.entries > 1.U, "a queue has at least two entries")
  assert(!config.valid || !config.bits.enable || config.bits.base(11, 0) === 0.U, "queues start at a page")
  cover(known && exists && !waits && !room, "CqPost: host writes lag")
  cover(known && !exists, "CqPost: completion of a deleted queue dropped")
}
