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

  /** It was that of a copy: the sharers stay with the old slot. A filler's failure costs nobody anything. */
  val copyFailed = failed && ring(doneAt).target === done.slot
  when(copyFailed)(ring(doneAt).copied := false.B)

  assert(!mine || pending =/= 0.U, "GcMover: NAND answers what nobody asked for")
  assert(!mine || done.buf >= p.gcBufBase.U && done.buf < (p.gcBufBase + n).U, "GcMover: a buffer that is not GC's")
  assert(!programmed || left(doneAt) =/= 0.U, "GcMover: a program ended that nobody asked for")
  assert(!pending.andR, "GcMover: more NAND requests than it can count")
}
