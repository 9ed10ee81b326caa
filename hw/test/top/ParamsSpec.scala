// SPDX-License-Identifier: Apache-2.0
package openremap

import java.nio.file.{Files, Path}
import org.scalatest.flatspec.AnyFlatSpec

class ParamsSpec extends AnyFlatSpec {
  private val geometries = Seq(
    "the default"           -> Geometry(),
    "one die"               -> Geometry(channels = 1, diesPerChannel = 1),
    "one channel"           -> Geometry(channels = 1, diesPerChannel = 4),
    "4 KiB pages"           -> Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 256, pagesPerBlock = 128),
    "Cosmos+"               -> Presets.all("cosmos2").g,
    "Cosmos+, 8 channels"   -> Presets.all("cosmos8").g,
    "1 TiB"                 -> Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 8192, pagesPerBlock = 512),
    "16 KiB pages"          -> Geometry(channels = 8, diesPerChannel = 8, pagesPerBlock = 128, slotsPerPage = 4),
    "one die, 32 KiB pages" -> Geometry(channels = 1, diesPerChannel = 1, slotsPerPage = 8)
  )

  behavior of "Params"

  private def params(g: Geometry) = Presets.forFlash(g)

  for ((name, geometry) <- geometries) {
    it should s"lay out the slot number without gap or overlap: $name" in {
      val p = params(geometry)
      assert(p.offsetBits == p.subBits + p.channelBits + p.dieInChannelBits + p.pageBits)
      assert((1 << p.subBits) == geometry.slotsPerPage)
      assert(p.slotBits == p.sbBits + p.offsetBits)
      assert(BigInt(1) << p.slotBits >= p.slots)
      assert(p.slots == p.superblocks * p.slotsPerSb)
    }

    it should s"keep the regions of DRAM apart: $name" in {
      val p = params(geometry)
      disjoint(
        p.dramBytes,
        "L2P"      -> (p.l2pBase, p.lpns * 4),
        "REF"      -> (p.refBase, p.slots),
        "firmware" -> (p.fwDramBase, p.fwDramBytes)
      )
      // What recovery_tables() in firmware/src/recovery/recovery.c wants, which stops with FW_GEOMETRY where it has
      // less.
      assert(p.fwDramBytes >= 8L * p.lpns + 2 * ((p.slots + 63L) / 64 * 8) + 8L * p.k.segments)
      assert(p.fwDramBytes >= 2 * p.mdtsBytes, "a command's data, and the head of a snapshot behind it")
      assert(p.logBase >= p.refBase + p.slots && p.logBase + p.slotLogs * p.logBytes == p.fwDramBase)
      assert(p.logBase % 4096 == 0 && p.logBytes == p.summarySlots * p.slotBytes)
    }

    it should s"keep room for the records of a superblock at its end, in whole flash pages: $name" in {
      val p = params(geometry)
      assert(p.dataSlots + p.summarySlots == p.slotsPerSb && p.summarySlots % geometry.slotsPerPage == 0)
      assert(p.keptSlots > 0 && p.keptSlots < p.dataSlots && p.keptSlots    % geometry.slotsPerPage == 0)
      if (p.summarySlots == 0) assert(p.slotLogs == 0 && p.fwDramBase == p.logBase)
      else {
        assert(p.slotLogs == p.k.placementHandles + 3 && 128 * p.summarySlots <= p.slotsPerSb)
        val bytes = p.dataSlots * Formats.SlotRecord.bytes + Formats.SummaryTrailer.bytes
        assert(bytes <= p.logBytes && p.slotsPerSb * Formats.SlotRecord.bytes <= p.logBytes)
      }
    }

    it should s"keep the regions of NVRAM apart: $name" in {
      val p = params(geometry)
      disjoint(
        p.nvramBytes,
        "header"        -> (p.nvHeaderBase, Formats.NvHeader.bytes),
        "commit"        -> (p.nvCommitAddr, Formats.PointerWord.bytes),
        "checkpoint"    -> (p.nvCheckpointAddr, Formats.PointerWord.bytes),
        "block table"   -> (p.nvBlockTableBase, p.superblocks * Formats.BlockRecord.bytes),
        "journal"       -> (p.nvJournalBase, p.k.journalRecords * Formats.JournalRecord.bytes),
        "bitmaps"       -> (p.nvBitmapBase, 2 * p.nvBitmapBytes),
        "trim pointers" -> (p.nvTrimPointers, p.trimRegions * Formats.TrimPointer.bytes),
        "segments"      -> (p.nvSegBase, p.k.segments * p.segBytes)
      )
      assert(p.nvBitmapBytes / Formats.TrimWord.bytes * p.trimWordLpns >= p.lpns, "a bit for each LPN")
      assert(BigInt(p.trimRegions) * Formats.TrimRegionWords * p.trimWordLpns >= p.lpns, "a pointer for each region")
    }
  }

  it should "give a summary to superblocks that are large enough" in {
    def slots(dies: Int, pages: Int, slotsPerPage: Int): Int =
      params(
        Geometry(channels = 1, diesPerChannel = dies, pagesPerBlock = pages, slotsPerPage = slotsPerPage)
      ).summarySlots
    assert(slots(4, 16, 1) == 0 && slots(4, 32, 1) == 1 && slots(8, 32, 1) == 1 && slots(16, 32, 1) == 2)
    assert(slots(4, 8, 4) == 0 && slots(4, 64, 2) == 2 && slots(4, 32, 4) == 4 && slots(32, 256, 1) == 32)
  }

  it should "number the buffers of all pools" in {
    val p = Params()
    assert(p.readBufBase == p.k.writeBuffers && p.gcBufBase == p.readBufBase + p.k.readBuffers)
    assert(
      p.fwBuf == p.gcBufBase + p.k.gcBuffers && p.buffers == p.fwBuf + p.k.fwBuffers && (1 << p.bufBits) >= p.buffers
    )
  }

  it should "give the LPNs of destaged chains a place behind every namespace" in {
    for (p <- Seq(Params(), Params(Geometry(pagesPerBlock = 8, slotsPerPage = 4), Knobs(writeBuffers = 32)))) {
      assert(p.destageLpn + 2 * p.destageSlots * p.superblocks == p.lpns && 4 * p.destageLpn >= 3 * p.lpns)
      assert(p.destageSlots * p.destageEntries >= p.chainEntries && p.destageSlots <= p.k.gcBuffers)
    }
  }

  it should "have no destaging where superblocks have few slots" in {
    val p = Presets.forFlash(Geometry(channels = 1, diesPerChannel = 1, pagesPerBlock = 16))
    assert(p.capDestageSlots == 0 && p.destageLpn == p.lpns && p.destageSlots == 4)
    for (p <- Seq(Params(), Presets.all("cosmos2"))) assert(p.capDestageSlots == p.destageSlots)
  }

  it should "choose the knobs of the default for the default flash" in {
    assert(Knobs.forFlash(Geometry()) == Knobs())
    assert(Presets.all("wide").k == Knobs(writeBuffers = 32))
  }

  it should "fit a board's tables into 32 bits of addresses, and refuse what is larger" in {
    assert(Presets.all("cosmos2").dramBytes < (1L << 30))
    val most = Presets.forFlash(Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 8192, pagesPerBlock = 512))
    assert(most.dramBytes > Int.MaxValue && most.dramBytes < (1L << 32) && most.slotBits == 28)
  }

  behavior of "Facts"

  it should "be what hw/facts.json says; it is written by: mill hw.emit --top facts --out hw" in
    assert(Files.readString(Path.of("hw", "facts.json")) == Facts.all(Emit.units))

  it should "answer for each geometry, the refused ones with the reason" in {
    val answers = Facts.ofGeometries(Seq("2x2x64x32", "3x2x64x32", "a\"b"))
    assert(answers.linesIterator.size == 3)
    assert(answers.contains("\"slots\": 8192") && answers.contains("powers of two") && answers.contains("a\\\"b"))
  }

  behavior of "Params"

  it should "fit a header and whole entries into a segment" in {
    val p = Params()
    assert(Formats.SegmentHeader.bytes + p.entriesPerSeg * Formats.RemapEntry.bytes <= p.segBytes)
    assert(p.chainEntries == p.k.segmentsPerChain * p.entriesPerSeg)
  }

  private val refused: Seq[(String, () => Any)] = Seq(
    "a number of channels that is no power of two" -> (() => Geometry(channels = 3)),
    "a number of dies that is no power of two"     -> (() => Geometry(diesPerChannel = 6)),
    "pages that are no bit field"                  -> (() => Geometry(pagesPerBlock = 100)),
    "slots in a page that are no bit field"        -> (() => Geometry(slotsPerPage = 3)),
    "a page of more than 32 KiB"                   -> (() => Geometry(slotsPerPage = 16)),
    "write buffers that begun pages can fill up"   -> (() =>
      Params(Geometry(slotsPerPage = 4), Knobs(writeBuffers = 12))
    ),
    "a batch of GC that ends inside of a page" -> (() =>
      Params(Geometry(slotsPerPage = 4), Knobs(writeBuffers = 32, gcMoves = 6))
    ),
    "firmware's buffers for half a page" -> (() =>
      Params(Geometry(slotsPerPage = 4), Knobs(writeBuffers = 32, fwBuffers = 2))
    ),
    "no I/O queue"                             -> (() => Knobs(ioQueues = 0)),
    "queues of odd sizes"                      -> (() => Knobs(maxQueueEntries = 100)),
    "fewer sharers than the contract promises" -> (() => Knobs(refLimit = 14)),
    "more sharers than a byte counts"          -> (() => Knobs(refLimit = 256)),
    "a GC reserve that a long chain exhausts"  -> (() => Knobs(segmentsPerChain = 64)),
    "a table that is all reserve" -> (() => Knobs(segments = 32, segmentsPerChain = 16, gcReserveSegments = 18)),
    "a superblock beyond 16 bits of offset" -> (() =>
      Params(Geometry(channels = 64, diesPerChannel = 64, pagesPerBlock = 64))
    ),
    "sizes that 32 bits would cut off" -> (() =>
      Params(Geometry(channels = 1 << 16, diesPerChannel = 1 << 16, pagesPerBlock = 1 << 16))
    ),
    "more slots than a register can name" -> (() =>
      Params(Geometry(channels = 8, diesPerChannel = 8, blocksPerDie = 8193, pagesPerBlock = 512))
    ),
    "no blocks"                              -> (() => Params(Geometry(blocksPerDie = 0))),
    "chains that GC's buffers do not hold"   -> (() => Params(k = Knobs(gcBuffers = 3))),
    "chains that are too long for destaging" -> (() =>
      Params(k = Knobs(gcBuffers = 256, segments = 4096, segmentsPerChain = 1053, gcReserveSegments = 1055))
    ),
    "more dies than firmware has lanes"     -> (() => Presets.forFlash(Geometry(channels = 16, diesPerChannel = 8))),
    "fewer superblocks than firmware needs" -> (() => Presets.forFlash(Geometry(blocksPerDie = 4))),
    "superblocks of fewer than four pages"  -> (() =>
      Presets.forFlash(Geometry(channels = 1, diesPerChannel = 2, pagesPerBlock = 1))
    )
  )
  for ((what, make) <- refused)
    it should s"refuse $what" in
      intercept[IllegalArgumentException](make())

  private def disjoint(size: Long, regions: (String, (Long, Long))*): Unit = {
    for ((name, (base, bytes)) <- regions)
      assert(base >= 0 && bytes > 0 && base + bytes <= size, s"$name lies in the memory")
    for ((a, (baseA, bytesA)) <- regions; (b, (baseB, _)) <- regions if a != b)
      assert(baseB < baseA || baseB >= baseA + bytesA, s"$b begins inside $a")
  }
}
