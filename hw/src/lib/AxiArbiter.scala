// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Rotating choice among `n` requests that stays with a request once it has been offered and not taken, as AXI demands
  * of its address channels. One register stage: no path from the inputs' valid to the output's, nor from the output's
  * ready to the inputs'.
  */
private class AxiAddressStage(a: AxiParams, n: Int) extends Module {
  val io = IO(new Bundle {
    val in     = Vec(n, Flipped(Decoupled(new AxiAddr(a))))
    val out    = Decoupled(new AxiAddr(a))
    val chosen = Valid(UInt(log2Ceil(n).max(1).W)) // the input that was taken in this cycle
    val room   = Input(Bool())                     // 0: take nothing
  })
  private val arbiter = Module(new RRArbiter(new AxiAddr(a), n))
  private val stage   = Module(new Queue(new AxiAddr(a), 2))
  arbiter.io.in.zip(io.in).foreach { case (to, from) => to <> from }
  stage.io.enq.bits    := arbiter.io.out.bits
  stage.io.enq.valid   := arbiter.io.out.valid && io.room
  arbiter.io.out.ready := stage.io.enq.ready && io.room
  io.out <> stage.io.deq
  io.chosen.valid := stage.io.enq.fire
  io.chosen.bits  := arbiter.io.chosen
}

/** `n` readers share one AXI bus. There is one ID, so answers come in the order of the addresses; `outstanding` bounds
  * the bursts under way. A reader that has asked must be able to take its data: otherwise it blocks the others.
  *
  * Timing: r is combinational from the bus to the reader whose turn it is, r.ready back.
  */
class AxiReadArbiter(a: AxiParams, n: Int, outstanding: Int = 16) extends Module {
  val io = IO(new Bundle {
    val in  = Vec(n, Flipped(new AxiRead(a)))
    val out = new AxiRead(a)
  })
  private val address = Module(new AxiAddressStage(a, n))
  private val order   = Module(new Queue(chiselTypeOf(address.io.chosen.bits), outstanding))

  address.io.in.zip(io.in).foreach { case (to, from) => to <> from.ar }
  io.out.ar <> address.io.out
  address.io.room    := order.io.enq.ready
  order.io.enq.valid := address.io.chosen.valid
  order.io.enq.bits  := address.io.chosen.bits

  private val turn = VecInit.tabulate(n)(i => order.io.deq.valid && order.io.deq.bits === i.U)
  io.in.zip(turn).foreach { case (in, mine) =>
    in.r.valid := io.out.r.valid && mine
    in.r.bits  := io.out.r.bits
  }
  io.out.r.ready     := Mux1H(turn, io.in.map(_.r.ready))
  order.io.deq.ready := io.out.r.fire && io.out.r.bits.last

  assert(!io.out.r.valid || order.io.deq.valid, "read data that nobody asked for")
  cover(
    VecInit(io.in.map(_.ar.valid)).asUInt.orR && !order.io.enq.ready,
    "AxiReadArbiter: as many bursts under way as it can follow"
  )
  cover(io.out.r.valid && order.io.deq.valid && !io.out.r.ready, "AxiReadArbiter: a reader keeps the bus waiting")
}

object AxiReadArbiter {

  /** Joins these readers on one bus. */
  def join(a: AxiParams, readers: AxiRead*): AxiRead = {
    val arbiter = Module(new AxiReadArbiter(a, readers.size))
    arbiter.io.in.zip(readers).foreach { case (in, reader) => in <> reader }
    arbiter.io.out
  }
}

/** `n` writers share one AXI bus. Data follows in the order of the addresses, so a writer that has given its address
  * and not its data blocks the others. Give the address when the data is there.
  *
  * Timing: w is combinational from the writer whose turn it is to the bus, b from the bus to its writer.
  */
class AxiWriteArbiter(a: AxiParams, n: Int, outstanding: Int = 16) extends Module {
  val io = IO(new Bundle {
    val in  = Vec(n, Flipped(new AxiWrite(a)))
    val out = new AxiWrite(a)
  })
  private val address   = Module(new AxiAddressStage(a, n))
  private val dataOrder = Module(new Queue(chiselTypeOf(address.io.chosen.bits), outstanding))
  private val respOrder = Module(new Queue(chiselTypeOf(address.io.chosen.bits), outstanding))

  address.io.in.zip(io.in).foreach { case (to, from) => to <> from.aw }
  io.out.aw <> address.io.out
  address.io.room := dataOrder.io.enq.ready && respOrder.io.enq.ready
  Seq(dataOrder, respOrder).foreach { order =>
    order.io.enq.valid := address.io.chosen.valid
    order.io.enq.bits  := address.io.chosen.bits
  }

  private val dataTurn = VecInit.tabulate(n)(i => dataOrder.io.deq.valid && dataOrder.io.deq.bits === i.U)
  io.out.w.valid := Mux1H(dataTurn, io.in.map(_.w.valid))
  io.out.w.bits  := Mux1H(dataTurn, io.in.map(_.w.bits))
  io.in.zip(dataTurn).foreach { case (in, mine) => in.w.ready := io.out.w.ready && mine }
  dataOrder.io.deq.ready := io.out.w.fire && io.out.w.bits.last

  private val respTurn = VecInit.tabulate(n)(i => respOrder.io.deq.valid && respOrder.io.deq.bits === i.U)
  io.in.zip(respTurn).foreach { case (in, mine) =>
    in.b.valid := io.out.b.valid && mine
    in.b.bits  := io.out.b.bits
  }
  io.out.b.ready         := Mux1H(respTurn, io.in.map(_.b.ready))
  respOrder.io.deq.ready := io.out.b.fire

  assert(!io.out.b.valid || respOrder.io.deq.valid, "a write response that nobody waits for")
  cover(
    VecInit(io.in.map(_.aw.valid)).asUInt.orR && !address.io.room,
    "AxiWriteArbiter: as many bursts under way as it can follow"
  )
  cover(dataOrder.io.deq.valid && !io.out.w.valid, "AxiWriteArbiter: an address waits for its data")
}

object AxiWriteArbiter {

  /** Joins these writers on one bus. */
  def join(a: AxiParams, writers: AxiWrite*): AxiWrite = {
    val arbiter = Module(new AxiWriteArbiter(a, writers.size))
    arbiter.io.in.zip(writers).foreach { case (in, writer) => in <> writer }
    arbiter.io.out
  }
}
