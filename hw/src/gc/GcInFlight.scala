// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Tracks GcMover's reads and programs that are under way at the NAND, and applies their answers to the ring.
  *
  * @param asked
  *   a read or program is accepted in this cycle
  * @param programs
  *   it is a program, of the slot at `at`
  */
class GcInFlight(p: Params, places: GcRing, answers: Valid[NandDone], asked: Bool, programs: Bool, at: UInt) {
  import places.{idxBits, left, n, pendingBits, ring, stages, Stage}

  val done           = answers.bits
  private val isRead = done.op === NandRequestOp.read
  private val mine   = answers.valid && (isRead || done.op === NandRequestOp.program) // others' erases pass by
  val readDone       = mine && isRead
  val programmed     = mine && !isRead
  val doneAt         = (done.buf - p.gcBufBase.U)(idxBits - 1, 0)

  private val pending = RegInit(0.U(pendingBits.W))
  pending := pending + asked - mine
  val none = pending === 0.U
  for (k <- 0 until n)
    left(k) := left(k) + (programs && at === k.U) - (programmed && doneAt === k.U)

  when(readDone) {
    ring(doneAt).readOk := done.status === NandStatus.ok
    stages(doneAt)      := Stage.read
  }

  /** A program failed. */
  val failed = programmed && done.status =/= NandStatus.ok

  // Of which slot is looked at a cycle later.
  private val lateFailed = RegNext(failed, false.B)
  private val lateAt     = RegNext(doneAt)
  private val lateSlot   = RegNext(done.slot)
  private val ofCopy     = (0 until n).map(k => lateFailed && lateAt === k.U && ring(k).target === lateSlot)

  /** It was that of a copy, a cycle before: the sharers stay with the old slot. A filler's failure costs nobody
    * anything.
    */
  val copyFailed = ofCopy.reduce(_ || _)
  for (k <- 0 until n) when(ofCopy(k))(ring(k).copied := false.B)

  /** Whether no program of a slot is under way. A cycle late, when a failure is known, too. */
  val landed = left.map(l => RegNext(l === 0.U, true.B))

  assert(!mine || pending =/= 0.U, "GcMover: NAND answers what nobody asked for")
  assert(!mine || done.buf >= p.gcBufBase.U && done.buf < (p.gcBufBase + n).U, "GcMover: a buffer that is not GC's")
  assert(!programmed || left(doneAt) =/= 0.U, "GcMover: a program ended that nobody asked for")
  assert(!pending.andR, "GcMover: more NAND requests than it can count")
}
