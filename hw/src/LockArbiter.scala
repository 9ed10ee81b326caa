// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view of a lock: raise `want`, own it while `want && granted`, drop `want` to release. */
class LockPort extends Bundle {
  val want      = Output(Bool())
  val granted   = Input(Bool())
  val contended = Input(Bool()) // somebody else is waiting
}

/** A mutex with fixed priority (client 0 first) among those that wait; it never takes the lock from its owner.
  *
  * Two of these order the mapping events:
  *   - `mapLock` (write, trim, remap): held from drawing a seq until the mapping shows it, so that the order of seqs is
  *     the order in which the mapping changed - what recovery will reconstruct.
  *   - `shareLock` (remap, GC): GC must know all sharers of a slot from reading them until it has re-pointed them.
  * Order of taking them: shareLock, then mapLock.
  */
class LockArbiter(clients: Int) extends Module {
  require(clients >= 2, "one client needs no lock")
  val io            = IO(new Bundle { val client = Vec(clients, Flipped(new LockPort)) })
  private val owned = RegInit(false.B)
  private val owner = RegInit(0.U(log2Ceil(clients).max(1).W))
  private val wants = VecInit(io.client.map(_.want))

  // In the cycle in which the owner lets go its `want` is low, so that whoever waits gets the lock before the owner can
  // come back for it, whatever their priorities.
  when(!owned || !wants(owner)) {
    owned := wants.asUInt.orR
    owner := PriorityEncoder(wants)
  }
  for ((client, i) <- io.client.zipWithIndex) {
    client.granted   := owned && owner === i.U
    client.contended := VecInit(wants.zipWithIndex.collect { case (w, j) if j != i => w }).asUInt.orR
    cover(client.want && !client.granted && owned, s"client $i waits for the lock")
  }
  assert(PopCount(io.client.map(c => c.want && c.granted)) <= 1.U, "two own the lock")
}
