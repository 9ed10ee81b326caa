// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Counts what a remap command needs of the chains: entries by superblock, and the segments that they take.
  *
  * A count goes up when a reference is reserved, and down when it becomes an entry or is given back. So all counts are
  * zero between commands; after reset they are cleared one by one. The sum of segments is updated with each count. So
  * the check for room is one comparison, for any number of superblocks.
  */
class RemapNeeds(p: Params, capacity: RemapCapacityPort) {
  private val bits = log2Ceil(Formats.RemapPagesMax) + 1

  class Counting extends Bundle {
    val sb   = UInt(p.sbBits.W)
    val back = Bool()
  }
  val counted  = Wire(Valid(new Counting)) // an entry more, or with `back` one less
  val clearing = Wire(Bool())              // after reset, until `cleared`
  val afresh   = Wire(Bool())              // between commands: nothing is counted

  private val need    = SyncReadMem(p.superblocks, UInt(bits.W), SyncReadMem.WriteFirst)
  private val clearAt = RegInit(0.U(p.sbBits.W))
  when(clearing)(clearAt := clearAt + 1.U)
  val cleared         = RegNext(clearing && clearAt === (p.superblocks - 1).U, false.B)

  // In steps, each from registers: the need of a superblock is looked up (two cycles), counted, asked about, summed up.
  // One entry a cycle goes through them. One that follows another entry of its superblock takes that one's result.
  private class Step extends Bundle {
    val counting = new Counting
    val follows  = Bool() // the entry before it, a cycle ahead, is of the same superblock
  }
  private val lookUp = RegNext(counted, 0.U.asTypeOf(counted))
  private val found  = RegInit(0.U.asTypeOf(Valid(new Step)))
  private val count  = RegInit(0.U.asTypeOf(Valid(new Counting)))
  private val was    = Reg(UInt(bits.W))         // of `count`
  private val needs  = Mux(count.bits.back, was - 1.U, was + 1.U)
  private val looked = need.read(lookUp.bits.sb) // of a write in the same cycle it sees the new value
  found.valid         := lookUp.valid
  found.bits.counting := lookUp.bits
  found.bits.follows  := found.valid && found.bits.counting.sb === lookUp.bits.sb
  count.valid         := found.valid
  count.bits          := found.bits.counting
  was                 := Mux(found.bits.follows, needs, looked)
  when(count.valid || clearing)(need.write(Mux(clearing, clearAt, count.bits.sb), Mux(clearing, 0.U, needs)))

  private val asks  = RegNext(count.valid && !count.bits.back, false.B)
  private val asked = RegNext(needs)
  capacity.ask.valid   := asks
  capacity.ask.bits.sb := RegNext(count.bits.sb)
  // A chain may be longer than what one command can ask for (a board), or shorter (noRoom below).
  capacity.ask.bits.entries := asked.pad(p.chainEntryBits)(p.chainEntryBits - 1, 0)
  private val answered = ShiftRegister(asks, RemapTable.answersAfter, false.B, true.B)
  // A need too large for the port's width is larger than any chain.
  private val tooMuch = ShiftRegister(asked > p.chainEntries.U, RemapTable.answersAfter, false.B, true.B)

  val segments = Reg(UInt(bits.W))
  val noRoom   = Reg(Bool()) // a chain would become too long
  when(afresh) {
    segments := 0.U
    noRoom   := false.B
  }.elsewhen(answered) {
    segments := segments + capacity.begins
    noRoom   := noRoom || !capacity.fits || tooMuch
  }

  private val underWay = RegInit(0.U(log2Ceil(RemapTable.answersAfter + 4).W)) // cycles until it is all summed up
  when(counted.valid)(underWay := (RemapTable.answersAfter + 3).U)
    .elsewhen(underWay =/= 0.U)(underWay := underWay - 1.U)

  /** `segments` and `noRoom` are of all that was counted. */
  val settled = RegNext(!counted.valid && underWay === 0.U, true.B)

  private val owed = RegInit(0.U(bits.W)) // sum of `need`
  when(count.valid)(owed := Mux(count.bits.back, owed - 1.U, owed + 1.U))
  assert(!(count.valid && count.bits.back) || was =/= 0.U, "RemapEngine: more entries than were counted")
  cover(count.valid && found.valid && found.bits.follows, "RemapEngine: entries of one superblock in a row")

  /** No entry is counted. */
  val none = owed === 0.U
}
