// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The constants of the controller that the firmware's window shows. */
object FwConstants {
  import FwRegMap.{NandStatus => _, SbState => _, _}

  private def c(n: Long): UInt = n.U

  /** The registers that are constants, with their words. */
  def apply(p: Params): Seq[(RegInfo, UInt)] = Seq(
    Id.reg       -> Id.magic.reset.U(32.W),
    Version.reg  -> Version.version.reset.U(32.W),
    CapFlash.reg -> (CapFlash.channels.word(c(p.g.channels)) | CapFlash.diesPerChannel.word(c(p.g.diesPerChannel)) |
      CapFlash.pagesPerBlock.word(c(p.g.pagesPerBlock))),
    CapSuperblocks.reg -> CapSuperblocks.count.word(c(p.superblocks)),
    CapSlotsPerSb.reg  -> CapSlotsPerSb.count.word(c(p.slotsPerSb)),
    CapLpns.reg        -> CapLpns.count.word(c(p.lpns)),
    CapQueues.reg      -> (CapQueues.ioPairs.word(c(p.k.ioQueues)) | CapQueues.entries.word(c(p.k.maxQueueEntries))),
    CapSegments.reg    -> (CapSegments.segments.word(c(p.k.segments)) | CapSegments.perChain
      .word(c(p.k.segmentsPerChain))),
    CapLimits.reg -> (CapLimits.sharers.word(c(p.k.refLimit)) | CapLimits.mdtsPages.word(c(p.k.mdtsPages)) |
      CapLimits.journalRecords.word(c(p.k.journalRecords))),
    CapPlacement.reg  -> CapPlacement.handles.word(c(p.k.placementHandles)),
    CapDestage.reg    -> CapDestage.slots.word(c(p.capDestageSlots)),
    CapDestageLpn.reg -> c(p.destageLpn),
    CapSegReserve.reg -> (CapSegReserve.count.word(c(p.k.gcReserveSegments)) | CapSegReserve.segBytes
      .word(c(p.segBytes))),
    CapCopy.reg        -> (CapCopy.ranges.word(c(p.copyRanges)) | CapCopy.pages.word(c(p.copyPages))),
    CapBuffers.reg     -> CapBuffers.count.word(c(p.k.fwBuffers)),
    CapSummary.reg     -> (CapSummary.slots.word(c(p.summarySlots)) | CapSummary.logs.word(c(p.slotLogs))),
    DramL2p.reg        -> c(p.l2pBase),
    DramRef.reg        -> c(p.refBase),
    DramLog.reg        -> c(p.logBase),
    DramFw.reg         -> c(p.fwDramBase),
    DramBytes.reg      -> c(p.dramBytes),
    NvHeader.reg       -> c(p.nvHeaderBase),
    NvCommit.reg       -> c(p.nvCommitAddr),
    NvCheckpoint.reg   -> c(p.nvCheckpointAddr),
    NvCounters.reg     -> c(p.nvCountersBase),
    NvBlocks.reg       -> c(p.nvBlockTableBase),
    NvJournal.reg      -> c(p.nvJournalBase),
    NvBitmap.reg       -> c(p.nvBitmapBase),
    NvBitmapBytes.reg  -> c(p.nvBitmapBytes),
    NvTrimPointers.reg -> c(p.nvTrimPointers),
    NvSegments.reg     -> c(p.nvSegBase),
    NvBytes.reg        -> c(p.nvramBytes)
  )

  /** The window's codes are those of the enumerations that its fields are taken from. */
  def checkCodes(): Unit = {
    require(
      NandRequestOp.all.map(_.litValue.toInt) ==
        Seq(FwNandOpValue.read, FwNandOpValue.probe, FwNandOpValue.program, FwNandOpValue.erase)
    )
    require(
      NandStatus.all.map(_.litValue.toInt) ==
        Seq(FwNandStatusValue.ok, FwNandStatusValue.failed, FwNandStatusValue.uncorrectable, FwNandStatusValue.erased)
    )
    require(
      SbState.all
        .map(_.litValue.toInt) == Seq(SbStateValue.free, SbStateValue.open, SbStateValue.closed, SbStateValue.bad)
    )
    require(
      MemoryUser.all.map(_.litValue.toInt) == Seq(
        MemoryUserValue.l2p,
        MemoryUserValue.refs,
        MemoryUserValue.remapList,
        MemoryUserValue.firmwareDma,
        MemoryUserValue.slotLog,
        MemoryUserValue.journal,
        MemoryUserValue.remapTable
      )
    )
    require(
      RemapResult.all.map(_.litValue.toInt) == Seq(
        RemapResultValue.ok,
        RemapResultValue.unmapped,
        RemapResultValue.sharerLimit,
        RemapResultValue.nvramFull,
        RemapResultValue.engineError
      )
    )
  }
}
