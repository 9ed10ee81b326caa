// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller: wiring and arbitration only. Its ports have the standard flat names, so that LiteX, Vivado and test
  * benches can wire it directly. It keeps all of them where it is a part of another module (`Public`), as the checkers
  * of its buses expect (hw/checks).
  *
  * @param gated
  *   clocks of units stop while they have nothing to do (Gating); for simulations
  */
class OpenRemapTop(p: Params, gated: Boolean = false) extends Module with Public with RequireSyncReset {
  val s_axil_bar     = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val s_axil_fw      = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_host     = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram     = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram    = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand           = IO(Vec(p.g.channels, new NandPort(p)))
  val msix           = IO(Decoupled(UInt(p.vectorBits.W)))
  val fw_irq         = IO(Output(Bool()))
  val function_reset = IO(Input(Bool()))
  // `quiet`: nothing moves until an input changes (Quiescence). A simulation may jump over that time. In the next
  // cycle, with unchanged inputs, `skipped` says how many cycles it jumped over, so that the stall counters come out
  // the same. Hardware ties `skipped` to 0.
  val quiet   = IO(Output(Bool()))
  val skipped = IO(Input(UInt(32.W)))

  private val units = new Units(p, gated)
  import units._

  /** The requests of several sources at one port: those of an earlier one go first. */
  private def firstOf[T <: Data](sources: DecoupledIO[T]*): DecoupledIO[T] = {
    val arbiter = Module(new Arbiter(chiselTypeOf(sources.head.bits), sources.size))
    arbiter.io.in.zip(sources).foreach { case (in, source) => in <> source }
    arbiter.io.out
  }

  // ------------------------------------------------------------------ NVMe front end
  s_axil_bar.asSlave(regs.io.bar)
  regs.io.functionReset := function_reset
  regs.io.csts          := fw.io.csts
  regs.io.ccRead        := fw.io.ccRead
  fw.io.cc              := regs.io.cc
  fw.io.ccChanged       := regs.io.ccChanged

  // CC.EN defines the admin pair, firmware the I/O pairs. Admin wins: its definition or deletion forgets all queues,
  // and an I/O queue that firmware defines in the same cycle must not survive the reset.
  fetch.io.config   := Mux(regs.io.adminSq.valid, regs.io.adminSq, fw.io.sqConfig)
  post.io.config    := Mux(regs.io.adminCq.valid, regs.io.adminCq, fw.io.cqConfig)
  fetch.io.doorbell := regs.io.doorbell
  post.io.doorbell  := regs.io.doorbell
  fetch.io.headOf   := post.io.headOf
  post.io.sqHead    := fetch.io.head
  post.io.cqOf      := fetch.io.cqOf
  fw.io.badDoorbell := (fetch.io.badDoorbell.asUInt | post.io.badDoorbell.asUInt).asTypeOf(new BadDoorbell)
  fw.io.hostError   := fetch.io.fetchError || post.io.postError
  irq.io.raise      := post.io.raise
  irq.io.settings   := fw.io.irqSettings
  irq.io.changed    := fw.io.irqChanged
  irq.io.vector     := fw.io.irqVector
  irq.io.clear      := post.io.config.valid && post.io.config.bits.qid === 0.U
  msix <> irq.io.msix
  router.io.in <> fetch.io.out
  router.io.nsze       := fw.io.nsze
  router.io.nsReady    := fw.io.nsReady
  router.io.formatting := fw.io.formatting
  router.io.protect    := fw.io.protect
  router.io.handles    := fw.io.handles

  waiting.io.alive := fetch.io.alive
  waiting.io.in(CommandQueues.Engine.read) <> router.io.read
  waiting.io.in(CommandQueues.Engine.write) <> router.io.write
  waiting.io.in(CommandQueues.Engine.trim) <> router.io.trim
  read.io.cmd <> waiting.io.out(CommandQueues.Engine.read)
  write.io.cmd <> waiting.io.out(CommandQueues.Engine.write)
  trim.io.cmd <> waiting.io.out(CommandQueues.Engine.trim)
  waiting.io.rangesIn <> router.io.ranges
  ranges.io.cmd <> waiting.io.rangesOut
  // What hardware hands over is little, and has waited.
  private val forFirmware = firstOf(ranges.io.handOver, router.io.firmware)
  waiting.io.firmwareIn <> forFirmware
  fw.io.cmd <> waiting.io.firmwareOut
  waiting.io.refused <> router.io.cpl
  // Engines that stand still until their completion is taken go on sooner with a queue. It adds no cycle: its first
  // entry passes through, and both ends are registers.
  post.io.in(CqPost.Lane.read) <> read.io.cpl
  post.io.in(CqPost.Lane.write) <> Queue(write.io.cpl, 2, flow = true)
  post.io.in(CqPost.Lane.trim) <> Queue(trim.io.cpl, 2, flow = true)
  post.io.in(CqPost.Lane.ranges) <> Queue(ranges.io.cpl, 2, flow = true)
  post.io.in(CqPost.Lane.refused) <> Queue(waiting.io.cpl, 2)
  post.io.in(CqPost.Lane.firmware) <> Queue(fw.io.cpl, 2, flow = true)
  fetch.io.room      := post.io.room
  fetch.io.completed := post.io.completed
  fetch.io.held      := fw.io.adminHeld
  fw.io.inside       := fetch.io.inside
  fw.io.adminRoom    := fetch.io.adminRoom
  // A cycle late, which hides no command: one that is fetched after firmware has stopped the queues does not exist.
  fw.io.ioQuiet := RegNext(Quiescence.ofIo(units), false.B)

  // ------------------------------------------------------------------ host memory
  // In this order in each round: queue entries before bulk data.
  hostRd.io.in.zip(Seq(fetch.io.host, hostWriter.io.list, hostReader.io.host)).foreach { case (in, m) => in <> m }
  hostWr.io.in.zip(Seq(post.io.host, hostWriter.io.host)).foreach { case (in, m) => in <> m }
  m_axi_host.asMaster(hostRd.io.out, hostWr.io.out)
  hostReader.io.client(HostReader.Client.write) <> write.io.hostRead
  hostReader.io.client(HostReader.Client.trim) <> trim.io.hostRead
  hostReader.io.client(HostReader.Client.ranges) <> ranges.io.hostRead
  hostReader.io.client(HostReader.Client.firmware) <> fwDma.io.hostRead
  hostWriter.io.client(HostWriter.Client.read) <> read.io.hostWrite
  hostWriter.io.client(HostWriter.Client.firmware) <> fwDma.io.hostWrite

  // ------------------------------------------------------------------ DRAM
  private val dramWriters = Seq(
    MemoryUser.l2p         -> map.io.l2p.wr,
    MemoryUser.refs        -> map.io.ref.wr,
    MemoryUser.firmwareDma -> fwDma.io.dram.wr
  ) ++ slotLog.map(MemoryUser.slotLog -> _.io.dram)
  private val dramReaders = Seq(
    MemoryUser.l2p         -> map.io.l2p.rd,
    MemoryUser.refs        -> map.io.ref.rd,
    MemoryUser.remapList   -> start.io.dram,
    MemoryUser.firmwareDma -> fwDma.io.dram.rd
  )
  require(dramReaders.map(_._1) == MemoryUser.dramReaders && dramWriters.map(_._1) == MemoryUser.dramWriters(p))
  dramRd.io.in.zip(dramReaders).foreach { case (in, (_, m)) => in <> m }
  dramWr.io.in.zip(dramWriters).foreach { case (in, (_, m)) => in <> m }
  m_axi_dram.asMaster(dramRd.io.out, dramWr.io.out)

  // ------------------------------------------------------------------ NVRAM
  private val nvramWriters =
    Seq(MemoryUser.journal -> journal.io.nvram, MemoryUser.remapTable -> remapTable.io.nvram.wr)
  require(nvramWriters.map(_._1) == MemoryUser.nvramWriters && MemoryUser.nvramReaders == Seq(MemoryUser.remapTable))
  nvramRd.io.in(0) <> remapTable.io.nvram.rd
  nvramWr.io.in.zip(nvramWriters).foreach { case (in, (_, m)) => in <> m }
  m_axi_nvram.asMaster(nvramRd.io.out, nvramWr.io.out)

  // ------------------------------------------------------------------ errors of memories
  errors.io.dramRead                                            := dramRd.io.failure.get
  errors.io.dramWrite                                           := dramWr.io.failure.get
  errors.io.nvramRead                                           := nvramRd.io.failure.get
  errors.io.nvramWrite                                          := nvramWr.io.failure.get
  fw.io.memoryError                                             := errors.io.error
  for (arbiter <- Seq(hostRd, dramRd, nvramRd)) arbiter.io.stop := errors.io.stop
  for (arbiter <- Seq(hostWr, dramWr, nvramWr)) arbiter.io.stop := errors.io.stop

  // ------------------------------------------------------------------ mapping
  map.io.client(MapUnit.Client.read) <> read.io.map
  map.io.client(MapUnit.Client.write) <> write.io.map
  map.io.client(MapUnit.Client.trim) <> trim.io.map
  map.io.client(MapUnit.Client.remap) <> remap.io.map
  map.io.client(MapUnit.Client.gc) <> gc.io.map
  table.io.valid <> map.io.valid
  table.io.salt <> remapTable.io.sbRead
  table.io.read(SuperblockTable.Reader.allocator) <> allocator.io.sb
  table.io.read(SuperblockTable.Reader.gc) <> gc.io.sb
  table.io.read(SuperblockTable.Reader.gcErase) <> gc.io.leavingSb
  table.io.read(SuperblockTable.Reader.firmware) <> fw.io.sbRead
  table.io.opened    := allocator.io.opened
  table.io.closed    := allocator.io.closed
  table.io.erased    := gc.io.erased
  table.io.compacted := gc.io.compacted
  table.io.fwWrite   := fw.io.sbWrite
  fw.io.sbReady      := table.io.ready

  write.io.alloc <> allocator.io.host
  gc.io.alloc <> allocator.io.gc
  allocator.io.hostHandle                                                    := write.io.allocHandle
  allocator.io.hostUrgent                                                    := write.io.allocUrgent
  allocator.io.hostBusy                                                      := write.io.busy || !tracker.io.none
  write.io.allocStream                                                       := allocator.io.hostStream
  write.io.allocNone                                                         := allocator.io.hostNone
  for (waits <- Seq(read.io.unsaved, remap.io.unsaved, gc.io.unsaved)) waits := write.io.unsaved
  allocator.io.close                                                         := fw.io.allocClose
  allocator.io.look <> fw.io.allocLook
  private val freed = firstOf(fw.io.allocFreed, gc.io.freed)
  allocator.io.freed <> freed
  allocator.io.reserve := fw.io.allocReserve
  allocator.io.restore := fw.io.allocRestore
  allocator.io.forget  := fw.io.allocForget
  fw.io.allocFree      := allocator.io.free

  seq.io.client(SeqCounter.Client.write) <> write.io.seq
  seq.io.client(SeqCounter.Client.trim) <> trim.io.seq
  seq.io.client(SeqCounter.Client.remap) <> remap.io.seq
  seq.io.client(SeqCounter.Client.gc) <> gc.io.seq
  seq.io.load    := fw.io.seqLoad
  fw.io.seqValue := seq.io.value

  // They take turns: neither a stream of single writes nor of remap commands starves the others.
  mapLock.io.client(LockArbiter.MapLock.remap) <> remap.io.mapLock
  mapLock.io.client(LockArbiter.MapLock.trim) <> trim.io.mapLock
  mapLock.io.client(LockArbiter.MapLock.write) <> write.io.mapLock
  mapLock.io.client(LockArbiter.MapLock.gc) <> gc.io.mapLock
  shareLock.io.client(LockArbiter.ShareLock.remap) <> remap.io.shareLock
  shareLock.io.client(LockArbiter.ShareLock.gc) <> gc.io.shareLock

  tracker.io.issued      := write.io.issued
  tracker.io.landed      := write.io.landed
  tracker.io.landedEpoch := write.io.landedEpoch
  write.io.epoch         := tracker.io.epoch
  tracker.io.fence(ProgramTracker.Client.write) <> write.io.fence
  tracker.io.fence(ProgramTracker.Client.remap) <> remap.io.fence
  tracker.io.fence(ProgramTracker.Client.gc) <> gc.io.fence
  tracker.io.fence(ProgramTracker.Client.firmware) <> fw.io.fence

  // ------------------------------------------------------------------ remap table and journal
  remapTable.io.append(RemapTable.Appender.remap) <> remap.io.append
  remapTable.io.append(RemapTable.Appender.gc) <> gc.io.append
  remapTable.io.capacity(RemapTable.Appender.remap) <> remap.io.capacity
  remapTable.io.capacity(RemapTable.Appender.gc) <> gc.io.capacity
  remapTable.io.walk <> gc.io.walk
  remapTable.io.freeChain <> gc.io.freeChain
  remapTable.io.fw <> fw.io.remapLoad
  fw.io.freeSegments := remapTable.io.freeSegments
  remapTable.io.setAside <> gc.io.setAside
  remapTable.io.dropOld <> gc.io.dropOld
  remapTable.io.look(RemapTable.Looker.gc) <> gc.io.look
  remapTable.io.look(RemapTable.Looker.firmware) <> fw.io.sbChain
  remapTable.io.place := gc.io.place
  journal.io.client(Journal.Client.trim) <> trim.io.journal
  journal.io.client(Journal.Client.remap) <> remap.io.journal
  journal.io.client(Journal.Client.gc) <> gc.io.journal
  journal.io.tail      := fw.io.journalTail
  journal.io.load      := fw.io.journalLoad
  trim.io.journalRoom  := journal.io.room
  remap.io.journalRoom := journal.io.room
  trim.io.nsze         := fw.io.nsze
  fw.io.journalHead    := journal.io.head
  fw.io.journalUsed    := journal.io.used

  start.io.firmware.start <> fw.io.remap
  fw.io.remapOutcome := start.io.firmware.outcome
  start.io.hardware <> ranges.io.remap
  remap.io.start <> start.io.engine.start
  start.io.engine.outcome := remap.io.outcome
  start.io.ranges <> remap.io.dram
  ranges.io.ranges <> start.io.onChip
  start.io.seq       := seq.io.value
  fw.io.remapSettled := start.io.settled
  ranges.io.nsze     := fw.io.nsze
  fw.io.remapped     := ranges.io.event.remapped
  gc.io.start <> fw.io.gc
  fw.io.gcOutcome  := gc.io.outcome
  gc.io.readWindow := read.io.window
  fwDma.io.req <> fw.io.dma
  fw.io.dmaDone := fwDma.io.done

  // ------------------------------------------------------------------ NAND and buffers
  // Requests of those who program streams are written down when they are accepted, slot by slot.
  private val logged: Map[Clients#Value, DecoupledIO[NandRequest]] =
    Map(SlotWriter.host -> write.io.nand, SlotWriter.gc -> gc.io.nand).map { case (writer, requests) =>
      writer -> slotLog.fold(requests)(NandGate.behindLog(p, requests, _, writer))
    }
  private val answers = Map(
    NandClient.hostWrite -> write.io.nandDone,
    NandClient.hostRead  -> read.io.nandDone,
    NandClient.gc        -> gc.io.nandDone,
    NandClient.firmware  -> fw.io.nandDone
  )
  private def port(c: NandClient.Type)                                             = c.litValue.toInt
  private def attach(c: NandClient.Type, requests: DecoupledIO[NandRequest]): Unit = {
    val pages = if (c == NandClient.firmware) FwNand.page(p, requests) else NandPage.ofSlot(p, requests)
    scheduler.io.req(port(c)) <> pages
    answers(c) <> NandPage.toSlot(p, scheduler.io.done(port(c)))
  }
  attach(NandClient.firmware, fw.io.nand)
  pages match {
    // Pages of one slot need nothing between who programs and the scheduler.
    case None =>
      attach(NandClient.hostWrite, logged(SlotWriter.host))
      attach(NandClient.hostRead, read.io.nand)
      attach(NandClient.gc, logged(SlotWriter.gc))
      write.io.closing     := 0.U.asTypeOf(write.io.closing)
      allocator.io.closing := 0.U.asTypeOf(allocator.io.closing)
    case Some(Gatherers(host, ofGc)) =>
      for ((gatherer, c) <- Seq(host -> NandClient.hostWrite, ofGc -> NandClient.gc)) {
        scheduler.io.req(port(c)) <> gatherer.io.page
        gatherer.io.pageDone <> scheduler.io.done(port(c))
        answers(c) <> gatherer.io.slotDone
      }
      host.io.slot <> logged(SlotWriter.host)
      host.io.closeAll := tracker.io.turning || write.io.saved || allocator.io.gcHeld
      host.io.hold     := write.io.hold
      // The host may read what it has written before the page is full. Nobody reads what GC has programmed: the mapping
      // does not show it yet.
      attach(NandClient.hostRead, NandGate.behindPages(p, read.io.nand, host, PageGatherer.Reader.hostRead))
      ofGc.io.slot <> NandGate.behindPages(p, logged(SlotWriter.gc), host, PageGatherer.Reader.gc)
      ofGc.io.closeAll                      := gc.io.closes
      ofGc.io.hold                          := false.B // it closes pages when it has no slot in hand
      write.io.closing                      := host.io.closing
      allocator.io.closing(SlotWriter.host) := host.io.closing
      allocator.io.closing(SlotWriter.gc)   := ofGc.io.closing
  }
  private val programmers = Seq(SlotWriter.host -> NandClient.hostWrite, SlotWriter.gc -> NandClient.gc)
  for (log <- slotLog) {
    for ((writer, c) <- programmers) {
      log.io.done(writer).valid := answers(c).fire
      log.io.done(writer).bits  := answers(c).bits
    }
    log.io.opened  := allocator.io.opened
    log.io.closed  := allocator.io.closed
    log.io.whole   := allocator.io.whole
    log.io.release := fw.io.logRelease
  }
  fw.io.logDue := slotLog.map(_.io.due).getOrElse(0.U.asTypeOf(fw.io.logDue))
  for ((writer, c) <- programmers) {
    val answer = answers(c)
    table.io.failing(writer).valid := answer.fire && answer.bits.op === NandRequestOp.program &&
      answer.bits.status =/= NandStatus.ok
    table.io.failing(writer).bits := SlotAddress.superblock(p, answer.bits.slot)
  }
  fw.io.programFailed := table.io.failing.map(_.valid).reduce(_ || _)
  table.io.weak.zip(channels).foreach { case (t, c) => t := c.io.weak }
  fw.io.weakRead := channels.map(_.io.weak.valid).reduce(_ || _)
  for (((channel, port), i) <- channels.zip(nand).zipWithIndex) {
    channel.io.req := scheduler.io.channel(i)
    scheduler.io.channelDone(i) <> channel.io.done
    port <> channel.io.nand
    buffers.io.channelRead(i) <> channel.io.bufRead
    buffers.io.channelWrite(i) <> channel.io.bufWrite
  }
  buffers.io.read(BufferRam.Reader.hostRead) <> read.io.bufRead
  buffers.io.read(BufferRam.Reader.gc) <> gc.io.bufRead
  buffers.io.read(BufferRam.Reader.firmware) <> fw.io.bufRead
  buffers.io.read(BufferRam.Reader.fwDma) <> fwDma.io.bufRead
  buffers.io.write(BufferRam.Writer.hostWrite) <> write.io.bufWrite
  buffers.io.write(BufferRam.Writer.gc) <> gc.io.bufWrite
  buffers.io.write(BufferRam.Writer.fwDma) <> fwDma.io.bufWrite
  read.io.wrote := buffers.io.wrote
  write.io.bufAlloc <> writePool.io.alloc
  writePool.io.free := write.io.bufFree
  read.io.bufAlloc <> readPool.io.alloc
  readPool.io.free := read.io.bufFree

  // ------------------------------------------------------------------ firmware, counters
  s_axil_fw.asSlave(fw.io.bus)
  fw_irq              := fw.io.irq
  counters.io.index   := fw.io.counterIndex
  counters.io.clear   := fw.io.counterClear
  counters.io.skipped := skipped
  fw.io.counterValue  := counters.io.value
  // A cycle late, so that the counters are not at the end of each unit's longest path. A simulation jumps over cycles
  // only when nothing has moved for eight cycles.
  private val events = CounterSources(p, units, answers)
  counters.io.event := RegNext(events, 0.U.asTypeOf(events))

  quiet := Quiescence.ofAll(p, units, Seq(gc.io.map, remap.io.map))
}
