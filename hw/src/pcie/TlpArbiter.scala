// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object TlpArbiter {

  /** Who sends TLPs. */
  object From extends Clients { val writes, completions, reads = Value }
}

/** The senders of TLPs take turns, TLP by TLP. TLPs leave in the order in which they get here.
  *
  * Timing: a beat a cycle; one cycle is lost when the turn goes to a sender that had nothing to send.
  */
class TlpArbiter extends Module {
  import TlpArbiter.From
  val io = IO(new Bundle {
    val in   = Flipped(From.ports(Decoupled(new TlpBeat)))
    val out  = Decoupled(new TlpBeat)
    val sent = Output(Bool()) // a TLP of `writes` has its place in the stream
  })
  private val out    = Module(new Skid(new TlpBeat))
  private val inside = RegInit(VecInit.fill(From.size)(false.B)) // a TLP has begun
  private val taken  = out.io.in.fire && out.io.in.bits.last
  private val turn   = RoundRobin.ahead(io.in.zip(inside).map { case (in, goesOn) => in.valid || goesOn }, taken)
  out.io.in.valid := Mux1H(turn, io.in.map(_.valid))
  out.io.in.bits  := Mux1H(turn, io.in.map(_.bits))
  io.in.zip(turn).foreach { case (in, mine) => in.ready := out.io.in.ready && mine }
  when(out.io.in.fire)(inside := Mux(out.io.in.bits.last, 0.U, turn.asUInt).asTypeOf(inside))
  io.sent := RegNext(taken && turn(From.writes), false.B)
  io.out <> out.io.out

  assert(
    !RegNext(out.io.in.fire && !out.io.in.bits.last, false.B) || (RegNext(turn.asUInt) === turn.asUInt),
    "TlpArbiter: a TLP in another"
  )
  cover(PopCount(io.in.map(_.valid)) === From.size.U, "TlpArbiter: all have something to send")
  cover(inside.asUInt.orR && !out.io.in.valid, "TlpArbiter: the rest of a TLP comes later")
  cover(out.io.in.valid && !out.io.in.ready, "TlpArbiter: the stream is not ready")
}
