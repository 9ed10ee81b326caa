// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Bytes of host memory that one write request carries: dwords without a gap between them. */
class WriteRun(val p: PcieParams) extends Bundle {
  val addr    = UInt(62.W)                   // of the first dword
  val dwords  = UInt((p.axi.sizeLog2 + 5).W) // none: only an answer is due
  val firstBe = UInt(4.W)
  val lastBe  = UInt(4.W)
  val last    = Bool()                       // of its burst
}

/** AXI writes of host memory to runs, and their beats. Beats whose bytes follow each other are one run, up to a
  * multiple of the largest write; so none crosses 4 KiB. A beat with gaps between its bytes becomes a run for each
  * dword, and is in `data` once for each.
  *
  * Timing: a beat a cycle. A run is there when its last beat has come.
  */
class WriteGatherer(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val aw     = Flipped(Decoupled(new AxiAddr(p.axi)))
    val w      = Flipped(Decoupled(new AxiWriteData(p.axi)))
    val config = Input(new PcieConfig)
    val run    = Decoupled(new WriteRun(p))
    val data   = Decoupled(UInt(128.W))
  })
  private val runs = Module(new HeadQueue(new WriteRun(p), 16))
  private val data = Module(new HeadQueue(UInt(128.W), 2 * p.writeBeats, blockRam = true))
  io.run <> runs.io.out
  io.data <> data.io.out

  // ------------------------------------------------------------------ beats, and what their strobes say
  private class Part extends Bundle {
    val data   = UInt(128.W)
    val strb   = UInt(16.W)
    val last   = Bool()    // of the burst
    val some   = UInt(4.W) // dwords with a byte
    val low    = UInt(2.W) // the first of these
    val high   = UInt(2.W) // and the last
    val joined = Bool()    // its bytes follow each other
  }
  private val in    = Skid(io.w)
  private val fresh = RegInit(false.B)
  private val part  = Reg(new Part)
  private val uses  = Wire(Bool()) // the part is used up
  private val strb  = in.bits.strb
  private val some  = VecInit(Seq.tabulate(4)(i => strb(4 * i + 3, 4 * i).orR)).asUInt
  // Rows of bytes begin here. There may be one.
  private val begins  = Seq.tabulate(4)(i => (strb & ~Cat(strb(14, 0), 0.U(1.W)))(4 * i + 3, 4 * i))
  private val inDword = begins.map(g => g(0) && g(2) || g(0) && g(3) || g(1) && g(3)).reduce(_ || _)
  private val has     = begins.map(_.orR)
  private val across  = (for (i <- 0 until 4; j <- i + 1 until 4) yield has(i) && has(j)).reduce(_ || _)
  in.ready := !fresh || uses
  when(in.ready) {
    fresh       := in.valid
    part.data   := in.bits.data
    part.strb   := strb
    part.last   := in.bits.last
    part.some   := some
    part.low    := PriorityEncoder(some)
    part.high   := 3.U - PriorityEncoder(Reverse(some))
    part.joined := !(inDword || across)
  }

  // ------------------------------------------------------------------ where they go
  private val edgeBits = log2Ceil(p.writeBeats)
  private val aw       = Skid(io.aw)
  private val known    = RegInit(false.B)
  private val beat     = Reg(UInt(60.W))
  // The bits of a beat's number that are ones in the last beat before a multiple of the largest write.
  private val ones = RegNext(
    MuxLookup(io.config.payload, (p.writeBeats - 1).U(edgeBits.W))((3 to edgeBits).zipWithIndex.map { case (bits, i) =>
      i.U -> ((1 << bits) - 1).U
    })
  )
  private val edge = (beat(edgeBits - 1, 0) | ~ones).andR
  private val ends = uses && part.last
  aw.ready := !known || ends
  when(aw.ready) {
    known := aw.valid
    beat  := aw.bits.addr >> 4
  }.elsewhen(uses)(beat := beat + 1.U)

  // ------------------------------------------------------------------ runs
  private val run   = Reg(new WriteRun(p))
  private val valid = RegInit(false.B)
  private val open  = RegInit(false.B)  // what follows may join it
  private val spent = RegInit(0.U(4.W)) // dwords of a part with gaps that have got their run
  private val here  = fresh && known
  private val none  = !part.some.orR
  private val rest  = part.some & ~spent
  private val lane  = PriorityEncoder(rest)
  private val final0 = part.joined || (rest & (rest - 1.U)) === 0.U // the part's last run
  private val low    = Mux(part.joined, part.low, lane)
  private val high   = Mux(part.joined, part.high, lane)
  private val joins  = valid && open && part.joined && part.strb(0)
  private val bytes  = VecInit(Seq.tabulate(4)(i => part.strb(4 * i + 3, 4 * i)))
  private val gives  = valid && (!open || here && !joins)
  private val takes  = here && (joins || !valid || runs.io.in.ready) && (none || data.io.in.ready)

  runs.io.in.valid := gives
  runs.io.in.bits  := run
  data.io.in.valid := takes && !none
  data.io.in.bits  := part.data
  uses             := takes && final0
  when(gives && runs.io.in.ready)(valid := false.B)
  when(takes) {
    spent := Mux(final0, 0.U, spent | UIntToOH(lane, 4))
    when(joins) {
      run.dwords := run.dwords + high + 1.U
    }.otherwise {
      valid       := !none || part.last
      run.addr    := Cat(beat, low)
      run.dwords  := Mux(none, 0.U, high - low +& 1.U)
      run.firstBe := bytes(low)
    }
    run.lastBe := bytes(high)
    run.last   := part.last && final0
    open       := part.joined && part.strb(15) && !edge && !part.last
  }

  assert(!takes || !none || part.joined, "WriteGatherer: a beat without bytes has no gaps")
  cover(here && !part.joined, "WriteGatherer: gaps between the bytes of a beat")
  cover(here && none, "WriteGatherer: a beat without bytes")
  cover(takes && edge && !part.last, "WriteGatherer: a burst is split")
  cover(here && !data.io.in.ready, "WriteGatherer: as many beats wait as it can hold")
  cover(gives && !runs.io.in.ready, "WriteGatherer: as many runs wait as it can hold")
  cover(fresh && !known, "WriteGatherer: data come before their address")
}
