// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Counts what GcMover has promised to its target's chain: entries of slots whose copies are under way, and that are
  * not appended yet.
  *
  * Before a slot is programmed, the free segments must suffice for its own entries and for all promised entries that
  * are not appended yet. No other client can take segments meanwhile, since the remap engine needs the shareLock. All
  * promises at one time are to the same target.
  *
  * The queries to the chain come from registers, so the answers belong to the inputs of the cycle before.
  *
  * @param sharers
  *   number of sharers of the slot in hand; it needs an entry for each of them but one
  * @param target
  *   superblock that its copy goes to
  * @param looking
  *   the slot has no target yet; `target` is that of the allocator's offer
  * @param offered
  *   there is an offer. Without one the next slot is the first of another superblock, whose chain is empty
  */
class GcPromises(
    p: Params,
    capacity: RemapCapacityPort,
    sharers: UInt,
    target: UInt,
    looking: Bool,
    offered: Bool
) {
  private val promised   = Reg(UInt(p.chainEntryBits.W))
  private val promisedTo = Reg(UInt(p.sbBits.W))
  private val most       = p.refMost - 1 // entries of a slot
  private val fresh      =               // segments in an empty chain
    PopCount((0 to (most - 1) / p.entriesPerSeg).map(k => sharers - 1.U > (k * p.entriesPerSeg).U))
  require(p.chainEntries >= p.refMost, "sharers of a slot fit into an empty chain, and the sum into its width")

  /** All promises have been kept. */
  val kept = promised === 0.U

  /** There are promises to the target of the slot in hand. */
  val toTarget       = !kept && promisedTo === target
  private val wanted = Mux(toTarget, promised, 0.U) +& (sharers - 1.U)
  private val asked  = RegNext(wanted)
  capacity.sb      := RegNext(target)
  capacity.entries := asked(p.chainEntryBits - 1, 0)

  /** The target's chain has room for the slot's sharers. */
  val fits = asked <= p.chainEntries.U && capacity.fits

  /** That is known of the chain that the sharers will go to; else they go to an empty one. */
  val known     = Mux(looking, RegNext(offered, false.B) && fits, fits)
  val sameAsked = RegNext(toTarget, false.B)

  /** There are free segments for them, and for all that was promised before. */
  val enough = Mux(known, capacity.segments, fresh) <= capacity.free

  /** An entry has been appended, which must be one of these. */
  def keepOne(): Unit = promised := promised - 1.U

  /** The sharers of the slot in hand. */
  def promise(): Unit = {
    promisedTo := target
    promised   := wanted(p.chainEntryBits - 1, 0)
  }

  /** A slot's entries will not be appended. */
  def withdraw(entries: UInt): Unit = promised := promised - entries

  def begin(): Unit = promised := 0.U

  def areTo(sb: UInt): Bool = promisedTo === sb && !kept
}
