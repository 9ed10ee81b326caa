// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

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

  private val sent = Module(new HeadQueue(new Sent, p.k.remapInFlight))
  private val undo = Module(new HeadQueue(UInt(p.slotBits.W), p.k.remapInFlight))
  val undoing      = undo.io.out.valid
  val undoSlot     = undo.io.out.bits
  val settled      = sent.io.count === 0.U && undo.io.count === 0.U
  val quiet        = sent.quiet && undo.quiet
  map.req.valid     := (acts || undoing) && sent.io.in.ready
  undo.io.out.ready := map.req.ready && sent.io.in.ready

  /** The request of the page in hand is taken. */
  val acted = acts && !undoing && map.req.fire

  /** What is kept of that request. */
  def keep(page: RemapPage, index: UInt): Unit = {
    sent.io.in.valid      := (acts || undoing) && map.req.ready
    sent.io.in.bits.undo  := undoing
    sent.io.in.bits.range := page.range
    sent.io.in.bits.index := index
    sent.io.in.bits.first := page.first
  }

  // Answers come in the order of the requests.
  map.resp.ready    := sent.io.out.valid
  sent.io.out.ready := map.resp.valid
  val answered = map.resp.fire
  val answer   = map.resp.bits
  val about    = sent.io.out.bits // the request that is answered

  /** Gives the reference back that this answer reserved. */
  def giveBack(now: Bool): Unit = {
    undo.io.in.valid := now
    undo.io.in.bits  := answer.slot
    assert(!now || undo.io.in.ready, "RemapEngine: no more reservations to undo than were under way")
  }
}
