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
  object Lane extends Clients { val read, write, trim, copy, refused, firmware = Value }
}

/** Writes completion queue entries, with phase bit and SQHD. When an entry is in host memory, it requests the queue's
  * interrupt. The lanes are served round robin.
  *
  *   - A completion for a queue that does not exist is dropped.
  *   - A completion for a full queue waits and blocks its lane, but no other lane. QueueCredits makes sure that there
  *     is always room.
  *   - Defining or deleting queue 0 deletes all queues (controller reset).
  *   - A doorbell may move the head up to the last entry posted, no further.
  */
class CqPost(p: Params) extends Module with Quiesces {
  import CqPost.Lane
  val io = IO(new Bundle {
    val config      = Flipped(Valid(new CqConfig(p)))
    val doorbell    = Flipped(Valid(new Doorbell(p)))
    val in          = Lane.ports(Flipped(Decoupled(new Completion(p))))
    val sqHead      = Input(UInt(16.W))      // of the submission queue that `completed` names, in the same cycle
    val cqOf        = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val host        = new AxiWrite(AxiParams(64))
    val raise       = Valid(new IrqRaise(p)) // an entry is in host memory; its queue has interrupts enabled
    val badDoorbell = Output(new BadDoorbell)
    val postError   = Output(Bool())         // pulse: host memory refused an entry (controller fatal)
    val room = Output(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries; 0 where there is no queue
    val completed = Valid(UInt(p.qidBits.W)) // a completion of this submission queue has been taken
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
  private val enable  = RegInit(VecInit.fill(p.queues)(false.B))
  private val free    = RegInit(VecInit.fill(p.queues)(0.U(p.queueIdxBits.W))) // entries; 0 where there is no queue
  private val shape   = Mem(p.queues, new Shape)
  private val last    = Mem(p.queues, UInt(p.queueIdxBits.W))                  // entry of the ring
  private val tail    = new QueueIndex(p.queues, p.queueIdxBits + 1)           // {odd round, next entry to write}
  private val head    = new QueueIndex(p.queues, p.queueIdxBits)               // host: next entry to read
  private val address = Module(new Queue(new AxiAddr(a), 2))
  private val data    = Module(new Queue(new AxiWriteData(a), 2))
  private val answers = Module(new Queue(new Answer, depth))

  // ------------------------------------------------------------------ whose completion goes next
  // Three steps, each from registers: whose queue has room (`ripe`), whose turn it is, and posting. One completion at a
  // time goes through them; a command takes the bus for far longer. `ripe` is of the cycle before. It still holds when
  // a lane is chosen: nothing was posted in between, so room can only have come.
  private val full   = VecInit(enable.zip(free).map { case (there, n) => there && n === 0.U })
  private val waits  = VecInit(io.cqOf.map(full(_))) // by submission queue
  private val held   = io.in.map(x => waits(x.bits.qid))
  private val chosen = Wire(Decoupled(new Completion(p)))
  private val next   = Reg(new Completion(p))
  private val posts  = RegInit(false.B)              // `next` is to be posted
  private val ripe   =
    RegNext(VecInit(io.in.zip(held).map { case (x, h) => x.valid && !h }), VecInit.fill(Lane.size)(false.B))
  private val choose                                         = ripe.asUInt.orR && !posts && !RegNext(posts, false.B)
  private val choice                                         = RoundRobin(ripe, choose)
  when(choose)(next                                         := Mux1H(choice, io.in.map(_.bits)))
  when(choose)(posts := true.B).elsewhen(chosen.fire)(posts := false.B)
  chosen.valid := posts
  chosen.bits := next
  for (((from, mine), h) <- io.in.zip(choice).zip(held)) {
    from.ready := choose && mine
    assert(!from.ready || from.valid, "CqPost: a lane withdrew its completion")
    cover(from.valid && h, "CqPost: completion queue full")
  }

  // ------------------------------------------------------------------ posting
  private val c      = chosen.bits
  private val cq     = io.cqOf(c.qid)
  private val exists = enable(cq)
  private val q      = shape.read(cq)
  private val now    = tail(cq)
  private val slot   = now(p.queueIdxBits - 1, 0)
  private val odd    = now(p.queueIdxBits)
  private val wraps  = slot === last.read(cq)
  private val room   = address.io.enq.ready && data.io.enq.ready && answers.io.enq.ready
  chosen.ready       := !exists || room
  io.completed.valid := chosen.fire
  io.completed.bits  := c.qid

  private val posting = chosen.fire && exists
  Seq(address.io.enq.valid, data.io.enq.valid, answers.io.enq.valid).foreach(_ := posting)
  address.io.enq.bits.addr   := Cat(q.page, 0.U(12.W)) + (slot << log2Ceil(entryBytes))
  address.io.enq.bits.len    := 0.U
  data.io.enq.bits.data      := Cat(c.status, !odd, c.cid, c.qid.pad(16)(15, 0), io.sqHead, 0.U(32.W), c.dw0)
  data.io.enq.bits.strb      := Fill(entryBytes, 1.U(1.W))
  data.io.enq.bits.last      := true.B
  answers.io.enq.bits.ien    := q.ien
  answers.io.enq.bits.vector := q.vector
  answers.io.enq.bits.admin  := cq === 0.U
  when(posting)(tail.put(cq, Cat(odd ^ wraps, Mux(wraps, 0.U, slot + 1.U))))
  io.host.aw <> address.io.deq
  io.host.w <> data.io.deq

  // ------------------------------------------------------------------ it is there
  private val good = io.host.b.bits.resp === Axi4.OKAY.U
  io.host.b.ready      := true.B
  answers.io.deq.ready := io.host.b.valid
  io.raise.valid       := io.host.b.valid && good && answers.io.deq.bits.ien
  io.raise.bits.vector := answers.io.deq.bits.vector
  io.raise.bits.admin  := answers.io.deq.bits.admin
  io.postError         := io.host.b.valid && !good

  // ------------------------------------------------------------------ doorbells and definitions
  private val mine    = io.doorbell.valid && io.doorbell.bits.isCq
  private val value   = io.doorbell.bits.value
  private val d       = io.doorbell.bits.qid(p.qidBits - 1, 0)
  private val present = io.doorbell.bits.qid < p.queues.U && enable(d)
  private val oldHead = head(d)
  private val posted  = tail(d)(p.queueIdxBits - 1, 0)
  private val end     = last.read(d)
  // From the head to the tail, around the ring.
  private val legal = value <= end &&
    Mux(oldHead <= posted, value >= oldHead && value <= posted, value >= oldHead || value <= posted)
  private val rings = mine && present && legal
  when(rings)(head.put(d, value))
  io.badDoorbell.absent := mine && !present
  io.badDoorbell.value  := mine && present && !legal

  private val freed = value - oldHead + Mux(value < oldHead, end +& 1.U, 0.U) - (posting && cq === d)
  for ((n, i) <- free.zipWithIndex)
    // One adder each: what a doorbell frees, or an entry less.
    n := n + Mux(rings && d === i.U, freed(p.queueIdxBits - 1, 0), Fill(p.queueIdxBits, posting && cq === i.U))

  // Last, so that it wins over everything that happens to the old queue in the same cycle.
  when(io.config.valid) {
    val n   = io.config.bits
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
  quiet   := answers.io.count === 0.U && !ripe.asUInt.orR && !(posts && chosen.ready) && !io.doorbell.valid &&
    !io.config.valid

  assert(!io.host.b.valid || answers.io.deq.valid, "a write response that nobody waits for")
  assert(!posting || free(cq) =/= 0.U, "no entry is written over that the host may not have read")
  assert(!io.config.valid || io.config.bits.qid < p.queues.U, "no such queue")
  assert(!chosen.valid || c.qid < p.queues.U, "a completion of no queue")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.entries > 1.U, "a queue has at least two entries")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.base(11, 0) === 0.U, "queues start at a page")
  cover(chosen.valid && exists && !room, "CqPost: host writes lag")
  cover(chosen.fire && !exists, "CqPost: completion of a deleted queue dropped")
}
