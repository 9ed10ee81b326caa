// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Selects which of two sides uses a port that they share: the second side while `second` is high. A request that has
  * been offered stays until it is taken.
  *
  * Timing: combinational from `second` to the choice; `port`'s valid and ready take effect a cycle later.
  */
object HeldChoice {
  def apply[T <: Data](port: DecoupledIO[T], second: Bool): Bool = {
    val offered = RegNext(port.valid && !port.ready, false.B)
    val last    = RegInit(false.B)
    val now     = Mux(offered, last, second)
    last := now
    now
  }
}
