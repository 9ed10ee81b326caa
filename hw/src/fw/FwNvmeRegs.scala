// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the NVMe controller's registers. */
trait FwNvmePorts extends Bundle {
  val p: Params
  val cc          = Input(UInt(32.W))
  val ccChanged   = Input(Bool())
  val ccRead      = Output(Bool())                               // NvmeRegs.ccReadDelay
  val csts        = Output(new FwCsts)
  val nsze        = Output(UInt(32.W))
  val irqSettings = Output(new IrqCoalescing)
  val irqChanged  = Output(Bool())
  val irqVector   = Valid(new IrqVectorConfig(p))
  val nsReady     = Output(Bool())
  val formatting  = Output(Bool())
  val protect     = Output(Bool())
  val ioQuiet     = Input(Bool())                                // no I/O command inside, no completion waiting
  val inside      = Input(Vec(p.queues, UInt(p.queuePtrBits.W))) // commands of each queue inside the controller
  val adminHeld   = Output(UInt(FwRegMap.AdminHeld.count.width.W))
  val adminRoom   = Input(Bool())
  val badDoorbell = Input(new BadDoorbell)
  val hostError   = Input(Bool())
  val sqConfig    = Valid(new SqConfig(p))
  val cqConfig    = Valid(new CqConfig(p))
}

/** The registers of the NVMe controller: CC and CSTS, the namespace, definition of I/O queues, interrupt coalescing.
  *
  * @param stopped
  *   an error of a memory has stopped the controller
  */
class FwNvmeRegs(p: Params, w: FwWindow, io: FwNvmePorts, stopped: Bool) {
  import FwRegMap._
  import w.data

  // --- controller and namespace
  w.shows(NvmeCc.reg)(io.cc)
  // A read gets the word of the cycle before it.
  io.ccRead := ShiftRegister(w.reads(NvmeCc.reg), NvmeRegs.ccReadDelay - 1, false.B, true.B)
  private val csts = w.stored(NvmeCsts.reg)
  io.csts.rdy  := NvmeCsts.rdy.of(csts)
  io.csts.cfs  := NvmeCsts.cfs.of(csts)
  io.csts.shst := NvmeCsts.shst.of(csts)
  io.csts.dead := NvmeCsts.dead.of(csts).asBool || stopped // whether or not firmware can still say so
  private val nsze = w.stored(NvmeNsze.reg)
  io.nsze       := nsze
  io.nsReady    := w.written(NvmeState.reg, NvmeState.nsReady)
  io.formatting := w.written(NvmeState.reg, NvmeState.formatting)
  io.protect    := w.written(NvmeState.reg, NvmeState.writeProtected)
  w.shows(NvmeState.reg)(
    NvmeState.nsReady.word(io.nsReady.asUInt) | NvmeState.formatting.word(io.formatting.asUInt) |
      NvmeState.writeProtected.word(io.protect.asUInt) | NvmeState.ioQuiet.word(io.ioQuiet.asUInt)
  )
  w.event(IrqStatus.ccChanged, io.ccChanged)
  w.event(IrqStatus.badDoorbell, io.badDoorbell.value)
  w.event(IrqStatus.absentDoorbell, io.badDoorbell.absent)
  w.event(IrqStatus.hostError, io.hostError)

  // --- queues: QUEUE_GO takes what the other registers hold
  private val queueId      = w.stored(QueueId.reg)
  private val queueBase    = w.stored(QueueBaseLo.reg, QueueBaseHi.reg)
  private val queueEntries = w.written(QueueEntries.reg, QueueEntries.value)
  private val queueGo      = w.command(QueueGo.reg)
  w.shows(QueueEntries.reg)(queueEntries)
  io.sqConfig.valid        := queueGo && QueueGo.sq.of(data).asBool
  io.sqConfig.bits.qid     := QueueId.qid.of(queueId)
  io.sqConfig.bits.enable  := QueueGo.enable.of(data)
  io.sqConfig.bits.base    := queueBase
  io.sqConfig.bits.entries := queueEntries
  io.sqConfig.bits.cqid    := QueueId.cqid.of(queueId)
  io.cqConfig.valid        := queueGo && QueueGo.cq.of(data).asBool
  io.cqConfig.bits.qid     := QueueId.qid.of(queueId)
  io.cqConfig.bits.enable  := QueueGo.enable.of(data)
  io.cqConfig.bits.base    := queueBase
  io.cqConfig.bits.entries := queueEntries
  io.cqConfig.bits.ien     := QueueId.ien.of(queueId)
  io.cqConfig.bits.vector  := QueueId.vector.of(queueId)
  assert(
    !queueGo || QueueId.qid.of(queueId) =/= 0.U && QueueId.qid.of(queueId) < p.queues.U,
    "firmware bug: no such I/O queue"
  )
  private val inside = MuxLookup(QueueId.qid.of(queueId), 0.U)(io.inside.zipWithIndex.map { case (n, i) => i.U -> n })
  w.shows(QueueInside.reg)(QueueInside.value.word(inside))
  private val adminHeld = w.written(AdminHeld.reg, AdminHeld.count)
  io.adminHeld := adminHeld
  w.shows(AdminHeld.reg)(AdminHeld.count.word(adminHeld) | AdminHeld.room.word(io.adminRoom.asUInt))

  // --- interrupts of the host
  private val coalescing = w.stored(IntCoalescing.reg)
  private val vectorSet  = w.command(IntVector.reg)
  io.irqSettings.threshold := IntCoalescing.threshold.of(coalescing)
  io.irqSettings.time      := IntCoalescing.time.of(coalescing)
  io.irqChanged            := RegNext(w.writes(IntCoalescing.reg), false.B)
  io.irqVector.valid       := vectorSet
  io.irqVector.bits.vector := IntVector.vector.of(data)
  io.irqVector.bits.direct := IntVector.direct.of(data)
}
