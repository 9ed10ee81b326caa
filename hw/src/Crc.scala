// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** CRCs of the record formats (interfaces/formats/formats.yaml), combinational over a whole record.
  *
  * A CRC is linear: each of its bits is the parity of some bits of the record, inverted or not. Which ones is worked
  * out while elaborating, and each bit is written as one masked parity. That gives synthesis the same XOR trees as a
  * bit by bit recurrence would, and simulation a few word operations instead of thousands of single-bit ones.
  */
object Crc {

  /** CRC-32C (Castagnoli; RFC 3720 appendix B.4): reflected, init and xorout all ones. `data` is read as bytes, least
    * significant first; its width must be a multiple of 8.
    */
  def crc32c(data: UInt): UInt = {
    val state = (0 until bitsOf(data)).foldLeft(Seq.fill(32)(Parity.one)) { (state, bit) =>
      val fb = state.head ^ Parity.of(bit)
      tapped(state.tail :+ Parity.zero, fb, BigInt("82F63B78", 16))
    }
    parities(data, state.map(_ ^ Parity.one))
  }

  /** CRC-8 with polynomial 0x07 and init 0xFF, not reflected, over bytes, least significant byte of `data` first. */
  def crc8(data: UInt): UInt = {
    val order = (0 until bitsOf(data)).grouped(8).flatMap(_.reverse) // most significant bit of each byte first
    val state = order.foldLeft(Seq.fill(8)(Parity.one)) { (state, bit) =>
      val fb = state(7) ^ Parity.of(bit)
      tapped(Parity.zero +: state.take(7), fb, BigInt(0x07))
    }
    parities(data, state)
  }

  /** Parity of the bits of the record in `mask`, inverted or not. */
  private case class Parity(mask: BigInt, inverted: Boolean) {
    def ^(o: Parity): Parity = Parity(mask ^ o.mask, inverted ^ o.inverted)
  }
  private object Parity {
    val zero                 = Parity(0, inverted = false)
    val one                  = Parity(0, inverted = true)
    def of(bit: Int): Parity = Parity(BigInt(1) << bit, inverted = false)
  }

  private def bitsOf(record: UInt): Int = {
    require(record.getWidth % 8 == 0, "a CRC runs over whole bytes")
    record.getWidth
  }

  /** `state` with `fb` fed into the taps of the polynomial. */
  private def tapped(state: Seq[Parity], fb: Parity, poly: BigInt): Seq[Parity] =
    state.zipWithIndex.map { case (s, i) => if (poly.testBit(i)) s ^ fb else s }

  private def parities(data: UInt, state: Seq[Parity]): UInt =
    VecInit(state.map(s => (data & s.mask.U(data.getWidth.W)).xorR ^ s.inverted.B)).asUInt
}
