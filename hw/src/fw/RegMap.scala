// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** A register of a generated map (FwRegMap, Bar0Map): byte address; `count` > 1 is an array of elements `stride` bytes
  * apart.
  */
case class RegInfo(name: String, addr: Int, count: Int, stride: Int, reset: BigInt) {
  require(addr % 4 == 0 && count >= 1 && stride >= 4, s"$name: registers are 32-bit words")

  /** Address of element `i`. */
  def at(i: Int): Int = {
    require(i >= 0 && i < count, s"$name has $count elements")
    addr + i * stride
  }
}

/** A field of a register: bits `lsb + width - 1 .. lsb` of its 32-bit word. */
case class RegField(lsb: Int, width: Int, reset: BigInt) {
  require(lsb >= 0 && width >= 1 && lsb + width <= 32)
  def msb: Int = lsb + width - 1

  /** The field's value in a register word. */
  def of(word: UInt): UInt = word(msb, lsb)

  /** A register word with `value` in this field and zero elsewhere; words of several fields are OR-ed. */
  def word(value: UInt): UInt = {
    require(!value.isWidthKnown || value.getWidth <= width, s"a value of ${value.getWidth} bits does not fit $width")
    (value.pad(width) << lsb).pad(32)
  }
}
