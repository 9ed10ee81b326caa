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
  */
class IrqCoalescer(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val raise    = Flipped(Valid(new IrqRaise(p)))
    val settings = Input(new IrqCoalescing)
    val changed  = Input(Bool()) // the settings have been written
    val vector   = Flipped(Valid(new IrqVectorConfig(p)))
    val clear    = Input(Bool())
    val msix     = Valid(UInt(p.vectorBits.W))
  })
  private val vectors = p.queues                                 // a vector for each completion queue
  private val direct  = RegInit(VecInit.fill(vectors)(false.B))
  private val waiting = RegInit(VecInit.fill(vectors)(0.U(8.W))) // entries
  private val ticks   = Reg(Vec(vectors, UInt(8.W)))             // left
  private val due     = RegInit(VecInit.fill(vectors)(false.B))
  private val any     = VecInit(waiting.map(_ =/= 0.U)).asUInt.orR

  private val inTick = RegInit(0.U(log2Ceil(p.irqTickCycles).W))
  private val tick   = inTick === (p.irqTickCycles - 1).U
  inTick := Mux(!any || tick, 0.U, inTick + 1.U)

  private val on     = io.settings.threshold =/= 0.U && io.settings.time =/= 0.U
  private val v      = io.raise.bits.vector
  private val atOnce = io.raise.valid && (io.raise.bits.admin || !on || direct(v))
  private val joins  = io.raise.valid && !atOnce
  private val enough = joins && waiting(v) >= io.settings.threshold

  for (i <- 0 until vectors) {
    val mine = v === i.U
    val late = waiting(i) =/= 0.U && tick && ticks(i) === 1.U
    when(waiting(i) =/= 0.U && tick)(ticks(i) := ticks(i) - 1.U)
    when(joins && mine) {
      waiting(i) := waiting(i) + 1.U
      when(waiting(i) === 0.U)(ticks(i) := io.settings.time)
    }
    when(io.msix.valid && io.msix.bits === i.U)(due(i) := false.B)
    when(late || enough && mine || io.changed && (waiting(i) =/= 0.U || joins && mine)) {
      due(i)     := true.B
      waiting(i) := 0.U
    }
    when(atOnce && mine)(waiting(i)                                  := 0.U) // this interrupt tells of all of them
    when(io.vector.valid && io.vector.bits.vector === i.U)(direct(i) := io.vector.bits.direct)
    when(io.clear) {
      due(i)     := false.B
      waiting(i) := 0.U
    }
    cover(late, s"IrqCoalescer: time is over for vector $i")
  }
  io.msix.valid := atOnce || due.asUInt.orR
  io.msix.bits  := Mux(atOnce, v, PriorityEncoder(due))
  quiet         := !any && !due.asUInt.orR

  assert(!io.raise.valid || v < vectors.U, "IrqCoalescer: a vector that does not exist")
  assert(!io.vector.valid || io.vector.bits.vector < vectors.U, "firmware bug: a vector that does not exist")
  cover(enough, "IrqCoalescer: entries enough")
  cover(atOnce && due.asUInt.orR, "IrqCoalescer: one that is due waits for one at once")
  cover(PopCount(due) > 1.U, "IrqCoalescer: several are due")
  cover(io.changed && any, "IrqCoalescer: settings change while entries wait")
}
