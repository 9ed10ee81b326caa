// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A FIFO of commands in block RAM whose first command is in a register, as are `in.ready` and both outputs' `valid`. A
  * command that comes while the FIFO is empty is offered in the next cycle.
  *
  * The first command is offered at `out`. If its submission queue is absent, it is offered at `gone` instead: also one
  * that is offered at `out` already and has not been taken. A deletion counts from the cycle after it.
  *
  * A command that comes from the block RAM is offered a cycle after it became the first one, when it is known whether
  * its queue is there. One that comes to an empty FIFO is offered at once: its queue was there when it was handed on.
  *
  * @param entries
  *   in all
  * @param qid
  *   submission queue of a command
  */
class CommandQueue[T <: Data](p: Params, gen: T, entries: Int)(qid: T => UInt) extends Module with Quiesces {
  require(entries > 1)
  val io = IO(new Bundle {
    val alive = Input(Vec(p.queues, Bool())) // submission queues that are there
    val in    = Flipped(Decoupled(gen))
    val out   = Decoupled(gen)
    val gone  = Decoupled(gen)
    val count = Output(UInt(log2Ceil(entries + 1).W))
  })
  private val late   = p.k.lateQueues
  private val behind = Module(Fifo(late, gen, entries, blockRam = true))
  private val count  = RegInit(0.U(log2Ceil(entries + 1).W))
  private val room   = RegInit(true.B)                            // count < entries
  private val head   = Reg(gen)
  private val fresh  = RegInit(false.B)                           // `head` came from the block RAM in the cycle before
  private val begins = RegInit(false.B)                           // it is offered at `out`
  private val aborts = RegInit(false.B)                           // it is offered at `gone`
  private val full   = fresh || begins || aborts
  private val past   = (!late).B && !full && !behind.io.deq.valid // nobody waits behind whom to stand
  private val leaves = begins && io.out.ready || aborts && io.gone.ready
  private val alive  = io.alive(qid(head))

  behind.io.enq.valid := io.in.fire && !past
  behind.io.enq.bits  := io.in.bits
  behind.io.deq.ready := !full || leaves
  when(!full || leaves) {
    fresh  := behind.io.deq.valid
    begins := past && io.in.valid
    aborts := false.B
    head   := (if (late) behind.io.deq.bits else Mux(behind.io.deq.valid, behind.io.deq.bits, io.in.bits))
  }.otherwise {
    fresh  := false.B
    begins := !aborts && alive
    aborts := aborts || !alive
  }
  io.in.ready   := room
  io.out.valid  := begins
  io.out.bits   := head
  io.gone.valid := aborts
  io.gone.bits  := head
  count         := count + io.in.fire - leaves
  room          := Mux(io.in.fire, leaves || count =/= (entries - 1).U, leaves || count =/= entries.U)
  io.count      := count
  private val nobody = if (late) behind.io.count === 0.U else !behind.io.deq.valid
  quiet := Mux(full, !fresh && !leaves && (aborts || alive), nobody)

  assert(PopCount(Seq(fresh, begins, aborts)) <= 1.U, "a command has one fate")
  assert(!behind.io.enq.valid || behind.io.enq.ready, "more commands than there is room for")
  assert(room === (count =/= entries.U), "room is counted a cycle ahead")
  cover(io.in.valid && !io.in.ready, "CommandQueue: full")
  cover(begins && !leaves && !alive, "CommandQueue: a command is withdrawn, because its queue was deleted")
  cover(fresh && !alive, "CommandQueue: a command that waited is of a deleted queue")
  cover(behind.io.enq.fire && behind.io.deq.fire, "CommandQueue: through the block RAM in both directions")
}
