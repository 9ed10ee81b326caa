// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Counts the commands of each submission queue that are inside the controller, from the fetch to the completion (or to
  * the drop of an entry whose queue is gone), and lets a queue be fetched from only while its completion queue has an
  * entry for every command of its queues that is inside. So a host that does not empty one completion queue stops the
  * queues that feed it, and nothing else: no completion ever waits in front of those of other queues.
  *
  * Commands outlive their queue: the count of a deleted queue goes on until the last of them has left, and only then
  * may a queue of that number be defined again.
  *
  * Asynchronous Event Requests stay inside for as long as nothing happens: firmware says how many it holds, and they
  * reserve nothing.
  */
class QueueCredits(p: Params) extends Module {
  val io = IO(new Bundle {
    val cqOf      = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val room      = Input(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries of each completion queue
    val held      = Input(UInt(p.queuePtrBits.W))                // admin commands that firmware keeps until an event
    val wants     = Input(Vec(p.queues, Bool()))                 // the submission queue has entries to fetch
    val taken     = Flipped(Valid(UInt(p.qidBits.W)))            // a fetch of this submission queue begins
    val back      = Vec(2, Flipped(Valid(UInt(p.qidBits.W))))    // a command of it was completed; an entry was dropped
    val allowed   = Output(Vec(p.queues, Bool()))
    val inside    = Output(Vec(p.queues, UInt(p.queuePtrBits.W)))
    val adminRoom = Output(Bool())                               // an entry for each admin command that is not held
  })
  private val inside = RegInit(VecInit.fill(p.queues)(0.U(p.queuePtrBits.W)))
  for ((count, qid) <- inside.zipWithIndex) {
    val up   = io.taken.valid && io.taken.bits === qid.U
    val down = PopCount(io.back.map(b => b.valid && b.bits === qid.U))
    count := count + up - down
    assert(count +& up >= down, s"queue $qid: a command left that never came in")
    assert(!(count.andR && up && down === 0.U), s"queue $qid: more commands inside than can be counted")
  }
  private val reserving = (inside.head - io.held) +: inside.tail
  private val load      = VecInit.tabulate(p.queues) { cq =>
    reserving.zip(io.cqOf).map { case (count, of) => Mux(of === cq.U, count, 0.U) }.reduce(_ +& _)
  }
  io.allowed   := VecInit(io.cqOf.map(cq => load(cq) < io.room(cq)))
  io.inside    := inside
  io.adminRoom := load(0) <= io.room(0)

  assert(inside.head >= io.held, "firmware bug: more admin commands held than there are")
  cover((io.wants.asUInt & ~io.allowed.asUInt).orR, "QueueCredits: credit refused")
  cover(!io.adminRoom, "QueueCredits: a held admin command waits for its completion queue")
}
