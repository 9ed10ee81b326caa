// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import scala.collection.mutable.ListBuffer

/** The page gatherers of a controller whose flash pages have several slots: for the host's writes, and for GC's. */
case class Gatherers(host: PageGatherer, gc: PageGatherer)

/** The units of the controller. OpenRemapTop wires them; CounterSources and Quiescence read them.
  *
  * Each is instantiated by `unit`, which registers units with a `quiet` output, so that none can be forgotten.
  *
  * @param gated
  *   their clocks stop while they have nothing to do (Gating)
  */
class Units(p: Params, gated: Boolean) {
  private val noted = ListBuffer.empty[Module with Quiesces]

  private def unit[M <: Module](make: => M): M = {
    val clock = Option.when(gated)(Wire(Clock()))
    val made  = clock.fold(Module(make))(withClock(_)(Module(make)))
    made match {
      case quiesces: Quiesces =>
        noted += quiesces
        clock.foreach(_ := Gating.clockOf(quiesces))
      case _ => clock.foreach(_ := Module.clock)
    }
    made
  }

  /** Those that say when they are quiet. */
  def quiescing: Seq[Module with Quiesces] = noted.toSeq

  // ------------------------------------------------------------------ NVMe front end, firmware
  val regs     = unit(new NvmeRegs(p))
  val fetch    = unit(new SqFetch(p))
  val router   = unit(new CommandRouter(p))
  val waiting  = unit(new CommandQueues(p))
  val post     = unit(new CqPost(p))
  val irq      = unit(new IrqCoalescer(p))
  val fw       = unit(new FwRegs(p))
  val fwDma    = unit(new FwDma(p))
  val counters = unit(new Counters(p))
  val errors   = unit(new MemoryErrors(p))

  // ------------------------------------------------------------------ host memory
  val hostReader = unit(new HostReader(p))
  val hostWriter = unit(new HostWriter(p))

  // ------------------------------------------------------------------ the buses of host memory, DRAM and NVRAM
  val hostRd = unit(new AxiReadArbiter(AxiParams(64), 3))
  val hostWr = unit(new AxiWriteArbiter(AxiParams(64), 2))
  val dramRd = unit(new MemoryReadArbiter(AxiParams(p.dramAddrBits), MemoryUser.dramReaders.size))
  val dramWr = unit(new MemoryWriteArbiter(AxiParams(p.dramAddrBits), MemoryUser.dramWriters(p).size))
  // One reader: its registers are what is needed, and its guard.
  val nvramRd = unit(new MemoryReadArbiter(AxiParams(p.nvramAddrBits), MemoryUser.nvramReaders.size))
  val nvramWr = unit(new MemoryWriteArbiter(AxiParams(p.nvramAddrBits), MemoryUser.nvramWriters.size))

  // ------------------------------------------------------------------ engines
  val write  = unit(new WriteEngine(p))
  val read   = unit(new ReadEngine(p))
  val trim   = unit(new TrimEngine(p))
  val ranges = unit(new RangeEngine(p))
  val remap  = unit(new RemapEngine(p))
  val start  = unit(new RemapStarter(p))
  val gc     = unit(new GcEngine(p))

  // ------------------------------------------------------------------ mapping, remap table, order of events
  val map        = unit(new MapUnit(p, MapUnit.depths(p)))
  val table      = unit(new SuperblockTable(p))
  val allocator  = unit(new Allocator(p))
  val remapTable = unit(new RemapTable(p))
  val journal    = unit(new Journal(p))
  val seq        = unit(new SeqCounter(p))
  val tracker    = unit(new ProgramTracker(p))
  val mapLock    = unit(new LockArbiter(LockArbiter.MapLock.size))
  val shareLock  = unit(new LockArbiter(LockArbiter.ShareLock.size))

  // ------------------------------------------------------------------ NAND, buffers
  val slotLog   = Option.when(p.summarySlots > 0)(unit(new SlotLog(p)))
  val scheduler = unit(new NandScheduler(p))
  val channels  = Seq.fill(p.g.channels)(unit(new NandChannel(p)))
  val buffers   = unit(new BufferRam(p))
  val writePool = unit(new BufferPool(p, 0, p.k.writeBuffers))
  val readPool  = unit(new BufferPool(p, p.readBufBase, p.k.readBuffers))
  val pages     = Option.when(p.g.slotsPerPage > 1) {
    val hostPages = unit(PageGatherer.ofHost(p))
    val gcPages   = unit(PageGatherer.ofGc(p))
    Gatherers(hostPages, gcPages)
  }
}
