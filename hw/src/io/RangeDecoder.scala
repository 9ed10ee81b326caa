// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A range of a command, as RangeLists keeps it. Bounds are known to be good only where RangeDecoder says so. */
class ListedRange(val p: Params) extends Bundle {
  val src   = UInt(RangeDecoder.lpnBits(p).W)
  val dst   = UInt(RangeDecoder.lpnBits(p).W)
  val pages = UInt(RangeDecoder.pageBits.W)
}

/** Where a command's ranges come from. */
class RangeForm(val p: Params) extends Bundle {
  val copies  = Bool()     // Copy: targets follow each other, from `target` on
  val format1 = Bool()     // Copy: descriptor format
  val source  = UInt(64.W) // of a single range,
  val target  = UInt(64.W) // and its target; of a Copy SDLBA
  val pages   = UInt(32.W)
}

/** Turns the words of a command's list into ranges, as they come from the host, and judges each: whether its bounds are
  * in the namespace, reserved fields are zero, its target lies behind the target before it, and the pages of all are as
  * many as one command may have.
  *
  * The targets of a good list are therefore ascending and disjoint. `apart` says of a good list that no source meets a
  * target, since all sources lie before the first target or behind the last one. A list that is not apart may still be
  * good, but for a Copy or a single range, whose targets are one run. Of the sources that end behind the first target's
  * begin the decoder keeps the one that begins first (`nearest`).
  */
class RangeDecoder(p: Params) extends Module {
  private val lpnBits  = RangeDecoder.lpnBits(p)
  private val pageBits = RangeDecoder.pageBits
  val io               = IO(new Bundle {
    val begin  = Input(Bool()) // of a command. `form` holds from the cycle after it until the next one
    val form   = Input(new RangeForm(p))
    val nsze   = Input(UInt(32.W))
    val word   = Flipped(Valid(UInt(p.dataBits.W)))
    val single = Input(Bool()) // the command is one range, that of `form`
    // Two cycles after the word that completes it. Ranges are two cycles apart at least.
    val range = Valid(new Bundle {
      val index = UInt(log2Ceil(Formats.RemapRangesMax).W)
      val range = new ListedRange(p)
      val end   = UInt(lpnBits.W) // of the target
    })
    val count = Output(UInt(log2Ceil(Formats.RemapRangesMax + 1).W)) // ranges that were given
    val bad   = Output(Bool())                                       // one of them is not good, once
    val apart = Output(Bool())
    val still = Output(Bool())                                       // no range is under way
  })

  // ------------------------------------------------------------------ words to entries
  private class Entry extends Bundle {
    val src, dst = UInt(64.W)
    val pages    = UInt(32.W)
    val strange  = Bool() // a reserved field is not zero
  }
  private val phase = Reg(UInt(3.W))   // of the word that comes; format 1 has two entries in five words
  private val entry = Reg(new Entry)
  private val whole = RegInit(false.B) // `entry` is, for one cycle
  private val next  = Reg(UInt(32.W))  // Copy: first target of the next entry
  private val word  = io.word.bits
  private val ends  = phase === 1.U || phase === 3.U
  whole := io.word.valid && ends || io.single
  when(io.word.valid) {
    phase         := Mux(phase === Mux(io.form.format1, 4.U, 1.U), 0.U, phase + 1.U)
    when(phase === 0.U)(entry.src := Mux(io.form.copies, word(127, 64), word(63, 0)))
    when(phase === 3.U)(entry.src := word(63, 0))
    when(phase === 0.U)(entry.dst := word(127, 64))
    entry.pages   := Mux(io.form.copies, Mux(phase === 3.U, word(79, 64), word(15, 0)) +& 1.U, word(31, 0))
    entry.strange := !io.form.copies && word(127, 32).orR
  }
  when(io.word.valid && ends && io.form.copies)(entry.dst := next)
  when(io.single) {
    entry.src     := io.form.source
    entry.dst     := io.form.target
    entry.pages   := io.form.pages
    entry.strange := false.B
  }

  // ------------------------------------------------------------------ entries to ranges
  private val gives    = RegNext(whole, false.B)
  private val at       = Reg(UInt(log2Ceil(Formats.RemapRangesMax + 1).W))
  private val range    = Reg(new ListedRange(p))
  private val pages    = entry.pages(pageBits - 1, 0)
  private val sourceTo = RegEnable(entry.src(31, 0) +& pages, whole)
  private val targetTo = Reg(UInt(33.W)) // end of the last target
  private val total    = Reg(UInt((pageBits + 1).W))
  private val wild     = RegEnable(
    (entry.src(63, 32) ## entry.dst(63, 32) ## entry.pages(31, pageBits) ## entry.strange).orR,
    whole
  )
  private val empty = RegEnable(entry.pages === 0.U, whole)
  private val back  = RegEnable(entry.dst(31, 0).pad(33) < targetTo, whole)
  when(whole) {
    next        := next + pages
    targetTo    := entry.dst(31, 0) +& pages
    total       := total + pages
    range.src   := entry.src(lpnBits - 1, 0)
    range.dst   := entry.dst(lpnBits - 1, 0)
    range.pages := pages
  }
  when(gives)(at := at + 1.U)
  io.range.valid      := gives
  io.range.bits.index := at
  io.range.bits.range := range
  io.range.bits.end   := targetTo(lpnBits - 1, 0)
  io.count            := at

  // ------------------------------------------------------------------ the verdict, in two more steps
  private def beyond(end: UInt): Bool = (io.nsze.pad(34) - end.pad(34))(33) // the sign of what is left
  private val most                    = Mux(io.form.copies, p.copyPages.U, Formats.RemapPagesMax.U)
  private val judged                  = RegNext(gives, false.B)
  private val faults = RegNext(VecInit(beyond(sourceTo), beyond(targetTo), total > most, wild || empty || back).asUInt)
  private val bad    = Reg(Bool())
  when(judged && faults.orR)(bad := true.B)

  // ---------------------------------------------------------------- sources between the first target and the last one
  private val any     = Reg(Bool())          // the first range has come
  private val first   = Reg(UInt(lpnBits.W)) // target
  private val nearest = Reg(UInt((lpnBits + 1).W))
  private val reaches = RegNext(sourceTo(lpnBits - 1, 0) > first)
  private val source  = RegNext(range.src)
  when(whole) {
    any := true.B
    when(!any)(first := entry.dst(lpnBits - 1, 0))
  }
  when(judged && reaches && source.pad(lpnBits + 1) < nearest)(nearest := source)
  io.apart := nearest >= targetTo(lpnBits - 1, 0)
  io.bad   := bad
  io.still := !io.word.valid && !io.single && !whole && !gives && !judged

  when(io.begin) {
    phase    := 0.U
    at       := 0.U
    total    := 0.U
    targetTo := 0.U
    bad      := false.B
    any      := false.B
    nearest  := Fill(lpnBits + 1, 1.U(1.W)) // behind every page
  }
  when(RegNext(io.begin, false.B))(next := io.form.target(31, 0))

  assert(!whole || !gives, "RangeDecoder: entries are two words apart")
  assert(!io.begin || io.still, "RangeDecoder: a command begins before the list of the last one has ended")
  assert(!gives || at < Formats.RemapRangesMax.U, "RangeDecoder: a range more than there may be")
  cover(judged && faults(0), "RangeDecoder: a source outside of the namespace")
  cover(judged && faults(1), "RangeDecoder: a target outside of the namespace")
  cover(judged && faults(2), "RangeDecoder: too many pages")
  cover(gives && back, "RangeDecoder: targets that do not ascend")
  cover(gives && empty, "RangeDecoder: a range without pages")
  cover(io.still && !bad && !io.apart, "RangeDecoder: a source between the targets")
  cover(gives && wild, "RangeDecoder: a range of more than 32 bits, or with a reserved field")
}

object RangeDecoder {
  def lpnBits(p: Params): Int = log2Ceil(p.lpns + 1)
  val pageBits: Int           = log2Ceil(Formats.RemapPagesMax.toInt + 1)
}
