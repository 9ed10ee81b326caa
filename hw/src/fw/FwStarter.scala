// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** How a write to a register of the firmware's window starts an operation. */
object FwStarter {

  /** A starter: holds the request that a write makes until its unit takes it. */
  def request[T <: Data](port: DecoupledIO[T], go: Bool, allowed: Bool, what: String)(fill: T => Unit): Unit = {
    val waiting = RegInit(false.B)
    val held    = Reg(chiselTypeOf(port.bits))
    when(port.fire)(waiting := false.B)
    when(go && allowed && !waiting) {
      waiting := true.B
      fill(held)
    }
    port.valid := waiting
    port.bits  := held
    assert(!go || allowed && !waiting, s"firmware bug: $what written while busy")
  }

  /** Busy from the write that starts an engine to its outcome. */
  def busyUntil(go: Bool, outcome: Bool): Bool = {
    val busy      = RegInit(false.B)
    when(go)(busy      := true.B)
    when(outcome)(busy := false.B)
    assert(!outcome || busy, "an outcome without a start")
    busy
  }
}
