// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A beat of the core's receive stream. With 64 bits `keep` and `last` say where a TLP ends, with 128 bits `user`. */
class CoreRx(val bits: Int) extends Bundle {
  val data = UInt(bits.W)
  val keep = UInt((bits / 8).W)
  val last = Bool()
  val user = UInt(22.W)
}

object CoreRx {

  /** Fields of `user`. */
  def bar0(user: UInt): Bool       = user(2)
  def begins(user: UInt): Bool     = user(14)     // 128 bits: a TLP begins in this beat,
  def beginsHigh(user: UInt): Bool = user(13)     // in its upper half
  def ends(user: UInt): Bool       = user(21)     // a TLP ends in this beat,
  def endsAt(user: UInt): UInt     = user(20, 19) // with this dword
}

/** A beat of the core's transmit stream. */
class CoreTx(val bits: Int) extends Bundle {
  val data = UInt(bits.W)
  val keep = UInt((bits / 8).W)
  val last = Bool()
}

/** Four dwords of a TLP, which begins with dword 0 of a beat. Dwords are as the core has them: byte 0 in the upper
  * bits.
  */
class TlpBeat extends Bundle {
  val dw    = Vec(4, UInt(32.W))
  val count = UInt(2.W) // of dwords, less one; 3 in all but the last beat
  val last  = Bool()
}

/** The same of a TLP that has come. `bar0`: its address is in BAR0; counts in its first beat. */
class TlpRxBeat extends TlpBeat {
  val bar0 = Bool()
}

/** Codes and fields of TLPs. */
object Tlp {
  val MemRead32  = 0x00
  val MemRead64  = 0x20
  val MemWrite32 = 0x40
  val MemWrite64 = 0x60
  val Cpl        = 0x0a
  val CplLocked  = 0x0b
  val CplData    = 0x4a
  object Status { val success = 0; val unsupported = 1; val abort = 4 }

  def hasData(dw0: UInt): Bool  = dw0(30)
  def fourDw(dw0: UInt): Bool   = dw0(29)
  def kind(dw0: UInt): UInt     = dw0(28, 24)
  def poisoned(dw0: UInt): Bool = dw0(14)
  def length(dw0: UInt): UInt   = dw0(9, 0) // in dwords; 0 is 1024

  /** A dword of a TLP as memory has it, and back. */
  def swap(dword: UInt): UInt = Cat(Seq.tabulate(4)(i => dword(8 * i + 7, 8 * i)))

  /** The address of a memory request, in dwords and inside BAR0. */
  def barWord(head: UInt): UInt = {
    val low = Mux(fourDw(head), head(127, 96), head(95, 64))
    low(PcieParams.barBits - 1, 2)
  }

  /** The first dword of a TLP without digest, hints and prefixes. */
  def first(fmtType: UInt, dwords: UInt, tc: UInt = 0.U(3.W), attr: UInt = 0.U(3.W)): UInt = {
    require(tc.getWidth == 3 && attr.getWidth == 3)
    Cat(fmtType.pad(8)(7, 0), 0.U(1.W), tc, 0.U(1.W), attr(2), 0.U(4.W), attr(1, 0), 0.U(2.W), dwords.pad(10)(9, 0))
  }

  /** A request's header: three dwords, or four if its address needs more than 32 bits. */
  def request(
      dw0: UInt,
      id: UInt,
      tag: UInt,
      lastBe: UInt,
      firstBe: UInt,
      high: UInt,
      low: UInt,
      four: Bool
  ): Seq[UInt] =
    Seq(dw0, Cat(id, tag.pad(8)(7, 0), lastBe, firstBe), Mux(four, high, low), low)
}
