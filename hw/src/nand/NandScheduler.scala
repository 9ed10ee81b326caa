// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The clients of the NAND; an answer goes to the client that asked. */
object NandClient extends ChiselEnum {
  val hostWrite, hostRead, gc, firmware = Value
}

/** The clients that program slots in streams of superblocks. */
object SlotWriter extends Clients { val host, gc = Value }

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

/** The answer to a NandRequest. */
class NandDone(val p: Params) extends Bundle {
  val op     = NandRequestOp()
  val client = NandClient()
  val slot   = UInt(p.slotBits.W)
  val buf    = UInt(p.bufBits.W)
  val status = NandStatus()
  val oob    = UInt(p.oobBits.W) // read, probe
}

/** A request as the scheduler and the dies see it. Reads, probes and erases have one slot. A program has a whole flash
  * page: `slot`, `buf` and `oob` are those of its first slot, `rest` are the others.
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

/** Adapts clients whose requests have one slot to the scheduler. */
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

/** Routes the requests of all clients to the channels, by the slot's channel, and each answer back to the client that
  * asked.
  *
  * The whole design relies on one ordering promise: a request that is accepted here runs on its die after all requests
  * accepted earlier for that die, and before all later ones. So a read that found its slot before GC moved the data
  * runs before the erase, and a read of a slot that is still being programmed runs after the program.
  *
  * So priority is decided here, before a request has its place: host and firmware go before GC (NandAdmission). GC may
  * have at most `gcDiePlaces` of a die's places at a time, because the host's requests would otherwise wait behind it
  * all the same. A request counts only when its die has a place for it. So a request for a die whose queue is full does
  * not delay requests for other dies.
  */
class NandScheduler(p: Params) extends Module {
  val io = IO(new Bundle {
    val req         = Vec(NandClient.all.size, Flipped(Decoupled(new NandPageRequest(p)))) // index = NandClient
    val done        = Vec(NandClient.all.size, Decoupled(new NandPageDone(p)))
    val channel     = Vec(p.g.channels, Decoupled(new NandPageRequest(p)))
    val room        = Input(Vec(p.g.channels, Vec(p.g.diesPerChannel, Bool())))            // the die takes a request
    val channelDone = Vec(p.g.channels, Flipped(Decoupled(new NandPageDone(p))))
  })
  private val clients                          = NandClient.all.size
  private val gc                               = NandClient.gc.litValue.toInt
  private def isOn(slot: UInt, c: Int): Bool   = SlotAddress.channel(p, slot) === c.U
  private def isOf(slot: UInt, die: Int): Bool = SlotAddress.die(p, slot) === die.U
  private def some(of: Iterable[Bool]): Bool   = VecInit(of.toSeq).asUInt.orR

  // A tree over the number's bits: a bit of four inputs has six signals, of a one-hot choice eight.
  private def pick[T <: Data](number: UInt, of: Seq[T]): T =
    if (of.size == 1) of.head
    else {
      val (even, odd) = of.zipWithIndex.partition(_._2 % 2 == 0)
      val rest        = if (of.size > 2) number(number.getWidth - 1, 1) else number
      Mux(number(0), pick(rest, odd.map(_._1)), pick(rest, even.map(_._1)))
    }

  private val granted = for (((out, done), c) <- io.channel.zip(io.channelDone).zipWithIndex) yield {
    val admission = Module(new NandAdmission(p)).io
    val held      = RegInit(VecInit.fill(p.g.diesPerChannel)(0.U(log2Ceil(p.k.gcDiePlaces + 1).W))) // GC's places
    val gcMay     = io.room(c).zip(held).map { case (room, n) => room && n =/= p.k.gcDiePlaces.U }
    admission.asks := VecInit(io.req.zipWithIndex.map { case (req, i) =>
      val room = if (i == gc) gcMay else io.room(c).toSeq
      req.valid && isOn(req.bits.slot, c) && some(room.zipWithIndex.map { case (r, die) =>
        r && isOf(req.bits.slot, die)
      })
    }).asUInt
    out.valid := admission.asks.orR
    out.bits  := pick(OHToUInt(admission.grant), io.req.map(_.bits))
    // A request leaves its place when its answer does.
    val gcDone = done.fire && done.bits.client === NandClient.gc
    for ((n, die) <- held.zipWithIndex) {
      val taken = admission.grant(gc) && isOf(io.req(gc).bits.slot, die)
      val left  = gcDone && isOf(done.bits.slot, die)
      n := n + taken - left
      assert(!left || n =/= 0.U, "an answer for GC, which asked nothing of this die")
    }
    assert(!out.valid || out.ready, "a die that has room takes no request")
    cover(
      io.req(gc).valid && isOn(io.req(gc).bits.slot, c) && !admission.asks(gc) &&
        some(io.room(c).zipWithIndex.map { case (r, die) => r && isOf(io.req(gc).bits.slot, die) }),
      s"GC has its places of a die of channel $c"
    )
    admission.grant
  }
  for ((req, i) <- io.req.zipWithIndex) {
    req.ready := some(granted.map(_(i)))
    assert(!req.valid || req.bits.client.asUInt === i.U, "a client asks in another one's name")
    cover(req.valid && !req.ready, s"client $i waits for a die")
  }

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
