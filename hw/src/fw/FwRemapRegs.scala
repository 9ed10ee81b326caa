// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the registers of remap commands and the remap table. */
trait FwRemapPorts extends Bundle {
  val p: Params
  val remap        = Decoupled(new RemapDescriptor(p))
  val remapOutcome = Flipped(Valid(new RemapOutcome(p)))
  val remapSettled = Input(UInt(p.seqBits.W))
  val remapped     = Input(Bool()) // pulse: a command has taken effect without firmware
  val remapLoad    = new RemapTableLoad(p)
  val freeSegments = Input(UInt((p.segBits + 1).W))
}

/** The registers of remap commands, and of the remap table: loading its chains at start-up, its free segments. */
class FwRemapRegs(p: Params, w: FwWindow, io: FwRemapPorts) {
  import FwRegMap._
  import w.data

  // --- commands
  private val remapList = w.stored(RemapList.reg)
  private val remapGo   = w.command(RemapGo.reg)
  private val remapBusy = FwStarter.busyUntil(remapGo, io.remapOutcome.valid)
  private val remapLast = RegEnable(io.remapOutcome.bits, 0.U.asTypeOf(new RemapOutcome(p)), io.remapOutcome.valid)
  w.request(io.remap, remapGo, !remapBusy, "REMAP_GO") { r =>
    r.list   := remapList
    r.ranges := RemapGo.ranges.of(data)
    r.move   := RemapGo.move.of(data)
    r.copy   := RemapGo.copy.of(data)
  }
  w.shows(RemapStatus.reg)(
    RemapStatus.result.word(remapLast.result.asUInt) | RemapStatus.range.word(remapLast.range) |
      RemapStatus.busy.word(remapBusy.asUInt)
  )
  w.shows(RemapPages.reg)(remapLast.pages)
  w.prompt(RemapStatus.reg, RemapPages.reg)
  private val settled = RegInit(0.U(p.seqBits.W))
  settled := io.remapSettled
  w.showsWide(RemapSeqLo.reg, RemapSeqHi.reg, RemapSeqHi.value)(settled)
  w.event(IrqStatus.remapDone, io.remapOutcome.valid)

  // --- start-up load of the chains
  private val chainSb = w.stored(ChainSb.reg)
  private val load    = io.remapLoad
  load.chain.valid      := w.command(ChainGo.reg)
  load.chain.bits.sb    := ChainSb.sb.of(chainSb)
  load.chain.bits.count := ChainSb.count.of(chainSb)
  load.chain.bits.tail  := ChainGo.tail.of(data)
  load.chain.bits.fill  := ChainGo.fill.of(data)
  load.link.valid       := w.command(ChainLink.reg)
  load.link.bits.seg    := ChainLink.seg.of(data)
  load.link.bits.prev   := ChainLink.prev.of(data)
  w.request(load.free, w.command(SegFree.reg), true.B, "SEG_FREE")(seg => seg := SegFree.seg.of(data))

  // --- free segments
  w.shows(SegCount.reg)(SegCount.value.word(io.freeSegments))
  private val segLow = w.stored(SegLow.reg, SegLow.value)
  w.event(IrqStatus.segLow, io.remapped && io.freeSegments < segLow)
  // Start-up fills the free list piece by piece, so there is no smallest number before firmware says so.
  private val segLeast = RegInit(((1 << SegLeast.value.width) - 1).U(SegLeast.value.width.W))
  private val segWatch = RegInit(false.B)
  when(w.writes(SegLeast.reg)) {
    segLeast := io.freeSegments
    segWatch := true.B
  }.elsewhen(segWatch && io.freeSegments < segLeast)(segLeast := io.freeSegments)
  w.shows(SegLeast.reg)(SegLeast.value.word(segLeast))
}
