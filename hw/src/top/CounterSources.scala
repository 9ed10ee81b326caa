// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The source of each counter's events (Counters). */
object CounterSources {

  /** @param answers
    *   the NAND's answers, by the client that asked
    */
  def apply(p: Params, u: Units, answers: Map[NandClient.Type, DecoupledIO[NandDone]]): CounterEvents = {
    def done(c: NandClient.Type, op: NandRequestOp.Type): Bool = answers(c).fire && answers(c).bits.op === op
    def ends(c: DecoupledIO[Completion], how: UInt): Bool      = c.fire && c.bits.status === how

    val e = Wire(new CounterEvents(p))
    e.hostReadPages   := u.read.io.event.page
    e.hostWritePages  := u.write.io.event.page
    e.hostTrimPages   := u.trim.io.event.page
    e.remapPages      := u.remap.io.event.linked
    e.nandProgramHost := done(NandClient.hostWrite, NandRequestOp.program)
    e.nandProgramGc   := done(NandClient.gc, NandRequestOp.program) && !u.gc.io.destages
    e.nandProgramMeta := Mux(done(NandClient.firmware, NandRequestOp.program), p.g.slotsPerPage.U, 0.U) +&
      (done(NandClient.gc, NandRequestOp.program) && u.gc.io.destages)
    e.nandProgramPad := u.pages.toSeq.flatMap(g => Seq(g.host, g.gc)).map(_.io.padded).fold(0.U)(_ +& _)
    e.nandReadHost   := done(NandClient.hostRead, NandRequestOp.read)
    e.nandReadGc     := done(NandClient.gc, NandRequestOp.read)
    e.nandReadFw     := done(NandClient.firmware, NandRequestOp.probe) || done(NandClient.firmware, NandRequestOp.read)
    e.nandErase      := PopCount(Seq(NandClient.gc, NandClient.firmware).map(done(_, NandRequestOp.erase)))
    e.gcVictims      := u.gc.io.event.erased
    e.gcMovedPages   := u.gc.io.event.moved
    e.gcMovedShared  := u.gc.io.event.movedShared
    e.gcLostRaces    := u.gc.io.event.lostRace
    e.remapEntries   := u.remapTable.io.event.appended
    e.segmentsFreed  := u.remapTable.io.event.freedSegment
    e.badEntries     := u.remapTable.io.event.badEntry || u.gc.io.event.badEntry
    e.chainCompactions  := u.gc.io.event.compacted
    e.staleDropped      := u.gc.io.event.dropped
    e.chainsDestaged    := u.gc.io.event.destaged
    e.entriesDestaged   := u.gc.io.event.entries
    e.mapLookups        := u.map.io.event.lookup
    e.mapUpdates        := u.map.io.event.update
    e.l2pHits           := u.map.io.event.l2pHit
    e.l2pMisses         := u.map.io.event.l2pMiss
    e.nandProgramFails  := PopCount(u.table.io.failing.map(_.valid))
    e.nandReadRetries   := PopCount(u.channels.map(_.io.retried))
    e.hostSavedPages    := u.write.io.event.saved
    e.remapSharers2     := u.map.io.event.sharers2
    e.remapSharers4     := u.map.io.event.sharers4
    e.remapSharers8     := u.map.io.event.sharers8
    e.remapSharersMore  := u.map.io.event.sharersMore
    e.stallWriteBuffer  := u.write.io.event.stallBuffer
    e.stallAlloc        := u.write.io.event.stallAlloc
    e.stallMapLock      := u.write.io.event.stallLock
    e.stallShareLock    := u.remap.io.event.stallShareLock
    e.stallFence        := u.remap.io.event.stallFence
    e.stallJournal      := u.trim.io.event.stallJournal
    e.hostReadCommands  := u.router.io.read.fire
    e.hostWriteCommands := u.router.io.write.fire && u.router.io.write.bits.op === IoOp.write
    e.readErrors        := ends(u.read.io.cpl, NvmeStatus.UnrecoveredReadError)
    e.writeErrors       := ends(u.write.io.cpl, NvmeStatus.WriteFault)

    e.remapsByHardware := u.ranges.io.event.remapped
    e.remapsHandedOver := u.ranges.io.event.handedOver
    e.copyRefused      := u.router.io.event.copyRefused
    e
  }
}
