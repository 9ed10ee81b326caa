// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** An AXI4 burst for an xSPI MRAM: where its first beat is, in beats. */
class XspiBurst(part: XspiPart, a: AxiParams) extends Bundle {
  val beat = UInt((log2Ceil(part.bytes) - a.sizeLog2).W)
  val len  = UInt(8.W) // beats - 1
}

/** Eight bytes of a write burst, the unit that NVRAM writes. */
class XspiUnit(part: XspiPart) extends Bundle {
  val unit   = UInt((log2Ceil(part.bytes) - 3).W) // its number in the part
  val data   = UInt(64.W)
  val writes = Bool()                             // its strobes are set; otherwise it is only there for `last`
  val last   = Bool()                             // of its burst
  val failed = Bool()                             // known in the last one: a unit of the burst had some of its strobes
}

/** Makes units of the bursts of an AXI4 master, in order.
  *
  * A unit whose strobes are set in part cannot be written: the memory has no masks, and takes bytes in pairs. It is
  * left out, and the burst fails.
  */
class XspiFeeder(part: XspiPart, a: AxiParams) extends Module {
  val io = IO(new Bundle {
    val burst = Flipped(Decoupled(new XspiBurst(part, a)))
    val w     = Flipped(Decoupled(new AxiWriteData(a)))
    val out   = Decoupled(new XspiUnit(part))
    val busy  = Output(Bool()) // units will come of a burst that has been taken
  })
  require(a.dataBits == 128, "a beat has two units")

  private class Beat extends Bundle {
    val data    = UInt(a.dataBits.W)
    val writes  = Vec(2, Bool())
    val partial = Bool()
    val last    = Bool()
  }
  private val w    = Skid(io.w)
  private val line = Module(new Queue(new Beat, 8))
  line.io.enq.valid := w.valid
  w.ready           := line.io.enq.ready
  private val halves = w.bits.strb.asBools.grouped(8).map(VecInit(_).asUInt).toSeq
  line.io.enq.bits.data    := w.bits.data
  line.io.enq.bits.writes  := VecInit(halves.map(_.andR))
  line.io.enq.bits.partial := VecInit(halves.map(half => half.orR && !half.andR)).asUInt.orR
  line.io.enq.bits.last    := w.bits.last

  private val active = RegInit(false.B)
  private val second = RegInit(false.B) // half of the beat
  private val beat   = Reg(UInt(io.burst.bits.beat.getWidth.W))
  private val failed = Reg(Bool())
  private val here   = line.io.deq.bits
  private val skid   = Module(new Skid(new XspiUnit(part)))
  private val ends   = skid.io.in.fire && second && here.last
  io.burst.ready         := !active
  io.busy                := active || skid.io.out.valid
  skid.io.in.valid       := active && line.io.deq.valid
  skid.io.in.bits.unit   := beat ## second
  skid.io.in.bits.data   := Mux(second, here.data(127, 64), here.data(63, 0))
  skid.io.in.bits.writes := Mux(second, here.writes(1), here.writes(0))
  skid.io.in.bits.last   := second && here.last
  skid.io.in.bits.failed := failed || here.partial
  line.io.deq.ready      := active && skid.io.in.ready && second
  io.out <> skid.io.out
  when(io.burst.fire) {
    active := true.B
    beat   := io.burst.bits.beat
    failed := false.B
  }
  when(skid.io.in.fire) {
    second := !second
    failed := failed || here.partial
    when(second)(beat := beat + 1.U)
    when(ends)(active := false.B)
  }

  private val left = Reg(UInt(8.W))
  when(io.burst.fire)(left := io.burst.bits.len)
  when(skid.io.in.fire && second) {
    left := left - 1.U
    assert(here.last === (left === 0.U), "XspiFeeder: a burst with as many beats as its address says")
  }
  cover(active && !line.io.deq.valid, "XspiFeeder: a burst waits for its data")
  cover(w.valid && !line.io.enq.ready, "XspiFeeder: data waits for those before it")
  cover(skid.io.in.fire && here.partial, "XspiFeeder: some strobes of a unit")
  cover(skid.io.in.fire && !here.partial && !skid.io.in.bits.writes, "XspiFeeder: a unit that is left out")
}
