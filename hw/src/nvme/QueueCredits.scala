// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Counts the commands of each submission queue that are inside the controller: from the fetch to the completion, or to
  * the drop of an entry whose queue is gone. A queue is fetched from only while its completion queue has a free entry
  * for every command inside that will complete there. So a host that does not empty one completion queue stops only the
  * submission queues that feed it: no completion ever blocks those of other queues.
  *
  * Commands outlive their queue. The count of a deleted queue goes on until the last of them has left, and only then
  * may a queue of that number be defined again.
  *
  * The commands that will complete into a queue are counted as they come and go. So the completion queue of a
  * submission queue may change only while none of its commands is inside.
  *
  * Asynchronous Event Requests stay inside until an event occurs. Firmware says how many it holds, and they reserve no
  * entry.
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
  private val load   = RegInit(VecInit.fill(p.queues)(0.U(p.queuePtrBits.W))) // commands inside, by completion queue
  private def follow(counts: Vec[UInt], what: String)(of: UInt => UInt): Unit =
    for ((count, qid) <- counts.zipWithIndex) {
      val up   = io.taken.valid && of(io.taken.bits) === qid.U
      val down = PopCount(io.back.map(b => b.valid && of(b.bits) === qid.U))
      val step = Cat(Fill(p.queuePtrBits - 1, down > up), up ^ down(0)) // up - down: one adder a count
      count := count + step
      assert(count +& up >= down, s"$what $qid: a command left that never came in")
      assert(!(count.andR && up && down === 0.U), s"$what $qid: more commands inside than can be counted")
    }
  follow(inside, "queue")(qid => qid)
  follow(load, "completion queue")(io.cqOf(_))

  private val reserved = (load.head - io.held) +: load.tail
  private val hasRoom  = VecInit(reserved.zip(io.room).map { case (count, room) => count < room })
  io.allowed   := VecInit(io.cqOf.map(hasRoom(_)))
  io.inside    := inside
  io.adminRoom := reserved.head <= io.room.head

  assert(load.reduce(_ +& _) === inside.reduce(_ +& _), "each command inside is of one completion queue")
  assert(io.cqOf.head === 0.U, "the admin queues are a pair")
  assert(inside.head >= io.held, "firmware bug: more admin commands held than there are")
  cover((io.wants.asUInt & ~io.allowed.asUInt).orR, "QueueCredits: credit refused")
  cover(!io.adminRoom, "QueueCredits: a held admin command waits for its completion queue")
}
