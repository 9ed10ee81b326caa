// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Beats of TLPs to the core's transmit stream of 64 bits, each in two halves. */
class TlpTransmit64 extends Module {
  val io = IO(new Bundle {
    val in   = Flipped(Decoupled(new TlpBeat))
    val core = Decoupled(new CoreTx(64))
  })
  private val in    = Skid(io.in)
  private val out   = Module(new Skid(new CoreTx(64)))
  private val upper = RegInit(false.B) // the upper half is next
  private val two   = in.bits.count(1) // there is one
  private val ends  = upper || !two
  private val whole = Mux(upper, in.bits.count(0), in.bits.count =/= 0.U)

  in.ready            := out.io.in.ready && ends
  out.io.in.valid     := in.valid
  out.io.in.bits.data := Mux(upper, Cat(in.bits.dw(3), in.bits.dw(2)), Cat(in.bits.dw(1), in.bits.dw(0)))
  out.io.in.bits.keep := Cat(Fill(4, whole), 15.U(4.W))
  out.io.in.bits.last := in.bits.last && ends
  when(out.io.in.fire)(upper := !ends)
  io.core <> out.io.out

  assert(!in.valid || in.bits.last || in.bits.count === 3.U, "TlpTransmit64: a gap in a TLP")
  cover(in.fire && !two, "TlpTransmit64: a TLP ends with half a beat")
  cover(io.core.valid && !io.core.ready, "TlpTransmit64: the core is not ready")
}
