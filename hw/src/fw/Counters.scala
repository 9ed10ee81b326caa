// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Names every counter once: each row is a register pair of the firmware's window, in this order. Each value is the
  * number of events in this cycle.
  */
class CounterEvents(val p: Params) extends Bundle {
  val hostReadPages, hostWritePages, hostTrimPages, remapPages             = Bool()
  val nandProgramHost, nandProgramGc, nandReadHost, nandReadGc, nandReadFw = Bool()
  val nandErase                                                            = UInt(2.W)
  val nandProgramPad = UInt(log2Ceil(2 * p.g.slotsPerPage).max(1).W) // the host's and GC's at a time
  val gcVictims, gcMovedPages, gcMovedShared, gcLostRaces                                  = Bool()
  val remapEntries, segmentsFreed, badEntries, chainCompactions                            = Bool()
  val staleDropped                                                                         = UInt(p.chainEntryBits.W)
  val mapLookups, mapUpdates                                                               = Bool()
  val stallWriteBuffer, stallAlloc, stallMapLock, stallShareLock, stallFence, stallJournal = Bool() // cycles
  val hostReadCommands, hostWriteCommands, readErrors, writeErrors                         = Bool()
  val nandProgramMeta    = UInt(log2Ceil(p.g.slotsPerPage + 2).W) // a page of firmware's and a slot of GC's at a time
  val chainsDestaged     = Bool()
  val entriesDestaged    = UInt(p.chainEntryBits.W)
  val l2pHits, l2pMisses = Bool()
  val remapSharers2, remapSharers4, remapSharers8, remapSharersMore = Bool()
  val remapsByHardware, remapsHandedOver, copyRefused               = Bool()
  val nandProgramFails                                              = UInt(2.W) // the host's and GC's at a time
  val hostSavedPages                                                = Bool()
  val nandReadRetries                                               = UInt(log2Ceil(p.g.channels + 1).W)
}

/** Counts events and, for counters named `stall...`, cycles. Counters are read by index, in the order of
  * FwRegMap.counters: `value` is the counter that `index` named `Counters.answersAfter` cycles before, and is exact as
  * of `Counters.age` cycles before. The index stays at least as long as an answer takes.
  *
  * The low bits of a counter are registers, wide enough to overflow at most once in a turn of all counters. The bits
  * above them are a word of one memory that all counters share. In each cycle another counter has its turn to add its
  * overflow to its word, except in the two cycles that fetch the word of a new index. Each turn and fetch takes three
  * steps: the word's address, the word, the sum.
  */
class Counters(p: Params) extends Module {
  private val width = 48
  val io            = IO(new Bundle {
    val event   = Input(new CounterEvents(p))
    val index   = Input(UInt(6.W))
    val value   = Output(UInt(width.W))
    val clear   = Input(Bool())
    val skipped =
      Input(UInt(32.W)) // cycles jumped over by a simulation: stall events of this cycle count so often more
  })
  require(
    FwRegMap.counters.toSet == io.event.elements.keySet,
    "interfaces/registers/counters.yaml and CounterEvents name the same counters"
  )
  private val names  = FwRegMap.counters
  private val count  = names.size
  private val places = 1 << io.index.getWidth
  private val round  = 2 * count + 2 // cycles between two turns of a counter, at most
  require(count <= places, s"COUNTER_SELECT.index has ${io.index.getWidth} bits")

  // A new index is seen in `news`. Nobody has a turn then, nor in the next cycle, in which its word is fetched: what
  // was on its way to the memory has come there.
  private val asked = RegNext(io.index, 0.U)
  private val index = RegNext(asked, 0.U)
  private val news  = index =/= asked
  private val fetch = RegNext(news && !io.clear, false.B)
  assert(
    !news || !Seq.iterate(news, Counters.answersAfter)(RegNext(_, false.B)).tail.reduce(_ || _),
    "Counters: the index changes before its answer has come"
  )
  private val due     = !news && !fetch
  private val turn    = RegInit(0.U(io.index.getWidth.W))
  private val zeroing = RegInit(true.B) // first round after a clear: from `turn` on, words count as zero
  when(due) {
    turn := Mux(turn === (count - 1).U, 0.U, turn + 1.U)
    when(turn === (count - 1).U)(zeroing := false.B)
  }

  /** Some low bits, and whether they have overflowed since the counter's last turn. */
  private class Low(name: String, step: UInt, at: Int) {
    val bits         = log2Ceil(((BigInt(1) << step.getWidth) - 1) * round + 1)
    val low          = RegInit(0.U(bits.W)).suggestName(name)
    val over         = RegInit(false.B).suggestName(s"${name}Over")
    private val sum  = low +& step
    private val mine = due && turn === at.U
    low  := sum(bits - 1, 0)
    over := sum(bits) || over && !mine
    assert(!sum(bits) || !over || mine, s"$name overflows before its turn")
    when(io.clear) {
      low  := 0.U
      over := false.B
    }
    def carry: UInt = (over << bits).pad(width)
    def all: UInt   = Cat(over, low).pad(width)
  }
  private val lows = names.zipWithIndex.map { case (name, i) => new Low(name, io.event.elements(name).asUInt, i) }
  // Apart from the cycles that are there, so that hardware has nothing of it.
  private val stalls = if (p.k.timeSkip) names.zipWithIndex.filter(_._1.startsWith("stall")) else Nil
  private val skips  = stalls.map { case (name, i) =>
    i -> new Low(s"${name}Skipped", Mux(io.event.elements(name).asUInt.orR, io.skipped, 0.U), i)
  }
  private def pick(at: UInt, of: Low => UInt): UInt = VecInit(lows.map(of).padTo(places, 0.U(width.W)))(at)
  private def skip(at: UInt, of: Low => UInt): UInt =
    if (skips.nonEmpty) Mux1H(skips.map { case (i, low) => (at === i.U) -> of(low) }) else 0.U(width.W)

  private val below = lows.map(_.bits).min // the words' bits below are always zero
  private val high  = Mem(count, UInt((width - below).W))
  private class Step extends Bundle {
    val turns, fetches = Bool()
    val at             = UInt(io.index.getWidth.W)
    val carry, skipped = UInt((width - below).W) // of a turn
  }
  private val idle = 0.U.asTypeOf(new Step)

  // First step: whose word, and what is added to it
  private val first  = RegInit(idle)
  private val exists = RegNext(Mux(fetch, index < Mux(zeroing, turn, count.U), !zeroing)) // else its word is zero
  first.turns   := due
  first.fetches := fetch
  first.at      := Mux(fetch, index, turn)
  first.carry   := Mux(due, pick(turn, _.carry) >> below, 0.U)
  first.skipped := Mux(due, skip(turn, _.carry) >> below, 0.U)
  // Second step: the word. Of a counter's two overflows each is one bit, and no two are the same one.
  private val second = RegInit(idle)
  private val word   = RegNext(Mux(exists, high(first.at), 0.U))
  second       := first
  second.carry := first.carry | first.skipped
  // Third step: the sum
  private val sum   = word + second.carry
  private val shown = RegInit(0.U((width - below).W))
  when(second.turns)(high.write(second.at, sum))
  assert(
    !second.turns || !(first.turns || first.fetches) || first.at =/= second.at,
    "Counters: a word is read while it is written"
  )
  when(second.fetches || second.turns && second.at === index)(shown := sum)
  when(io.clear) {
    turn    := 0.U
    zeroing := true.B
    first   := idle
    second  := idle
    shown   := 0.U
  }
  // An overflow leaves the low bits two cycles before it is in `shown`.
  private val low = RegNext(RegNext(pick(index, _.all)) + RegNext(skip(index, _.all)))
  io.value := RegNext(Cat(shown, 0.U(below.W)) + low)
}

object Counters {

  /** Cycles from a new index to its value. */
  val answersAfter = 6

  /** Cycles from an event to the value that has it. */
  val age = 4
}
