// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Offers one of its inputs to `out`, a different one each cycle, whether or not the last offer was taken.
  *
  * An arbiter that stays with its choice would let a request for a busy die block requests for idle dies behind the
  * same port. The price: `out.bits` may change while `out.ready` is low.
  *
  * Timing: combinational from `in.valid` to `out`, and from `out.ready` to `in.ready`.
  */
class RotatingArbiter[T <: Data](gen: => T, n: Int) extends Module {
  require(n >= 1)
  val io = IO(new Bundle {
    val in     = Flipped(Vec(n, Decoupled(gen)))
    val out    = Decoupled(gen)
    val chosen = Output(UInt(log2Ceil(n).max(1).W))
  })
  private val turn  = RegInit(0.U(log2Ceil(n).max(1).W)) // first in line
  private val valid = VecInit(io.in.map(_.valid)).asUInt
  private val ahead = VecInit(Seq.tabulate(n)(i => valid(i) && i.U >= turn)).asUInt

  io.chosen                           := Mux(ahead.orR, PriorityEncoder(ahead), PriorityEncoder(valid))
  io.out.valid                        := valid.orR
  io.out.bits                         := PriorityMux((0 until n).map(io.chosen === _.U), io.in.map(_.bits))
  for (i <- 0 until n) io.in(i).ready := io.out.ready && io.chosen === i.U
  when(io.out.valid)(turn := Mux(io.chosen === (n - 1).U, 0.U, io.chosen + 1.U))

  cover(PopCount(valid) > 1.U && !io.out.ready, "several requests wait behind one port")
}
