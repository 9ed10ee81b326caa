// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The fields of a slot number: {superblock, page, die in channel, channel}. A field of no bits reads as 0 in one bit.
  */
object SlotAddress {
  def channel(p: Params, slot: UInt): UInt                   = field(slot, 0, p.channelBits)
  def die(p: Params, slot: UInt): UInt                       = field(slot, p.channelBits, p.dieInChannelBits)
  def page(p: Params, slot: UInt): UInt                      = field(slot, p.dieBits, p.pageBits)
  def superblock(p: Params, slot: UInt): UInt                = field(slot, p.offsetBits, p.sbBits)
  def offset(p: Params, slot: UInt): UInt                    = field(slot, 0, p.offsetBits)
  def apply(p: Params, superblock: UInt, offset: UInt): UInt =
    Cat(superblock.pad(p.sbBits)(p.sbBits - 1, 0), offset.pad(p.offsetBits)(p.offsetBits - 1, 0))

  private def field(slot: UInt, lsb: Int, width: Int): UInt = if (width == 0) 0.U(1.W) else slot(lsb + width - 1, lsb)
}
