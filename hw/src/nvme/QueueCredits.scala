// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A submission queue and the completion queue of its commands. */
class QueuePair(val p: Params) extends Bundle {
  val qid, cqid = UInt(p.qidBits.W)
}

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
  *
  * Each step takes a cycle: whose counts change, the counts and from them which completion queues have room, and which
  * submission queues that allows. Hence the rule for the user:
  *
  *   - A fetch may begin (`taken`) a cycle after its queue was `allowed`.
  *   - It begins no earlier than `apart` cycles after the one before, and not while `unsettled`.
  *
  * What comes back is counted a cycle later still. That errs on the safe side, because `room` no longer has the entry
  * by then.
  */
class QueueCredits(p: Params) extends Module {
  val io = IO(new Bundle {
    val cqOf      = Input(Vec(p.queues, UInt(p.qidBits.W)))
    val room      = Input(Vec(p.queues, UInt(p.queuePtrBits.W))) // free entries of each completion queue
    val held      = Input(UInt(p.queuePtrBits.W))                // admin commands that firmware keeps until an event
    val wants     = Input(Vec(p.queues, Bool()))                 // the submission queue may have entries to fetch
    val taken     = Flipped(Valid(new QueuePair(p)))             // a fetch of this submission queue begins
    val mayTake   = Input(Bool())                                // it may, in this cycle
    val back      = Vec(2, Flipped(Valid(UInt(p.qidBits.W))))    // a command of it was completed; an entry was dropped
    val allowed   = Output(Vec(p.queues, Bool()))
    val unsettled = Output(Bool())                               // `held` has changed, and `allowed` is not of it yet
    val inside    = Output(Vec(p.queues, UInt(p.queuePtrBits.W)))
    val adminRoom = Output(Bool())                               // an entry for each admin command that is not held
    val moves     = Output(Bool())                               // registers change
  })

  // ------------------------------------------------------------------ the counts
  private val inside = RegInit(VecInit.fill(p.queues)(0.U(p.queuePtrBits.W)))
  private val load   = RegInit(VecInit.fill(p.queues)(0.U(p.queuePtrBits.W))) // commands inside, by completion queue
  private val back   = RegNext(io.back, 0.U.asTypeOf(io.back))
  private val backCq = io.back.map(b => RegNext(io.cqOf(b.bits)))

  /** One bit for each queue: the event is of it. */
  private def marks(happens: Bool, queue: UInt): Vec[Bool] =
    RegNext(VecInit.tabulate(p.queues)(i => happens && queue === i.U), VecInit.fill(p.queues)(false.B))
  private val up       = marks(io.taken.valid, io.taken.bits.qid)
  private val upLoad   = marks(io.taken.valid, io.taken.bits.cqid)
  private val down     = back.map(b => marks(b.valid, b.bits))
  private val downLoad = back.zip(backCq).map { case (b, cq) => marks(b.valid, cq) }

  /** The counts of the next cycle. */
  private def follow(counts: Vec[UInt], what: String)(up: Vec[Bool], down: Seq[Vec[Bool]]): Seq[UInt] =
    for ((count, i) <- counts.zipWithIndex) yield {
      val less = PopCount(down.map(_(i)))
      val step = Cat(Fill(p.queuePtrBits - 1, less > up(i)), up(i) ^ less(0)) // one adder a count
      val next = count + step
      counts(i) := next
      assert(count +& up(i) >= less, s"$what $i: a command left that never came in")
      assert(!(count.andR && up(i) && less === 0.U), s"$what $i: more commands inside than can be counted")
      next
    }
  follow(inside, "queue")(up, down)
  private val loads = follow(load, "completion queue")(upLoad, downLoad)

  // ------------------------------------------------------------------ who may go on
  private val limits  = (io.room.head +& io.held) +: io.room.tail
  private val hasRoom = VecInit(loads.zip(limits).map { case (count, limit) => count < limit })
  private val roomy   = RegNext(hasRoom, VecInit.fill(p.queues)(false.B))
  private val allowed = VecInit(io.cqOf.map(roomy(_)))
  io.allowed := RegNext(allowed, VecInit.fill(p.queues)(false.B))
  io.inside  := inside

  // Firmware reads `adminRoom` right after it has taken back a held command. What may still be fetched under the old
  // number counts.
  private val moved = RegNext(io.held =/= RegNext(io.held, 0.U), false.B)
  private val comes = upLoad.head || io.mayTake && io.taken.bits.cqid === 0.U
  io.unsettled := moved || RegNext(moved, false.B)
  // That is `load + comes <= limit`, with one comparison.
  io.adminRoom := RegNext(Cat(load.head, comes) < Cat(limits.head, 1.U(1.W)), true.B)

  io.moves := ((up +: down).flatten ++ back.map(_.valid))
    .reduce(_ || _) || roomy.asUInt =/= hasRoom.asUInt || allowed.asUInt =/= io.allowed.asUInt || io.unsettled

  private val recent = Seq.iterate(io.taken.valid, QueueCredits.apart)(RegNext(_, false.B)).tail
  assert(!io.taken.valid || !recent.reduce(_ || _), "fetches begin some cycles apart")
  assert(!io.taken.valid || !io.unsettled, "no fetch begins before `allowed` is of what firmware holds")
  assert(load.reduce(_ +& _) === inside.reduce(_ +& _), "each command inside is of one completion queue")
  assert(
    !io.taken.valid || io.taken.bits.cqid === io.cqOf(io.taken.bits.qid),
    "a submission queue and its completion queue"
  )
  assert(io.cqOf.head === 0.U, "the admin queues are a pair")
  assert(inside.head >= io.held, "firmware bug: more admin commands held than there are")
  cover((io.wants.asUInt & ~io.allowed.asUInt).orR, "QueueCredits: credit refused")
  cover(!io.adminRoom, "QueueCredits: a held admin command waits for its completion queue")
}

object QueueCredits {

  /** Cycles from the beginning of a fetch to the next one. */
  val apart = 4
}
