// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Ports that several parts of a unit use in turn. At most one has its turn at a time. */
object Turns {

  /** `out` belongs to the client whose turn it is. */
  def turns[T <: Data](out: DecoupledIO[T], clients: (Bool, DecoupledIO[T])*): Unit = {
    out.valid := VecInit(clients.map { case (mine, c) => mine && c.valid }).asUInt.orR
    out.bits  := clients.init.foldRight(clients.last._2.bits) { case ((mine, c), rest) => Mux(mine, c.bits, rest) }
    for ((mine, c) <- clients) c.ready := out.ready && mine
  }

  /** `in` goes to the client whose turn it is. */
  def deals[T <: Data](in: DecoupledIO[T], clients: (Bool, DecoupledIO[T])*): Unit = {
    in.ready := VecInit(clients.map { case (mine, c) => mine && c.ready }).asUInt.orR
    for ((mine, c) <- clients) {
      c.valid := in.valid && mine
      c.bits  := in.bits
    }
  }
}
