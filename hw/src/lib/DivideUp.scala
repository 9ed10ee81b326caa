// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A number divided by a constant and rounded up, in one or a few additions. That is much smaller and faster than a
  * divider, or than a comparator for each multiple.
  */
object DivideUp {
  def apply(number: UInt, by: Int): UInt = {
    require(by >= 1 && number.getWidth <= 16, "every number is tried below")
    val largest = (1 << number.getWidth) - 1
    // number / by = number * factor / 2^shift, for a shift at which the error does not show yet in any number.
    val (factor, shift) = Iterator
      .from(log2Ceil(by))
      .map(shift => ((1L << shift) / by, shift))
      .find { case (factor, shift) =>
        (0 to largest).forall(n => (n * factor + (1L << shift) - 1) >> shift == (n + by - 1) / by)
      }
      .get
    val product = (0 to log2Floor(factor)).filter(BigInt(factor).testBit).map(number << _).reduce(_ +& _)
    (product +& ((1L << shift) - 1).U) >> shift
  }
}
