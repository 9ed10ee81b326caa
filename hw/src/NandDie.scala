// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** One die: its queue of requests and what the one at the head is waiting for. NandChannel gives it commands and the
  * bus.
  *
  * A request stays at the head of the queue until its result has been taken, which keeps the order of a die without
  * further registers.
  */
class NandDie(p: Params, number: Int) extends Module {
  val io = IO(new Bundle {
    val req     = Flipped(Decoupled(new NandPageRequest(p)))
    val cmd     = Decoupled(new NandCommand(p)) // transfer, program: taken means the bus is this die's until `moved`
    val current = Output(new NandPageRequest(p))
    val moved   = Input(Bool())                 // the last word of its data phase goes over the bus
    val spare   = Input(UInt(p.oobBits.W))      // with `moved`
    val result  = Flipped(Valid(NandStatus()))
    val done    = Decoupled(new NandPageDone(p))
    val quiet   = Output(Bool())
  })
  private object State extends ChiselEnum { val command, array, transfer, data, done = Value }
  private val state  = RegInit(State.command)
  private val queue  = Module(new Queue(new NandPageRequest(p), p.k.dieQueueDepth))
  private val head   = queue.io.deq
  private val op     = head.bits.op
  private val status = Reg(NandStatus())
  private val spare  = Reg(UInt(p.oobBits.W))
  queue.io.enq <> io.req
  head.ready := io.done.fire

  private val probes = op === NandRequestOp.probe
  private val reads  = op === NandRequestOp.read || probes
  private val sends  = // there is something to transfer
    reads && io.result.bits === NandStatus.ok || probes && io.result.bits === NandStatus.failed
  io.cmd.valid   := state === State.command && head.valid || state === State.transfer
  io.cmd.bits.op := Mux(
    state === State.transfer,
    NandOp.transfer,
    MuxLookup(op, NandOp.read)(
      Seq(
        NandRequestOp.probe   -> NandOp.probe,
        NandRequestOp.program -> NandOp.program,
        NandRequestOp.erase   -> NandOp.erase
      )
    )
  )
  io.cmd.bits.die   := number.U
  io.cmd.bits.block := SlotAddress.superblock(p, head.bits.slot)
  io.cmd.bits.page  := SlotAddress.page(p, head.bits.slot)
  io.cmd.bits.sub   := Mux(reads, SlotAddress.sub(p, head.bits.slot), 0.U)
  io.current        := head.bits

  switch(state) {
    is(State.command)(when(io.cmd.fire)(state := Mux(op === NandRequestOp.program, State.data, State.array)))
    is(State.array) {
      when(io.result.valid) {
        status := io.result.bits
        state  := Mux(sends, State.transfer, State.done)
      }
    }
    is(State.transfer)(when(io.cmd.fire)(state := State.data))
    is(State.data) {
      when(io.moved) {
        spare := io.spare
        state := Mux(op === NandRequestOp.program, State.array, State.done)
      }
    }
    is(State.done)(when(io.done.fire)(state := State.command))
  }
  io.done.valid                                                  := state === State.done
  io.done.bits.op                                                := op
  io.done.bits.client                                            := head.bits.client
  io.done.bits.slot                                              := head.bits.slot
  io.done.bits.buf                                               := head.bits.buf
  io.done.bits.status                                            := status
  io.done.bits.oob                                               := spare
  io.done.bits.last                                              := head.bits.last
  for ((buf, slot) <- io.done.bits.rest.zip(head.bits.rest)) buf := slot.buf
  io.quiet := state === State.array || state === State.command && !head.valid

  assert(!io.result.valid || state === State.array, "NAND gives a result that this die does not wait for")
  assert(
    !head.valid || op =/= NandRequestOp.program || SlotAddress.sub(p, head.bits.slot) === 0.U,
    "a page is programmed from its first slot on"
  )
  assert(!io.moved || state === State.data, "words moved for a die that has no data phase")
  assert(
    !io.result.valid || io.result.bits =/= NandStatus.erased || op === NandRequestOp.probe,
    "only a probe may find an erased page"
  )
  cover(state === State.done && !io.done.ready, "a result waits for its client")
  cover(state === State.transfer && !io.cmd.ready, "read data waits for the bus")
  cover(
    head.valid && op === NandRequestOp.program && state === State.command && !io.cmd.ready,
    "a program waits for the bus"
  )
}
