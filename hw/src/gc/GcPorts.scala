// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

// Requests to GcEngine and their outcomes, and GcEngine's requests to GcMover.

/** A collection, compaction or destaging to start. */
class GcRequest(val p: Params) extends Bundle {
  val sb      = UInt(p.sbBits.W)
  val chain   = Bool() // only its chain in the remap table is to be compacted
  val destage = Bool() // with `chain`: destaged, not compacted
  val retire  = Bool() // without `chain`: erased, but not given back
}

/** How a collection, compaction or destaging ended. */
class GcOutcome(val p: Params) extends Bundle {
  val sb      = UInt(p.sbBits.W)
  val chain   = Bool() // of a compaction or destaging
  val ok      = Bool() // 0: the victim stays: refused, full, or a read, program or erase failed
  val refused = Bool() // the victim was neither closed nor bad; its chain has nothing to give back
  val full    = Bool() // stopped: too few free segments for the sharers of the next slot, or a chain
  val moved    = UInt((p.offsetBits + 1).W) // slots copied
  val shared   = UInt((p.offsetBits + 1).W) // of these, slots with more than one sharer
  val segments = UInt(p.chainSegBits.W)     // given back by a compaction or destaging
}

/** The slots that GcEngine wants GcMover to move. */
class GcBatch(val p: Params) extends Bundle {
  val sb   = UInt(p.sbBits.W)     // victim
  val from = UInt(p.offsetBits.W) // first slot to look at
}

/** How far GcMover got, and why it ended. */
class GcBatchDone(val p: Params) extends Bundle {
  val next = UInt((p.offsetBits + 1).W) // first slot that was not looked at; slotsPerSb: none is left
  val lost = Bool() // a slot with sharers stays where it is: unreadable, or nobody names all of them, or `stop`
  val stop = Bool() // a program failed, or `full`: going on would waste more of the target
  val full = Bool() // too few free segments for the sharers of a slot: it and those after it stay
}
