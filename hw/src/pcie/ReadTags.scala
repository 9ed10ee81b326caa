// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A read request that has been sent. */
class ReadIssue(val p: PcieParams) extends Bundle {
  val beats  = UInt((p.beatBits + 1).W)
  val low    = UInt(3.W) // of its first beat's number, as completions have it
  val last   = Bool()    // of its burst
  val failed = Bool()    // it has not been sent
}

/** What completions say of the slot `look`. */
class ReadState(val p: PcieParams) extends Bundle {
  val waits = Bool()                   // a request with this tag is under way
  val left  = UInt((p.beatBits + 1).W) // beats
  val low   = UInt(3.W)                // of the next one
  val at    = UInt(p.beatBits.W)       // its place
}

/** On a completion's header, or on its data. */
class ReadVerdict(val p: PcieParams) extends Bundle {
  val slot       = UInt(p.slotBits.W)
  val generation = UInt(p.generationBits.W)
  val good       = Bool()
}

/** A request whose beats are there, or will not come. */
class ReadDelivery(val p: PcieParams) extends Bundle {
  val slot   = UInt(p.slotBits.W)
  val beats  = UInt((p.beatBits + 1).W)
  val last   = Bool()
  val failed = Bool()
}

/** The reads under way. Each has a slot, with room for its data. Slots are given away and delivered in turn, so that
  * data reach the bus in the order in which they were asked for, whatever the order of the completions.
  *
  * A tag is a slot and a generation, which changes with each use of the slot: the completion of a read that has failed
  * is unexpected, and does no harm to the next one.
  *
  * Timing: `tag` and `free` are right two cycles after an `issue`; the answer to `look` comes a cycle later. `begins`
  * comes with it, and is known to what is looked for two cycles after that.
  */
class ReadTags(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val free    = Output(Bool())
    val tag     = Output(UInt(5.W))
    val issue   = Flipped(Valid(new ReadIssue(p)))
    val look    = Input(UInt(5.W))                         // a tag
    val found   = Output(new ReadState(p))
    val begins  = Flipped(Valid(UInt((p.beatBits + 1).W))) // beats of a completion for the read in `found`
    val judged  = Flipped(Valid(new ReadVerdict(p)))       // what it was like
    val ends    = Flipped(Valid(new ReadVerdict(p)))       // its data are there; only of a read's last completion
    val abort   = Input(Bool())                            // all that are under way fail
    val deliver = Decoupled(new ReadDelivery(p))
    val timeout = Output(Bool())
  })
  private class Slot extends Bundle {
    val busy   = Bool()
    val done   = Bool()
    val failed = Bool()
  }
  private val n          = p.readSlots
  private val slots      = RegInit(VecInit.fill(n)(0.U.asTypeOf(new Slot)))
  private val generation = RegInit(VecInit.fill(n)(0.U(p.generationBits.W)))
  private val issues     = Reg(Vec(n, new ReadIssue(p)))
  private val left       = Reg(Vec(n, UInt((p.beatBits + 1).W)))
  private val low        = Reg(Vec(n, UInt(3.W)))
  private val at         = Reg(Vec(n, UInt(p.beatBits.W)))
  private val age        = Reg(Vec(n, UInt(2.W)))
  private val first      = RegInit(0.U(p.slotBits.W)) // the next to deliver
  private val next       = RegInit(0.U(p.slotBits.W)) // the next to give away

  // ------------------------------------------------------------------ time
  private val ticks = RegInit(0.U(log2Ceil(p.tick).W))
  private val tick  = RegNext(ticks === (p.tick - 1).U, false.B)
  ticks := Mux(ticks === (p.tick - 1).U, 0.U, ticks + 1.U)
  private val expired = Wire(Vec(n, Bool()))

  // ------------------------------------------------------------------ delivery
  private val offered  = RegInit(false.B)
  private val delivery = Reg(new ReadDelivery(p))
  private val ready    = RegNext(VecInit(slots.map(s => s.busy && (s.done || s.failed))))
  private val freed    = io.deliver.fire
  when(freed) {
    offered := false.B
    first   := first + 1.U
  }.elsewhen(!offered && !RegNext(freed, false.B) && ready(first)) {
    offered         := true.B
    delivery.slot   := first
    delivery.beats  := issues(first).beats
    delivery.last   := issues(first).last
    delivery.failed := slots(first).failed
  }
  io.deliver.valid := offered
  io.deliver.bits  := delivery

  // ------------------------------------------------------------------ what completions look for
  private val found = Wire(new ReadState(p))
  private val place = RegNext(io.look(p.slotBits - 1, 0))
  private val of    = UIntToOH(io.look(p.slotBits - 1, 0), n).asBools
  found.waits := RegNext(
    Mux1H(of, slots.map(s => s.busy && !s.done && !s.failed)) &&
      Mux1H(of, generation) === io.look(4, p.slotBits),
    false.B
  )
  found.left := RegNext(Mux1H(of, left))
  found.low  := RegNext(Mux1H(of, low))
  found.at   := RegNext(Mux1H(of, at))
  io.found   := found

  private val judged = RegNext(io.judged, 0.U.asTypeOf(io.judged))
  private val ends   = RegNext(io.ends, 0.U.asTypeOf(io.ends))
  for (i <- 0 until n) {
    val slot    = slots(i)
    val pending = slot.busy && !slot.done && !slot.failed
    val issued  = io.issue.valid && next === i.U
    val begun   = io.begins.valid && found.waits && place === i.U
    val wrong   =
      judged.valid && !judged.bits.good && judged.bits.slot === i.U && judged.bits.generation === generation(i)
    val ended = ends.valid && ends.bits.slot === i.U && ends.bits.generation === generation(i)
    expired(i) := pending && tick && age(i) === 3.U
    when(tick)(age(i) := age(i) + 1.U)
    when(begun) {
      left(i) := left(i) - io.begins.bits
      low(i)  := low(i) + io.begins.bits(2, 0)
      at(i)   := at(i) + io.begins.bits(p.beatBits - 1, 0)
    }
    // An error counts even in the cycle in which the last data have come.
    when(pending) {
      when(wrong || ended && !ends.bits.good || expired(i) || io.abort)(slot.failed := true.B)
        .elsewhen(ended)(slot.done := true.B)
    }
    when(freed && first === i.U) {
      slot.busy     := false.B
      generation(i) := generation(i) + 1.U
    }
    when(issued) {
      slot.busy   := true.B
      slot.done   := false.B
      slot.failed := io.issue.bits.failed
      issues(i)   := io.issue.bits
      left(i)     := io.issue.bits.beats
      low(i)      := io.issue.bits.low
      at(i)       := 0.U
      age(i)      := 0.U
    }
    assert(!issued || !slot.busy, "ReadTags: a slot is given away twice")
    assert(!(slot.done && slot.failed), "ReadTags: a read is there and has failed")
  }
  when(io.issue.valid)(next := next + 1.U)

  // ------------------------------------------------------------------ what others look at
  private val used = RegInit(0.U((p.slotBits + 1).W))
  used       := used + io.issue.valid - freed
  io.free    := RegNext(used =/= n.U && !(io.issue.valid && used === (n - 1).U), true.B)
  io.tag     := RegNext(Cat(generation(next), next))
  io.timeout := RegNext(expired.asUInt.orR, false.B)

  private val other = VecInit(slots.zipWithIndex.map { case (s, i) => s.busy && s.done && first =/= i.U }).asUInt.orR
  cover(other && !offered && !ready(first), "ReadTags: a read is there before one that was asked for earlier")
  cover(!io.free, "ReadTags: as many reads under way as there are slots")
  cover(expired.asUInt.orR, "ReadTags: a read's time is over")
  cover(io.abort && used =/= 0.U, "ReadTags: reads are given up")
}
