// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** An erase block of one channel. */
case class FlashBlock(die: Int, block: Int)

/** Where NandInDram keeps the flash of one channel in DRAM. Each region begins at a multiple of 4 KiB:
  *
  *   - the header: one beat, `magic` while all that follows is of this layout;
  *   - a FlashBlockRecord for each block, and a FlashPageRecord for each page, a beat each;
  *   - the spare words of each slot, and the data of each slot.
  *
  * Blocks are numbered {block, die}, pages {block, die, page}, slots {block, die, page, slot in page}.
  *
  * @param base
  *   address of the header
  * @param marked
  *   blocks that are marked bad, as by the factory
  */
case class FlashLayout(p: Params, base: Long = 0, marked: Seq[FlashBlock] = Nil) {
  private val dies = BigInt(p.g.diesPerChannel)
  val blocks       = dies * p.superblocks
  val pages        = blocks * p.g.pagesPerBlock
  val slots        = pages * p.g.slotsPerPage

  val recordBytes = p.dataBytes
  val spareBytes  = p.oobBits / 8
  val blockBase   = base + FlashLayout.Align
  val pageBase    = aligned(blockBase + blocks * recordBytes)
  val spareBase   = aligned(pageBase + pages * recordBytes)
  val dataBase    = aligned(spareBase + slots * spareBytes)
  val end         = (dataBase + slots * p.slotBytes).toLong

  val markedBlocks  = marked.size
  val pageIndexBits = p.sbBits + p.dieInChannelBits + p.pageBits
  val slotIndexBits = pageIndexBits + p.subBits

  require(base >= 0 && base % FlashLayout.Align == 0, "regions begin at multiples of 4 KiB")
  require(p.dataBits == 128, "records are made for beats of 16 bytes")
  require(isPow2(p.wordsPerSlot) && p.wordsPerSlot % FlashLayout.burst == 0, "a slot's data is whole bursts")
  require(isPow2(p.oobWords) && p.oobWords <= FlashLayout.burst, "a slot's spare words are one burst")
  require(pageIndexBits >= 4, "the fate of a page has that many bits")
  require(marked.distinct.size == marked.size)
  require(marked.forall(b => b.die < p.g.diesPerChannel && b.block < p.superblocks), "a mark outside the flash")

  /** Another layout has another one. */
  val magic: BigInt = {
    val place = s"${Presets.text(p.g)} at $base: ${marked.mkString(", ")}"
    BigInt("4F524D464C534831", 16) << 64 | BigInt(place.hashCode & 0xffffffffL)
  }

  private def aligned(address: BigInt): Long = Sizes.align(address, FlashLayout.Align).toLong

  // --- numbers and addresses of hardware
  private def at(base: Long, index: UInt, bytes: Int): UInt =
    base.U(p.dramAddrBits.W) + (index << log2Ceil(bytes))

  private def low(x: UInt, bits: Int): UInt = if (bits == 0) 0.U(0.W) else x(bits - 1, 0)

  def blockIndex(block: UInt, die: UInt): UInt = block ## low(die, p.dieInChannelBits)

  def pageIndex(block: UInt, die: UInt, page: UInt): UInt = blockIndex(block, die) ## page

  def slotIndex(page: UInt, sub: UInt): UInt = page ## low(sub, p.subBits)

  def blockAddress(index: UInt): UInt            = at(blockBase, index, recordBytes)
  def pageAddress(index: UInt): UInt             = at(pageBase, index, recordBytes)
  def spareAddress(slot: UInt): UInt             = at(spareBase, slot, spareBytes)
  def dataAddress(slot: UInt, burst: UInt): UInt = at(dataBase, slot ## burst, FlashLayout.burst * p.dataBytes)
}

object FlashLayout {
  val Align = 4096

  /** Beats of a burst of data. So long at most others wait for the bus. */
  val burst = 16

  /** That of the test benches: not at address 0, and with bad blocks. */
  def ofBench(p: Params): FlashLayout =
    FlashLayout(p, base = 0x40000, marked = Seq(FlashBlock(0, 3), FlashBlock(p.g.diesPerChannel - 1, 0)))
}

/** What NandInDram knows of a block. */
class FlashBlockRecord extends Bundle {
  val bad        = Bool()
  val half       = Bool()                             // an erase has begun, and has not ended
  val generation = UInt(FlashRecord.generationBits.W) // one more with each erase
}

/** What it knows of a page: nothing, if the generation is not its block's. Then the page is erased. */
class FlashPageRecord extends Bundle {
  val programmed = Bool() // else torn: a program has begun, and has not ended
  val generation = UInt(FlashRecord.generationBits.W)
}

object FlashRecord {
  val generationBits = 32

  /** Of a block that was never erased. A page record of zeroes is of no generation. */
  val first = 1
}
