// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A completion entry is in host memory and needs its interrupt. */
class IrqRaise(val p: Params) extends Bundle {
  val vector = UInt(p.vectorBits.W)
  val admin  = Bool() // of the admin completion queue: never held back
}

/** Set Features, Interrupt Coalescing (NVMe base spec): entries and time as the host gives them, 0's based and in 100
  * us.
  */
class IrqCoalescing extends Bundle {
  val threshold = UInt(8.W)
  val time      = UInt(8.W)
}

/** Set Features, Interrupt Vector Configuration: `direct` is Coalescing Disable. */
class IrqVectorConfig(val p: Params) extends Bundle {
  val vector = UInt(p.vectorBits.W)
  val direct = Bool()
}

/** Delays the interrupt of an MSI-X vector until more than `threshold` entries wait for it, or until `time` has passed
  * since the first of them.
  *
  * If either is 0, every entry raises its interrupt at once. All vectors share the ticks of 100 us, so a delay ends up
  * to a tick early and never late. A write to the settings raises all interrupts that wait; `clear` (controller reset)
  * forgets them.
  *
  * While `msix` is not taken, each vector remembers that it is due. So no interrupt is lost: after the last entry of a
  * vector its interrupt is given once more.
  *
  * All inputs are looked at a cycle late, so that they keep their order, and the interrupt at `msix` stands in a
  * register.
  */
class IrqCoalescer(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val raise    = Flipped(Valid(new IrqRaise(p)))
    val settings = Input(new IrqCoalescing)
    val changed  = Input(Bool()) // the settings have been written
    val vector   = Flipped(Valid(new IrqVectorConfig(p)))
    val clear    = Input(Bool())
    val msix     = Decoupled(UInt(p.vectorBits.W))
  })
  private val vectors = p.queues                                 // a vector for each completion queue
  private val direct  = RegInit(VecInit.fill(vectors)(false.B))
  private val waiting = RegInit(VecInit.fill(vectors)(0.U(8.W))) // entries
  private val ticks   = Reg(Vec(vectors, UInt(8.W)))             // left
  private val due     = RegInit(VecInit.fill(vectors)(false.B))
  private val any     = VecInit(waiting.map(_ =/= 0.U)).asUInt.orR

  private val inTick = RegInit(0.U(log2Ceil(p.irqTickCycles).W))
  private val tick   = RegNext(any && inTick === (p.irqTickCycles - 2).U, false.B) // `inTick` is at its end
  inTick := Mux(!any || tick, 0.U, inTick + 1.U)

  private val raise    = RegNext(io.raise, 0.U.asTypeOf(io.raise))
  private val settings = RegNext(io.settings)
  private val on       = RegNext(io.settings.threshold =/= 0.U && io.settings.time =/= 0.U, false.B)
  private val changed  = RegNext(io.changed, false.B)
  private val clear    = RegNext(io.clear, false.B)
  when(io.vector.valid)(direct(io.vector.bits.vector) := io.vector.bits.direct)

  private val offered = RegInit(false.B)
  private val loads   = io.msix.ready || !offered // an interrupt may go to `msix`
  private val mine    = VecInit.tabulate(vectors)(i => raise.valid && raise.bits.vector === i.U)
  private val atOnce  = VecInit(mine.zip(direct).map { case (m, d) => m && (raise.bits.admin || !on || d) })
  private val first   = PriorityEncoderOH(due)
  private val now     = atOnce.asUInt.orR

  for (i <- 0 until vectors) {
    val joins  = mine(i) && !atOnce(i)
    val waits  = waiting(i) =/= 0.U
    val late   = waits && tick && ticks(i) === 1.U
    val enough = joins && waiting(i) >= settings.threshold
    when(waits && tick)(ticks(i) := ticks(i) - 1.U)
    when(joins) {
      waiting(i) := waiting(i) + 1.U
      when(!waits)(ticks(i) := settings.time)
    }
    when(loads && (atOnce(i) || !now && first(i)))(due(i) := false.B)
    when(late || enough || changed && (waits || joins)) {
      due(i)     := true.B
      waiting(i) := 0.U
    }
    when(atOnce(i)) {
      waiting(i) := 0.U // this interrupt tells of all of them
      when(!loads)(due(i) := true.B)
    }
    when(clear) {
      due(i)     := false.B
      waiting(i) := 0.U
    }
    cover(late, s"IrqCoalescer: time is over for vector $i")
    cover(enough, s"IrqCoalescer: entries enough for vector $i")
  }
  when(loads)(offered := now || due.asUInt.orR)
  io.msix.valid := offered
  io.msix.bits  := RegEnable(Mux(now, raise.bits.vector, OHToUInt(first)), loads)
  quiet := !any && !(due.asUInt.orR && loads) && !io.msix.fire && !io.raise.valid && !raise.valid && !changed && !clear

  assert(!io.raise.valid || io.raise.bits.vector < vectors.U, "IrqCoalescer: a vector that does not exist")
  assert(!io.vector.valid || io.vector.bits.vector < vectors.U, "firmware bug: a vector that does not exist")
  assert(
    RegNext(!offered || io.msix.ready, true.B) || offered && RegNext(io.msix.bits) === io.msix.bits,
    "an interrupt stays until it is taken"
  )
  cover(now && due.asUInt.orR, "IrqCoalescer: one that is due waits for one at once")
  cover(now && !loads, "IrqCoalescer: one at once waits, because the one before is not taken")
  cover(PopCount(due) > 1.U, "IrqCoalescer: several are due")
  cover(changed && any, "IrqCoalescer: settings change while entries wait")
}
