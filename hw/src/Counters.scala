// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Names every counter once: a row here is a register pair of the firmware's window, in this order. Each tells how many
  * events there are in this cycle.
  */
class CounterEvents(val p: Params) extends Bundle {
  val hostReadPages, hostWritePages, hostTrimPages, remapPages             = Bool()
  val nandProgramHost, nandProgramGc, nandReadHost, nandReadGc, nandReadFw = Bool()
  val nandErase                                                            = UInt(2.W)
  val nandProgramPad = UInt(log2Ceil(2 * p.g.slotsPerPage).max(1).W) // the host's and GC's at a time
  val gcVictims, gcMovedPages, gcMovedShared, gcLostRaces                                  = Bool()
  val remapEntries, segmentsFreed, badEntries, chainCompactions                            = Bool()
  val staleDropped                                                                         = UInt(p.chainEntryBits.W)
  val mapLookups, mapUpdates                                                               = Bool()
  val stallWriteBuffer, stallAlloc, stallMapLock, stallShareLock, stallFence, stallJournal = Bool() // cycles
  val hostReadCommands, hostWriteCommands, readErrors, writeErrors                         = Bool()
  val nandProgramMeta, chainsDestaged                                                      = Bool()
  val entriesDestaged                                                                      = UInt(p.chainEntryBits.W)
}

/** Counts events and, for those named `stall...`, cycles. Read by index, in the order of FwRegMap.counters.
  */
class Counters(p: Params) extends Module {
  val io = IO(new Bundle {
    val event   = Input(new CounterEvents(p))
    val index   = Input(UInt(6.W))
    val value   = Output(UInt(48.W))
    val clear   = Input(Bool())
    val skipped =
      Input(UInt(32.W)) // cycles jumped over by a simulation: stall events of this cycle count so often more
  })
  require(
    FwRegMap.counters.toSet == io.event.elements.keySet,
    "interfaces/registers/counters.yaml and CounterEvents name the same counters"
  )
  private val places = 1 << io.index.getWidth
  require(FwRegMap.counters.size <= places, s"COUNTER_SELECT.index has ${io.index.getWidth} bits")

  private val values = FwRegMap.counters.map { name =>
    val count = RegInit(0.U(48.W)).suggestName(name)
    val step  = if (name.startsWith("stall")) io.skipped +& 1.U else io.event.elements(name).asUInt
    when(io.event.elements(name).asUInt.orR)(count := count + step)
    when(io.clear)(count                           := 0.U)
    count
  }
  io.value := VecInit(values.padTo(places, 0.U(48.W)))(io.index)
}
