// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Requests on their way to a unit that accepts only what it has been offered before, as NandScheduler and PageGatherer
  * do. So `ready` needs no gate, and another unit can keep a request back without being in its way.
  */
object NandGate {

  /** @param may
    *   the request that is offered may go on; stays high until that is accepted
    */
  def apply(p: Params, from: DecoupledIO[NandRequest], may: Bool): DecoupledIO[NandRequest] = {
    val to = Wire(Decoupled(new NandRequest(p)))
    to.valid   := from.valid && may
    to.bits    := from.bits
    from.ready := to.ready
    assert(!to.ready || to.valid, "NandGate: a request is accepted that is kept back")
    to
  }

  /** Keeps programs back while there is no room for their records, and tells the log what is accepted. */
  def behindLog(
      p: Params,
      from: DecoupledIO[NandRequest],
      log: SlotLog,
      writer: Clients#Value
  ): DecoupledIO[NandRequest] = {
    val to = apply(p, from, log.io.room(writer) || from.bits.op =/= NandRequestOp.program)
    log.io.taken(writer).valid := from.ready // only what is offered is accepted
    log.io.taken(writer).bits  := from.bits
    to
  }

  /** Keeps back what would read a page that is not full. */
  def behindPages(
      p: Params,
      from: DecoupledIO[NandRequest],
      gatherer: PageGatherer,
      reader: Clients#Value
  ): DecoupledIO[NandRequest] = {
    val port = gatherer.io.reader(reader)
    val to   = apply(p, from, port.may)
    port.offer.valid     := from.valid
    port.offer.bits.op   := from.bits.op
    port.offer.bits.slot := from.bits.slot
    port.taken           := from.ready
    to
  }
}
