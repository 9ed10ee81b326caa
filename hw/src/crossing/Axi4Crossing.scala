// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** An AXI4 bus between two clocks. The master is at the side `from`. After a reset of one side alone nothing wrong is
  * seen, but bursts that were under way are not answered: what waits for them has to be reset, too.
  */
class Axi4Crossing(a: AxiParams, clocks: Between) extends BusCrossing(clocks) {
  val io = IO(new Bundle {
    val in  = Flipped(new Axi4(a))
    val out = new Axi4(a)
  })
  def width: Int = Seq(io.in.rd.ar, io.in.rd.r, io.in.wr.aw, io.in.wr.w, io.in.wr.b).map(_.bits.getWidth).sum

  // An address stands for several beats.
  forth(io.in.rd.ar, io.out.rd.ar, 8, "ar")
  back(io.out.rd.r, io.in.rd.r, 16, "r")
  forth(io.in.wr.aw, io.out.wr.aw, 8, "aw")
  forth(io.in.wr.w, io.out.wr.w, 16, "w")
  back(io.out.wr.b, io.in.wr.b, 8, "b")
}
