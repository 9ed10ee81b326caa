// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ring of slots that GcMover moves side by side: `gcMoves` places, each with the buffer of the same number.
  *
  * Slots enter in order, and each step takes them in that order: `judgeAt`, `appendAt` and `repointAt` are the next
  * places of the three steps.
  */
class GcRing(p: Params) {
  val n       = p.k.gcMoves
  val idxBits = log2Ceil(n).max(1)
  require(n >= 1)

  /** One slot; its buffer is gcBufBase + its place. */
  class Slot extends Bundle {
    val offset = UInt(p.offsetBits.W)
    val readOk = Bool()
    val copied = Bool()                        // programmed to `target`
    val others = UInt(p.refBits.W)             // sharers but the one that the copy's spare names, once it is `copied`
    val target = UInt(p.slotBits.W)
    val owner  = UInt(GcLookup.indexBits(p).W) // whose identity the copy has
  }

  /** How far a slot has come. `judged`: its programs are under way, or it has none. */
  object Stage extends ChiselEnum { val free, reading, read, judged, appended, durable = Value }

  // NAND requests that may be under way: what the dies and the page gatherer hold, and the reads.
  val pendingBits = log2Ceil((p.dies * (p.k.dieQueueDepth + 1) + 2) * p.g.slotsPerPage + n)

  val ring                           = Reg(Vec(n, new Slot))
  val stages                         = RegInit(VecInit.fill(n)(Stage.free))
  val left                           = RegInit(VecInit.fill(n)(0.U(pendingBits.W))) // programs of the slot under way
  val (judgeAt, appendAt, repointAt) = {
    def at = Reg(UInt(idxBits.W))
    (at, at, at)
  }

  def after(place: UInt): UInt      = Mux(place === (n - 1).U, 0.U, place + 1.U)
  def some(stage: Stage.Type): Bool = VecInit(stages.map(_ === stage)).asUInt.orR
}
