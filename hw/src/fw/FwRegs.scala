// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The firmware's window (registers/openremap.rdl): capabilities, interrupts, command mailbox, queue set-up, starters
  * and outcomes of the engines, start-up access to on-chip tables, counters. The bundle names follow the register
  * blocks.
  *
  * Starting something that is already under way is a firmware bug and asserted against; the write is then ignored.
  */
class FwRegs(p: Params) extends Module {
  import FwRegMap.{NandStatus => NandStatusReg, SbState => SbStateReg, _}
  import FwStarter._

  val io = IO(new Bundle {
    val bus = Flipped(new AxiLite(16))
    val irq = Output(Bool())
    // nvme
    val cc          = Input(UInt(32.W))
    val ccChanged   = Input(Bool())
    val csts        = Output(new FwCsts)
    val nsze        = Output(UInt(32.W))
    val irqSettings = Output(new IrqCoalescing)
    val irqChanged  = Output(Bool())
    val irqVector   = Valid(new IrqVectorConfig(p))
    val nsReady     = Output(Bool())
    val formatting  = Output(Bool())
    val protect     = Output(Bool())
    val handles     = Output(UInt(AllocHandles.count.width.W))
    val ioQuiet     = Input(Bool())                                // no I/O command inside, no completion waiting
    val inside      = Input(Vec(p.queues, UInt(p.queuePtrBits.W))) // commands of each queue inside the controller
    val adminHeld   = Output(UInt(AdminHeld.count.width.W))
    val adminRoom   = Input(Bool())
    val badDoorbell = Input(new BadDoorbell)
    val hostError   = Input(Bool())
    val sqConfig    = Valid(new SqConfig(p))
    val cqConfig    = Valid(new CqConfig(p))
    // mailbox
    val cmd = Flipped(Decoupled(new FetchedCommand(p)))
    val cpl = Decoupled(new Completion(p))
    // engines
    val dma          = Decoupled(new FwDmaRequest(p))
    val dmaDone      = Flipped(Valid(UInt(NvmeStatus.bits.W)))
    val remap        = Decoupled(new RemapDescriptor(p))
    val remapOutcome = Flipped(Valid(new RemapOutcome(p)))
    val copied       = Input(Bool())                 // pulse: a Copy has taken effect without firmware
    val gc           = Decoupled(new GcRequest(p))
    val gcOutcome    = Flipped(Valid(new GcOutcome(p)))
    val nand         = Decoupled(new NandRequest(p)) // read, probe, program, erase
    val nandDone     = Flipped(Decoupled(new NandDone(p)))
    val bufRead      = new BufferReadPort(p)
    val fence        = new FencePort
    // tables
    val sbRead        = new SbReadPort(p)
    val sbMarks       = Input(new SbMarks) // of the superblock that `sbRead` names
    val programFailed = Input(Bool())
    val weakRead      = Input(Bool())
    val sbWrite       = Valid(new SbRecord(p))
    val allocReserve  = Output(UInt((p.sbBits + 1).W))
    val allocFree     = Input(UInt((p.sbBits + 1).W))
    val allocFreed    = Decoupled(UInt(p.sbBits.W))
    val allocForget   = Output(Bool())
    val allocRestore  = Valid(new AllocRestore(p))
    val allocClose    = Valid(UInt(p.handleBits.W))
    val allocLook     = Flipped(new StreamLookPort(p))
    val seqLoad       = Valid(UInt(p.seqBits.W))
    val seqValue      = Input(UInt(p.seqBits.W))
    val remapSettled  = Input(UInt(p.seqBits.W))
    val journalHead   = Input(UInt(log2Ceil(p.k.journalRecords).W))
    val journalUsed   = Input(UInt((log2Ceil(p.k.journalRecords) + 1).W))
    val journalTail   = Valid(UInt(log2Ceil(p.k.journalRecords).W))
    val journalLoad   = Valid(UInt(log2Ceil(p.k.journalRecords).W))
    val remapLoad     = new RemapTableLoad(p)
    val freeSegments  = Input(UInt((p.segBits + 1).W))
    val sbChain       = new RemapLookPort(p)
    val logDue        = Flipped(Valid(new DueLog(p)))
    val logRelease    = Valid(UInt(p.logBits.W))
    val counterIndex  = Output(UInt(6.W))
    val counterValue  = Input(UInt(48.W))
    val counterClear  = Output(Bool())
    val quiet         = Output(Bool())     // no register access under way
  })

  FwConstants.checkCodes()

  private val slave = Module(new AxiLiteSlave(16))
  private val bus   = slave.io.access
  private val data  = bus.write.bits.data
  slave.io.bus <> io.bus

  private def wr(reg: RegInfo): Bool                       = bus.writes(reg)
  private def storage(reg: RegInfo): UInt                  = RegEnable(data, reg.reset.U(32.W), wr(reg))
  private def storage(reg: RegInfo, field: RegField): UInt =
    RegEnable(field.of(data), field.reset.U(field.width.W), wr(reg))

  // ------------------------------------------------------------------ NVMe controller
  private val csts       = storage(NvmeCsts.reg)
  private val nsze       = storage(NvmeNsze.reg)
  private val ready      = storage(NvmeState.reg, NvmeState.nsReady)
  private val formatting = storage(NvmeState.reg, NvmeState.formatting)
  private val protect    = storage(NvmeState.reg, NvmeState.writeProtected)
  io.csts.rdy   := NvmeCsts.rdy.of(csts)
  io.csts.cfs   := NvmeCsts.cfs.of(csts)
  io.csts.shst  := NvmeCsts.shst.of(csts)
  io.csts.dead  := NvmeCsts.dead.of(csts)
  io.nsze       := nsze
  io.nsReady    := ready
  io.formatting := formatting
  io.protect    := protect

  private val queueId      = storage(QueueId.reg)
  private val queueBase    = Cat(storage(QueueBaseHi.reg), storage(QueueBaseLo.reg))
  private val queueEntries = storage(QueueEntries.reg, QueueEntries.value)
  private val queueGo      = wr(QueueGo.reg)
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

  private val coalescing = storage(IntCoalescing.reg)
  io.irqSettings.threshold := IntCoalescing.threshold.of(coalescing)
  io.irqSettings.time      := IntCoalescing.time.of(coalescing)
  io.irqChanged            := RegNext(wr(IntCoalescing.reg), false.B)
  io.irqVector.valid       := wr(IntVector.reg)
  io.irqVector.bits.vector := IntVector.vector.of(data)
  io.irqVector.bits.direct := IntVector.direct.of(data)

  private val adminHeld = storage(AdminHeld.reg, AdminHeld.count)
  io.adminHeld := adminHeld
  private val inside = MuxLookup(QueueId.qid.of(queueId), 0.U)(io.inside.zipWithIndex.map { case (n, i) => i.U -> n })

  // ------------------------------------------------------------------ mailbox
  private val cplDw0  = storage(CplDw0.reg)
  private val cplQid  = storage(CplQueue.reg, CplQueue.qid)
  private val mboxPop = wr(MboxPop.reg) && MboxPop.pop.of(data).asBool
  io.cmd.ready := mboxPop
  assert(!mboxPop || io.cmd.valid, "firmware bug: nothing in the mailbox to drop")
  request(io.cpl, wr(CplPost.reg), true.B, "CPL_POST") { c =>
    c.qid    := cplQid
    c.cid    := CplPost.cid.of(data)
    c.status := CplPost.status.of(data)
    c.dw0    := cplDw0
  }

  // ------------------------------------------------------------------ engines
  private val nand       = Module(new FwNand(p))
  private val dmaPrp1    = Cat(storage(DmaPrp1Hi.reg), storage(DmaPrp1Lo.reg))
  private val dmaPrp2    = Cat(storage(DmaPrp2Hi.reg), storage(DmaPrp2Lo.reg))
  private val dmaDram    = storage(DmaDram.reg)
  private val nandBuffer = storage(NandBuffer.reg, NandBuffer.index)(FwNand.bufBits(p) - 1, 0)
  private val dmaBytes   = DmaGo.bytes.of(data)
  private val dmaBusy    = busyUntil(wr(DmaGo.reg), io.dmaDone.valid)
  private val dmaStatus  = RegEnable(io.dmaDone.bits, 0.U(NvmeStatus.bits.W), io.dmaDone.valid)
  request(io.dma, wr(DmaGo.reg), !dmaBusy, "DMA_GO") { d =>
    d.toHost    := DmaGo.toHost.of(data)
    d.buffer    := DmaGo.buffer.of(data)
    d.buf       := FwNand.buf(p, nandBuffer)
    d.dram      := dmaDram
    d.prp.prp1  := dmaPrp1
    d.prp.prp2  := dmaPrp2
    d.prp.bytes := dmaBytes
  }
  assert(
    !wr(DmaGo.reg) || dmaBytes =/= 0.U && dmaBytes <= p.mdtsBytes.U && dmaBytes(1, 0) === 0.U &&
      (DmaGo.toHost.of(data).asBool || dmaBytes(3, 0) === 0.U) && dmaDram(3, 0) === 0.U,
    "firmware bug: DMA length or DRAM address"
  )

  assert(
    !wr(DmaGo.reg) || !DmaGo.buffer.of(data).asBool ||
      dmaBytes === p.slotBytes.U && nandBuffer < p.k.fwBuffers.U && !nand.io.used(nandBuffer),
    "firmware bug: a buffer that there is not, or has another use, or not a slot of it"
  )

  private val remapList = storage(RemapList.reg)
  private val remapBusy = busyUntil(wr(RemapGo.reg), io.remapOutcome.valid)
  private val remapLast = RegEnable(io.remapOutcome.bits, 0.U.asTypeOf(new RemapOutcome(p)), io.remapOutcome.valid)
  request(io.remap, wr(RemapGo.reg), !remapBusy, "REMAP_GO") { r =>
    r.list   := remapList
    r.ranges := RemapGo.ranges.of(data)
    r.move   := RemapGo.move.of(data)
    r.copy   := RemapGo.copy.of(data)
  }

  private val remapSeqHigh = RegEnable(io.remapSettled(p.seqBits - 1, 32), bus.reads(RemapSeqLo.reg))

  // Outcomes wait for firmware, so no more are started than there are places.
  private val gcOutcomes = Module(new Queue(new GcOutcome(p), entries = 2))
  private val gcPop      = wr(GcPop.reg) && GcPop.pop.of(data).asBool
  private val gcDue      = RegInit(0.U(2.W)) // started, and not yet dropped
  private val gcRoom     = io.gc.ready && !io.gc.valid && gcDue =/= 2.U
  private val gcLast     = gcOutcomes.io.deq.bits
  gcDue                   := gcDue + wr(GcGo.reg) - gcPop
  gcOutcomes.io.enq.valid := io.gcOutcome.valid
  gcOutcomes.io.enq.bits  := io.gcOutcome.bits
  gcOutcomes.io.deq.ready := gcPop
  assert(!gcPop || gcOutcomes.io.deq.valid, "firmware bug: no outcome of GC to drop")
  assert(!io.gcOutcome.valid || gcOutcomes.io.count < gcDue, "an outcome without a start")
  private val gcNews = io.gcOutcome.valid || io.gc.ready && !RegNext(io.gc.ready, true.B)
  request(io.gc, wr(GcGo.reg), gcRoom, "GC_GO") { g =>
    g.sb      := GcGo.sb.of(data)
    g.chain   := GcGo.chain.of(data)
    g.destage := GcGo.destage.of(data)
    g.retire  := GcGo.retire.of(data)
  }

  private val fenceGo     = wr(Fence.reg) && Fence.go.of(data).asBool
  private val fenceBusy   = RegInit(false.B)
  private val fenceDone   = fenceBusy && io.fence.done
  when(fenceGo)(fenceBusy   := true.B)
  when(fenceDone)(fenceBusy := false.B)
  io.fence.req := fenceBusy
  assert(!fenceGo || !fenceBusy, "firmware bug: FENCE written while busy")

  // ------------------------------------------------------------------ single NAND operations
  private val nandGo    = wr(NandGo.reg)
  private val nandPop   = wr(NandPop.reg) && NandPop.pop.of(data).asBool
  private val nandShown = nand.io.outcome
  nand.io.start.valid     := nandGo
  nand.io.start.bits.slot := NandGo.slot.of(data)
  nand.io.start.bits.buf  := nandBuffer
  nand.io.start.bits.op   := NandRequestOp.safe(NandGo.op.of(data))._1
  nand.io.at.valid        := wr(NandAt.reg)
  nand.io.at.bits         := NandAt.at.of(data)
  io.bufRead <> nand.io.bufRead
  nandShown.ready := nandPop
  io.nand <> nand.io.nand
  nand.io.nandDone <> io.nandDone
  assert(!nandGo || nand.io.start.ready, "firmware bug: NAND_GO written while busy")
  assert(!nandPop || nandShown.valid, "firmware bug: no NAND result to drop")
  assert(
    !nandGo || Seq(FwNandOpValue.read, FwNandOpValue.probe, FwNandOpValue.program, FwNandOpValue.erase)
      .map(NandGo.op.of(data) === _.U)
      .reduce(_ || _),
    "firmware bug: no such NAND operation"
  )

  // ------------------------------------------------------------------ superblocks
  private val sbSelect = storage(SbSelect.reg)
  private val sbGen    = storage(SbGen.reg)
  private val sbChain  = storage(SbChain.reg)
  io.sbRead.sb          := SbSelect.sb.of(sbSelect)
  io.sbWrite.valid      := wr(SbStateReg.reg)
  io.sbWrite.bits.sb    := SbSelect.sb.of(sbSelect)
  io.sbWrite.bits.gen   := sbGen
  io.sbWrite.bits.epoch := SbChain.epoch.of(sbChain)
  io.sbWrite.bits.valid := SbStateReg.valid.of(data)
  io.sbWrite.bits.state := SbState.safe(SbStateReg.state.of(data))._1
  private val allocForget = AllocFree.clear.of(data).asBool
  io.allocForget := wr(AllocFree.reg) && allocForget
  request(io.allocFreed, wr(AllocFree.reg) && !allocForget, true.B, "ALLOC_FREE")(sb => sb := AllocFree.sb.of(data))
  io.allocRestore.valid       := wr(AllocRestore.reg)
  io.allocRestore.bits.sb     := AllocRestore.sb.of(data)
  io.allocRestore.bits.next   := AllocRestore.next.of(data)
  io.allocRestore.bits.stream := StreamId(p, AllocRestore.stream.of(data))
  io.allocClose.valid         := wr(AllocClose.reg)
  io.allocClose.bits          := AllocClose.handle.of(data)
  private val allocStream  = storage(AllocStream.reg, AllocStream.stream)
  private val allocHandles = storage(AllocHandles.reg, AllocHandles.count)
  io.allocLook.stream := StreamId(p, allocStream)
  io.handles          := allocHandles
  assert(
    !wr(AllocHandles.reg) || AllocHandles.count.of(data) =/= 0.U && AllocHandles.count
      .of(data) <= p.k.placementHandles.U,
    "firmware bug: placement handles that there are not"
  )
  private val allocReserve = storage(AllocReserve.reg, AllocReserve.value)
  private val freeLow      = storage(FreeLow.reg, FreeLow.value)
  io.allocReserve := allocReserve

  // ------------------------------------------------------------------ sequence numbers, journal, remap table
  private val seqLo = storage(SeqLo.reg)
  io.seqLoad.valid := wr(SeqHi.reg)
  io.seqLoad.bits  := Cat(SeqHi.value.of(data), seqLo)
  private val seqHigh = RegEnable(io.seqValue(p.seqBits - 1, 32), bus.reads(SeqLo.reg))
  io.journalTail.valid := wr(JournalTail.reg)
  io.journalTail.bits  := JournalTail.value.of(data)
  io.journalLoad.valid := wr(JournalLoad.reg)
  io.journalLoad.bits  := JournalLoad.value.of(data)
  private val journalHigh = storage(JournalHigh.reg, JournalHigh.value)
  private val segLow      = storage(SegLow.reg, SegLow.value)
  private val segIsLow    = io.copied && io.freeSegments < segLow
  private val chainSb     = storage(ChainSb.reg)
  private val load        = io.remapLoad
  load.chain.valid      := wr(ChainGo.reg)
  load.chain.bits.sb    := ChainSb.sb.of(chainSb)
  load.chain.bits.count := ChainSb.count.of(chainSb)
  load.chain.bits.tail  := ChainGo.tail.of(data)
  load.chain.bits.fill  := ChainGo.fill.of(data)
  load.link.valid       := wr(ChainLink.reg)
  load.link.bits.seg    := ChainLink.seg.of(data)
  load.link.bits.prev   := ChainLink.prev.of(data)
  request(load.free, wr(SegFree.reg), true.B, "SEG_FREE")(seg => seg := SegFree.seg.of(data))
  // Start-up fills the free list piece by piece, so there is no smallest number before firmware says so.
  private val segLeast = RegInit(((1 << SegLeast.value.width) - 1).U(SegLeast.value.width.W))
  private val segWatch = RegInit(false.B)
  when(wr(SegLeast.reg)) {
    segLeast := io.freeSegments
    segWatch := true.B
  }.elsewhen(segWatch && io.freeSegments < segLeast)(segLeast := io.freeSegments)
  io.sbChain.sb                := SbSelect.sb.of(sbSelect)
  load.part.valid              := wr(SbDestaged.reg)
  load.part.bits.sb            := SbSelect.sb.of(sbSelect)
  load.part.bits.part.set      := SbDestaged.set.of(data)
  load.part.bits.part.slots    := SbDestaged.slots.of(data)
  load.part.bits.part.segments := SbDestaged.segments.of(data)

  // ------------------------------------------------------------------ slot logs
  io.logRelease.valid := wr(LogRelease.reg)
  io.logRelease.bits  := LogRelease.log.of(data)
  assert(
    !wr(LogRelease.reg) || LogRelease.log.of(data) < p.slotLogs.U,
    "firmware bug: it releases a slot log that there is not"
  )

  // ------------------------------------------------------------------ counters
  private val counterIndex = storage(CounterSelect.reg, CounterSelect.index)
  private val counterHigh  = RegEnable(io.counterValue(47, 32), bus.reads(CounterLo.reg))
  io.counterIndex := counterIndex
  io.counterClear := wr(CounterSelect.reg) && CounterSelect.clear.of(data).asBool

  // ------------------------------------------------------------------ interrupts
  /** An event stays until firmware writes 1 to its bit; one that comes in that very cycle stays. */
  private def event(field: RegField, happened: Bool): UInt = {
    val bit = RegInit(false.B)
    when(wr(IrqStatus.reg) && field.of(data).asBool)(bit := false.B)
    when(happened)(bit                                   := true.B)
    field.word(bit.asUInt)
  }
  private val irqEnable = storage(IrqEnable.reg)
  private val irqStatus = Seq(
    IrqStatus.cmdAvail.word(io.cmd.valid.asUInt),
    event(IrqStatus.ccChanged, io.ccChanged),
    event(IrqStatus.dmaDone, io.dmaDone.valid),
    event(IrqStatus.remapDone, io.remapOutcome.valid),
    event(IrqStatus.gcDone, gcNews),
    IrqStatus.nandDone.word(nandShown.valid.asUInt),
    IrqStatus.freeLow.word((io.allocFree < freeLow).asUInt),
    IrqStatus.journalHigh.word((io.journalUsed > journalHigh).asUInt),
    event(IrqStatus.badDoorbell, io.badDoorbell.value),
    event(IrqStatus.hostError, io.hostError),
    event(IrqStatus.fenceDone, fenceDone),
    event(IrqStatus.absentDoorbell, io.badDoorbell.absent),
    event(IrqStatus.segLow, segIsLow),
    event(IrqStatus.programFailed, io.programFailed),
    event(IrqStatus.weakRead, io.weakRead),
    IrqStatus.logDue.word(io.logDue.valid.asUInt)
  ).reduce(_ | _)
  private val irq = RegNext((irqStatus & IrqEnable.mask.of(irqEnable)).orR, false.B)
  io.irq := irq

  // ------------------------------------------------------------------ reading
  private val part                       = RegNext(io.sbChain.destaged)
  private val chainSegments              = RegNext(io.sbChain.segments)
  private val live: Seq[(RegInfo, UInt)] = Seq(
    IrqStatus.reg     -> irqStatus,
    IrqEnable.reg     -> irqEnable,
    NvmeCc.reg        -> io.cc,
    NvmeCsts.reg      -> csts,
    NvmeNsze.reg      -> nsze,
    IntCoalescing.reg -> coalescing,
    NvmeState.reg     -> (NvmeState.nsReady.word(io.nsReady.asUInt) |
      NvmeState.formatting.word(io.formatting.asUInt) | NvmeState.writeProtected.word(io.protect.asUInt) |
      NvmeState.ioQuiet.word(io.ioQuiet.asUInt)),
    QueueId.reg      -> queueId,
    QueueBaseLo.reg  -> queueBase(31, 0),
    QueueBaseHi.reg  -> queueBase(63, 32),
    QueueEntries.reg -> queueEntries,
    QueueInside.reg  -> QueueInside.value.word(inside),
    AdminHeld.reg    -> (AdminHeld.count.word(adminHeld) | AdminHeld.room.word(io.adminRoom.asUInt)),
    MboxStatus.reg   -> (MboxStatus.valid.word(io.cmd.valid.asUInt) | MboxStatus.qid
      .word(Mux(io.cmd.valid, io.cmd.bits.qid, 0.U))),
    CplDw0.reg      -> cplDw0,
    CplQueue.reg    -> (CplQueue.qid.word(cplQid) | CplQueue.ready.word(!io.cpl.valid)),
    DmaPrp1Lo.reg   -> dmaPrp1(31, 0),
    DmaPrp1Hi.reg   -> dmaPrp1(63, 32),
    DmaPrp2Lo.reg   -> dmaPrp2(31, 0),
    DmaPrp2Hi.reg   -> dmaPrp2(63, 32),
    DmaDram.reg     -> dmaDram,
    DmaStatus.reg   -> (DmaStatus.status.word(dmaStatus) | DmaStatus.busy.word(dmaBusy.asUInt)),
    RemapList.reg   -> remapList,
    RemapStatus.reg -> (RemapStatus.result.word(remapLast.result.asUInt) | RemapStatus.range.word(remapLast.range) |
      RemapStatus.busy.word(remapBusy.asUInt)),
    RemapPages.reg -> remapLast.pages,
    RemapSeqLo.reg -> io.remapSettled(31, 0),
    RemapSeqHi.reg -> RemapSeqHi.value.word(remapSeqHigh),
    GcStatus.reg   -> (GcStatus.moved.word(gcLast.moved) | GcStatus.full.word(gcLast.full.asUInt) |
      GcStatus.refused.word(gcLast.refused.asUInt) | GcStatus.ok.word(gcLast.ok.asUInt) |
      GcStatus.valid.word(gcOutcomes.io.deq.valid.asUInt)),
    GcQueue.reg -> (GcQueue.sb.word(gcLast.sb) | GcQueue.chain.word(gcLast.chain.asUInt) |
      GcQueue.room.word(gcRoom.asUInt)),
    GcDetail.reg   -> (GcDetail.shared.word(gcLast.shared) | GcDetail.segments.word(gcLast.segments)),
    SbSelect.reg   -> sbSelect,
    SbStateReg.reg -> (SbStateReg.valid.word(io.sbRead.valid) | SbStateReg.state.word(io.sbRead.state.asUInt) |
      SbStateReg.failed.word(io.sbMarks.failed.asUInt) | SbStateReg.weak.word(io.sbMarks.weak.asUInt)),
    SbGen.reg      -> io.sbRead.gen,
    SbChain.reg    -> (SbChain.segments.word(chainSegments) | SbChain.epoch.word(io.sbRead.epoch)),
    SbDestaged.reg -> (SbDestaged.set.word(part.set) | SbDestaged.slots.word(part.slots) |
      SbDestaged.segments.word(part.segments)),
    LogStatus.reg -> Mux(
      io.logDue.valid,
      LogStatus.sb.word(io.logDue.bits.sb) | LogStatus.log.word(io.logDue.bits.log) |
        LogStatus.stream.word(io.logDue.bits.stream) | LogStatus.valid.word(1.U),
      0.U
    ),
    AllocReserve.reg -> AllocReserve.value.word(allocReserve),
    AllocCount.reg   -> AllocCount.value.word(io.allocFree),
    AllocHandles.reg -> AllocHandles.count.word(allocHandles),
    AllocStream.reg  -> AllocStream.stream.word(allocStream),
    AllocOpen.reg    -> (AllocOpen.sb.word(io.allocLook.sb) | AllocOpen.next.word(io.allocLook.next) |
      AllocOpen.full.word(io.allocLook.full.asUInt) | AllocOpen.open.word(io.allocLook.open.asUInt)),
    FreeLow.reg       -> FreeLow.value.word(freeLow),
    SeqLo.reg         -> io.seqValue(31, 0),
    SeqHi.reg         -> SeqHi.value.word(seqHigh),
    JournalState.reg  -> (JournalState.head.word(io.journalHead) | JournalState.used.word(io.journalUsed)),
    JournalHigh.reg   -> JournalHigh.value.word(journalHigh),
    Fence.reg         -> Fence.busy.word(fenceBusy.asUInt),
    ChainSb.reg       -> chainSb,
    SegCount.reg      -> SegCount.value.word(io.freeSegments),
    SegLeast.reg      -> SegLeast.value.word(segLeast),
    SegLow.reg        -> SegLow.value.word(segLow),
    NandStatusReg.reg -> (NandStatusReg.slot.word(nandShown.bits.slot) | NandStatusReg.status
      .word(nandShown.bits.status.asUInt) |
      NandStatusReg.ready.word(nand.io.start.ready.asUInt) | NandStatusReg.valid.word(nandShown.valid.asUInt)),
    NandBuffer.reg    -> NandBuffer.index.word(nandBuffer),
    NandAt.reg        -> NandAt.ready.word(nand.io.word.valid.asUInt),
    CounterSelect.reg -> CounterSelect.index.word(io.counterIndex),
    CounterLo.reg     -> io.counterValue(31, 0),
    CounterHi.reg     -> CounterHi.value.word(counterHigh)
  )
  private def array(reg: RegInfo, word: Int => UInt): Seq[(Int, UInt)] =
    (0 until reg.count).map(i => reg.at(i) -> word(i))
  private val writeOnly = Seq(
    QueueGo.reg,
    IntVector.reg,
    MboxPop.reg,
    CplPost.reg,
    DmaGo.reg,
    RemapGo.reg,
    GcGo.reg,
    AllocFree.reg,
    AllocRestore.reg,
    AllocClose.reg,
    GcPop.reg,
    JournalTail.reg,
    JournalLoad.reg,
    ChainGo.reg,
    ChainLink.reg,
    SegFree.reg,
    LogRelease.reg,
    NandGo.reg,
    NandPop.reg
  )
  require(
    (FwConstants(p) ++ live).map(_._1).toSet ++ writeOnly ++ Seq(
      MboxSqe.reg,
      NandData.reg,
      NandOob.reg
    ) == FwRegMap.all.toSet,
    "every register of the map is here"
  )
  bus.readData := RegisterRead(
    bus.read.bits,
    (FwConstants(p) ++ live).map { case (reg, value) => reg.addr -> value } ++
      array(MboxSqe.reg, i => io.cmd.bits.sqe(32 * i + 31, 32 * i)) ++
      array(NandData.reg, i => nand.io.word.bits(32 * i + 31, 32 * i)) ++
      array(NandOob.reg, i => nandShown.bits.oob(32 * i + 31, 32 * i))
  )

  private val handedOver =
    Seq(
      io.cpl.fire,
      io.dma.fire,
      io.remap.fire,
      io.gc.fire,
      io.nand.fire,
      io.allocFreed.fire,
      load.free.fire,
      io.nandDone.fire
    )
  private val outcomes =
    Seq(
      io.dmaDone.valid,
      io.remapOutcome.valid,
      gcNews,
      fenceDone,
      io.ccChanged,
      io.badDoorbell.asUInt.orR,
      io.hostError,
      segIsLow,
      io.programFailed,
      io.weakRead
    )
  io.quiet := !slave.io.busy && nand.io.quiet && !VecInit(handedOver ++ outcomes).asUInt.orR
  cover(io.cmd.valid && !io.cmd.ready, "FwRegs: a command waits for firmware")
  cover(io.cpl.valid && !io.cpl.ready, "FwRegs: completion waits")
}
