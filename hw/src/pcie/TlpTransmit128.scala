// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Beats of TLPs to the core's transmit stream of 128 bits, where each TLP begins with a beat. */
class TlpTransmit128 extends Module {
  val io = IO(new Bundle {
    val in   = Flipped(Decoupled(new TlpBeat))
    val core = Decoupled(new CoreTx(128))
  })
  private val out = Module(new Skid(new CoreTx(128)))
  io.in.ready         := out.io.in.ready
  out.io.in.valid     := io.in.valid
  out.io.in.bits.data := io.in.bits.dw.asUInt
  out.io.in.bits.keep := Cat(Seq.tabulate(4)(i => Fill(4, io.in.bits.count >= i.U)).reverse)
  out.io.in.bits.last := io.in.bits.last
  io.core <> out.io.out

  assert(!io.in.valid || io.in.bits.last || io.in.bits.count === 3.U, "TlpTransmit128: a gap in a TLP")
  cover(io.in.fire && io.in.bits.count =/= 3.U, "TlpTransmit128: a TLP ends with a part of a beat")
  cover(io.core.valid && !io.core.ready, "TlpTransmit128: the core is not ready")
}
