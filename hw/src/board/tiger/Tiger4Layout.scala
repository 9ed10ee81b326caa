// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Where things lie in the 1 MiB window in which the NAND controller's data port finds us: a part for each purpose, in
  * it 32 KiB for each way or program buffer. An address is {window, part, way or buffer, offset}.
  */
object Tiger4Layout {
  val windowBits = 20
  val offsetBits = 15
  val wayBits    = 3

  // Parts.
  val page     = 0 // of a way: page data, then what follows
  val raw      = 1 // of a way: a row as it is, and its completion word
  val program  = 2 // of a program buffer: page data and spare bytes
  val features = 3 // three words

  // Offsets.
  val data    = 0x0000
  val spare   = 0x4000
  val ecc     = 0x4100
  val done    = 0x4180
  val report  = 0x4190
  val rawDone = 0x4700

  import Tiger4Map.Sizes
  require(Sizes.pageBytes == spare && spare + Sizes.spareBytes <= ecc && Sizes.rowBytes <= rawDone)
  require(rawDone + 4 <= (1 << offsetBits) && Sizes.ways == (1 << wayBits) && Sizes.markOffset == spare)
  require(ecc + 4 * Sizes.eccWords <= done, "the ECC's words end before the completion word")

  /** A byte of a row that was never programmed may have lost a bit. So many of them leave a row an erased one. */
  val mostSpots = 64

  /** Row of a page. In SLC mode a block has its pages in its first row and in every second one from there. */
  def row(block: UInt, page: UInt): UInt = {
    val number  = block.pad(13)
    val inBlock = Mux(page === 0.U, 0.U(8.W), Cat(page.pad(7) - 1.U, 1.U(1.W))(7, 0))
    Cat(0.U(2.W), number(12), 0.U(1.W), number(11, 0), inBlock)
  }
  val rowBits = 24
  require(Sizes.blocksPerLun == (1 << 12) && Sizes.luns == 2 && Sizes.rowsPerBlock == (1 << 8))
  require(Tiger4Map.Fields.rowLun.lsb == 21 && Tiger4Map.Fields.rowBlock.lsb == 8)

  /** Rules for a flash behind this controller. */
  def check(p: Params): Unit = {
    require(p.g.slotsPerPage * p.slotBytes == Sizes.pageBytes, "a page has 16 KiB")
    require(p.g.slotsPerPage * p.oobBits / 8 <= Sizes.spareFree, "the slots' records fit into the spare bytes")
    require(p.g.diesPerChannel <= Sizes.ways, "a channel has eight ways")
    require(p.g.blocksPerDie <= Sizes.blocksPerLun * Sizes.luns, "a die has two LUNs of 4096 blocks")
    require(p.g.pagesPerBlock <= Sizes.rowsPerBlock / 2, "SLC mode uses half of the rows; a mark is in the last one")
    require(p.dataBits == 128 && p.oobWords == 2)
  }
}
