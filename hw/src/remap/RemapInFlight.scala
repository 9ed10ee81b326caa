// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Tracks a remap command's requests that are under way in the map unit. */
class RemapInFlight(p: Params, map: MapPort, indexBits: Int) {
  val acts = WireDefault(false.B) // the page in hand wants a request

  // Of each request: its page is the first of its range. What else is to be known of it follows from its place. It is
  // in a register long before the answer comes.
  private val most   = p.k.remapInFlight
  private val behind = Module(new Queue(Bool(), most))
  private val first_ = Reg(Bool())                        // of the next answer,
  private val full   = RegInit(false.B)                   // if this is
  private val open   = RegInit(0.U(log2Ceil(most + 1).W)) // requests without an answer
  private val room   = RegInit(true.B)                    // for another one
  private val next   = RegInit(0.U(indexBits.W))          // of the next answer, in the pass
  val quiet          = !full && !behind.io.deq.valid
  map.req.valid := acts && room

  /** The request of the page in hand is taken. */
  val acted = acts && map.req.fire

  /** What is kept of that request. */
  def keep(first: Bool): Unit = {
    behind.io.enq.valid := acted
    behind.io.enq.bits  := first
  }

  // Answers come in the order of the requests.
  map.resp.ready := full
  val answered = map.resp.fire
  val answer   = map.resp.bits
  val first    = first_ // the request that is answered is of the first page of its range
  val index    = next   // its page
  when(answered)(next := next + 1.U)
  behind.io.deq.ready := answered || !full
  when(behind.io.deq.ready) {
    full   := behind.io.deq.valid
    first_ := behind.io.deq.bits
  }
  open := open + acted - answered
  room := Mux(acted, answered || open =/= (most - 1).U, answered || open =/= most.U)
  assert(!acted || behind.io.enq.ready, "RemapEngine: room was kept for the request")
  assert(room === (open =/= most.U), "RemapEngine: requests are counted ahead of time")

  /** A pass begins. */
  def begin(): Unit = next := 0.U

  /** Nothing is under way. It may be a cycle late, and is, while a page wants a request. */
  val settled = RegNext(!acts && (open === 0.U || open === 1.U && answered), true.B)
  assert(!settled || open === 0.U, "RemapEngine: settled with requests under way")
}
