// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Two lists of ranges: that of the command that runs, and that of the next one, which is decoded and searched
  * meanwhile. The remap engine reads a list as it reads firmware's from DRAM: a range is two beats.
  */
class RangeLists(p: Params) extends Module with Quiesces {
  private val most  = Formats.RemapRangesMax.toInt
  private val bits  = log2Ceil(most)
  private val align = log2Ceil(Formats.RemapRange.bytes)
  val io            = IO(new Bundle {
    val write = Flipped(Valid(new Bundle {
      val at    = UInt((bits + 1).W) // list and place in it
      val range = new ListedRange(p)
    }))
    val look   = Flipped(Valid(UInt((bits + 1).W)))
    val looked = Valid(new ListedRange(p)) // two cycles later
    val ranges = Flipped(new AxiRead(AxiParams(p.dramAddrBits)))
  })
  private val memory = SyncReadMem(2 * most, new ListedRange(p))
  when(io.write.valid)(memory.write(io.write.bits.at, io.write.bits.range))
  io.looked.bits  := RegNext(memory.read(io.look.bits))
  io.looked.valid := RegNext(RegNext(io.look.valid, false.B), false.B)

  private val at      = Reg(UInt((bits + 1).W)) // range that the remap engine has asked for
  private val giving  = RegInit(false.B)
  private val high    = Reg(Bool())             // the second beat
  private val next    = io.ranges.ar.bits.addr(align + bits, align)
  private val found   = memory.read(Mux(io.ranges.ar.fire, next, at))
  private val record  = Wire(new Formats.RemapRange)
  private val leaving = Module(new Skid(chiselTypeOf(io.ranges.r.bits)))
  private val answers = leaving.io.in
  io.ranges.r <> leaving.io.out
  record            := 0.U.asTypeOf(record)
  record.src        := found.src
  record.dst        := found.dst
  record.nlb        := found.pages
  answers.valid     := giving
  answers.bits.data := Mux(high, record.asUInt(255, 128), record.asUInt(127, 0))
  answers.bits.resp := Axi4.OKAY.U
  answers.bits.last := high
  private val gave = answers.fire && high
  io.ranges.ar.ready := !giving || gave
  when(answers.fire)(high := true.B)
  when(gave)(giving       := false.B)
  when(io.ranges.ar.fire) {
    giving := true.B
    high   := false.B
    at     := next
  }
  quiet := !giving && !io.ranges.ar.valid && leaving.quiet && !io.write.valid && !io.look.valid

  assert(!io.ranges.ar.fire || io.ranges.ar.bits.len === 1.U, "RangeLists: a range is two beats")
  cover(io.ranges.ar.fire && gave, "RangeLists: ranges without a gap")
  cover(io.ranges.ar.valid && !io.ranges.ar.ready, "RangeLists: an address waits")
}

object RangeLists {

  /** Address of the first range of a list, at the port `ranges`. */
  def address(p: Params, list: UInt): UInt =
    (list ## 0.U(log2Ceil(Formats.RemapRangesMax.toInt * Formats.RemapRange.bytes).W)).pad(p.dramAddrBits)
}
