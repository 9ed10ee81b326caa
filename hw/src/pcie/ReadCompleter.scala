// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A write into the memory of the slots. */
class SlotWrite(val p: PcieParams) extends Bundle {
  val place = UInt((p.slotBits + p.beatBits).W) // slot and beat
  val data  = UInt(128.W)
}

/** Completions: it finds the read that each belongs to, and puts the data into its slot. A completion with an error,
  * poisoned, or with other data than are due makes its read fail. Due are the bytes that follow those that have come,
  * in whole beats: a host may only split at multiples of 64 or 128 bytes.
  *
  * Timing: it never waits. A piece takes five cycles; one a cycle passes.
  */
class ReadCompleter(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val in         = Flipped(Decoupled(new TlpPiece))
    val look       = Output(UInt(5.W))
    val found      = Input(new ReadState(p))
    val begins     = Valid(UInt((p.beatBits + 1).W))
    val judged     = Valid(new ReadVerdict(p))
    val ends       = Valid(new ReadVerdict(p))
    val write      = Valid(new SlotWrite(p))
    val unexpected = Output(Bool())
  })
  io.in.ready := true.B

  // ------------------------------------------------------------------ first cycle: the fields of the header
  private val valid1 = RegNext(io.in.valid, false.B)
  private val piece1 = RegNext(io.in.bits)
  private val head1  = valid1 && piece1.first
  private val dw     = Seq.tabulate(3)(piece1.dw)
  private val tag1   = dw(2)(15, 8)
  private val beats1 = dw(0)(9, 2)
  io.look := tag1(4, 0)

  // ------------------------------------------------------------------ second cycle: the read is known
  private val valid2 = RegNext(valid1, false.B)
  private val head2  = RegNext(head1, false.B)
  private val ours2  = RegNext(head1 && !tag1(7, 5).orR, false.B)
  private val piece2 = RegNext(piece1)
  private val tag2   = RegNext(tag1)
  private val beats2 = RegNext(beats1)
  private val bytes2 = RegNext(dw(1)(11, 4))
  private val low2   = RegNext(dw(2)(6, 4))
  private val plain2 = RegNext(
    dw(1)(15, 13) === Tlp.Status.success.U && Tlp.hasData(dw(0)) && !Tlp.poisoned(dw(0)) && !Tlp.kind(dw(0))(0)
  )
  private val whole2 = RegNext(!dw(0)(1, 0).orR && !dw(1)(3, 0).orR && !dw(2)(3, 0).orR && !piece1.last)
  private val some2  = RegNext(beats1 <= p.readBeats.U && beats1 =/= 0.U)
  io.begins.valid := ours2
  io.begins.bits  := beats2(p.beatBits, 0)

  // ------------------------------------------------------------------ third cycle: whether these data are due
  private val valid3 = RegNext(valid2, false.B)
  private val head3  = RegNext(head2, false.B)
  private val piece3 = RegNext(piece2)
  private val tag3   = RegNext(tag2)
  private val at3    = RegNext(io.found.at)
  private val final3 = RegNext(beats2 === io.found.left)
  private val waits3 = RegNext(ours2 && io.found.waits, false.B)
  private val due3   = RegNext(plain2 && whole2 && some2) && RegNext(bytes2 === io.found.left) &&
    RegNext(low2 === io.found.low && beats2 <= io.found.left)
  io.judged.valid           := RegNext(waits3, false.B)
  io.judged.bits.slot       := RegNext(tag3(p.slotBits - 1, 0))
  io.judged.bits.generation := RegNext(tag3(4, p.slotBits))
  io.judged.bits.good       := RegNext(due3)
  io.unexpected             := RegNext(head3 && !waits3, false.B)

  // ------------------------------------------------------------------ fourth cycle: the data
  private val takes = Reg(Bool()) // they go into the slot
  private val fills = Reg(Bool()) // and are the last of the read
  private val tag4  = Reg(UInt(8.W))
  private val at4   = Reg(UInt(p.beatBits.W))
  private val data4 = RegNext(piece3)
  private val have4 = RegNext(valid3 && !head3, false.B)
  when(head3) {
    takes := waits3 && due3
    fills := final3
    tag4  := tag3
    at4   := at3
  }.elsewhen(have4)(at4 := at4 + 1.U)
  io.write.valid          := RegNext(have4 && takes, false.B)
  io.write.bits.place     := RegNext(Cat(tag4(p.slotBits - 1, 0), at4))
  io.write.bits.data      := RegNext(data4.data)
  io.ends.valid           := RegNext(have4 && takes && data4.last && (fills || data4.cut), false.B)
  io.ends.bits.slot       := RegNext(tag4(p.slotBits - 1, 0))
  io.ends.bits.generation := RegNext(tag4(4, p.slotBits))
  io.ends.bits.good       := RegNext(!data4.cut)

  cover(waits3 && !due3, "ReadCompleter: a read fails")
  cover(waits3 && due3 && !final3, "ReadCompleter: a part of a read")
  cover(io.ends.valid && !io.ends.bits.good, "ReadCompleter: a completion ends before its length")
  cover(head3 && !waits3, "ReadCompleter: an unexpected completion")
}
