// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The dwords of a bus word, moved up by `by` places; the dwords that leave at the top come in at the bottom.
  *
  * This rotation alone brings a stream of dwords to another alignment: dwords that do not fit into the current output
  * word come out in the places that they have in the next one.
  */
object RotateDwords {
  def apply(data: UInt, by: UInt): Vec[UInt] = {
    require(data.getWidth == 128 && by.getWidth == 2, "four dwords")
    def up(x: Seq[UInt], places: Int, doIt: Bool): Seq[UInt] =
      x.indices.map(i => Mux(doIt, x((i + 4 - places) % 4), x(i)))
    val dwords = Seq.tabulate(4)(i => data(32 * i + 31, 32 * i))
    VecInit(up(up(dwords, 1, by(0)), 2, by(1)))
  }
}
