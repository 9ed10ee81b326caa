// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Lets a submission queue be fetched from only while its completion queue has an entry for every command of its queues
  * that is inside the controller. So a host that does not empty one completion queue stops the queues that feed it, and
  * nothing else: no completion ever waits in front of those of other queues.
  *
  * The admin queue is exempt: Asynchronous Event Requests stay inside for as long as nothing happens, and would use its
  * completion queue up.
  */
class QueueCredits(p: Params) extends Module {
  val io = IO(new Bundle {
    val cqOf    = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val room    = Input(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries of each completion queue
    val taken   = Flipped(Valid(UInt(p.qidBits.W)))            // a fetch of this submission queue begins
    val back    = Vec(2, Flipped(Valid(UInt(p.qidBits.W))))    // a command of it was completed; an entry was dropped
    val forget  = Input(Vec(p.queues, Bool()))                 // the submission queue was defined or deleted
    val allowed = Output(Vec(p.queues, Bool()))
  })
  private val inside = RegInit(VecInit.fill(p.queues)(0.U(p.queuePtrBits.W)))
  for ((count, qid) <- inside.zipWithIndex) {
    val up   = io.taken.valid && io.taken.bits === qid.U
    val down = PopCount(io.back.map(b => b.valid && b.bits === qid.U))
    // Commands of a deleted queue may still be completed when a new one of its number has begun to count.
    count := Mux(io.forget(qid), 0.U, Mux(count +& up < down, 0.U, count + up - down))
  }
  private val load = VecInit.tabulate(p.queues) { cq =>
    inside.zip(io.cqOf).map { case (count, of) => Mux(of === cq.U, count, 0.U) }.reduce(_ +& _)
  }
  io.allowed := VecInit.tabulate(p.queues)(qid => if (qid == 0) true.B else load(io.cqOf(qid)) < io.room(io.cqOf(qid)))
}
