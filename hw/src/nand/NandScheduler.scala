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
  * not delay requests for other dies. The scheduler counts the places: a request has one until its answer is taken
  * here.
  *
  * Timing: registers on all sides. Requests are chosen a cycle ahead, among those that are offered. In the next cycle
  * `ready` accepts the chosen one, and the channel has it in that same cycle. So nothing waits between the acceptance
  * and the die's queue, and the order of acceptance is the order at the die. It also means that a client must not take
  * an offer back, or change it. A channel gets a request a cycle, of one client, or for one die, every second cycle.
  * Answers take the same way back: a cycle ahead, a register for each client. An answer must not be taken back either.
  */
class NandScheduler(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val req         = Vec(NandClient.all.size, Flipped(Decoupled(new NandPageRequest(p)))) // index = NandClient
    val done        = Vec(NandClient.all.size, Decoupled(new NandPageDone(p)))
    val channel     = Vec(p.g.channels, Valid(new NandPageRequest(p)))                     // its die has a place for it
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

  // --- requests
  private val accepted = Seq.fill(p.g.channels)(RegInit(0.U(clients.W))) // by channel: whose request it has now
  private val grants   = for (((out, done), c) <- io.channel.zip(io.channelDone).zipWithIndex) yield {
    val admission = Module(new NandAdmission(p)).io
    val bits      = Reg(new NandPageRequest(p))
    val busy      = RegInit(false.B).suggestName(s"busy_$c") // one of `accepted(c)`
    out.valid := busy
    out.bits  := bits
    assert(busy === accepted(c).orR, "a channel gets what was accepted")

    // Places of the dies. A request that the channel has now is not counted yet, and its client still offers it. So
    // its die is left alone this time.
    val dies = for (die <- 0 until p.g.diesPerChannel) yield {
      val used   = RegInit(0.U(log2Ceil(p.k.dieQueueDepth + 1).W)).suggestName(s"used_${c}_$die")
      val held   = RegInit(0.U(log2Ceil(p.k.gcDiePlaces + 1).W)).suggestName(s"held_${c}_$die") // GC's of them
      val room   = RegInit(true.B).suggestName(s"room_${c}_$die")
      val gcRoom = RegInit(true.B).suggestName(s"gcRoom_${c}_$die")
      val comes  = out.valid && isOf(bits.slot, die)
      val leaves = done.fire && isOf(done.bits.slot, die) // a request leaves its place when its answer does
      val ofGc   = accepted(c)(gc) && comes
      val gcGone = leaves && done.bits.client === NandClient.gc
      val next   = used + comes - leaves
      val gcNext = held + ofGc - gcGone
      used   := next
      held   := gcNext
      room   := next =/= p.k.dieQueueDepth.U
      gcRoom := next =/= p.k.dieQueueDepth.U && gcNext =/= p.k.gcDiePlaces.U
      assert(!leaves || used =/= 0.U, "an answer of a die that was asked nothing")
      assert(!gcGone || held =/= 0.U, "an answer for GC, which asked nothing of this die")
      cover(!room, s"die $die of channel $c is full")
      (room && !comes, gcRoom && !comes, room && !gcRoom)
    }
    admission.asks := VecInit(io.req.zipWithIndex.map { case (req, i) =>
      val may = VecInit(dies.map { case (any, ofGc, _) => if (i == gc) ofGc else any })
      val die = if (dies.size == 1) 0.U else SlotAddress.die(p, req.bits.slot)
      req.valid && isOn(req.bits.slot, c) && may(die)
    }).asUInt
    accepted(c) := admission.grant
    busy        := admission.asks.orR
    when(admission.asks.orR)(bits := pick(OHToUInt(admission.grant), io.req.map(_.bits)))
    cover(
      io.req(gc).valid && isOn(io.req(gc).bits.slot, c) && some(dies.zipWithIndex.map { case ((_, _, gcFull), die) =>
        gcFull && isOf(io.req(gc).bits.slot, die)
      }),
      s"GC has its places of a die of channel $c"
    )
    admission.grant
  }
  for ((req, i) <- io.req.zipWithIndex) {
    req.ready := some(accepted.map(_(i)))
    val waits = RegNext(req.valid && !req.ready, false.B)
    val name  = Cat(req.bits.op.asUInt, req.bits.slot, req.bits.buf)
    assert(!waits || req.valid && name === RegNext(name), "a client takes an offer back, or changes it")
    assert(!req.valid || req.bits.client.asUInt === i.U, "a client asks in another one's name")
    cover(req.valid && waits && !req.ready, s"client $i waits for a die")
  }

  // --- answers
  private val taken   = Seq.fill(p.g.channels)(RegInit(false.B)) // by channel: its answer is taken now
  private val answers = for ((out, i) <- io.done.zipWithIndex) yield {
    val valid = RegInit(false.B).suggestName(s"answer_$i")
    val bits  = Reg(new NandPageDone(p)).suggestName(s"answer_${i}_bits")
    val room  = !valid || out.ready
    val wants = io.channelDone.zip(taken).map { case (done, now) =>
      done.valid && !now && done.bits.client.asUInt === i.U
    }
    val takes = RoundRobin(wants, room && some(wants)).map(_ && room)
    out.valid := valid
    out.bits  := bits
    valid     := some(wants) || !room
    when(some(takes))(bits := pick(OHToUInt(takes), io.channelDone.map(_.bits)))
    cover(valid && !out.ready, s"client $i takes no answer")
    cover(PopCount(wants) > 1.U, s"several answers for client $i")
    takes
  }
  for (((done, now), c) <- io.channelDone.zip(taken).zipWithIndex) {
    now        := some(answers.map(_(c)))
    done.ready := now
    assert(!now || done.valid, "a channel takes an answer back")
  }
  quiet := !some(grants.map(_.orR) ++ accepted.map(_.orR) ++ taken ++ answers.flatten ++ io.done.map(_.fire))
}
