// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Client's view: raise `req` until `done` is seen for a cycle, then drop it for at least a cycle. `done`: every host
  * program issued before `req` rose is durable.
  */
class FencePort extends Bundle {
  val req  = Output(Bool())
  val done = Input(Bool())
}

object ProgramTracker {
  object Client extends Clients { val write, remap, gc, firmware = Value }
}

/** Counts host programs that the mapping shows and flash does not hold yet. It counts them in two epochs, so that a
  * fence ends even while new writes keep coming.
  */
class ProgramTracker(p: Params, clients: Int = ProgramTracker.Client.size) extends Module {
  val io = IO(new Bundle {
    val issued      = Input(Bool())
    val landed      = Input(Bool())
    val epoch       = Output(Bool()) // what a program issued now belongs to; comes back with its landing
    val landedEpoch = Input(Bool())  // programs land out of order over the dies
    val fence       = Vec(clients, Flipped(new FencePort))
    val none        = Output(Bool()) // no program outstanding
    val turning     = Output(Bool()) // a fence turns the epoch: what was issued up to and with this cycle is waited for
  })
  private val count = RegInit(VecInit.fill(2)(0.U(log2Ceil(p.k.writeBuffers + 1).W))) // by epoch
  private val epoch = RegInit(false.B)                                                // the current one
  private val nexts = Wire(Vec(2, UInt(log2Ceil(p.k.writeBuffers + 1).W)))
  private val empty = RegInit(VecInit.fill(2)(true.B))                                // of each epoch: no program
  for (e <- 0 until 2) {
    val in  = io.issued && epoch === e.U
    val out = io.landed && io.landedEpoch === e.U
    nexts(e) := count(e) + in - out
    count(e) := nexts(e)
    empty(e) := nexts(e) === 0.U
    assert(empty(e) === (count(e) === 0.U), "ProgramTracker: an epoch is empty or not")
    assert(!out || count(e) =/= 0.U, s"a program landed in epoch $e that was not issued in it")
    assert(!in || out || count(e) =/= p.k.writeBuffers.U, "more programs than write buffers")
  }

  // A fence turns the epoch, so that programs issued from now on count in the other one, and waits until the old epoch
  // is empty. There are two epochs: while a fence waits, later fences wait for the next turn and share it.
  private object State extends ChiselEnum { val idle, turn, drain, done = Value }
  private val states  = RegInit(VecInit.fill(clients)(State.idle))
  private val asked   = RegInit(false.B) // a fence is in `turn`
  private val drained = RegInit(true.B)  // the old epoch is empty
  private val turning = drained && asked
  when(turning)(epoch := !epoch)
  asked := io.fence.zip(states).map { case (port, s) => s === State.idle && port.req }.reduce(_ || _) ||
    asked && !turning
  drained := Mux(epoch ^ turning, nexts(0), nexts(1)) === 0.U
  assert(drained === empty(!epoch), "ProgramTracker: the old epoch is empty or not")
  assert(asked === states.map(_ === State.turn).reduce(_ || _), "ProgramTracker: a fence waits for its turn or not")

  for ((port, state) <- io.fence.zip(states)) {
    switch(state) {
      is(State.idle)(when(port.req)(state := State.turn))
      is(State.turn)(when(turning)(state := State.drain))
      is(State.drain)(when(drained)(state := State.done))
      is(State.done)(state := State.idle)
    }
    port.done := state === State.done
    assert(state === State.idle || port.req, "a fence was given up")
    cover(state === State.turn && !drained, "a fence waits for an earlier one")
    cover(state === State.drain && !drained, "a fence waits for programs")
  }
  io.epoch   := epoch
  io.none    := empty(0) && empty(1)
  io.turning := turning
}
