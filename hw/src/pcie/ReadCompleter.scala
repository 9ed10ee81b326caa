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
  * poisoned, or with other data than are due makes its read fail. Due are the bytes that follow those that have come, in
  * whole beats: a host may only split at multiples of 64 or 128 bytes.
  *
  * Timing: it never waits. A piece takes three cycles; one a cycle passes.
  */
class ReadCompleter(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val in         = Flipped(Decoupled(new TlpPiece))
    val look       = Output(UInt(5.W))
    val found      = Input(new ReadState(p))
    val begins     = Valid(new ReadProgress(p))
    val ends       = Valid(new ReadProgress(p))
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
  private val most   = p.readBeats.U
  io.look := tag1(4, 0)

  // ------------------------------------------------------------------ second cycle: the slot is known
  private val valid2 = RegNext(valid1, false.B)
  private val head2  = RegNext(head1, false.B)
  private val piece2 = RegNext(piece1)
  private val slot2  = RegNext(tag1(p.slotBits - 1, 0))
  private val gen2   = RegNext(tag1(4, p.slotBits))
  private val ours2  = RegNext(!tag1(7, 5).orR)
  private val beats2 = RegNext(beats1)
  private val bytes2 = RegNext(dw(1)(11, 4))
  private val low2   = RegNext(dw(2)(6, 4))
  private val good2  = RegNext(
    dw(1)(15, 13) === Tlp.Status.success.U && Tlp.hasData(dw(0)) && !Tlp.poisoned(dw(0)) && !Tlp.kind(dw(0))(0) &&
      !dw(0)(1, 0).orR && !dw(1)(3, 0).orR && !dw(2)(3, 0).orR && !piece1.last
  )
  private val fits2 = RegNext(beats1 <= most && beats1 =/= 0.U)
  private val waits = head2 && ours2 && io.found.waits
  private val due   = good2 && fits2 && bytes2 === io.found.left && low2 === io.found.low && beats2 <= io.found.left
  io.begins.valid           := waits
  io.begins.bits.slot       := slot2
  io.begins.bits.generation := gen2
  io.begins.bits.beats      := beats2
  io.begins.bits.good       := due

  // ------------------------------------------------------------------ third cycle: the data
  private val takes = Reg(Bool()) // data go into the slot
  private val slot3 = Reg(UInt(p.slotBits.W))
  private val gen3  = Reg(UInt(p.generationBits.W))
  private val at3   = Reg(UInt(p.beatBits.W))
  private val data3 = RegNext(piece2)
  private val have3 = RegNext(valid2 && !head2, false.B)
  when(head2) {
    takes := waits && due
    slot3 := slot2
    gen3  := gen2
    at3   := io.found.at
  }.elsewhen(have3)(at3 := at3 + 1.U)
  io.write.valid          := RegNext(have3 && takes, false.B)
  io.write.bits.place     := RegNext(Cat(slot3, at3))
  io.write.bits.data      := RegNext(data3.data)
  io.ends.valid           := RegNext(have3 && takes && data3.last, false.B)
  io.ends.bits.slot       := RegNext(slot3)
  io.ends.bits.generation := RegNext(gen3)
  io.ends.bits.good       := RegNext(!data3.cut)
  io.ends.bits.beats      := 0.U
  io.unexpected           := RegNext(head2 && !waits, false.B)

  cover(waits && !due, "ReadCompleter: a read fails")
  cover(waits && due && beats2 =/= io.found.left, "ReadCompleter: a part of a read")
  cover(io.ends.valid && !io.ends.bits.good, "ReadCompleter: a completion ends before its length")
  cover(head2 && !waits, "ReadCompleter: an unexpected completion")
}
