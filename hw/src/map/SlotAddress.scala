// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The fields of a slot number: {superblock, page, die in channel, channel, sub}. `sub` is the slot within its flash
  * page. A field of no bits reads as 0 in one bit.
  */
object SlotAddress {
  def sub(p: Params, slot: UInt): UInt        = field(slot, 0, p.subBits)
  def channel(p: Params, slot: UInt): UInt    = field(slot, p.subBits, p.channelBits)
  def die(p: Params, slot: UInt): UInt        = field(slot, p.subBits + p.channelBits, p.dieInChannelBits)
  def page(p: Params, slot: UInt): UInt       = field(slot, p.subBits + p.dieBits, p.pageBits)
  def superblock(p: Params, slot: UInt): UInt = field(slot, p.offsetBits, p.sbBits)
  def offset(p: Params, slot: UInt): UInt     = field(slot, 0, p.offsetBits)
  def apply(p: Params, superblock: UInt, offset: UInt): UInt =
    Cat(superblock.pad(p.sbBits)(p.sbBits - 1, 0), offset.pad(p.offsetBits)(p.offsetBits - 1, 0))

  /** Which flash page of the device a slot lies in: its number without `sub`. */
  def pageOf(p: Params, slot: UInt): UInt = slot(p.slotBits - 1, p.subBits)

  /** Slot `sub` of the page that `slot` lies in. */
  def inPage(p: Params, slot: UInt, sub: UInt): UInt =
    if (p.subBits == 0) slot else Cat(pageOf(p, slot), sub.pad(p.subBits)(p.subBits - 1, 0))

  private def field(slot: UInt, lsb: Int, width: Int): UInt = if (width == 0) 0.U(1.W) else slot(lsb + width - 1, lsb)
}
