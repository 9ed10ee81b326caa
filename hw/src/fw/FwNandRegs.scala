// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the registers of single NAND operations and DMA. */
trait FwNandPorts extends Bundle {
  val p: Params
  val dma           = Decoupled(new FwDmaRequest(p))
  val dmaDone       = Flipped(Valid(UInt(NvmeStatus.bits.W)))
  val nand          = Decoupled(new NandRequest(p)) // read, probe, program, erase
  val nandDone      = Flipped(Decoupled(new NandDone(p)))
  val bufRead       = new BufferReadPort(p)
  val programFailed = Input(Bool())
  val weakRead      = Input(Bool())
}

/** The registers of single NAND operations (FwNand) and of DMA between host, DRAM and the buffers of these operations.
  */
class FwNandRegs(p: Params, w: FwWindow, io: FwNandPorts) {
  import FwRegMap.{NandStatus => NandStatusReg, _}
  import w.data

  private val nand       = Module(new FwNand(p))
  private val nandBuffer = w.written(NandBuffer.reg, NandBuffer.index)(FwNand.bufBits(p) - 1, 0)
  w.shows(NandBuffer.reg)(NandBuffer.index.word(nandBuffer))
  w.event(IrqStatus.programFailed, io.programFailed)
  w.event(IrqStatus.weakRead, io.weakRead)

  /** No word of a buffer is being fetched. */
  def quiet: Bool = nand.quiet

  // --- DMA
  private val dmaPrp1   = w.stored(DmaPrp1Lo.reg, DmaPrp1Hi.reg)
  private val dmaPrp2   = w.stored(DmaPrp2Lo.reg, DmaPrp2Hi.reg)
  private val dmaDram   = w.stored(DmaDram.reg)
  private val dmaGo     = w.command(DmaGo.reg)
  private val dmaBytes  = DmaGo.bytes.of(data)
  private val dmaBusy   = FwStarter.busyUntil(dmaGo, io.dmaDone.valid)
  private val dmaStatus = RegEnable(io.dmaDone.bits, 0.U(NvmeStatus.bits.W), io.dmaDone.valid)
  w.request(io.dma, dmaGo, !dmaBusy, "DMA_GO") { d =>
    d.toHost    := DmaGo.toHost.of(data)
    d.buffer    := DmaGo.buffer.of(data)
    d.buf       := FwNand.buf(p, nandBuffer)
    d.dram      := dmaDram
    d.prp.prp1  := dmaPrp1
    d.prp.prp2  := dmaPrp2
    d.prp.bytes := dmaBytes
  }
  w.shows(DmaStatus.reg)(DmaStatus.status.word(dmaStatus) | DmaStatus.busy.word(dmaBusy.asUInt))
  w.event(IrqStatus.dmaDone, io.dmaDone.valid)
  assert(
    !dmaGo || dmaBytes =/= 0.U && dmaBytes <= p.mdtsBytes.U && dmaBytes(1, 0) === 0.U &&
      (DmaGo.toHost.of(data).asBool || dmaBytes(3, 0) === 0.U) && dmaDram(3, 0) === 0.U,
    "firmware bug: DMA length or DRAM address"
  )
  assert(
    !dmaGo || !DmaGo.buffer.of(data).asBool ||
      dmaBytes === p.slotBytes.U && nandBuffer < p.k.fwBuffers.U && !nand.io.used(nandBuffer),
    "firmware bug: a buffer that does not exist or is in use, or another size than a slot"
  )

  // --- single operations
  private val nandGo    = w.command(NandGo.reg)
  private val nandPop   = w.command(NandPop.reg) && NandPop.pop.of(data).asBool
  private val nandShown = nand.io.outcome
  nand.io.start.valid     := nandGo
  nand.io.start.bits.slot := NandGo.slot.of(data)
  nand.io.start.bits.buf  := nandBuffer
  nand.io.start.bits.op   := NandRequestOp.safe(NandGo.op.of(data))._1
  nandShown.ready         := nandPop
  io.nand <> nand.io.nand
  nand.io.nandDone <> io.nandDone
  w.moves(io.nand.fire)
  w.moves(io.nandDone.fire)
  w.shows(NandStatusReg.reg)(
    NandStatusReg.slot.word(nandShown.bits.slot) | NandStatusReg.status.word(nandShown.bits.status.asUInt) |
      NandStatusReg.ready.word(nand.io.start.ready.asUInt) | NandStatusReg.valid.word(nandShown.valid.asUInt)
  )
  w.showsEach(NandOob.reg)(i => nandShown.bits.oob(32 * i + 31, 32 * i))
  w.level(IrqStatus.nandDone, nandShown.valid)
  assert(!nandGo || nand.io.start.ready, "firmware bug: NAND_GO written while busy")
  assert(!nandPop || nandShown.valid, "firmware bug: no NAND result to drop")
  assert(
    !nandGo || Seq(FwNandOpValue.read, FwNandOpValue.probe, FwNandOpValue.program, FwNandOpValue.erase)
      .map(NandGo.op.of(data) === _.U)
      .reduce(_ || _),
    "firmware bug: no such NAND operation"
  )

  // --- words of the first buffer
  nand.io.at.valid := w.writes(NandAt.reg)
  nand.io.at.bits  := NandAt.at.of(data)
  io.bufRead <> nand.io.bufRead
  w.shows(NandAt.reg)(NandAt.ready.word(nand.io.word.valid.asUInt))
  w.showsEach(NandData.reg)(i => nand.io.word.bits(32 * i + 31, 32 * i))
}
