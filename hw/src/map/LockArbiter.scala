// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view of a lock: raise `want`, own the lock while `want && granted`, drop `want` to release it. */
class LockPort extends Bundle {
  val want      = Output(Bool())
  val granted   = Input(Bool())
  val contended = Input(Bool()) // somebody else was waiting in the cycle before
}

/** The clients of the controller's two locks. */
object LockArbiter {
  object MapLock   extends Clients { val remap, trim, write, gc = Value }
  object ShareLock extends Clients { val remap, gc = Value              }
}

/** Round-robin mutex. The next waiting client after the last owner gets it. The owner is never pre-empted. A client
  * waits for at most one turn of each other client.
  *
  * Two of these order the mapping events:
  *   - `mapLock` (write, trim, remap, the destaging of a chain): held from drawing a seq until the mapping shows it, so
  *     that the order of seqs is the order in which the mapping changed. Recovery reconstructs this order.
  *   - `shareLock` (remap, GC): GC must know all sharers of a slot from reading them until it has re-pointed them.
  * Order of taking them: shareLock, then mapLock.
  */
class LockArbiter(clients: Int) extends Module {
  require(clients >= 2, "one client needs no lock")
  val io            = IO(new Bundle { val client = Vec(clients, Flipped(new LockPort)) })
  private val owned = RegInit(false.B)
  private val owner = RegInit((clients - 1).U(log2Ceil(clients).W)) // of now, or the last one
  private val wants = VecInit(io.client.map(_.want))

  // In the cycle in which the owner lets go its `want` is low, so that whoever waits gets the lock before the owner can
  // come back for it.
  private val free  = !owned || !wants(owner)
  private val ahead = VecInit(wants.zipWithIndex.map { case (w, i) => w && i.U > owner })
  private val next  = Mux(ahead.asUInt.orR, PriorityEncoder(ahead), PriorityEncoder(wants))
  private val turn  = free && wants.asUInt.orR
  when(free) {
    owned := turn
    when(turn)(owner := next)
  }
  for ((client, i) <- io.client.zipWithIndex) {
    client.granted   := owned && owner === i.U
    client.contended := RegNext(VecInit(wants.zipWithIndex.collect { case (w, j) if j != i => w }).asUInt.orR, false.B)

    // Turns of others since this client began to wait.
    val passed = RegInit(0.U(log2Ceil(clients + 1).W))
    when(!client.want || client.granted)(passed := 0.U).elsewhen(turn && next =/= i.U)(passed := passed + 1.U)
    assert(passed < clients.U, s"client $i waits for more than a turn of each other one")
    cover(client.want && !client.granted && owned, s"client $i waits for the lock")
    cover(passed === (clients - 1).U, s"client $i waits as long as it ever has to")
  }
  assert(PopCount(io.client.map(c => c.want && c.granted)) <= 1.U, "two own the lock")
}
