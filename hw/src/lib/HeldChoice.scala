// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Which of two sides has a port that they share: the second one while `second`, but what has been offered stays until
  * it is taken.
  *
  * Timing: combinational from `second` to the choice; `port`'s valid and ready are looked at a cycle later.
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
