// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The same of an AXI4-Lite bus, whose master has one access of a kind under way. */
class AxiLiteCrossing(addrBits: Int, clocks: Between) extends BusCrossing(clocks) {
  val io = IO(new Bundle {
    val in  = Flipped(new AxiLite(addrBits))
    val out = new AxiLite(addrBits)
  })
  def width: Int = Seq(io.in.ar, io.in.r, io.in.aw, io.in.w, io.in.b).map(_.bits.getWidth).sum

  forth(io.in.ar, io.out.ar, 4, "ar")
  back(io.out.r, io.in.r, 4, "r")
  forth(io.in.aw, io.out.aw, 4, "aw")
  forth(io.in.w, io.out.w, 4, "w")
  back(io.out.b, io.in.b, 4, "b")
}
