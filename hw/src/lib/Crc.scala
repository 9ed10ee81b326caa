// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** CRCs of the record formats (interfaces/formats/formats.yaml), combinational over a whole record.
  *
  * A CRC is linear: each of its bits is the parity of some bits of the record, inverted or not. Elaboration works out
  * which bits these are, and writes each bit of the CRC as one masked parity. That gives synthesis the same XOR trees
  * as a bit-by-bit recurrence would, and simulation a few word operations instead of thousands of single-bit ones.
  */
object Crc {

  /** CRC-32C (Castagnoli; RFC 3720 appendix B.4): reflected, init and xorout all ones. `data` is read as bytes, least
    * significant first; its width must be a multiple of 8.
    */
  def crc32c(data: UInt): UInt = {
    val state = through(Seq.fill(32)(Parity.one), Seq.tabulate(bitsOf(data))(Parity.of))
    parities(data, state.map(_ ^ Parity.one))
  }

  /** CRC-32C a word of 32 bits at a time: the next state, of the state before exclusive-or the word. The first state is
    * all ones; the CRC is the last one inverted.
    */
  def crc32cStep(mixed: UInt): UInt = {
    require(mixed.getWidth == 32)
    parities(mixed, through(Seq.tabulate(32)(Parity.of), Seq.fill(32)(Parity.zero)))
  }

  /** CRC-32C's state after `data` and `zeros` bits that are zero. A CRC is linear: a record that has other bits there
    * has this state exclusive-or the one that a state of zero becomes with them.
    */
  def crc32cState(data: UInt, zeros: Int): UInt = {
    val bits = Seq.tabulate(bitsOf(data))(Parity.of) ++ Seq.fill(zeros)(Parity.zero)
    parities(data, through(Seq.fill(32)(Parity.one), bits))
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

  /** The state that CRC-32C comes to from `state` with `bits`. */
  private def through(state: Seq[Parity], bits: Seq[Parity]): Seq[Parity] = bits.foldLeft(state) { (state, bit) =>
    tapped(state.tail :+ Parity.zero, state.head ^ bit, BigInt("82F63B78", 16))
  }

  /** `state` with `fb` fed into the taps of the polynomial. */
  private def tapped(state: Seq[Parity], fb: Parity, poly: BigInt): Seq[Parity] =
    state.zipWithIndex.map { case (s, i) => if (poly.testBit(i)) s ^ fb else s }

  private def parities(data: UInt, state: Seq[Parity]): UInt =
    VecInit(state.map(s => (data & s.mask.U(data.getWidth.W)).xorR ^ s.inverted.B)).asUInt
}
