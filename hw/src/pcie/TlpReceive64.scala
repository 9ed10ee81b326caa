// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The core's receive stream of 64 bits, two beats joined into one. */
class TlpReceive64 extends Module {
  val io = IO(new Bundle {
    val core = Flipped(Decoupled(new CoreRx(64)))
    val out  = Decoupled(new TlpRxBeat)
  })
  private val in   = Skid(io.core)
  private val out  = Module(new Skid(new TlpRxBeat))
  private val low  = Reg(UInt(64.W))
  private val have = RegInit(false.B) // `low` is the first half of a beat
  private val both = in.bits.keep(4)  // dwords of this one
  private val dws  = Seq(in.bits.data(31, 0), in.bits.data(63, 32))

  in.ready             := out.io.in.ready
  out.io.in.valid      := in.valid && (have || in.bits.last)
  out.io.in.bits.dw    := VecInit(Mux(have, low(31, 0), dws(0)), Mux(have, low(63, 32), dws(1)), dws(0), dws(1))
  out.io.in.bits.count := Mux(in.bits.last, Cat(have, both), 3.U)
  out.io.in.bits.last  := in.bits.last
  out.io.in.bits.bar0  := CoreRx.bar0(in.bits.user)
  when(in.fire) {
    low  := in.bits.data
    have := !have && !in.bits.last
  }
  io.out <> out.io.out

  assert(!in.valid || in.bits.last || in.bits.keep.andR, "TlpReceive64: a gap in a TLP")
  cover(in.fire && in.bits.last && !have, "TlpReceive64: a TLP ends with half a beat")
  cover(io.core.valid && !io.core.ready, "TlpReceive64: the core has to wait")
}
