// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Searches sources in a list of targets that are ascending and disjoint: whether a source meets one of them.
  *
  * The targets come first, with their places in the list. Then a source may come in each cycle, and its answer
  * `RangeSearch.answersAfter` cycles later. The search looks for the last target that begins before the source's end.
  * Of those that do, it is the one that ends last, so it alone tells.
  *
  * It is a binary search, bit by bit of the target's place, the highest first. The step for bit `b` only ever looks at
  * places whose lowest set bit is `b`. So each step has a memory of its own with these, and all steps work at a time,
  * on one source each. What a longer list has left there is told apart by its place.
  *
  * @param most
  *   targets of a list
  */
class RangeSearch(p: Params, most: Int = Formats.RemapRangesMax.toInt) extends Module {
  private val steps   = log2Ceil(most)
  private val lpnBits = RangeDecoder.lpnBits(p)
  require(most == 1 << steps)
  private class Extent extends Bundle {
    val begin, end = UInt(lpnBits.W)
  }
  val io = IO(new Bundle {
    val target = Flipped(Valid(new Bundle {
      val index      = UInt(steps.W)
      val begin, end = UInt(lpnBits.W)
    }))
    val targets = Input(UInt((steps + 1).W)) // there are so many, 1 at least; holds while sources are searched
    val source  = Flipped(Valid(new Bundle { val begin, end = UInt(lpnBits.W) }))
    val met     = Valid(Bool())
  })

  private class Step extends Bundle {
    val begin, end = UInt(lpnBits.W) // the source
    val place      = UInt(steps.W)   // of the target, as far as it is known
  }
  private val index = io.target.bits.index
  private val start = Wire(new Step)
  start.begin := io.source.bits.begin
  start.end   := io.source.bits.end
  start.place := 0.U
  private val last = (0 until steps).reverse.foldLeft(RegNext(start)) { (step, b) =>
    val mine = io.target.valid && index(b, 0) === (1 << b).U
    val read =
      if (b == steps - 1) RegEnable(io.target.bits.begin, mine)
      else {
        val memory = Mem(most >> (b + 1), UInt(lpnBits.W)).suggestName(s"begins$b")
        when(mine)(memory.write(index >> (b + 1), io.target.bits.begin))
        memory(step.place >> (b + 1))
      }
    // First the target, then the comparison.
    val begin  = RegNext(read)
    val exists = RegNext((step.place | (1 << b).U) < io.targets)
    val held   = RegNext(step)
    val found  = Wire(new Step)
    found       := held
    found.place := held.place | ((exists && begin < held.end) << b)
    RegNext(found)
  }

  // The place is known: what is there, in full. A block RAM, and its output register.
  private val extents = SyncReadMem(most, new Extent)
  private val extent  = Wire(new Extent)
  extent.begin := io.target.bits.begin
  extent.end   := io.target.bits.end
  when(io.target.valid)(extents.write(index, extent))
  private val target = RegNext(extents.read(last.place))
  private val source = RegNext(RegNext(last))
  io.met.bits  := RegNext(VecInit(target.begin < source.end, source.begin < target.end)).asUInt.andR
  io.met.valid := ShiftRegister(io.source.valid, RangeSearch.answersAfter(most), false.B, true.B)
}

object RangeSearch {

  /** Cycles from a source to its answer, with lists of `most` targets. */
  def answersAfter(most: Int): Int = 1 + 2 * log2Ceil(most) + 3
}
