// SPDX-License-Identifier: Apache-2.0
package openremap

/** How large and how small a device the firmware can run: firmware/include/firmware_limits.h, whose macros have the
  * same names. `sim.params.facts` compares the two.
  */
object FirmwareLimits {
  val maxSuperblocks   = 8192
  val maxDies          = 64
  val maxIoQueues      = 63
  val maxHandles       = 7
  val maxSlotsPerSb    = 32768
  val maxSlotsPerPage  = 8
  val maxDestageSlots  = 128
  val allocReserve     = 2
  val spareSuperblocks = allocReserve + 2
  val minSuperblocks   = spareSuperblocks + 1

  /** Throws IllegalArgumentException with the reason why the firmware would not start on such a controller. */
  def check(p: Params): Unit = {
    require(p.dies <= maxDies, s"the firmware runs at most $maxDies dies")
    require(
      p.superblocks >= minSuperblocks && p.superblocks <= maxSuperblocks,
      s"the firmware runs $minSuperblocks to $maxSuperblocks blocks of a die"
    )
    require(p.slotsPerSb <= maxSlotsPerSb, s"the firmware runs at most $maxSlotsPerSb slots in a superblock")
    require(p.g.slotsPerPage <= maxSlotsPerPage, s"the firmware runs at most $maxSlotsPerPage slots of a page")
    require(p.capDestageSlots <= maxDestageSlots, s"the firmware destages to at most $maxDestageSlots slots")
    require(p.k.ioQueues <= maxIoQueues, s"the firmware serves at most $maxIoQueues I/O queue pairs")
    require(p.k.placementHandles <= maxHandles, s"the firmware has at most $maxHandles placement handles")
    // A quarter of a superblock is kept for host pages whose program failed (Allocator).
    require(p.dies * p.g.pagesPerBlock >= 4, "a superblock has at least four flash pages")
    require(p.k.segments >= 2 * p.k.gcReserveSegments, "GC has its reserve of segments, and remaps as many")
  }
}

/** Named configurations, and the one for any given flash. The firmware can run each of them. */
object Presets {
  val default = "small"

  val all: Map[String, Params] = Map(
    default -> Params(),
    // As many slots as `small`, in a quarter of the pages; write buffers for begun pages, and one page a die.
    "wide" -> forFlash(Geometry(pagesPerBlock = 8, slotsPerPage = 4)),
    // Pages of several slots, and summaries, which are too long for the superblocks of `wide`.
    "paired" -> Params(Geometry(slotsPerPage = 2)),
    // A Cosmos+ OpenSSD with two channels: eight ways of 8192 blocks, 128 pages of 16 KiB in SLC mode; 256 GiB. Mapping
    // and tables take 849 MiB of its 1 GiB of DRAM.
    "cosmos" -> board(
      Geometry(channels = 2, diesPerChannel = 8, blocksPerDie = 8192, pagesPerBlock = 128, slotsPerPage = 4)
    ),
    // With all eight channels: a quarter of each die, which is what its DRAM has room for.
    "cosmos8" -> board(
      Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 2048, pagesPerBlock = 128, slotsPerPage = 4)
    )
  )
  all.values.foreach(FirmwareLimits.check)

  /** What suits a flash. Throws IllegalArgumentException for one that the controller or its firmware cannot have. */
  def forFlash(g: Geometry): Params = {
    val p = Params(g, Knobs.forFlash(g))
    FirmwareLimits.check(p)
    p
  }

  /** In hardware every cycle is there. */
  private def board(g: Geometry): Params = {
    val p = forFlash(g)
    p.copy(k = p.k.copy(timeSkip = false))
  }

  private val Geometries = """(\d{1,9})x(\d{1,9})x(\d{1,9})x(\d{1,9})(?:x(\d{1,9}))?""".r

  /** "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]", as the option of the fast model. */
  def parse(text: String): Geometry = text match {
    case Geometries(channels, dies, blocks, pages, slots) =>
      Geometry(channels.toInt, dies.toInt, blocks.toInt, pages.toInt, Option(slots).fold(1)(_.toInt))
    case _ => throw new IllegalArgumentException(s"'$text' is not CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]")
  }

  def text(g: Geometry): String =
    Seq(g.channels, g.diesPerChannel, g.blocksPerDie, g.pagesPerBlock, g.slotsPerPage).mkString("x")
}
