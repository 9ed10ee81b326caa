// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Wishbone B4, classic cycles, as LiteX's CPU buses have it: 32-bit data, addresses of words. Master's view. The
  * master holds an access (`cyc` and `stb`) until `ack` or `err`, or gives it up by lowering `cyc`.
  */
class Wishbone extends Bundle {
  val cyc  = Output(Bool())
  val stb  = Output(Bool())
  val we   = Output(Bool())
  val adr  = Output(UInt(30.W))
  val datW = Output(UInt(32.W))
  val sel  = Output(UInt(4.W))
  val cti  = Output(UInt(3.W)) // Wishbone.INCREMENTING: the next word follows
  val datR = Input(UInt(32.W))
  val ack  = Input(Bool())
  val err  = Input(Bool())

  def asks: Bool = cyc && stb

  /** Answers an access, or not yet. */
  def answer(done: Bool, failed: Bool): Unit = {
    ack := done && !failed
    err := done && failed
  }
}

object Wishbone {
  val INCREMENTING = 2
}
