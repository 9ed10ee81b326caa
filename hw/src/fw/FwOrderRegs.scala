// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the registers for the order of events. */
trait FwOrderPorts extends Bundle {
  val p: Params
  val fence       = new FencePort
  val seqLoad     = Valid(UInt(p.seqBits.W))
  val seqValue    = Input(UInt(p.seqBits.W))
  val journalHead = Input(UInt(log2Ceil(p.k.journalRecords).W))
  val journalUsed = Input(UInt((log2Ceil(p.k.journalRecords) + 1).W))
  val journalTail = Valid(UInt(log2Ceil(p.k.journalRecords).W))
  val journalLoad = Valid(UInt(log2Ceil(p.k.journalRecords).W))
}

/** The registers for the order of events: sequence number, journal, fence of host programs. */
class FwOrderRegs(w: FwWindow, io: FwOrderPorts) {
  import FwRegMap._
  import w.data

  // --- SEQ_HI completes what SEQ_LO holds
  private val seqLo = w.written(SeqLo.reg)
  io.seqLoad.valid := w.writes(SeqHi.reg)
  io.seqLoad.bits  := Cat(SeqHi.value.of(data), seqLo)
  w.showsWide(SeqLo.reg, SeqHi.reg, SeqHi.value)(io.seqValue)

  io.journalTail.valid := w.command(JournalTail.reg)
  io.journalTail.bits  := JournalTail.value.of(data)
  io.journalLoad.valid := w.command(JournalLoad.reg)
  io.journalLoad.bits  := JournalLoad.value.of(data)
  w.shows(JournalState.reg)(JournalState.head.word(io.journalHead) | JournalState.used.word(io.journalUsed))
  private val journalHigh = w.stored(JournalHigh.reg, JournalHigh.value)
  w.level(IrqStatus.journalHigh, io.journalUsed > journalHigh)

  private val fenceGo     = w.writes(Fence.reg) && Fence.go.of(data).asBool
  private val fenceBusy   = RegInit(false.B)
  private val fenceDone   = fenceBusy && io.fence.done
  when(fenceGo)(fenceBusy   := true.B)
  when(fenceDone)(fenceBusy := false.B)
  io.fence.req := fenceBusy
  w.shows(Fence.reg)(Fence.busy.word(fenceBusy.asUInt))
  w.event(IrqStatus.fenceDone, fenceDone)
  assert(!fenceGo || !fenceBusy, "firmware bug: FENCE written while busy")
}
