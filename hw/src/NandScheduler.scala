// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Who asked, and so who gets the answer. */
object NandClient extends ChiselEnum {
  val hostWrite, hostRead, gc, firmware = Value
}

object NandRequestOp extends ChiselEnum {
  val read, probe, program, erase = Value
}

/** One slot operation. `buf` holds (program) or receives (read) the 4 KiB; a probe delivers the spare only. */
class NandRequest(val p: Params) extends Bundle {
  val op     = NandRequestOp()
  val client = NandClient()
  val slot   = UInt(p.slotBits.W) // erase: any slot of the die's block
  val buf    = UInt(p.bufBits.W)
  val oob    = UInt(p.oobBits.W)  // program: Formats.OobRecord
}

class NandDone(val p: Params) extends Bundle {
  val op     = NandRequestOp()
  val client = NandClient()
  val slot   = UInt(p.slotBits.W)
  val buf    = UInt(p.bufBits.W)
  val status = NandStatus()
  val oob    = UInt(p.oobBits.W) // read, probe
}

/** A request as the scheduler and the dies know it. Reads, probes and erases are those of one slot; a program is that
  * of a whole flash page: `slot`, `buf` and `oob` are its first slot's, `rest` are the others.
  */
class NandPageRequest(p: Params) extends NandRequest(p) {
  val rest = Vec(p.g.slotsPerPage - 1, new NandPageSlot(p))
  val last = UInt(p.subBits.W) // program: the last slot that the client asked for; those after it are padding
}

class NandPageSlot(val p: Params) extends Bundle {
  val buf = UInt(p.bufBits.W)
  val oob = UInt(p.oobBits.W)
}

class NandPageDone(p: Params) extends NandDone(p) {
  val rest = Vec(p.g.slotsPerPage - 1, UInt(p.bufBits.W)) // program: buffers of the slots after the first, and
  val last = UInt(p.subBits.W)                            // `last`, as in the request
}

/** Between clients whose requests are all of one slot and the scheduler. */
object NandPage {
  def ofSlot(p: Params, slot: DecoupledIO[NandRequest]): DecoupledIO[NandPageRequest] =
    convert(slot, Wire(Decoupled(new NandPageRequest(p))))
  def toSlot(p: Params, page: DecoupledIO[NandPageDone]): DecoupledIO[NandDone] =
    convert(page, Wire(Decoupled(new NandDone(p))))

  private def convert[T <: Bundle](from: DecoupledIO[Bundle], to: DecoupledIO[T]): DecoupledIO[T] = {
    to.valid                                                                               := from.valid
    from.ready                                                                             := to.ready
    to.bits                                                                                := DontCare
    for ((name, field) <- from.bits.elements; target <- to.bits.elements.get(name)) target := field
    to
  }
}

/** Routes requests of all clients to the channels by the slot's channel and answers back to the client that asked.
  *
  * Ordering promise that the whole design leans on: once a request is accepted here it runs on its die after everything
  * accepted earlier for that die, and before everything later. So a read that found its slot before GC moved the data
  * runs before the erase, and a read of a slot that is still being programmed runs after the program.
  */
class NandScheduler(p: Params) extends Module {
  val io = IO(new Bundle {
    val req         = Vec(NandClient.all.size, Flipped(Decoupled(new NandPageRequest(p)))) // index = NandClient
    val done        = Vec(NandClient.all.size, Decoupled(new NandPageDone(p)))
    val channel     = Vec(p.g.channels, Decoupled(new NandPageRequest(p)))
    val channelDone = Vec(p.g.channels, Flipped(Decoupled(new NandPageDone(p))))
  })
  private val clients = NandClient.all.size

  // One arbiter a channel. It offers another client each cycle, so that a request for a die whose queue is full does not
  // hold those of other clients for other dies.
  private val toChannel = Seq.fill(p.g.channels)(Module(new RotatingArbiter(new NandPageRequest(p), clients)))
  for ((req, i) <- io.req.zipWithIndex) {
    val target = SlotAddress.channel(p, req.bits.slot)
    for ((arb, c) <- toChannel.zipWithIndex) {
      arb.io.in(i).valid := req.valid && target === c.U
      arb.io.in(i).bits  := req.bits
    }
    req.ready := VecInit(
      toChannel.zipWithIndex.map { case (arb, c) => target === c.U && arb.io.in(i).ready }
    ).asUInt.orR
    assert(!req.valid || req.bits.client.asUInt === i.U, "a client asks in another one's name")
    cover(req.valid && !req.ready, s"client $i waits for a die")
  }
  io.channel.zip(toChannel).foreach { case (out, arb) => out <> arb.io.out }

  private val toClient = Seq.fill(clients)(Module(new RotatingArbiter(new NandPageDone(p), p.g.channels)))
  for ((done, c) <- io.channelDone.zipWithIndex) {
    for ((arb, i) <- toClient.zipWithIndex) {
      arb.io.in(c).valid := done.valid && done.bits.client.asUInt === i.U
      arb.io.in(c).bits  := done.bits
    }
    done.ready := VecInit(toClient.zipWithIndex.map { case (arb, i) =>
      done.bits.client.asUInt === i.U && arb.io.in(c).ready
    }).asUInt.orR
  }
  io.done.zip(toClient).foreach { case (out, arb) => out <> arb.io.out }
}
