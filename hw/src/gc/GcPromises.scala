// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

object GcPromises {

  /** Cycles from a change of the slot in hand to the answers of it: a register, then the table. */
  val answersAfter = 1 + RemapTable.answersAfter
}

/** Counts what GcMover has promised to its target's chain: entries of slots whose copies are under way, and that are
  * not appended yet.
  *
  * Before a slot is programmed, the free segments must suffice for its own entries and for all promised entries that
  * are not appended yet. No other client can take segments meanwhile, since the remap engine needs the shareLock. All
  * promises at one time are to the same target.
  *
  * The questions about the chain come from registers. Their answers belong to the inputs of `GcPromises.answersAfter`
  * cycles before.
  *
  * @param sharers
  *   number of sharers of the slot in hand; it needs an entry for each of them but one
  * @param target
  *   superblock that its copy goes to
  * @param looking
  *   the slot has no target yet; `target` is that of the allocator's offer
  * @param offered
  *   there is an offer. Without one the next slot is the first of another superblock, whose chain is empty
  * @param asks
  *   the answers are wanted. Only then, as the remap engine's questions have the same answers
  */
class GcPromises(
    p: Params,
    capacity: RemapCapacityPort,
    sharers: UInt,
    target: UInt,
    looking: Bool,
    offered: Bool,
    asks: Bool
) {
  private val promised   = Reg(UInt(p.chainEntryBits.W))
  private val promisedTo = Reg(UInt(p.sbBits.W))
  private val most       = p.refMost - 1 // entries of a slot
  private val fresh      =               // segments in an empty chain
    RegNext(PopCount((0 to (most - 1) / p.entriesPerSeg).map(k => sharers > (k * p.entriesPerSeg + 1).U)))
  require(p.chainEntries >= p.refMost, "sharers of a slot fit into an empty chain, and the sum into its width")

  /** All promises have been kept. A cycle late, which is before anybody asks for it. */
  val kept = RegNext(promised === 0.U)

  /** There are promises to the target of the slot in hand. */
  val toTarget       = !kept && promisedTo === target
  private val wanted = Mux(toTarget, promised, 0.U) +& (sharers - 1.U)
  private val asked  = RegNext(wanted)
  private val to     = RegNext(target)
  private val had    = RegNext(offered, false.B)
  capacity.ask.valid        := RegNext(asks, false.B)
  capacity.ask.bits.sb      := to
  capacity.ask.bits.entries := asked(p.chainEntryBits - 1, 0)

  // The same question has been asked for as long as an answer takes. `steady` is two cycles late, so that no path leads
  // from the question to what its answer decides: GcMover compares what it was told of with the slot that it then gets.
  private val unchanged = to === RegNext(to) && had === RegNext(had) && asked === RegNext(asked)
  private val asked1    = RegNext(asks, false.B)
  private val asked2    = RegNext(asked1, false.B)
  private val steady    = RegNext(asks && asked1 && asked2 && unchanged, false.B)
  private val times     = RegInit(0.U(log2Ceil(GcPromises.answersAfter).W))
  private val last      = (GcPromises.answersAfter - 1).U
  when(!steady)(times := 0.U).elsewhen(times =/= last)(times := times + 1.U)

  /** What follows is of the slot in hand, as long as `asks` stays. All of it is in registers. */
  val weighed = RegNext(steady && times === last && asks, false.B)

  private val fitsNow  = RegNext(asked <= p.chainEntries.U) && capacity.fits
  private val knownNow = Mux(looking, RegNext(had, false.B) && fitsNow, fitsNow)

  /** The target's chain has room for the slot's sharers. */
  val fits = RegNext(fitsNow)

  /** That is known of the chain that the sharers will go to; else they go to an empty one. */
  val known     = RegNext(knownNow)
  val sameAsked = ShiftRegister(toTarget, 3, false.B, true.B)

  /** The superblock that the answers are of, where there was an offer. */
  val isOf: Valid[UInt] = {
    val it = Wire(Valid(UInt(p.sbBits.W)))
    it.valid := ShiftRegister(had, 2, false.B, true.B)
    it.bits  := ShiftRegister(to, 2)
    it
  }

  /** There are free segments for them, and for all that was promised before. */
  val enough = RegNext(Mux(knownNow, capacity.segments <= capacity.free, fresh <= capacity.free))

  /** An entry has been appended, which must be one of these. */
  def keepOne(): Unit = promised := promised - 1.U

  /** The sharers of the slot in hand. */
  def promise(): Unit = {
    promisedTo := target
    promised   := asked(p.chainEntryBits - 1, 0) // of the same slot and target as long as it is in hand
    assert(asked === wanted, "GcMover: more or less is promised than was asked for")
  }

  /** A slot's entries will not be appended. */
  def withdraw(entries: UInt): Unit = promised := promised - entries

  def begin(): Unit = promised := 0.U

  def areTo(sb: UInt): Bool = promisedTo === sb && !kept
}
