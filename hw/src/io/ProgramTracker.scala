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
  for (e <- 0 until 2) {
    val in  = io.issued && epoch === e.U
    val out = io.landed && io.landedEpoch === e.U
    count(e) := count(e) + in - out
    assert(!out || count(e) =/= 0.U, s"a program landed in epoch $e that was not issued in it")
    assert(!in || out || count(e) =/= p.k.writeBuffers.U, "more programs than write buffers")
  }

  // A fence turns the epoch, so that programs issued from now on count in the other one, and waits until the old epoch
  // is empty. There are two epochs: while a fence waits, later fences wait for the next turn and share it.
  private object State extends ChiselEnum { val idle, turn, drain, done = Value }
  private val states  = RegInit(VecInit.fill(clients)(State.idle))
  private val drained = count(!epoch) === 0.U
  private val turning = drained && states.map(_ === State.turn).reduce(_ || _)
  when(turning)(epoch := !epoch)

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
  io.none    := count(0) === 0.U && count(1) === 0.U
  io.turning := turning
}
