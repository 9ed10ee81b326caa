// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** One number for each queue: an index into its ring, which is 0 after each definition of the queue. The numbers are in
  * a memory, because only a few are read in a cycle. So there may be one call of `put`. A definition may come in the
  * same cycle as a new number of another queue; therefore it only marks the number as 0.
  *
  * Timing: `apply` is combinational, and sees what was put a cycle before. Who has no time for both takes `isFresh` and
  * `stored`, of which the second counts only without the first.
  */
class QueueIndex(queues: Int, width: Int) {
  private val number           = Mem(queues, UInt(width.W))
  private val fresh            = RegInit(VecInit.fill(queues)(true.B)) // nothing has been put since the definition
  def isFresh(qid: UInt): Bool = fresh(qid)
  def stored(qid: UInt): UInt  = number.read(qid)
  def apply(qid: UInt): UInt   = Mux(isFresh(qid), 0.U, stored(qid))

  def put(qid: UInt, value: UInt): Unit = {
    number.write(qid, value)
    fresh(qid) := false.B
  }

  /** The queue is defined. After every `put` in the text, so that it wins. */
  def begin(qid: UInt): Unit = fresh(qid) := true.B
}
