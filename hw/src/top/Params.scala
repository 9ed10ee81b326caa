// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3.util._

/** The flash behind the controller, which the user chooses. Sizes are in bytes unless a name says otherwise.
  *
  * @param channels
  *   NAND buses, each with its own port on the top
  * @param diesPerChannel
  *   dies that share one bus
  * @param blocksPerDie
  *   erase blocks of a die that the mapping can address
  * @param pagesPerBlock
  *   flash pages of a block
  * @param slotsPerPage
  *   F of the device contract: 4 KiB slots in one flash page, which is programmed as a whole
  */
case class Geometry(
    channels: Int = 2,
    diesPerChannel: Int = 2,
    blocksPerDie: Int = 64,
    pagesPerBlock: Int = 32,
    slotsPerPage: Int = 1
) {
  require(isPow2(channels) && isPow2(diesPerChannel), "dies are addressed by low slot bits: powers of two")
  require(isPow2(pagesPerBlock), "page is a bit field of the slot number")
  require(
    isPow2(slotsPerPage) && slotsPerPage <= 8,
    "slot in page is a bit field of the slot number; 32 KiB pages at most"
  )
}

/** Micro-architecture knobs: queue depths and budgets, none of which changes a format.
  *
  * @param ioQueues
  *   I/O queue pairs, without the admin pair
  * @param maxQueueEntries
  *   CAP.MQES + 1
  * @param commandsWaiting
  *   commands that may wait for each engine, and for firmware; those that have begun are extra
  * @param writeBuffers
  *   4 KiB pages of the volatile write cache. Two flash pages per die keep the dies busy. With flash pages of several
  *   slots, up to F - 1 buffers for each placement handle come on top, for pages that are not full yet
  * @param readBuffers
  *   pages that may be read ahead of the host DMA, and at most as many commands. The host gets them in order. So with
  *   random reads two per die do not keep the dies busy, but four do
  * @param gcMoves
  *   4 KiB pages that GC moves side by side; a multiple of a flash page
  * @param gcBuffers
  *   GC's page buffers: of the pages that it moves, or of a chain that is destaged
  * @param fwBuffers
  *   page buffers for firmware's single NAND operations
  * @param segments
  *   segments of the remap table in NVRAM
  * @param segmentsPerChain
  *   segments that one superblock's chain may hold; bounds GC's on-chip lookup
  * @param gcReserveSegments
  *   free segments that only GC may take, so that it always finds room to move shared pages
  * @param journalRecords
  *   trim records in the NVRAM ring
  * @param refLimit
  *   maximum number of sharers of a slot (REF saturates here); a remap that would exceed it is refused
  * @param mdtsPages
  *   largest transfer of one command, in 4 KiB pages
  * @param mapCacheSets
  *   sets of each of the map unit's two caches (L2P, REF), of 4 lines of 32 bytes
  * @param mapInFlight
  *   requests that may wait for their L2P line; enough to cover the latency of DRAM when pages are looked up in order
  * @param mapMisses
  *   maximum number of outstanding misses of each cache
  * @param remapInFlight
  *   pages of a remap command that may be under way in the map unit
  * @param placementHandles
  *   host streams that the allocator keeps apart, each in its own superblocks
  * @param dieQueueDepth
  *   NAND requests that may wait at one die
  * @param readRetries
  *   maximum number of repeats of a read that ECC cannot correct, each with the NAND's next read-retry level
  * @param gcDiePlaces
  *   GC's maximum share of a die's queue, in places; bounds the delay of host reads
  * @param gcOneIn
  *   GC's minimum share of a channel's grants while it has a request that its die has a place for: one in N
  * @param irqTickCycles
  *   clock cycles in 100 us, the unit of time of interrupt coalescing
  * @param lateQueues
  *   wide queues are LateQueues: less logic, and an item stays in them a cycle longer
  * @param timeSkip
  *   a simulation may jump over cycles (Counters)
  */
case class Knobs(
    ioQueues: Int = 8,
    maxQueueEntries: Int = 256,
    commandsWaiting: Int = 64,
    writeBuffers: Int = 12,
    readBuffers: Int = 16,
    gcMoves: Int = 8,
    gcBuffers: Int = 8,
    fwBuffers: Int = 4,
    segments: Int = 512,
    segmentsPerChain: Int = 32,
    gcReserveSegments: Int = 34,
    journalRecords: Int = 512,
    refLimit: Int = 31,
    mdtsPages: Int = 32,
    mapCacheSets: Int = 32,
    mapInFlight: Int = 64,
    mapMisses: Int = 16,
    remapInFlight: Int = 128,
    placementHandles: Int = 4,
    dieQueueDepth: Int = 8,
    readRetries: Int = 3,
    gcDiePlaces: Int = 3,
    gcOneIn: Int = 4,
    irqTickCycles: Int = 10000,
    lateQueues: Boolean = false,
    timeSkip: Boolean = true
) {
  require(ioQueues >= 1 && ioQueues < 64)
  require(isPow2(maxQueueEntries) && maxQueueEntries >= 2 && maxQueueEntries <= 4096)
  require(refLimit >= 15 && refLimit <= 255, "device contract: the sharer limit is at least 15; REF is one byte")
  require(isPow2(segments) && isPow2(journalRecords) && isPow2(mdtsPages))
  require(
    gcReserveSegments >= segmentsPerChain + 2,
    "a victim's live entries fill at most as many segments again, plus one started in each of two target superblocks"
  )
  require(segments >= 2 * gcReserveSegments)
  require(
    gcDiePlaces >= 1 && gcDiePlaces < dieQueueDepth,
    "GC needs a place in each die's queue, and leaves one to the others"
  )
  require(readRetries >= 1 && readRetries <= 15, "vendors' read-retry tables have 1 to 15 levels")
  require(gcOneIn >= 2, "with one in one, GC would have priority over all other clients")
  require(placementHandles >= 1 && placementHandles <= 7, "FwState has room for seven open host superblocks and GC's")
}

object Knobs {
  private val mostSegments = 32768 // 16 MiB of NVRAM; segment numbers have 16 bits

  /** What suits a flash: the defaults for the default geometry. For a larger one there are more buffers, by its dies,
    * and more segments, by its slots, in longer chains. With pages of several slots there are write buffers for a page
    * of each placement handle, which may be gathering, beside one of each die. GC's buffers hold a destaged chain.
    */
  def forFlash(g: Geometry): Knobs = {
    val usual                     = Geometry()
    val same                      = Knobs()
    val dies                      = Sizes.dies(g)
    val slots                     = Sizes.slotsPerSb(g)
    val blocks                    = Sizes.slotsPerSb(usual)
    def perDie(buffers: Int): Int = Sizes.int("buffers", (buffers * dies / Sizes.dies(usual)).max(buffers))

    val writing       = if (g.slotsPerPage > 1) (same.placementHandles + dies) * g.slotsPerPage else BigInt(0)
    val slotsPerSeg   = blocks * usual.blocksPerDie / same.segments
    val byFlash       = slots * g.blocksPerDie / slotsPerSeg
    val segments      = Sizes.floorPow2(byFlash).max(same.segments).min(mostSegments).toInt
    val longest       = Sizes.mostDestageSlots * Sizes.destageEntries / Sizes.entriesPerSeg // that can be destaged
    val bySuperblock  = slots * same.segmentsPerChain / blocks
    val chainSegments = bySuperblock.min(segments / 16).min(longest).max(same.segmentsPerChain).toInt
    val gcBuffers     = perDie(same.gcBuffers).max(Sizes.destageSlots(chainSegments))
    same.copy(
      writeBuffers = Sizes.int("write buffers", writing.max(perDie(same.writeBuffers))),
      readBuffers = perDie(same.readBuffers),
      gcMoves = gcBuffers,
      gcBuffers = gcBuffers,
      fwBuffers = perDie(same.fwBuffers).max(g.slotsPerPage),
      segments = segments,
      segmentsPerChain = chainSegments,
      gcReserveSegments = chainSegments + 2
    )
  }
}

/** Arithmetic of sizes. It is exact: a value that does not fit into its bits in hardware is refused, not truncated. */
object Sizes {
  val slotBytes        = 4096
  val segBytes         = 512
  val entriesPerSeg    = segBytes / Formats.RemapEntry.bytes - 1    // the first 16 bytes are the segment's header
  val destageEntries   = slotBytes / Formats.RemapEntry.bytes - 1   // of a slot: the first 16 bytes are its header
  val mostDestageSlots = 1 << (FwRegMap.CapDestage.slots.width - 1) // a power of two that CAP_DESTAGE can name

  def dies(g: Geometry): BigInt       = BigInt(g.channels) * g.diesPerChannel
  def slotsPerSb(g: Geometry): BigInt = dies(g) * g.pagesPerBlock * g.slotsPerPage

  /** Slots that a chain of `segments` segments takes when it is destaged, as a power of two. */
  def destageSlots(segments: Int): Int = {
    val slots = (BigInt(segments) * entriesPerSeg + destageEntries - 1) / destageEntries
    int("slots of a destaged chain", BigInt(1) << log2Ceil(slots))
  }

  def align(x: BigInt, a: Int): BigInt = (x + a - 1) / a * a
  def floorPow2(x: BigInt): BigInt     = if (x <= 0) BigInt(0) else BigInt(1) << (x.bitLength - 1)

  def int(what: String, x: BigInt): Int = bits(what, x, 31).toInt

  /** An address or size of DRAM or NVRAM, which have 32-bit buses. */
  def address(what: String, x: BigInt): Long = bits(what, x, 32).toLong

  private def bits(what: String, x: BigInt, width: Int): BigInt = {
    require(x >= 0 && x.bitLength <= width, s"$what: $x does not fit into $width bits")
    x
  }
}

/** The parameters that follow from Geometry and Knobs: each width, address and size is derived here once.
  *
  * @param dataBits
  *   bus word; formats and bursts are made for 128, and only proofs of a unit use less
  * @param dramAddrBits
  *   address bits of DRAM; only proofs of a unit use less than 32
  */
case class Params(g: Geometry = Geometry(), k: Knobs = Knobs(), dataBits: Int = 128, dramAddrBits: Int = 32) {
  // --- flash
  val dies             = Sizes.int("dies", Sizes.dies(g))
  val slotBytes        = Sizes.slotBytes
  val superblocks      = g.blocksPerDie
  val slotsPerSb       = Sizes.int("slots of a superblock", Sizes.slotsPerSb(g))
  val slots            = Sizes.int("slots", Sizes.slotsPerSb(g) * superblocks)
  val subBits          = log2Ceil(g.slotsPerPage) // slot within its page
  val channelBits      = log2Ceil(g.channels)
  val dieInChannelBits = log2Ceil(g.diesPerChannel)
  val dieBits          = channelBits + dieInChannelBits
  val pageBits         = log2Ceil(g.pagesPerBlock)
  val retryBits        = log2Ceil(k.readRetries + 1)
  val offsetBits       = log2Ceil(slotsPerSb)     // slot within its superblock: {page, die in channel, channel, sub}
  val sbBits           = log2Ceil(superblocks)
  val slotBits         = sbBits + offsetBits      // {superblock, page, die in channel, channel, sub}
  require(superblocks >= 1 && superblocks <= 65536, "records name a superblock in 16 bits")
  require(slotsPerSb <= 65536, "the slot offset of a remap entry has 16 bits")
  require(slotBits <= FwRegMap.NandStatus.slot.width, "more slots than NAND_STATUS can name (1 TiB)")

  // --- summaries: the last slots of a superblock, which the allocator hands out to nobody. Firmware programs them
  // with what SlotLog has written down of the others. A superblock that is too small for them has none.
  private val forSummary = g.slotsPerPage.max(slotsPerSb / (slotBytes / Formats.SlotRecord.bytes))
  val summarySlots       = if (slotsPerSb >= 128 && forSummary * 128 <= slotsPerSb) forSummary else 0
  val dataSlots          = slotsPerSb - summarySlots
  val logBytes           =
    Sizes.int("bytes of a slot log", BigInt(summarySlots) * slotBytes) // of one slot log: a record for each slot offset
  // One for each superblock that is open, and for GC's; two wait for firmware.
  val slotLogs = if (summarySlots == 0) 0 else k.placementHandles + 3
  val logBits  = log2Ceil(slotLogs.max(2))
  require(summarySlots % g.slotsPerPage == 0, "a summary is whole flash pages")
  require(summarySlots == 0 || isPow2(summarySlots), "a record's address is log and offset side by side")
  require(
    summarySlots == 0 ||
      dataSlots * Formats.SlotRecord.bytes + Formats.SummaryTrailer.bytes <= logBytes &&
      slotsPerSb * Formats.SlotRecord.bytes <= logBytes,
    "a superblock's records and their trailer fit into its summary"
  )
  require(slotLogs <= (1 << FwRegMap.LogStatus.log.width), "more slot logs than LOG_STATUS can name")
  require(summarySlots < (1 << FwRegMap.CapSummary.slots.width), "more slots of a summary than CAP_SUMMARY can name")

  // --- logical space: NSZE <= lpns is set by firmware
  val lpns      = slots
  val lpnBits   = 32 // as on the wire and in every record
  val seqBits   = 48
  val genBits   = 32
  val epochBits = 16
  val refBits   = 8
  // No remap gives a slot more than `refLimit` sharers. But an unfinished collection leaves two slots with the data,
  // and a start that takes one of them where the last one took the other may bring the sharers of both together.
  val refMost = (2 * k.refLimit).min(255)

  // --- data path
  val dataBytes    = dataBits / 8
  val wordsPerSlot = slotBytes / dataBytes
  val wordBits     = log2Ceil(wordsPerSlot)
  val oobBits      = Formats.OobRecord.bits // spare bytes of a slot that the controller uses
  require(oobBits % dataBits == 0)
  val oobWords     = oobBits / dataBits
  val buffers     = k.writeBuffers + k.readBuffers + k.gcBuffers + k.fwBuffers // order in the buffer RAM as named
  val bufBits     = log2Ceil(buffers)
  val readBufBase = k.writeBuffers
  val gcBufBase   = k.writeBuffers + k.readBuffers
  val fwBuf       = gcBufBase + k.gcBuffers
  require(
    k.writeBuffers > k.placementHandles * (g.slotsPerPage - 1),
    "flash pages that are begun hold buffers until they are full: one more is always on its way"
  )
  require(k.gcMoves % g.slotsPerPage == 0, "what GC moves side by side are whole flash pages")
  require(k.gcMoves >= 1 && k.gcMoves <= k.gcBuffers, "each page that GC moves has a buffer")
  require(k.fwBuffers >= 1 && k.fwBuffers % g.slotsPerPage == 0, "firmware programs whole flash pages")

  // --- NVMe
  val queues       = k.ioQueues + 1
  val qidBits      = log2Ceil(queues)
  val queuePtrBits =
    log2Ceil(k.maxQueueEntries.max(4096)) + 1 // AQA allows admin queues of 4096 entries, whatever MQES says
  val queueIdxBits  = queuePtrBits - 1 // place in a queue
  val vectorBits    = qidBits
  val irqTickCycles = k.irqTickCycles
  val handleBits    = log2Ceil(k.placementHandles).max(1)
  val mdtsBytes     = k.mdtsPages * slotBytes
  val transferBits  = log2Ceil(mdtsBytes + 1)

  // --- slots before the summary that are kept for pages of the host whose program failed (Allocator); whole flash
  // pages
  val keptSlots = (k.writeBuffers * g.slotsPerPage).min(slotsPerSb / 4)
  require(keptSlots < dataSlots)

  // --- what one Copy may name (Identify Namespace: MSRC; MSSRL and MCL)
  val copyRanges = Formats.RemapRangesMax.toInt
  // An unmapped source costs a journal record for each of its pages, and half the ring is free after a checkpoint.
  val copyPages     = (k.journalRecords / 2).min(1024)
  val copyListBytes = copyRanges * 40 // of the longer descriptor format
  require(copyListBytes <= mdtsBytes, "the list is one transfer")

  // --- map unit
  val mapCache = CacheParams(
    k.mapCacheSets,
    ways = 4,
    claims = k.mapInFlight + 2,
    fills = k.mapMisses,
    buckets = k.mapCacheSets.min(32)
  )

  // --- DRAM layout (byte addresses)
  val l2pBase    = 0x0
  val refBase    = Sizes.int("address of the sharer counts", Sizes.align(l2pBase + BigInt(lpns) * 4, 4096))
  val logBase    = Sizes.int("address of the slot logs", Sizes.align(BigInt(refBase) + slots, 4096))
  val fwDramBase = Sizes.int("address of firmware's DRAM", BigInt(logBase) + BigInt(slotLogs) * logBytes)
  // Recovery keeps a seq for each LPN, two maps with a bit for each slot and a record for each segment there
  // (recovery_tables() in firmware/src/recovery/recovery.c). A device that needs less has room for large snapshots.
  private val fwTables = BigInt(lpns) * 8 + 2 * ((BigInt(slots) + 63) / 64 * 8) + BigInt(k.segments) * 8
  val fwDramBytes      = Sizes.address("firmware's DRAM", Sizes.align(fwTables, 4096).max(256 * 1024))
  val dramBytes        = Sizes.address("DRAM", BigInt(fwDramBase) + fwDramBytes)

  // --- NVRAM layout (byte addresses)
  val nvramAddrBits    = 32
  val nvHeaderBase     = 0x0    // Formats.NvHeader, written by firmware when it formats
  val nvCommitAddr     = 0x100  // Formats.PointerWord: seq up to which journal records and remap entries count
  val nvCheckpointAddr = 0x108  // Formats.PointerWord: journal records up to this seq are in the bitmap
  val nvCountersBase   = 0x200  // firmware's saved counters
  val nvBlockTableBase = 0x2000 // Formats.BlockRecord per superblock
  val nvJournalBase    = nvAddress(nvBlockTableBase, superblocks, Formats.BlockRecord.bytes)
  val nvBitmapBase     = nvAddress(nvJournalBase, k.journalRecords, Formats.JournalRecord.bytes)
  // Two of them, one after the other, of Formats.TrimWords
  val trimWordLpns      = Formats.TrimWordLpns.toInt
  private val trimWords = (BigInt(lpns) + trimWordLpns - 1) / trimWordLpns
  val nvBitmapBytes     = Sizes.int("bytes of a trim bitmap", Sizes.align(trimWords * Formats.TrimWord.bytes, 16))
  val nvTrimPointers    = nvAddress(nvBitmapBase, 2, nvBitmapBytes)
  // Formats.TrimPointer per region
  val trimRegions    = ((trimWords + Formats.TrimRegionWords - 1) / Formats.TrimRegionWords).toInt
  val segBytes       = Sizes.segBytes
  val nvSegBase      = nvAddress(nvTrimPointers, trimRegions, Formats.TrimPointer.bytes)
  val nvramBytes     = Sizes.int("NVRAM", BigInt(nvSegBase) + BigInt(k.segments) * segBytes)
  val segBits        = log2Ceil(k.segments)
  val entriesPerSeg  = Sizes.entriesPerSeg
  val entryIdxBits   = log2Ceil(entriesPerSeg + 1)
  val chainEntries   = Sizes.int("entries of a chain", BigInt(k.segmentsPerChain) * entriesPerSeg)
  val chainEntryBits = log2Ceil(chainEntries + 1)
  val chainSegBits   = log2Ceil(k.segmentsPerChain + 1)

  // --- destaged chains: slots of two sets of LPNs a superblock, behind all that a namespace may have (GcDestager).
  // Superblocks of few slots have none: it would take more than a quarter of the LPNs. `destageSlots` is the width that
  // the hardware has in any case; `capDestageSlots` is what CAP_DESTAGE says to firmware, which then destages nothing.
  val destageEntries  = Sizes.destageEntries
  val destageSlots    = Sizes.destageSlots(k.segmentsPerChain)
  val destageSlotBits = log2Ceil(destageSlots + 1)
  val capDestageSlots = if (BigInt(destageSlots) * 8 <= slotsPerSb) destageSlots else 0
  val destageLpn = Sizes.int("first LPN of destaged chains", BigInt(lpns) - BigInt(2) * capDestageSlots * superblocks)
  require(destageSlots <= Sizes.mostDestageSlots, "a chain has more segments than can be destaged")
  require(k.gcBuffers >= destageSlots, "a destaged chain must fit into GC's buffers")

  private def nvAddress(after: Int, count: Int, bytes: Int): Int =
    Sizes.int("an address in NVRAM", Sizes.align(BigInt(after) + BigInt(count) * bytes, 4096))
}
