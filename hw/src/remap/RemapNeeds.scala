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

  private val need    = Mem(p.superblocks, UInt(bits.W))
  private val clearAt = RegInit(0.U(p.sbBits.W))
  when(clearing)(clearAt := clearAt + 1.U)
  val cleared         = clearAt === (p.superblocks - 1).U

  // In three steps, each from registers: the need of a superblock, whether its chain takes that, and the sum.
  private val counting = RegNext(counted, 0.U.asTypeOf(counted))
  private val needAt   = Mux(clearing, clearAt, counting.bits.sb)
  private val needNow  = need(needAt)
  private val needs    = Mux(counting.bits.back, needNow - 1.U, needNow + 1.U)
  when(counting.valid || clearing)(need.write(needAt, Mux(clearing, 0.U, needs)))
  private val asks  = RegNext(counting.valid && !counting.bits.back, false.B)
  private val asked = RegNext(needs)
  capacity.sb := RegNext(counting.bits.sb)
  // A chain may be longer than what one command can ask for (a board), or shorter (noRoom below).
  capacity.entries := asked.pad(p.chainEntryBits)(p.chainEntryBits - 1, 0)

  val segments = Reg(UInt(bits.W))
  val noRoom   = Reg(Bool()) // a chain would become too long
  when(afresh) {
    segments := 0.U
    noRoom   := false.B
  }.elsewhen(asks) {
    segments := segments + capacity.begins
    // A need too large for the port's width is larger than any chain.
    noRoom := noRoom || !capacity.fits || asked > p.chainEntries.U
  }

  /** `segments` and `noRoom` are of all that was counted. */
  val settled = !counting.valid && !asks

  private val owed = RegInit(0.U(bits.W)) // sum of `need`
  when(counting.valid)(owed := Mux(counting.bits.back, owed - 1.U, owed + 1.U))
  assert(!(counting.valid && counting.bits.back) || needNow =/= 0.U, "RemapEngine: more entries than were counted")

  /** No entry is counted. */
  val none = owed === 0.U
}
