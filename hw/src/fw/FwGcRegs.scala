// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of garbage collection's registers. */
trait FwGcPorts extends Bundle {
  val p: Params
  val gc        = Decoupled(new GcRequest(p))
  val gcOutcome = Flipped(Valid(new GcOutcome(p)))
}

/** The registers of garbage collection: starts, and their outcomes in the order of the starts. */
class FwGcRegs(p: Params, w: FwWindow, io: FwGcPorts) {
  import FwRegMap._
  import w.data

  // Outcomes wait for firmware, so no more are started than there are places.
  private val gcOutcomes = Module(new Queue(new GcOutcome(p), entries = 2))
  private val gcGo       = w.command(GcGo.reg)
  private val gcPop      = w.command(GcPop.reg) && GcPop.pop.of(data).asBool
  private val gcDue      = RegInit(0.U(2.W)) // started, and not yet dropped
  private val gcRoom     = io.gc.ready && !io.gc.valid && gcDue =/= 2.U
  private val gcLast     = gcOutcomes.io.deq.bits
  gcDue                   := gcDue + gcGo - gcPop
  gcOutcomes.io.enq.valid := io.gcOutcome.valid
  gcOutcomes.io.enq.bits  := io.gcOutcome.bits
  gcOutcomes.io.deq.ready := gcPop
  assert(!gcPop || gcOutcomes.io.deq.valid, "firmware bug: no outcome of GC to drop")
  assert(!io.gcOutcome.valid || gcOutcomes.io.count < gcDue, "an outcome without a start")
  w.request(io.gc, gcGo, gcRoom, "GC_GO") { g =>
    g.sb      := GcGo.sb.of(data)
    g.chain   := GcGo.chain.of(data)
    g.destage := GcGo.destage.of(data)
    g.retire  := GcGo.retire.of(data)
  }
  w.shows(GcStatus.reg)(
    GcStatus.moved.word(gcLast.moved) | GcStatus.full.word(gcLast.full.asUInt) |
      GcStatus.refused.word(gcLast.refused.asUInt) | GcStatus.ok.word(gcLast.ok.asUInt) |
      GcStatus.valid.word(gcOutcomes.io.deq.valid.asUInt)
  )
  w.shows(GcQueue.reg)(
    GcQueue.sb.word(gcLast.sb) | GcQueue.chain.word(gcLast.chain.asUInt) | GcQueue.room.word(gcRoom.asUInt)
  )
  w.shows(GcDetail.reg)(GcDetail.shared.word(gcLast.shared) | GcDetail.segments.word(gcLast.segments))
  w.event(IrqStatus.gcDone, io.gcOutcome.valid || io.gc.ready && !RegNext(io.gc.ready, true.B))
}
