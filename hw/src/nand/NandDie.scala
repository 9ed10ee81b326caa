// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The result of an array operation (NandResult). */
class NandOutcome extends Bundle {
  val status = NandStatus()
  val weak   = Bool()
}

/** One die: its queue of requests, and the state of the request at the head. NandChannel gives it commands and the bus.
  *
  * A request stays at the head of the queue until its result has been taken, which keeps the order of a die.
  *
  * If ECC cannot correct a page, the page is read again at the NAND's next read-retry level, until it can be corrected
  * or there are no more levels: the thresholds of cells drift with time, reads and wear. A probe is only for the spare,
  * so it ends when the spare is good. Data that took more than one read, or nearly all that ECC can correct, is `weak`:
  * it should be moved before it is lost.
  */
class NandDie(p: Params, number: Int) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req     = Flipped(Decoupled(new NandPageRequest(p)))
    val cmd     = Decoupled(new NandCommand(p)) // transfer, program: taken means the bus is this die's until `moved`
    val current = Output(new NandPageRequest(p))
    val moved   = Input(Bool())                 // the last word of its data phase goes over the bus
    val spare   = Input(UInt(p.oobBits.W))      // with `moved`
    val result  = Flipped(Valid(new NandOutcome))
    val weak    = Valid(UInt(p.sbBits.W))       // superblock of a read that nearly failed
    val done    = Decoupled(new NandPageDone(p))
  })
  private object State extends ChiselEnum { val command, array, transfer, data, done = Value }
  private val state  = RegInit(State.command)
  private val queue  = Module(Fifo(p.k.lateQueues, new NandPageRequest(p), p.k.dieQueueDepth))
  private val head   = queue.io.deq
  private val status = Reg(NandStatus())
  private val spare  = Reg(UInt(p.oobBits.W))
  private val level  = RegInit(0.U(p.retryBits.W)) // of the read-retry table
  queue.io.enq <> io.req
  head.ready := io.done.fire

  // What commands and states depend on is in registers: the queue is distributed RAM. Of a request that finds the die
  // idle they are there together with the request; of one that had to wait, a cycle later.
  private val known = RegInit(false.B)
  private val op    = Reg(NandRequestOp())
  private val slot  = Reg(UInt(p.slotBits.W))
  private val comes = (!p.k.lateQueues).B && io.req.fire // and is the head in the next cycle
  when(io.done.fire)(known := false.B).elsewhen(!known && (head.valid || comes)) {
    known := true.B
    op    := Mux(head.valid, head.bits.op, io.req.bits.op)
    slot  := Mux(head.valid, head.bits.slot, io.req.bits.slot)
  }

  private val probes = op === NandRequestOp.probe
  private val reads  = op === NandRequestOp.read || probes
  private val answer = io.result.bits.status
  private val lost   = reads && answer === NandStatus.uncorrectable // another level may give it
  private val again  = lost && level =/= p.k.readRetries.U
  private val sends  =                                              // there is something to transfer
    reads && answer === NandStatus.ok || probes && answer === NandStatus.failed
  io.cmd.valid   := state === State.command && known || state === State.transfer
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
  io.cmd.bits.block := SlotAddress.superblock(p, slot)
  io.cmd.bits.page  := SlotAddress.page(p, slot)
  io.cmd.bits.sub   := Mux(reads, SlotAddress.sub(p, slot), 0.U)
  io.cmd.bits.retry := Mux(state === State.command && reads, level, 0.U)
  io.current        := head.bits

  switch(state) {
    is(State.command)(when(io.cmd.fire)(state := Mux(op === NandRequestOp.program, State.data, State.array)))
    is(State.array) {
      when(io.result.valid) {
        status := answer
        state  := Mux(again, State.command, Mux(sends, State.transfer, State.done))
        when(again)(level := level + 1.U)
      }
    }
    is(State.transfer)(when(io.cmd.fire)(state := State.data))
    is(State.data) {
      when(io.moved) {
        spare := io.spare
        state := Mux(op === NandRequestOp.program, State.array, State.done)
      }
    }
    is(State.done) {
      when(io.done.fire) {
        state := State.command
        level := 0.U
      }
    }
  }
  io.weak.valid := io.result.valid && op === NandRequestOp.read && answer === NandStatus.ok &&
    (io.result.bits.weak || level =/= 0.U)
  io.weak.bits                                                   := SlotAddress.superblock(p, slot)
  io.done.valid                                                  := state === State.done
  io.done.bits.op                                                := op
  io.done.bits.client                                            := head.bits.client
  io.done.bits.slot                                              := slot
  io.done.bits.buf                                               := head.bits.buf
  io.done.bits.status                                            := status
  io.done.bits.oob                                               := spare
  io.done.bits.last                                              := head.bits.last
  for ((buf, slot) <- io.done.bits.rest.zip(head.bits.rest)) buf := slot.buf
  quiet := state === State.array || state === State.command && queue.io.count === 0.U

  assert(!known || head.valid && op === head.bits.op && slot === head.bits.slot, "another request's command")
  assert(state === State.command || known, "a request without a command")
  assert(!io.result.valid || state === State.array, "NAND gives a result that this die does not wait for")
  assert(
    !known || op =/= NandRequestOp.program || SlotAddress.sub(p, slot) === 0.U,
    "a page is programmed from its first slot on"
  )
  assert(!io.moved || state === State.data, "words moved for a die that has no data phase")
  assert(
    !io.result.valid || answer =/= NandStatus.erased || op === NandRequestOp.probe,
    "only a probe may find an erased page"
  )
  cover(state === State.done && !io.done.ready, "a result waits for its client")
  cover(state === State.transfer && !io.cmd.ready, "read data waits for the bus")
  cover(io.weak.valid && level =/= 0.U, "a retry gives what the read did not")
  cover(io.result.valid && lost && !again, "no level gives it")
  cover(
    known && op === NandRequestOp.program && state === State.command && !io.cmd.ready,
    "a program waits for the bus"
  )
}
