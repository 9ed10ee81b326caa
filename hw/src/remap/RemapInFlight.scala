// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Tracks a remap command's requests that are under way in the map unit, and the references that have to be given back
  * (`undo`) because they were reserved after a failure. Those go first.
  */
class RemapInFlight(p: Params, map: MapPort, indexBits: Int) {
  class Sent extends Bundle {
    val undo  = Bool() // gives a reference back that was reserved behind a failure
    val range = UInt(16.W)
    val index = UInt(indexBits.W)
    val first = Bool() // of its range
  }
  val acts = WireDefault(false.B) // the page in hand wants a request

  private val sent = Module(new Queue(new Sent, p.k.remapInFlight))
  private val undo = Module(new Queue(UInt(p.slotBits.W), p.k.remapInFlight))
  val undoing      = undo.io.deq.valid
  val undoSlot     = undo.io.deq.bits
  val settled      = !sent.io.deq.valid && !undoing
  map.req.valid     := (acts || undoing) && sent.io.enq.ready
  undo.io.deq.ready := map.req.ready && sent.io.enq.ready

  /** The request of the page in hand is taken. */
  val acted = acts && !undoing && map.req.fire

  /** What is kept of that request. */
  def keep(page: RemapPage, index: UInt): Unit = {
    sent.io.enq.valid      := (acts || undoing) && map.req.ready
    sent.io.enq.bits.undo  := undoing
    sent.io.enq.bits.range := page.range
    sent.io.enq.bits.index := index
    sent.io.enq.bits.first := page.first
  }

  // Answers come in the order of the requests.
  map.resp.ready    := sent.io.deq.valid
  sent.io.deq.ready := map.resp.valid
  val answered = map.resp.fire
  val answer   = map.resp.bits
  val about    = sent.io.deq.bits // the request that is answered

  /** Gives the reference back that this answer reserved. */
  def giveBack(now: Bool): Unit = {
    undo.io.enq.valid := now
    undo.io.enq.bits  := answer.slot
    assert(!now || undo.io.enq.ready, "RemapEngine: no more reservations to undo than were under way")
  }
}
