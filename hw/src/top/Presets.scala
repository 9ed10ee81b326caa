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

  /** Those of boards, in which every cycle is there. What their memories on chip and their logic have room for decides
    * about buffers, and how long a chain may be; forFlash() gives larger flash more.
    */
  val boards: Map[String, Params] = Map(
    // A Cosmos+ OpenSSD with two channels: eight ways of 8192 blocks, 128 pages of 16 KiB in SLC mode; 256 GiB. Mapping
    // and tables take 849 MiB of its 1 GiB of DRAM.
    "cosmos2" -> cosmos(
      Geometry(channels = 2, diesPerChannel = 8, blocksPerDie = 8192, pagesPerBlock = 128, slotsPerPage = 4),
      writeBuffers = 80,
      readBuffers = 64,
      gcMoves = 32
    ),
    // With all eight channels: a quarter of each die, which is what its DRAM has room for.
    "cosmos8" -> cosmos(
      Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 2048, pagesPerBlock = 128, slotsPerPage = 4),
      writeBuffers = 96,
      readBuffers = 72,
      gcMoves = 64
    ),
    // An SQRL Acorn CLE-215+, whose flash is part of its DRAM; 128 MiB.
    "acorn" -> acorn(Geometry(blocksPerDie = 64, pagesPerBlock = 128)),
    // An ECPIX-5, whose flash is part of its DRAM; 64 MiB.
    "ecpix5" -> Params(
      Geometry(channels = 1, diesPerChannel = 2, blocksPerDie = 16, pagesPerBlock = 512),
      Knobs(
        ioQueues = 2,
        maxQueueEntries = 64,
        commandsWaiting = 8,
        writeBuffers = 4,
        readBuffers = 4,
        gcMoves = 4,
        gcBuffers = 4,
        fwBuffers = 2,
        mapCacheSets = 16,
        mapInFlight = 16,
        mapMisses = 4,
        remapInFlight = 32,
        dieQueueDepth = 4,
        irqTickCycles = 5000, // at 50 MHz
        lateQueues = true,
        timeSkip = false
      )
    )
  )

  val all: Map[String, Params] = Map(
    default -> Params(),
    // As many slots as `small`, in a quarter of the pages; write buffers for begun pages, and one page a die.
    "wide" -> suits(Geometry(pagesPerBlock = 8, slotsPerPage = 4)),
    // Pages of several slots, and summaries, which are too long for the superblocks of `wide`.
    "paired" -> Params(Geometry(slotsPerPage = 2)),
    // With its flash in DRAM (DramFlashTop). The simulation knows it by its geometry.
    "dramflash" -> suits(Geometry(blocksPerDie = 32))
  ) ++ boards
  all.values.foreach(FirmwareLimits.check)

  /** What suits a flash; that of a board has the board's. Throws IllegalArgumentException for one that the controller
    * or its firmware cannot have.
    */
  def forFlash(g: Geometry): Params = boards.values.find(_.g == g).getOrElse(suits(g))

  private def suits(g: Geometry): Params = {
    val p = Params(g, Knobs.forFlash(g))
    FirmwareLimits.check(p)
    p
  }

  private def acorn(g: Geometry): Params = Params(g, Knobs.forFlash(g).copy(timeSkip = false))

  /** For an XC7Z045, half of whose block RAMs are page buffers. */
  private def cosmos(g: Geometry, writeBuffers: Int, readBuffers: Int, gcMoves: Int): Params = {
    val chain = 512 // segments; destaged to 64 slots
    val knobs = Knobs
      .forFlash(g)
      .copy(
        writeBuffers = writeBuffers,
        readBuffers = readBuffers,
        gcMoves = gcMoves,
        gcBuffers = Sizes.destageSlots(chain),
        fwBuffers = 16,
        segmentsPerChain = chain,
        gcReserveSegments = chain + 2,
        timeSkip = false
      )
    Params(g, knobs)
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
