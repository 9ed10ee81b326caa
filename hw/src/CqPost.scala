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

/** Writes completion queue entries (phase bit, SQHD) and, when the entry is in host memory, asks for the queue's
  * interrupt.
  *
  * A completion whose queue is absent is dropped; one whose queue is full waits, and with it its lane, but no other
  * (QueueCredits sees to it that there always is room). A definition or deletion of queue 0 forgets all queues
  * (controller reset). A doorbell may move the head up to the last entry posted, no further.
  *
  * @param lanes
  *   sources of completions, served round robin
  */
class CqPost(p: Params, lanes: Int) extends Module {
  val io = IO(new Bundle {
    val config      = Flipped(Valid(new CqConfig(p)))
    val doorbell    = Flipped(Valid(new Doorbell(p)))
    val in          = Vec(lanes, Flipped(Decoupled(new Completion(p))))
    val sqHead      = Input(Vec(p.queues, UInt(16.W)))
    val cqOf        = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val host        = new AxiWrite(AxiParams(64))
    val raise       = Valid(new IrqRaise(p)) // an entry is in host memory; its queue has interrupts enabled
    val badDoorbell = Output(new BadDoorbell)
    val postError   = Output(Bool())         // pulse: host memory refused an entry (controller fatal)
    val room = Output(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries; 0 where there is no queue
    val completed = Valid(UInt(p.qidBits.W)) // a completion of this submission queue has been taken
    val quiet     = Output(Bool())
  })

  private val entryBytes = 16
  private val depth      = 8 // entries whose write response is awaited
  private val a          = AxiParams(64)
  require(a.strbBits == entryBytes, "an entry is one beat")

  private class CqState extends Bundle {
    val enable  = Bool()
    val base    = UInt(64.W)
    val entries = UInt(p.queuePtrBits.W)
    val ien     = Bool()
    val vector  = UInt(p.vectorBits.W)
    val tail    = UInt(p.queuePtrBits.W) // next entry to write
    val head    = UInt(p.queuePtrBits.W) // host: next entry to read
    val phase   = Bool()
  }
  private class Answer extends Bundle {
    val ien    = Bool()
    val vector = UInt(p.vectorBits.W)
    val admin  = Bool()
  }
  private val queue   = RegInit(VecInit.fill(p.queues)(0.U.asTypeOf(new CqState)))
  private val address = Module(new Queue(new AxiAddr(a), 2))
  private val data    = Module(new Queue(new AxiWriteData(a), 2))
  private val answers = Module(new Queue(new Answer, depth))

  // ------------------------------------------------------------------ whose completion goes next
  private def after(x: CqState): UInt = Mux(x.tail +& 1.U === x.entries, 0.U, x.tail + 1.U)
  private val full                    = VecInit(queue.map(x => x.enable && after(x) === x.head))
  private val choice                  = Module(new RRArbiter(new Completion(p), lanes))
  for ((to, from) <- choice.io.in.zip(io.in)) {
    val held = full(io.cqOf(from.bits.qid))
    to.valid   := from.valid && !held
    to.bits    := from.bits
    from.ready := to.ready && !held
    cover(from.valid && held, "CqPost: completion queue full")
  }

  // ------------------------------------------------------------------ posting
  private val chosen = choice.io.out
  private val c      = chosen.bits
  private val q      = queue(io.cqOf(c.qid))
  private val next   = after(q)
  private val room   = address.io.enq.ready && data.io.enq.ready && answers.io.enq.ready
  chosen.ready       := !q.enable || room
  io.completed.valid := chosen.fire
  io.completed.bits  := c.qid

  private val posting = chosen.fire && q.enable
  Seq(address.io.enq.valid, data.io.enq.valid, answers.io.enq.valid).foreach(_ := posting)
  address.io.enq.bits.addr   := q.base + (q.tail << log2Ceil(entryBytes))
  address.io.enq.bits.len    := 0.U
  data.io.enq.bits.data      := Cat(c.status, q.phase, c.cid, c.qid.pad(16)(15, 0), io.sqHead(c.qid), 0.U(32.W), c.dw0)
  data.io.enq.bits.strb      := Fill(entryBytes, 1.U(1.W))
  data.io.enq.bits.last      := true.B
  answers.io.enq.bits.ien    := q.ien
  answers.io.enq.bits.vector := q.vector
  answers.io.enq.bits.admin  := io.cqOf(c.qid) === 0.U
  when(posting) {
    q.tail  := next
    q.phase := q.phase ^ (next === 0.U)
  }
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
  private val rung =
    VecInit.tabulate(p.queues)(i => io.doorbell.valid && io.doorbell.bits.isCq && io.doorbell.bits.qid === i.U)
  private def past(from: UInt, to: UInt, x: CqState): UInt = Mux(to >= from, to - from, to + x.entries - from)
  private def used(x: CqState): UInt                       = past(x.head, x.tail, x)
  private val exists                                       = VecInit(queue.map(_.enable))
  private val legal                                        = VecInit(queue.map { x =>
    io.doorbell.bits.value < x.entries && past(x.head, io.doorbell.bits.value, x) <= used(x)
  })
  for ((x, i) <- queue.zipWithIndex) when(rung(i) && x.enable && legal(i))(x.head := io.doorbell.bits.value)
  private val mine = io.doorbell.valid && io.doorbell.bits.isCq
  io.badDoorbell.absent := mine && !(rung.asUInt & exists.asUInt).orR
  io.badDoorbell.value  := (rung.asUInt & exists.asUInt & ~legal.asUInt).orR

  // Last, so that it wins over everything that happens to the old queue in the same cycle.
  when(io.config.valid) {
    val n   = io.config.bits
    val all = n.qid === 0.U
    for ((x, i) <- queue.zipWithIndex) {
      when(n.qid === i.U) {
        x.base    := n.base
        x.entries := n.entries
        x.ien     := n.ien
        x.vector  := n.vector
        x.tail    := 0.U
        x.head    := 0.U
        x.phase   := true.B
      }
      when(all || n.qid === i.U)(x.enable := n.enable && n.qid === i.U)
    }
  }

  io.room := VecInit(queue.map { x =>
    Mux(x.enable, x.entries - 1.U - used(x), 0.U)
  })
  io.quiet := answers.io.count === 0.U && !chosen.fire && !io.doorbell.valid && !io.config.valid

  assert(!io.host.b.valid || answers.io.deq.valid, "a write response that nobody waits for")
  assert(!chosen.valid || c.qid < p.queues.U, "a completion of no queue")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.entries > 1.U, "a queue has at least two entries")
  assert(!io.config.valid || !io.config.bits.enable || io.config.bits.base(11, 0) === 0.U, "queues start at a page")
  cover(chosen.valid && q.enable && !room, "CqPost: host writes lag")
  cover(chosen.fire && !q.enable, "CqPost: completion of a deleted queue dropped")
}
