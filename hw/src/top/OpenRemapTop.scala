// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The controller: wiring and arbitration only. Ports have the standard flat names, so that LiteX, Vivado and test
  * benches wire it as it is.
  */
class OpenRemapTop(p: Params) extends Module {
  val s_axil_bar     = FlatIO(new AxiLiteFlat("s_axil_bar", 14))
  val s_axil_fw      = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_host     = FlatIO(new Axi4Flat("m_axi_host", AxiParams(64)))
  val m_axi_dram     = FlatIO(new Axi4Flat("m_axi_dram", AxiParams(p.dramAddrBits)))
  val m_axi_nvram    = FlatIO(new Axi4Flat("m_axi_nvram", AxiParams(p.nvramAddrBits)))
  val nand           = IO(Vec(p.g.channels, new NandPort(p)))
  val msix           = IO(Valid(UInt(p.vectorBits.W)))
  val fw_irq         = IO(Output(Bool()))
  val function_reset = IO(Input(Bool()))
  // Nothing moves until an input changes: a simulation may jump over that time. It then says in one more cycle with unchanged
  // inputs how many cycles it jumped over, so that the stall counters come out the same. Hardware ties `skipped` to 0.
  val quiet   = IO(Output(Bool()))
  val skipped = IO(Input(UInt(32.W)))

  // ------------------------------------------------------------------ units
  private val regs     = Module(new NvmeRegs(p))
  private val fetch    = Module(new SqFetch(p))
  private val router   = Module(new CommandRouter(p))
  private val waiting  = Module(new CommandQueues(p))
  private val post     = Module(new CqPost(p, lanes = 6))
  private val irq      = Module(new IrqCoalescer(p))
  private val fw       = Module(new FwRegs(p))
  private val fwDma    = Module(new FwDma(p))
  private val counters = Module(new Counters(p))

  private val hostReader = Module(new HostReader(p, 4)) // write, trim, copy, firmware
  private val hostWriter = Module(new HostWriter(p, 2)) // read, firmware

  private val write = Module(new WriteEngine(p))
  private val read  = Module(new ReadEngine(p))
  private val trim  = Module(new TrimEngine(p))
  private val copy  = Module(new CopyEngine(p))
  private val remap = Module(new RemapEngine(p))
  private val start = Module(new RemapStarter(p))
  private val gc    = Module(new GcEngine(p))

  private val map        = Module(new MapUnit(p, depths = Seq(1, 1, 1, p.k.remapInFlight, 1)))
  private val table      = Module(new SuperblockTable(p, 5))
  private val allocator  = Module(new Allocator(p))
  private val remapTable = Module(new RemapTable(p))
  private val journal    = Module(new Journal(p, 3))
  private val seq        = Module(new SeqCounter(p, 4))
  private val tracker    = Module(new ProgramTracker(p, 4))
  private val mapLock    = Module(new LockArbiter(4))
  private val shareLock  = Module(new LockArbiter(2))

  private val slotLog   = Option.when(p.summarySlots > 0)(Module(new SlotLog(p)))
  private val scheduler = Module(new NandScheduler(p))
  private val channels  = Seq.fill(p.g.channels)(Module(new NandChannel(p)))
  private val buffers   = Module(new BufferRam(p, readers = p.g.channels + 4, writers = p.g.channels + 3))
  private val writePool = Module(new BufferPool(p, 0, p.k.writeBuffers))
  private val readPool  = Module(new BufferPool(p, p.readBufBase, p.k.readBuffers))

  // ------------------------------------------------------------------ NVMe front end
  s_axil_bar.asSlave(regs.io.bar)
  regs.io.functionReset := function_reset
  regs.io.csts          := fw.io.csts
  fw.io.cc              := regs.io.cc
  fw.io.ccChanged       := regs.io.ccChanged

  // The admin pair comes with CC.EN, I/O pairs from firmware. Admin wins: an admin definition or deletion forgets all queues, so
  // an I/O queue that firmware defines in the very cycle in which the host resets the controller must not survive it.
  fetch.io.config   := Mux(regs.io.adminSq.valid, regs.io.adminSq, fw.io.sqConfig)
  post.io.config    := Mux(regs.io.adminCq.valid, regs.io.adminCq, fw.io.cqConfig)
  fetch.io.doorbell := regs.io.doorbell
  post.io.doorbell  := regs.io.doorbell
  post.io.sqHead    := fetch.io.head
  post.io.cqOf      := fetch.io.cqOf
  fw.io.badDoorbell := (fetch.io.badDoorbell.asUInt | post.io.badDoorbell.asUInt).asTypeOf(new BadDoorbell)
  fw.io.hostError   := fetch.io.fetchError || post.io.postError
  irq.io.raise      := post.io.raise
  irq.io.settings   := fw.io.irqSettings
  irq.io.changed    := fw.io.irqChanged
  irq.io.vector     := fw.io.irqVector
  irq.io.clear      := post.io.config.valid && post.io.config.bits.qid === 0.U
  msix              := irq.io.msix
  router.io.in <> fetch.io.out
  router.io.nsze       := fw.io.nsze
  router.io.nsReady    := fw.io.nsReady
  router.io.formatting := fw.io.formatting
  router.io.protect    := fw.io.protect
  router.io.handles    := fw.io.handles

  waiting.io.alive := fetch.io.alive
  waiting.io.in.zip(Seq(router.io.read, router.io.write, router.io.trim)).foreach { case (in, c) => in <> c }
  waiting.io.out.zip(Seq(read.io.cmd, write.io.cmd, trim.io.cmd)).foreach { case (out, c) => c <> out }
  waiting.io.copyIn <> router.io.copy
  copy.io.cmd <> waiting.io.copyOut
  // Copies that found no room are few, and have waited.
  private val forFirmware = Module(new Arbiter(new FetchedCommand(p), 2))
  forFirmware.io.in(0) <> copy.io.handOver
  forFirmware.io.in(1) <> router.io.firmware
  waiting.io.firmwareIn <> forFirmware.io.out
  fw.io.cmd <> waiting.io.firmwareOut
  waiting.io.refused <> router.io.cpl
  post.io.in.zip(Seq(read.io.cpl, write.io.cpl, trim.io.cpl, copy.io.cpl, waiting.io.cpl, fw.io.cpl)).foreach {
    case (in, c) =>
      in <> Queue(c, 2)
  }
  fetch.io.room      := post.io.room
  fetch.io.completed := post.io.completed
  fetch.io.held      := fw.io.adminHeld
  fw.io.inside       := fetch.io.inside
  fw.io.adminRoom    := fetch.io.adminRoom
  fw.io.ioQuiet      := fetch.io.inside.tail
    .map(_ === 0.U)
    .reduce(_ && _) && fetch.io.quiet && !fetch.io.out.valid && !VecInit(
    post.io.in.map(_.valid)
  ).asUInt.orR && post.io.quiet && fwDma.io.quiet

  // ------------------------------------------------------------------ host memory
  private val hostRd = Module(new AxiReadArbiter(AxiParams(64), 3))
  // Order is fixed to keep queue entries ahead of bulk data in each round.
  hostRd.io.in.zip(Seq(fetch.io.host, hostWriter.io.list, hostReader.io.host)).foreach { case (in, m) => in <> m }
  private val hostWr = Module(new AxiWriteArbiter(AxiParams(64), 2))
  hostWr.io.in.zip(Seq(post.io.host, hostWriter.io.host)).foreach { case (in, m) => in <> m }
  m_axi_host.asMaster(hostRd.io.out, hostWr.io.out)
  hostReader.io.client.zip(Seq(write.io.hostRead, trim.io.hostRead, copy.io.hostRead, fwDma.io.hostRead)).foreach {
    case (c, e) =>
      c <> e
  }
  hostWriter.io.client.zip(Seq(read.io.hostWrite, fwDma.io.hostWrite)).foreach { case (c, e) => c <> e }

  // ------------------------------------------------------------------ DRAM
  private val dramRd = Module(new AxiReadArbiter(AxiParams(p.dramAddrBits), 3))
  dramRd.io.in.zip(Seq(map.io.dram.rd, start.io.dram, fwDma.io.dram.rd)).foreach { case (in, m) => in <> m }
  private val dramWriters = Seq(map.io.dram.wr, fwDma.io.dram.wr) ++ slotLog.map(_.io.dram)
  private val dramWr      = Module(new AxiWriteArbiter(AxiParams(p.dramAddrBits), dramWriters.size))
  dramWr.io.in.zip(dramWriters).foreach { case (in, m) => in <> m }
  m_axi_dram.asMaster(dramRd.io.out, dramWr.io.out)

  // ------------------------------------------------------------------ NVRAM
  private val nvWr = Module(new AxiWriteArbiter(AxiParams(p.nvramAddrBits), 2))
  nvWr.io.in.zip(Seq(journal.io.nvram, remapTable.io.nvram.wr)).foreach { case (in, m) => in <> m }
  m_axi_nvram.asMaster(remapTable.io.nvram.rd, nvWr.io.out)

  // ------------------------------------------------------------------ mapping
  // Requests of remaps and GC, which come in numbers and from deep within their units, wait in registers: none of them feels
  // a cycle more.
  private def early(from: MapPort): MapPort = {
    val to = Wire(new MapPort(p))
    to.req <> Queue(from.req, 2)
    from.resp <> to.resp
    to
  }
  private val mapEarly = Seq(remap.io.map, gc.io.map).map(early)
  map.io.client.zip(Seq(read.io.map, write.io.map, trim.io.map) ++ mapEarly).foreach { case (c, e) => c <> e }
  table.io.valid <> map.io.valid
  table.io.read.zip(Seq(allocator.io.sb, remapTable.io.sbRead, gc.io.sb, gc.io.leavingSb, fw.io.sbRead)).foreach {
    case (r, u) =>
      r <> u
  }
  table.io.opened    := allocator.io.opened
  table.io.closed    := allocator.io.closed
  table.io.erased    := gc.io.erased
  table.io.retires   := gc.io.retires
  table.io.compacted := gc.io.compacted
  table.io.fwWrite   := fw.io.sbWrite
  table.io.marksOf   := fw.io.sbRead.sb
  fw.io.sbMarks      := table.io.marks

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
  private val freed = Module(new Arbiter(UInt(p.sbBits.W), 2))
  freed.io.in(0) <> fw.io.allocFreed
  freed.io.in(1) <> gc.io.freed
  allocator.io.freed <> freed.io.out
  allocator.io.reserve := fw.io.allocReserve
  allocator.io.restore := fw.io.allocRestore
  allocator.io.forget  := fw.io.allocForget
  fw.io.allocFree      := allocator.io.free

  seq.io.client.zip(Seq(write.io.seq, trim.io.seq, remap.io.seq, gc.io.seq)).foreach { case (c, e) => c <> e }
  seq.io.load    := fw.io.seqLoad
  fw.io.seqValue := seq.io.value

  // They take turns: neither a stream of single writes nor of remap commands starves the others.
  mapLock.io.client.zip(Seq(remap.io.mapLock, trim.io.mapLock, write.io.mapLock, gc.io.mapLock)).foreach {
    case (c, e) =>
      c <> e
  }
  shareLock.io.client.zip(Seq(remap.io.shareLock, gc.io.shareLock)).foreach { case (c, e) => c <> e }

  tracker.io.issued      := write.io.issued
  tracker.io.landed      := write.io.landed
  tracker.io.landedEpoch := write.io.landedEpoch
  write.io.epoch         := tracker.io.epoch
  tracker.io.fence.zip(Seq(write.io.fence, remap.io.fence, gc.io.fence, fw.io.fence)).foreach { case (c, e) => c <> e }

  // ------------------------------------------------------------------ remap table and journal
  remapTable.io.append(0) <> remap.io.append
  remapTable.io.append(1) <> gc.io.append
  remapTable.io.capacity(0) <> remap.io.capacity
  remapTable.io.capacity(1) <> gc.io.capacity
  remapTable.io.walk <> gc.io.walk
  remapTable.io.freeChain <> gc.io.freeChain
  remapTable.io.fw <> fw.io.remapLoad
  fw.io.freeSegments := remapTable.io.freeSegments
  remapTable.io.setAside <> gc.io.setAside
  remapTable.io.dropOld <> gc.io.dropOld
  remapTable.io.look(1) <> gc.io.look
  remapTable.io.look(0) <> fw.io.sbChain
  remapTable.io.place := gc.io.place
  journal.io.client.zip(Seq(trim.io.journal, remap.io.journal, gc.io.journal)).foreach { case (c, e) => c <> e }
  journal.io.tail      := fw.io.journalTail
  journal.io.load      := fw.io.journalLoad
  trim.io.journalRoom  := journal.io.room
  remap.io.journalRoom := journal.io.room
  trim.io.nsze         := fw.io.nsze
  fw.io.journalHead    := journal.io.head
  fw.io.journalUsed    := journal.io.used

  start.io.firmware.start <> fw.io.remap
  fw.io.remapOutcome := start.io.firmware.outcome
  start.io.copy <> copy.io.remap
  remap.io.start <> start.io.engine.start
  start.io.engine.outcome := remap.io.outcome
  start.io.ranges <> remap.io.dram
  copy.io.ranges <> start.io.copyList
  start.io.seq       := seq.io.value
  fw.io.remapSettled := start.io.settled
  copy.io.nsze       := fw.io.nsze
  fw.io.copied       := copy.io.event.copied
  gc.io.start <> fw.io.gc
  fw.io.gcOutcome  := gc.io.outcome
  gc.io.readWindow := read.io.window
  fwDma.io.req <> fw.io.dma
  fw.io.dmaDone := fwDma.io.done

  // ------------------------------------------------------------------ NAND and buffers
  private def client(c: NandClient.Type) = c.litValue.toInt
  // What the host and GC program is written down on its way, slot by slot.
  private val logged = slotLog match {
    case None      => Seq(write.io.nand, gc.io.nand)
    case Some(log) =>
      log.io.in(0) <> write.io.nand
      log.io.in(1) <> gc.io.nand
      log.io.out.toSeq
  }
  private val slotClients = Map(
    NandClient.hostWrite -> (logged(0), write.io.nandDone),
    NandClient.hostRead  -> (read.io.nand, read.io.nandDone),
    NandClient.gc        -> (logged(1), gc.io.nandDone),
    NandClient.firmware  -> (fw.io.nand, fw.io.nandDone)
  )
  private def direct(c: NandClient.Type): Unit                                     = attach(c, slotClients(c)._1)
  private def attach(c: NandClient.Type, requests: DecoupledIO[NandRequest]): Unit = {
    val pages = if (c == NandClient.firmware) FwNand.page(p, requests) else NandPage.ofSlot(p, requests)
    scheduler.io.req(client(c)) <> pages
    slotClients(c)._2 <> NandPage.toSlot(p, scheduler.io.done(client(c)))
  }
  // Pages of one slot need nothing between who programs and the scheduler.
  private val gatherers =
    if (p.g.slotsPerPage == 1) {
      slotClients.keys.foreach(direct)
      write.io.closing     := 0.U.asTypeOf(write.io.closing)
      allocator.io.closing := 0.U.asTypeOf(allocator.io.closing)
      Seq.empty
    } else {
      val hostPages = Module(new PageGatherer(p, NandClient.hostWrite, p.k.placementHandles, readers = 2))
      val gcPages   = Module(new PageGatherer(p, NandClient.gc, entries = 1, readers = 0))
      for ((pages, c) <- Seq(hostPages -> NandClient.hostWrite, gcPages -> NandClient.gc)) {
        scheduler.io.req(client(c)) <> pages.io.page
        pages.io.pageDone <> scheduler.io.done(client(c))
        slotClients(c)._2 <> pages.io.slotDone
      }
      hostPages.io.slot <> logged(0)
      hostPages.io.closeAll := tracker.io.turning || write.io.saved || allocator.io.gcHeld
      hostPages.io.hold     := write.io.hold
      // What the host has written may be read before its page is full. Nobody reads GC's: the mapping does not show it yet.
      hostPages.io.reader(0).in <> read.io.nand
      attach(NandClient.hostRead, hostPages.io.reader(0).out)
      hostPages.io.reader(1).in <> logged(1)
      gcPages.io.slot <> hostPages.io.reader(1).out
      gcPages.io.closeAll := gc.io.closes
      gcPages.io.hold     := false.B // it closes pages when it has no slot in hand
      direct(NandClient.firmware)
      write.io.closing        := hostPages.io.closing
      allocator.io.closing(0) := hostPages.io.closing
      allocator.io.closing(1) := gcPages.io.closing
      Seq(hostPages, gcPages)
    }
  for (log <- slotLog) {
    for ((done, c) <- log.io.done.zip(Seq(NandClient.hostWrite, NandClient.gc))) {
      done.valid := slotClients(c)._2.fire
      done.bits  := slotClients(c)._2.bits
    }
    log.io.opened  := allocator.io.opened
    log.io.closed  := allocator.io.closed
    log.io.whole   := allocator.io.whole
    log.io.release := fw.io.logRelease
  }
  fw.io.logDue := slotLog.map(_.io.due).getOrElse(0.U.asTypeOf(fw.io.logDue))
  for (((channel, port), i) <- channels.zip(nand).zipWithIndex) {
    channel.io.req <> scheduler.io.channel(i)
    scheduler.io.room(i) := channel.io.room
    scheduler.io.channelDone(i) <> channel.io.done
    port <> channel.io.nand
    buffers.io.read(i) <> channel.io.bufRead
    buffers.io.write(i) <> channel.io.bufWrite
  }
  buffers.io.read(p.g.channels) <> read.io.bufRead
  read.io.wrote := buffers.io.wrote
  buffers.io.write(p.g.channels) <> write.io.bufWrite
  write.io.bufAlloc <> writePool.io.alloc
  writePool.io.free := write.io.bufFree
  read.io.bufAlloc <> readPool.io.alloc
  readPool.io.free := read.io.bufFree
  buffers.io.read(p.g.channels + 1) <> gc.io.bufRead
  buffers.io.read(p.g.channels + 2) <> fw.io.bufRead
  buffers.io.read(p.g.channels + 3) <> fwDma.io.bufRead
  buffers.io.write(p.g.channels + 1) <> gc.io.bufWrite
  buffers.io.write(p.g.channels + 2) <> fwDma.io.bufWrite

  // ------------------------------------------------------------------ firmware, counters
  s_axil_fw.asSlave(fw.io.bus)
  fw_irq              := fw.io.irq
  counters.io.index   := fw.io.counterIndex
  counters.io.clear   := fw.io.counterClear
  counters.io.skipped := skipped
  fw.io.counterValue  := counters.io.value
  private def done(c: NandClient.Type, op: NandRequestOp.Type): Bool = {
    val answers = slotClients(c)._2
    answers.fire && answers.bits.op === op
  }
  // A cycle late, so that the counters are not at the end of the longest path of each unit. While a simulation jumps over
  // cycles nothing has changed for some.
  private val e = Wire(chiselTypeOf(counters.io.event))
  counters.io.event := RegNext(e, 0.U.asTypeOf(e))
  e.hostReadPages   := read.io.event.page
  e.hostWritePages  := write.io.event.page
  e.hostTrimPages   := trim.io.event.page
  e.remapPages      := remap.io.event.linked
  e.nandProgramHost := done(NandClient.hostWrite, NandRequestOp.program)
  e.nandProgramGc   := done(NandClient.gc, NandRequestOp.program) && !gc.io.destages
  e.nandProgramMeta := Mux(done(NandClient.firmware, NandRequestOp.program), p.g.slotsPerPage.U, 0.U) +&
    (done(NandClient.gc, NandRequestOp.program) && gc.io.destages)
  e.nandProgramPad   := gatherers.map(_.io.padded).fold(0.U)(_ +& _)
  e.nandReadHost     := done(NandClient.hostRead, NandRequestOp.read)
  e.nandReadGc       := done(NandClient.gc, NandRequestOp.read)
  e.nandReadFw       := done(NandClient.firmware, NandRequestOp.probe) || done(NandClient.firmware, NandRequestOp.read)
  e.nandErase        := PopCount(Seq(NandClient.gc, NandClient.firmware).map(done(_, NandRequestOp.erase)))
  e.gcVictims        := gc.io.event.erased
  e.gcMovedPages     := gc.io.event.moved
  e.gcMovedShared    := gc.io.event.movedShared
  e.gcLostRaces      := gc.io.event.lostRace
  e.remapEntries     := remapTable.io.event.appended
  e.segmentsFreed    := remapTable.io.event.freedSegment
  e.badEntries       := remapTable.io.event.badEntry || gc.io.event.badEntry
  e.chainCompactions := gc.io.event.compacted
  e.staleDropped     := gc.io.event.dropped
  e.chainsDestaged   := gc.io.event.destaged
  e.entriesDestaged  := gc.io.event.entries
  e.mapLookups       := map.io.event.lookup
  e.mapUpdates       := map.io.event.update
  e.l2pHits          := map.io.event.l2pHit
  e.l2pMisses        := map.io.event.l2pMiss
  private val failing = Seq(NandClient.hostWrite, NandClient.gc).map { c =>
    val answer = slotClients(c)._2
    val fails  = Wire(Valid(UInt(p.sbBits.W)))
    fails.valid := done(c, NandRequestOp.program) && answer.bits.status =/= NandStatus.ok
    fails.bits  := SlotAddress.superblock(p, answer.bits.slot)
    fails
  }
  table.io.failing.zip(failing).foreach { case (t, f) => t := f }
  fw.io.programFailed := failing.map(_.valid).reduce(_ || _)
  e.nandProgramFails  := PopCount(failing.map(_.valid))
  table.io.weak.zip(channels).foreach { case (t, c) => t := c.io.weak }
  fw.io.weakRead     := channels.map(_.io.weak.valid).reduce(_ || _)
  e.nandReadRetries  := PopCount(channels.map(_.io.retried))
  e.hostSavedPages   := write.io.event.saved
  e.remapSharers2    := map.io.event.sharers2
  e.remapSharers4    := map.io.event.sharers4
  e.remapSharers8    := map.io.event.sharers8
  e.remapSharersMore := map.io.event.sharersMore
  e.stallWriteBuffer := write.io.event.stallBuffer
  e.stallAlloc       := write.io.event.stallAlloc
  e.stallMapLock     := write.io.event.stallLock
  e.stallShareLock   := remap.io.event.stallShareLock
  e.stallFence       := remap.io.event.stallFence
  e.stallJournal     := trim.io.event.stallJournal
  private def ends(c: DecoupledIO[Completion], how: UInt) = c.fire && c.bits.status === how
  e.hostReadCommands  := router.io.read.fire
  e.hostWriteCommands := router.io.write.fire && router.io.write.bits.op === IoOp.write
  e.readErrors        := ends(read.io.cpl, NvmeStatus.UnrecoveredReadError)
  e.writeErrors       := ends(write.io.cpl, NvmeStatus.WriteFault)

  e.copyCommands       := copy.io.event.copied
  e.copyRefusedSharers := copy.io.event.refusedSharers
  e.copyRefusedOther   := copy.io.event.refusedOther +& router.io.event.copyRefused

  // A command or completion that moves between units is motion even when both ends call themselves quiet.
  private val moving = Seq(
    fetch.io.out,
    router.io.read,
    router.io.write,
    router.io.trim,
    router.io.copy,
    router.io.firmware,
    copy.io.handOver,
    start.io.engine.start,
    waiting.io.cpl,
    write.io.nand,
    read.io.nand,
    gc.io.nand,
    fw.io.nand
  ).map(_.fire) ++ mapEarly.map(_.req.fire) ++ scheduler.io.done.map(_.fire) ++ scheduler.io.channel.map(_.fire)
  private val still = !VecInit(moving).asUInt.orR && Seq(
    fetch.io.quiet,
    waiting.io.quiet,
    post.io.quiet,
    irq.io.quiet,
    fw.io.quiet,
    fwDma.io.quiet,
    hostReader.io.quiet,
    hostWriter.io.quiet,
    write.io.quiet,
    read.io.quiet,
    trim.io.quiet,
    copy.io.quiet,
    remap.io.quiet,
    gc.io.quiet,
    map.io.quiet,
    remapTable.io.quiet,
    journal.io.quiet
  ).reduce(_ && _) && (channels.map(_.io.quiet) ++ gatherers.map(_.io.quiet) ++ slotLog.map(_.io.quiet)).reduce(_ && _)
  // A lock or an arbiter hands over within a cycle or two in which no unit seems to do anything.
  private val stillFor = RegInit(0.U(3.W))
  when(!still)(stillFor := 0.U).elsewhen(!stillFor.andR)(stillFor := stillFor + 1.U)
  quiet := p.k.timeSkip.B && still && stillFor.andR
}
