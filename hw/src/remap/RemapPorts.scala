// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

// What the remap engine and the remap table are asked, and answer.

// ------------------------------------------------------------------ commands: RemapEngine
object RemapResult extends ChiselEnum {
  val ok, unmapped, sharerLimit, nvramFull, internal = Value
}

/** The list in DRAM: `ranges` records of Formats.RemapRange, checked by firmware (bounds, overlap, lengths). */
class RemapDescriptor(val p: Params) extends Bundle {
  val list   = UInt(p.dramAddrBits.W)
  val ranges = UInt(16.W)
  val move   = Bool() // MOVE: sources become unmapped
  val copy   = Bool() // NVMe Copy: an unmapped source makes its target unmapped instead of failing
}

class RemapOutcome(val p: Params) extends Bundle {
  val result = RemapResult()
  val range  = UInt(16.W) // unmapped, sharerLimit, internal: the range that failed
  val pages  = UInt(32.W) // LPNs whose mapping changed: targets, and sources that became unmapped
}

// ------------------------------------------------------------------ chains: RemapTable
class ChainEntry(val p: Params) extends Bundle {
  val sb     = UInt(p.sbBits.W)
  val offset = UInt(p.offsetBits.W)
  val lpn    = UInt(32.W)
  val seq    = UInt(p.seqBits.W)
}

/** Appends. Room was checked before (RemapCapacityPort), so an append is never refused. `drained`: all appends accepted
  * before this cycle are durable.
  */
class RemapAppendPort(val p: Params) extends Bundle {
  val entry   = Decoupled(new ChainEntry(p))
  val drained = Input(Bool())
}

class CapacityQuestion(val p: Params) extends Bundle {
  val sb      = UInt(p.sbBits.W)
  val entries = UInt(p.chainEntryBits.W)
}

/** Asks whether `entries` more entries fit into the chain of superblock `sb`: a question a cycle, always accepted. The
  * answer comes `RemapTable.answersAfter` cycles later and is of the chain as it was at the question. The two askers
  * share the answers, so each asks only while it holds the shareLock.
  *
  * `segments`: number of new segments that they take. `fits`: the chain, its destaged part included, would not be
  * longer than `segmentsPerChain`. `free` belongs to no question, and is at most a cycle late.
  */
class RemapCapacityPort(val p: Params) extends Bundle {
  val ask      = Valid(new CapacityQuestion(p))
  val segments = Input(UInt(p.chainSegBits.W))
  val begins   = Input(Bool()) // the last of them is the first of its segment
  val fits     = Input(Bool())
  val free = Input(UInt((p.segBits + 1).W)) // segments that this asker may take: beyond GC's reserve, but for GC all
}

/** One beat of a walk over a chain. */
class WalkedEntry(val p: Params) extends Bundle {
  val valid_ = Bool() // 0: only carries `last`
  val last   = Bool()
  val e      = new ChainEntry(p)
}

/** Reads a superblock's chain, newest segment first: entries that pass CRC and generation, then one with `last`. */
class RemapWalkPort(val p: Params) extends Bundle {
  val start = Decoupled(UInt(p.sbBits.W))
  val entry = Flipped(Decoupled(new WalkedEntry(p)))
}

/** The part of a chain that GcDestager has written to flash. */
class Destaged(val p: Params) extends Bundle {
  val set   = UInt(2.W)                 // its set of slots (DestageLpn), 1 or 2; 0: there is none, nothing else counts
  val slots = UInt(p.destageSlotBits.W) // of the set, in use
  val segments = UInt(p.chainSegBits.W) // that its entries would fill
}

class DestagedOf(val p: Params) extends Bundle {
  val sb   = UInt(p.sbBits.W)
  val part = new Destaged(p)
}

/** Length of a superblock's chain: what it is two cycles after `sb` has changed, and follows the chain in two cycles.
  */
class RemapLookPort(val p: Params) extends Bundle {
  val sb       = Output(UInt(p.sbBits.W))
  val segments = Input(UInt(p.chainSegBits.W)) // in NVRAM
  val destaged = Input(new Destaged(p))
}

/** Length of a chain in NVRAM. */
class ChainSize(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val fill  = UInt(p.entryIdxBits.W) // entries used in the tail segment
  val count = UInt(p.chainSegBits.W) // segments in the chain; 0: no chain
}

class ChainState(val p: Params) extends Bundle {
  val sb    = UInt(p.sbBits.W)
  val tail  = UInt(p.segBits.W)
  val fill  = UInt(p.entryIdxBits.W) // entries used in the tail segment
  val count = UInt(p.chainSegBits.W) // segments in the chain; 0: no chain
}

/** Start-up: firmware loads the table with what it found in NVRAM, once the table has been cleared after reset. */
class RemapTableLoad(val p: Params) extends Bundle {
  val chain = Valid(new ChainState(p))
  val link  = Valid(new Bundle { val seg = UInt(p.segBits.W); val prev = UInt(p.segBits.W) })
  val free  = Decoupled(UInt(p.segBits.W))
  val part  = Valid(new DestagedOf(p)) // after its chain
}
