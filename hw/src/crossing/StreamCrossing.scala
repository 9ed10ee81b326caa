// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The two streams of a PCIe core. The core is at the side `from`. */
class StreamCrossing(coreBits: Int, clocks: Between) extends BusCrossing(clocks) {
  val io = IO(new Bundle {
    val rxIn  = Flipped(Decoupled(new CoreRx(coreBits)))
    val rxOut = Decoupled(new CoreRx(coreBits))
    val txIn  = Flipped(Decoupled(new CoreTx(coreBits)))
    val txOut = Decoupled(new CoreTx(coreBits))
  })
  def width: Int = io.rxIn.bits.getWidth + io.txIn.bits.getWidth

  forth(io.rxIn, io.rxOut, 16, "rx")
  back(io.txIn, io.txOut, 16, "tx")
}
