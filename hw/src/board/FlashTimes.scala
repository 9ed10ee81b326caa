// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** How long the flash of NandInDram takes at least, in cycles. An operation looks at its time when it begins. */
class FlashTimes extends Bundle {
  val read    = UInt(FlashTimes.arrayBits.W) // tR: a read or probe
  val retry   = UInt(FlashTimes.arrayBits.W) // the same at a level of read retry
  val program = UInt(FlashTimes.arrayBits.W) // tPROG: from the last word on
  val erase   = UInt(FlashTimes.arrayBits.W) // tBERS
  val word    = UInt(FlashTimes.wordBits.W)  // idle cycles of the bus behind each word
}

object FlashTimes {
  val arrayBits = 24 // 84 ms at 200 MHz; an erase takes 10 ms at most
  val wordBits  = 8
}
